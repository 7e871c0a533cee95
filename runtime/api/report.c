/* SPDX-License-Identifier: Apache-2.0
 *
 * Reports as texts of the caller's, from the functions of the report layer.
 */
#include <kcapsule/report.h>

#include <string.h>

#include "api/argument.h"
#include "base/alloc.h"
#include "base/file_bytes.h"
#include "report/report.h"

/* Takes the tree and gives its text. NULL means that memory ran out. */
static kc_status_t take_json(json_t *json, char **out_text, kc_error_t *error)
{
    if (json == NULL) {
        return kci_fail(error, KC_ERR_MEMORY, "out of memory: report");
    }
    kc_status_t status = kci_json_format(json, out_text, error);
    json_decref(json);
    return status;
}

/* Takes the text if the writer was content, else throws it away. */
static kc_status_t take_text(kc_status_t status, kci_string_buffer_t *buffer,
                             char **out_text, kc_error_t *error)
{
    if (status == KC_OK) {
        status = kci_string_take(buffer, out_text, error);
    }
    if (status == KC_OK) {
        kci_report_clean_lines(*out_text);
    }
    kci_string_release(buffer);
    return status;
}

kc_status_t kc_report_plan(const kc_plan_t *plan, kc_plan_view_t view,
                           kc_format_t format, char **out_text,
                           kc_error_t *error)
{
    KC_REQUIRE(plan, error);
    KC_REQUIRE(out_text, error);
    if (format == KC_FORMAT_JSON) {
        json_t *json = NULL;
        KC_RETURN_IF_ERROR(kci_report_plan_json(plan, view, &json, error));
        return take_json(json, out_text, error);
    }
    kci_string_buffer_t text = KCI_STRING_BUFFER_INIT;
    kc_status_t status = kci_report_plan_text(plan, view, &text, error);
    return take_text(status, &text, out_text, error);
}

kc_status_t kc_report_check(const kc_plan_t *plan, const kc_policy_t *policy,
                            kc_format_t format, char **out_text,
                            int32_t *out_is_accepted, kc_error_t *error)
{
    KC_REQUIRE(plan, error);
    KC_REQUIRE(out_text, error);
    KC_REQUIRE(out_is_accepted, error);
    policy = policy != NULL ? policy : &plan->profile->policy;
    bool is_accepted = false;
    kc_status_t status = KC_OK;
    if (format == KC_FORMAT_JSON) {
        json_t *json = NULL;
        KC_RETURN_IF_ERROR(
            kci_report_check_json(plan, policy, &json, &is_accepted, error));
        status = take_json(json, out_text, error);
    } else {
        kci_string_buffer_t text = KCI_STRING_BUFFER_INIT;
        status =
            kci_report_check_text(plan, policy, &text, &is_accepted, error);
        status = take_text(status, &text, out_text, error);
    }
    if (status == KC_OK) {
        *out_is_accepted = is_accepted;
    }
    return status;
}

kc_status_t kc_report_acceptance(kc_plan_t *plan, kc_format_t format,
                                 char **out_text, int32_t *out_is_accepted,
                                 kc_error_t *error)
{
    KC_REQUIRE(plan, error);
    KC_REQUIRE(out_text, error);
    KC_REQUIRE(out_is_accepted, error);
    bool is_accepted = false;
    kc_status_t status = KC_OK;
    if (format == KC_FORMAT_JSON) {
        json_t *json = NULL;
        KC_RETURN_IF_ERROR(
            kci_report_acceptance_json(plan, &json, &is_accepted, error));
        status = take_json(json, out_text, error);
    } else {
        kci_string_buffer_t text = KCI_STRING_BUFFER_INIT;
        status = kci_report_acceptance_text(plan, &text, &is_accepted, error);
        status = take_text(status, &text, out_text, error);
    }
    if (status == KC_OK) {
        *out_is_accepted = is_accepted;
    }
    return status;
}

