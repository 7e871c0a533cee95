/* SPDX-License-Identifier: Apache-2.0
 *
 * One case: draw it smooth, difference the oracle, ask for all gradients at
 * once, again, then for each alone, compare.
 */
#include "conform/gradient.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conform/allowance.h"
#include "conform/compare.h"
#include "conform/difference.h"
#include "conform/gradient_case.h"
#include "conform/smooth.h"

static bool compare_input(const kci_gradient_case_t *subject, size_t input,
                          const kci_slope_t *slopes, double function_ulps,
                          kc_tensor_t *found, kci_conform_report_t *report,
                          kci_line_t *line)
{
    kci_array_t array = {.rank = -1};
    kc_error_t error = KC_ERROR_INIT;
    bool is_right = true;
    if (kci_array_read(kc_tensor_view(found), &array, &error) != KC_OK) {
        kci_line_add(line, "; %s", error.message);
        return false;
    }
    double rounding =
        kci_gradient_allowance(subject, slopes, array.count, function_ulps);
    for (int64_t i = 0; is_right && i < array.count; i++) {
        double distance = fabs(array.values[i] - slopes[i].value);
        report->checked_count++;
        is_right = distance <= slopes[i].error + rounding;
        if (!is_right) {
            kci_line_add(line, "; gradient of input %zu, element ", input);
            kci_line_add_index(line, array.rank, array.shape, i);
            kci_line_add(line, ": differences give ");
            kci_line_add_number(line, slopes[i].value);
            kci_line_add(line, " within ");
            kci_line_add_number(line, slopes[i].error + rounding);
            kci_line_add(line, ", found ");
            kci_line_add_number(line, array.values[i]);
        }
    }
    kci_array_release(&array);
    return is_right;
}

static bool compare_all(kci_gradient_case_t *subject, double function_ulps,
                        kc_tensor_t *const *found, kci_conform_report_t *report,
                        kci_line_t *line)
{
    bool is_right = true;
    for (size_t i = 0; is_right && i < subject->trial->input_count; i++) {
        kci_slope_t *slopes = NULL;
        kc_error_t error = KC_ERROR_INIT;
        if (!subject->wanted[i]) {
            continue;
        }
        if (kci_point_slopes(subject->point, i, subject->cotangent_values,
                             &slopes, &error) != KC_OK) {
            kci_line_add(line, "; %s", error.message);
            return false;
        }
        is_right = compare_input(subject, i, slopes, function_ulps, found[i],
                                 report, line);
        free(slopes);
    }
    return is_right;
}

/* Asks for the inputs in `wanted`; no bit may differ from what came before,
 * where all were asked for. */
static bool compare_asked(const kci_gradient_subject_t *subject,
                          const kci_gradient_case_t *one, const bool *wanted,
                          kc_tensor_t *const *before, const char *when,
                          kci_conform_report_t *report, kci_line_t *line)
{
    kc_tensor_t *found[KCI_CASE_INPUT_MAX] = {NULL};
    kc_error_t error = KC_ERROR_INIT;
    bool is_right = true;
    kci_gradient_call_t call = kci_gradient_case_call(one, wanted);
    kc_status_t status = kci_gradient_ask(subject, &call, found, &error);
    if (status != KC_OK) {
        kci_line_add(line, "; gradients %s: status %d: %s", when, (int)status,
                     error.message);
        return false;
    }
    report->asked_count++;
    for (size_t i = 0; i < one->trial->input_count; i++) {
        if (is_right && wanted[i] &&
            !kci_gradient_is_same(found[i], before[i])) {
            kci_line_add(line, "; gradient of input %zu: other bits %s", i,
                         when);
            is_right = false;
        }
        kc_tensor_release(found[i]);
    }
    return is_right;
}

/* A gradient must not depend on which others are wanted, nor on what was
 * asked before. */
