/* SPDX-License-Identifier: Apache-2.0
 *
 * One case: draw, ask the oracle, call, compare everything that may have
 * changed. Many cases: count, keep the first failure.
 */
#include "conform/conform.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conform/compare.h"
#include "conform/family.h"

/* One case on its way. */
typedef struct attempt {
    const kci_conform_subject_t *subject;
    kci_case_t *trial;
    kci_problem_t problem;
    kci_guarded_t memory; /* of the output */
    size_t shift;         /* bytes in front of its first element */
    DLTensor output;
    int64_t strides[KC_MAX_RANK];
    bool is_written_order;
} attempt_t;

bool kci_conform_is_passed(const kci_conform_report_t *report)
{
    return report->failed_count == 0 && report->run_count > 0 &&
           report->called_count == report->run_count &&
           report->checked_count > 0;
}

/* `left.mul_add/1` is what fixed-left means. Values of the C library in
 * double are no promise of bits. */
static bool promises_written_order(const kci_conform_subject_t *subject,
                                   int32_t op, int32_t dtype)
{
    const kc_numerical_policy_t *numerics = &subject->capsule->numerics;
    bool is_left = numerics->reduction == KC_REDUCTION_FIXED_LEFT &&
                   (numerics->order[0] == '\0' ||
                    strcmp(numerics->order, "left.mul_add/1") == 0);
    return is_left &&
           !(kci_family_of(op)->has_functions && dtype == KC_DTYPE_F64);
}

static DLDataType output_type(int32_t dtype)
{
    switch (dtype) {
    case KC_DTYPE_F32:
        return (DLDataType){kDLFloat, 32, 1};
    case KC_DTYPE_F64:
        return (DLDataType){kDLFloat, 64, 1};
    case KC_DTYPE_I32:
        return (DLDataType){kDLInt, 32, 1};
    case KC_DTYPE_I64:
        return (DLDataType){kDLInt, 64, 1};
    default:
        return (DLDataType){KC_DLPACK_BOOL, 8, 1};
    }
}

/* Dense, now and then not at the start of its memory. */
static bool make_output(attempt_t *attempt)
{
    kci_problem_t *problem = &attempt->problem;
    DLDataType type = output_type(problem->dtype);
    size_t size = type.bits / 8;
    attempt->shift =
        size * (size_t)kci_draw_integer(&attempt->trial->draw, 0, 3);
    if (!kci_guarded_create(attempt->shift + (size_t)problem->count * size,
                            &attempt->memory)) {
        return false;
    }
    int64_t step = 1;
    for (int32_t axis = problem->rank - 1; axis >= 0; axis--) {
        attempt->strides[axis] = step;
        step *= problem->shape[axis];
    }
    unsigned char *start = kci_guarded_elements(&attempt->memory);
    kci_guarded_fill_untouched(problem->dtype, problem->count,
                               start + attempt->shift);
    attempt->output =
        (DLTensor){.data = start,
                   .device = {kDLCPU, 0},
                   .ndim = problem->rank,
                   .dtype = type,
                   .shape = problem->shape,
                   .strides = problem->rank > 0 ? attempt->strides : NULL,
                   .byte_offset = attempt->shift};
    return true;
}

/* The bytes around the elements, those before a shifted start included. */
static bool has_guards(const attempt_t *attempt)
{
    const unsigned char *start = kci_guarded_elements(&attempt->memory);
    return kci_guarded_has_guards(&attempt->memory) &&
           memcmp(start, attempt->memory.before + KCI_GUARD_BYTES,
                  attempt->shift) == 0;
}

static void add_mismatch(kci_line_t *line, const kci_problem_t *problem,
                         const kci_comparison_t *comparison)
{
    int64_t at = comparison->place;
    bool is_order = comparison->mismatch == KCI_MISMATCH_WRITTEN;
    kci_line_add(line, "; element ");
    kci_line_add_index(line, problem->rank, problem->shape, at);
    kci_line_add(line, is_order ? ": expected the bits of " : ": expected ");
    kci_line_add_number(line,
                        is_order ? problem->written[at] : problem->values[at]);
    if (comparison->mismatch == KCI_MISMATCH_UNTOUCHED) {
        kci_line_add(line, ", found it unwritten");
        return;
    }
    if (is_order) {
        kci_line_add(line, ", the promised order");
    } else {
        kci_line_add(line, " within ");
        kci_line_add_number(line, problem->bounds[at]);
    }
    kci_line_add(line, ", found ");
    kci_line_add_number(line, comparison->found);
}

/* True for a good case; else `line` has what was wrong. */
static bool judge(const attempt_t *attempt, kci_conform_report_t *report,
                  kci_line_t *line)
{
    const kci_problem_t *problem = &attempt->problem;
    int changed = kci_case_changed_input(attempt->trial);
    kci_comparison_t comparison = kci_compare(
        problem, kci_guarded_elements(&attempt->memory) + attempt->shift,
        attempt->is_written_order);
    report->checked_count += comparison.checked_count;
    report->open_count += comparison.open_count;
    if (changed >= 0) {
        kci_line_add(line, "; expected input %d unchanged, found it written",
                     changed);
    } else if (!has_guards(attempt)) {
        kci_line_add(line, "; expected no byte written around the output, "
                           "found some");
    } else if (comparison.mismatch != KCI_MATCH) {
        add_mismatch(line, problem, &comparison);
    } else {
        return true;
    }
    return false;
}