kc_status_t kc_report_modules(const kc_runtime_t *runtime, int32_t is_verbose,
                              kc_format_t format, char **out_text,
                              kc_error_t *error)
{
    KC_REQUIRE(runtime, error);
    KC_REQUIRE(out_text, error);
    if (format == KC_FORMAT_JSON) {
        return take_json(kci_report_modules_json(runtime), out_text, error);
    }
    kci_string_buffer_t text = KCI_STRING_BUFFER_INIT;
    kci_report_modules_text(runtime, is_verbose != 0, &text);
    return take_text(KC_OK, &text, out_text, error);
}

kc_status_t kc_report_inspect(kc_runtime_t *runtime, const char *name,
                              kc_format_t format, char **out_text,
                              kc_error_t *error)
{
    KC_REQUIRE(runtime, error);
    KC_REQUIRE(name, error);
    KC_REQUIRE(out_text, error);
    if (format == KC_FORMAT_JSON) {
        json_t *json = NULL;
        KC_RETURN_IF_ERROR(
            kci_report_inspect_json(runtime, name, &json, error));
        return take_json(json, out_text, error);
    }
    kci_string_buffer_t text = KCI_STRING_BUFFER_INIT;
    kc_status_t status = kci_report_inspect_text(runtime, name, &text, error);
    return take_text(status, &text, out_text, error);
}

kc_status_t kc_report_ops(kc_format_t format, char **out_text,
                          kc_error_t *error)
{
    KC_REQUIRE(out_text, error);
    if (format == KC_FORMAT_JSON) {
        return take_json(kci_report_ops_json(), out_text, error);
    }
    kci_string_buffer_t text = KCI_STRING_BUFFER_INIT;
    kci_report_ops_text(&text);
    return take_text(KC_OK, &text, out_text, error);
}

kc_status_t kc_report_op(int32_t op, kc_format_t format, char **out_text,
                         kc_error_t *error)
{
    KC_REQUIRE(out_text, error);
    if (op < 0 || op >= KC_OP_COUNT) {
        return kci_fail(error, KC_ERR_ARGUMENT,
                        "kc_report_op: expected an operation below %d, found "
                        "%d",
                        KC_OP_COUNT, op);
    }
    if (format == KC_FORMAT_JSON) {
        return take_json(kci_report_op_json(op), out_text, error);
    }
    kci_string_buffer_t text = KCI_STRING_BUFFER_INIT;
    kci_report_op_text(op, &text);
    return take_text(KC_OK, &text, out_text, error);
}

kc_status_t kc_report_profiles(kc_runtime_t *runtime, kc_format_t format,
                               char **out_text, kc_error_t *error)
{
    KC_REQUIRE(runtime, error);
    KC_REQUIRE(out_text, error);
    if (format == KC_FORMAT_JSON) {
        json_t *json = NULL;
        KC_RETURN_IF_ERROR(kci_report_profiles_json(runtime, &json, error));
        return take_json(json, out_text, error);
    }
    kci_string_buffer_t text = KCI_STRING_BUFFER_INIT;
    kc_status_t status = kci_report_profiles_text(runtime, &text, error);
    return take_text(status, &text, out_text, error);
}

kc_status_t kc_report_record(const kc_record_t *record, kc_format_t format,
                             char **out_text, kc_error_t *error)
{
    KC_REQUIRE(record, error);
    KC_REQUIRE(out_text, error);
    if (format == KC_FORMAT_JSON) {
        json_t *json = NULL;
        KC_RETURN_IF_ERROR(kci_report_record_json(record, &json, error));
        return take_json(json, out_text, error);
    }
    kci_string_buffer_t text = KCI_STRING_BUFFER_INIT;
    kci_report_record_text(record, &text);
    return take_text(KC_OK, &text, out_text, error);
}

kc_status_t kc_record_write(const kc_record_t *record, const char *path,
                            kc_error_t *error)
{
    char *text = NULL;
    KC_REQUIRE(path, error);
    KC_RETURN_IF_ERROR(kc_report_record(record, KC_FORMAT_JSON, &text, error));
    kc_status_t status = kci_file_write(path, text, strlen(text), error);
    kci_free(text);
    return status;
}