static bool compare_again(const kci_gradient_subject_t *subject,
                          const kci_gradient_case_t *one,
                          kc_tensor_t *const *all, kci_conform_report_t *report,
                          kci_line_t *line)
{
    bool is_right = compare_asked(subject, one, one->wanted, all,
                                  "when asked again", report, line);
    for (size_t i = 0; is_right && i < one->trial->input_count; i++) {
        bool alone[KCI_CASE_INPUT_MAX] = {false};
        alone[i] = one->wanted[i];
        is_right =
            !alone[i] || compare_asked(subject, one, alone, all,
                                       "when wanted alone", report, line);
    }
    return is_right;
}

static bool judge(const kci_gradient_subject_t *subject,
                  kci_gradient_case_t *one, double function_ulps,
                  kci_conform_report_t *report, kci_line_t *line)
{
    kc_tensor_t *found[KCI_CASE_INPUT_MAX] = {NULL};
    kc_error_t error = KC_ERROR_INIT;
    kci_gradient_call_t call = kci_gradient_case_call(one, one->wanted);
    kc_status_t status = kci_gradient_ask(subject, &call, found, &error);
    if (status != KC_OK) {
        kci_line_add(line, "; expected gradients, found status %d: %s",
                     (int)status, error.message);
        return false;
    }
    report->called_count++;
    report->asked_count++;
    bool is_right = compare_all(one, function_ulps, found, report, line) &&
                    compare_again(subject, one, found, report, line);
    int changed = kci_case_changed_input(one->trial);
    if (is_right && changed >= 0) {
        kci_line_add(line, "; expected input %d unchanged, found it written",
                     changed);
        is_right = false;
    }
    for (size_t i = 0; i < one->trial->input_count; i++) {
        kc_tensor_release(found[i]);
    }
    return is_right;
}

static kc_status_t run_case(const kci_gradient_subject_t *subject,
                            const kci_conform_options_t *options, uint64_t seed,
                            kci_conform_report_t *report, kc_error_t *error)
{
    kci_gradient_case_t one;
    kci_line_t line = {0};
    kc_status_t status = kci_gradient_case_create(
        subject->capsule->op, options->dtype, seed, &one, error);
    if (status != KC_OK) {
        return status;
    }
    report->run_count++;
    report->empty_count += kci_case_is_empty(one.trial);
    kci_line_add_case(&line, one.trial);
    if (!judge(subject, &one, options->function_ulps, report, &line) &&
        report->failed_count++ == 0) {
        memcpy(report->first_failure, line.text, sizeof line.text);
    }
    kci_gradient_case_release(&one);
    return KC_OK;
}

/* Applications of the capsule's rule so far. */
static kc_status_t count_rules(const kci_gradient_subject_t *subject,
                               uint64_t *out_count, kc_error_t *error)
{
    kc_record_t *record = NULL;
    kc_status_t status = kc_session_record(subject->session, &record, error);
    if (status != KC_OK) {
        return status;
    }
    *out_count = 0;
    for (size_t i = 0; i < kc_record_row_count(record); i++) {
        kc_record_row_t row = {.struct_size = sizeof row};
        kc_record_row(record, i, &row);
        if (row.kind == KC_CALL_VJP && row.op == subject->capsule->op &&
            strcmp(row.capsule, subject->capsule->name) == 0) {
            *out_count += row.call_count;
        }
    }
    kc_record_release(record);
    return KC_OK;
}

kc_status_t kci_conform_gradients(const kci_gradient_subject_t *subject,
                                  const kci_conform_options_t *options,
                                  kci_conform_report_t *out_report,
                                  kc_error_t *error)
{
    kci_conform_report_t report = {0};
    uint64_t before = 0;
    uint64_t after = 0;
    kc_status_t status = count_rules(subject, &before, error);
    for (uint64_t i = 0; status == KC_OK && i < options->case_count; i++) {
        status = run_case(subject, options, options->seed + i, &report, error);
    }
    if (status == KC_OK) {
        status = count_rules(subject, &after, error);
    }
    if (status != KC_OK) {
        return status;
    }
    if (after - before != report.asked_count && report.failed_count++ == 0) {
        snprintf(report.first_failure, sizeof report.first_failure,
                 "%s: expected its rule recorded %" PRIu64
                 " times, found %" PRIu64,
                 subject->capsule->name, report.asked_count, after - before);
    }
    *out_report = report;
    return KC_OK;
}