static bool call_and_judge(attempt_t *attempt, kci_conform_report_t *report,
                           kci_line_t *line)
{
    kci_case_t *trial = attempt->trial;
    kc_error_t error = KC_ERROR_INIT;
    kc_status_t status = attempt->subject->run(
        attempt->subject->context, trial->op, &trial->attributes, trial->inputs,
        trial->input_count, &attempt->output, &error);
    if (status != KC_OK) {
        kci_line_add(line, "; expected a result, found status %d: %s",
                     (int)status, error.message);
        return false;
    }
    report->called_count++;
    return judge(attempt, report, line);
}

static kc_status_t run_case(const kci_conform_subject_t *subject, int32_t op,
                            const kci_conform_options_t *options, uint64_t seed,
                            kci_conform_report_t *report, kc_error_t *error)
{
    attempt_t attempt = {.subject = subject};
    kci_line_t line = {0};
    attempt.is_written_order =
        promises_written_order(subject, op, options->dtype);
    kc_status_t status =
        kci_case_create(op, options->dtype, seed, &attempt.trial, error);
    if (status != KC_OK) {
        return status;
    }
    status =
        kci_oracle_evaluate(op, &attempt.trial->attributes,
                            attempt.trial->inputs, attempt.trial->input_count,
                            options->function_ulps, &attempt.problem, error);
    if (status == KC_OK && !make_output(&attempt)) {
        status = kci_conform_no_memory(error);
    }
    if (status == KC_OK) {
        kci_line_add_case(&line, attempt.trial);
        report->run_count++;
        report->empty_count += kci_case_is_empty(attempt.trial);
        if (!call_and_judge(&attempt, report, &line) &&
            report->failed_count++ == 0) {
            memcpy(report->first_failure, line.text, sizeof line.text);
        }
    }
    kci_guarded_release(&attempt.memory);
    kci_problem_release(&attempt.problem);
    kci_case_release(attempt.trial);
    return status;
}

kc_status_t kci_conform_op(const kci_conform_subject_t *subject, int32_t op,
                           const kci_conform_options_t *options,
                           kci_conform_report_t *out_report, kc_error_t *error)
{
    kci_conform_report_t report = {0};
    for (uint64_t i = 0; i < options->case_count; i++) {
        kc_status_t status =
            run_case(subject, op, options, options->seed + i, &report, error);
        if (status != KC_OK) {
            return status;
        }
    }
    *out_report = report;
    return KC_OK;
}

static kc_status_t run_session(void *context, int32_t op,
                               const kc_attributes_t *attributes,
                               const DLTensor *const *inputs,
                               size_t input_count, DLTensor *output,
                               kc_error_t *error)
{
    return kc_session_run(context, op, attributes, inputs, input_count, output,
                          error);
}

/* Calls of the capsule so far, as the session recorded them. */
static kc_status_t count_calls(const kc_session_t *session,
                               const kc_capsule_record_t *capsule,
                               uint64_t *out_count, kc_error_t *error)
{
    kc_record_t *record = NULL;
    kc_status_t status = kc_session_record(session, &record, error);
    if (status != KC_OK) {
        return status;
    }
    *out_count = 0;
    for (size_t i = 0; i < kc_record_row_count(record); i++) {
        kc_record_row_t row = {.struct_size = sizeof row};
        kc_record_row(record, i, &row);
        if (row.op == capsule->op && strcmp(row.capsule, capsule->name) == 0) {
            *out_count += row.call_count;
        }
    }
    kc_record_release(record);
    return KC_OK;
}

/* Another capsule may have served the cases: then nothing was shown. */
static void check_calls(const kc_capsule_record_t *capsule, uint64_t calls,
                        kci_conform_report_t *report)
{
    if (calls >= report->called_count) {
        return;
    }
    if (report->failed_count++ == 0) {
        snprintf(report->first_failure, sizeof report->first_failure,
                 "%s: expected %" PRIu64 " recorded calls, found %" PRIu64,
                 capsule->name, report->called_count, calls);
    }
}

kc_status_t kci_conform_session(kc_session_t *session,
                                const kc_capsule_record_t *capsule,
                                const kci_conform_options_t *options,
                                kci_conform_report_t *out_report,
                                kc_error_t *error)
{
    kci_conform_subject_t subject = {capsule, run_session, session};
    uint64_t before = 0;
    uint64_t after = 0;
    kc_status_t status = count_calls(session, capsule, &before, error);
    if (status == KC_OK) {
        status =
            kci_conform_op(&subject, capsule->op, options, out_report, error);
    }
    if (status == KC_OK) {
        status = count_calls(session, capsule, &after, error);
    }
    if (status == KC_OK) {
        check_calls(capsule, after - before, out_report);
    }
    return status;
}
