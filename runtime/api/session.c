/* SPDX-License-Identifier: Apache-2.0
 *
 * Execution: sessions, executors and what they recorded.
 */
#include <kcapsule/session.h>

#include <string.h>

#include "api/argument.h"
#include "base/alloc.h"
#include "exec/weights.h"
#include "report/run_record.h"

static kc_status_t refuse_unknown_flags(const char *where, uint32_t flags,
                                        uint32_t known, kc_error_t *error)
{
    if ((flags & ~known) != 0) {
        return kci_fail(error, KC_ERR_ARGUMENT,
                        "%s: expected flags within 0x%x, found 0x%x", where,
                        known, flags);
    }
    return KC_OK;
}

kc_status_t kc_session_create(kc_runtime_t *runtime, kc_profile_t *profile,
                              uint32_t flags, kc_session_t **out_session,
                              kc_error_t *error)
{
    KC_REQUIRE(runtime, error);
    KC_REQUIRE(profile, error);
    KC_REQUIRE(out_session, error);
    KC_RETURN_IF_ERROR(refuse_unknown_flags(
        __func__, flags, KC_SESSION_GRADIENTS | KC_SESSION_TIME, error));
    kci_host_t *host = NULL;
    KC_RETURN_IF_ERROR(
        kci_runtime_host(runtime, profile->thread_count, &host, error));
    kc_session_t *session = NULL;
    KC_RETURN_IF_ERROR(kci_session_create(
        host, profile, (flags & KC_SESSION_GRADIENTS) != 0, &session, error));
    if ((flags & KC_SESSION_TIME) != 0) {
        kci_session_enable_time(session);
    }
    *out_session = session;
    return KC_OK;
}

void kc_session_release(kc_session_t *session)
{
    kci_session_destroy(session);
}

static kc_status_t check_call(const char *where, const void *session,
                              int32_t op, const DLTensor *const *inputs,
                              size_t input_count, kc_error_t *error)
{
    if (session == NULL || (inputs == NULL && input_count != 0)) {
        return kci_fail(error, KC_ERR_ARGUMENT,
                        "%s: expected a session and inputs, found NULL", where);
    }
    if (op < 0 || op >= KC_OP_COUNT) {
        return kci_fail(error, KC_ERR_ARGUMENT,
                        "%s: expected an operation below %d, found %d", where,
                        KC_OP_COUNT, op);
    }
    return KC_OK;
}

kc_status_t kc_session_run(kc_session_t *session, int32_t op,
                           const kc_attributes_t *attributes,
                           const DLTensor *const *inputs, size_t input_count,
                           DLTensor *output, kc_error_t *error)
{
    KC_RETURN_IF_ERROR(
        check_call(__func__, session, op, inputs, input_count, error));
    KC_REQUIRE(output, error);
    return kci_session_run(session, op, attributes, inputs, input_count, output,
                           error);
}

kc_status_t kc_session_apply(kc_session_t *session, int32_t op,
                             const kc_attributes_t *attributes,
                             const DLTensor *const *inputs, size_t input_count,
                             kc_tensor_t **out_tensor, kc_error_t *error)
{
    KC_RETURN_IF_ERROR(
        check_call(__func__, session, op, inputs, input_count, error));
    KC_REQUIRE(out_tensor, error);
    return kci_session_apply(session, op, attributes, inputs, input_count,
                             out_tensor, error);
}

kc_status_t kc_session_run_graph(kc_session_t *session, kc_graph_t *graph,
                                 kc_weights_t *weights,
                                 const DLTensor *const *inputs,
                                 size_t input_count, kc_tensor_t **out_outputs,
                                 size_t output_count, kc_error_t *error)
{
    KC_REQUIRE(session, error);
    KC_REQUIRE(graph, error);
    if (input_count != 0) {
        KC_REQUIRE(inputs, error);
    }
    if (output_count != 0) {
        KC_REQUIRE(out_outputs, error);
    }
    kci_named_tensor_t *consts = NULL;
    size_t const_count = 0;
    KC_RETURN_IF_ERROR(
        kci_weights_for_graph(weights, graph, &consts, &const_count, error));
    kc_status_t status =
        kci_session_run_graph(session, graph, consts, const_count, inputs,
                              input_count, out_outputs, output_count, error);
    kci_free(consts);
    return status;
}

kc_status_t kc_executor_create(kc_runtime_t *runtime,
                               kc_accepted_plan_t *accepted,
                               kc_weights_t *weights, uint32_t flags,
                               kc_executor_t **out_executor, kc_error_t *error)
{
    KC_REQUIRE(runtime, error);
    KC_REQUIRE(accepted, error);
    KC_REQUIRE(out_executor, error);
    KC_RETURN_IF_ERROR(refuse_unknown_flags(
        __func__, flags, KC_EXECUTOR_NO_REUSE | KC_EXECUTOR_TIME, error));
    kci_executor_options_t options = {
        .no_reuse = (flags & KC_EXECUTOR_NO_REUSE) != 0,
        .keep_time = (flags & KC_EXECUTOR_TIME) != 0};
    kci_host_t *host = NULL;
    KC_RETURN_IF_ERROR(kci_runtime_host(
        runtime, accepted->plan->profile->thread_count, &host, error));
    kci_named_tensor_t *consts = NULL;
    size_t const_count = 0;
    KC_RETURN_IF_ERROR(kci_weights_for_graph(weights, accepted->plan->graph,
                                             &consts, &const_count, error));
    kc_status_t status = kci_executor_create(
        host, accepted, consts, const_count, &options, out_executor, error);
    kci_free(consts);
    return status;
}

void kc_executor_release(kc_executor_t *executor)
{
    kci_executor_destroy(executor);
}

kc_status_t kc_executor_run(kc_executor_t *executor,
                            const DLTensor *const *inputs, size_t input_count,
                            DLTensor *const *outputs, size_t output_count,
                            kc_error_t *error)
{
    KC_REQUIRE(executor, error);
    if (input_count != 0) {
        KC_REQUIRE(inputs, error);
    }
    if (output_count != 0) {
        KC_REQUIRE(outputs, error);
    }
    return kci_executor_run(executor, inputs, input_count, outputs,
                            output_count, error);
}

kc_status_t kc_executor_run_gradients(
    kc_executor_t *executor, const DLTensor *const *inputs, size_t input_count,
    const DLTensor *const *seeds, size_t seed_count, DLTensor *const *outputs,
    size_t output_count, DLTensor *const *gradients, size_t gradient_count,
    kc_error_t *error)
{
    KC_REQUIRE(executor, error);
    if (input_count != 0) {
        KC_REQUIRE(inputs, error);
    }
    if (seed_count != 0) {
        KC_REQUIRE(seeds, error);
    }
    if (output_count != 0) {
        KC_REQUIRE(outputs, error);
    }
    if (gradient_count != 0) {
        KC_REQUIRE(gradients, error);
    }
    return kci_executor_run_gradients(executor, inputs, input_count, seeds,
                                      seed_count, outputs, output_count,
                                      gradients, gradient_count, error);
}

kc_status_t kc_session_record(const kc_session_t *session,
                              kc_record_t **out_record, kc_error_t *error)
{
    KC_REQUIRE(session, error);
    KC_REQUIRE(out_record, error);
    return kci_record_create(kci_session_record(session), "eager", out_record,
                             error);
}

kc_status_t kc_executor_record(const kc_executor_t *executor,
                               kc_record_t **out_record, kc_error_t *error)
{
    KC_REQUIRE(executor, error);
    KC_REQUIRE(out_record, error);
    KC_RETURN_IF_ERROR(kci_record_create(kci_executor_record(executor), "graph",
                                         out_record, error));
    (*out_record)->is_reusing = kci_executor_is_reusing(executor);
    return KC_OK;
}

void kc_record_release(kc_record_t *record)
{
    kci_record_release(record);
}

size_t kc_record_row_count(const kc_record_t *record)
{
    return record->run.entry_count;
}

/* The kinds of the interface are the roles of the record. */
KC_STATIC_ASSERT((int)KC_CALL_FORWARD == (int)KCI_CALL_FORWARD &&
                     (int)KC_CALL_INNER_FORWARD ==
                         (int)KCI_CALL_INNER_FORWARD &&
                     (int)KC_CALL_VJP == (int)KCI_CALL_VJP &&
                     (int)KC_CALL_INNER_VJP == (int)KCI_CALL_INNER_VJP &&
                     (int)KC_CALL_SUM == (int)KCI_CALL_SUM,
                 "kc_call_kind_t is kci_call_role_t");

void kc_record_row(const kc_record_t *record, size_t index,
                   kc_record_row_t *out_row)
{
    if (index >= record->run.entry_count) {
        return;
    }
    const kci_record_entry_t *row = &record->run.entries[index];
    const kci_module_file_t *file = row->entry->module->file;
    out_row->op = row->entry->capsule->op;
    out_row->capsule = row->entry->capsule->name;
    out_row->provider = row->entry->capsule->provider;
    out_row->module_name = row->entry->module->name;
    out_row->module_path = file != NULL ? file->path : "";
    out_row->module_sha256 = file != NULL ? file->sha256 : "";
    out_row->call_count = row->call_count;
    out_row->time_ns = row->time_ns;
    if (out_row->struct_size >= sizeof *out_row) {
        out_row->kind = (int32_t)row->role;
        out_row->vjp_mode = row->entry->capsule->vjp_mode;
        out_row->served = row->served != NULL ? row->served->capsule->name : "";
    }
}

kc_status_t kc_record_add_file(kc_record_t *record, const char *role,
                               const char *name, const char *path,
                               kc_error_t *error)
{
    KC_REQUIRE(record, error);
    KC_REQUIRE(role, error);
    KC_REQUIRE(name, error);
    KC_REQUIRE(path, error);
    return kci_record_add_file(record, role, name, path, path, error);
}

kc_status_t kc_record_add_result(kc_record_t *record, const char *role,
                                 const char *name, const char *path,
                                 const char *bytes_path, kc_error_t *error)
{
    KC_REQUIRE(record, error);
    KC_REQUIRE(role, error);
    KC_REQUIRE(name, error);
    KC_REQUIRE(path, error);
    return kci_record_add_file(record, role, name, path, bytes_path, error);
}

kc_status_t kc_record_add_extent(kc_record_t *record, const char *name,
                                 int64_t value, kc_error_t *error)
{
    KC_REQUIRE(record, error);
    KC_REQUIRE(name, error);
    return kci_record_add_extent(record, name, value, error);
}
