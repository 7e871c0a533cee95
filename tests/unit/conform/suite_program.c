/* SPDX-License-Identifier: Apache-2.0
 *
 * A program goes through operations and writes a line for each thing that it
 * looked at.
 */
#include "unit/conform/suite_program.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

kc_status_t suite_read_arguments(suite_program_t *program, int count,
                                 char **arguments, kc_error_t *error)
{
    if (count > 0) {
        kc_status_t status =
            kc_op_parse(arguments[0], &program->only_op, error);
        if (status != KC_OK) {
            return status;
        }
    }
    if (count > 1) {
        program->options.seed = strtoull(arguments[1], NULL, 0);
    }
    if (count > 2) {
        program->options.case_count = strtoull(arguments[2], NULL, 0);
    }
    return KC_OK;
}

kc_status_t suite_each_row(const suite_program_t *program,
                           kc_profile_t *profile, suite_row_fn run,
                           void *context, kc_error_t *error)
{
    for (int32_t op = 0; op < KC_OP_COUNT; op++) {
        kc_plan_t *plan = NULL;
        kc_plan_row_t row = {.struct_size = sizeof row};
        if (program->only_op >= 0 && op != program->only_op) {
            continue;
        }
        kc_status_t status = kc_plan_ops(profile, &op, 1, &plan, error);
        if (status != KC_OK) {
            return status;
        }
        kc_plan_row(plan, 0, &row);
        run(context, op, &row);
        kc_plan_release(plan);
    }
    return KC_OK;
}

/* Of exp, log, sin...: LibTorch's are SLEEF's, the sine and cosine of which
 * may be 3.5 ulp off. */
static double function_ulps(const kc_capsule_record_t *capsule)
{
    return strcmp(capsule->provider, "libtorch") == 0 ? 4 : 0;
}

uint32_t suite_begin_capsule(suite_program_t *program,
                             const kc_capsule_record_t *capsule)
{
    program->options.function_ulps = function_ulps(capsule);
    return capsule->limits.dtypes != 0 ? capsule->limits.dtypes
                                       : 1u << KC_DTYPE_F32;
}

const char *suite_dtype_name(int32_t dtype)
{
    static const char *const names[] = {"f32", "f64", "bool", "i32", "i64"};
    return names[dtype];
}

static bool is_passed(kc_status_t status, const kci_conform_report_t *report)
{
    return status == KC_OK && kci_conform_is_passed(report);
}

void suite_begin_line(suite_program_t *program, kc_status_t status,
                      const kci_conform_report_t *report)
{
    printf("%s %d - ", is_passed(status, report) ? "ok" : "not ok",
           ++program->line_count);
}

void suite_end_line(kc_status_t status, const kc_error_t *error,
                    const kci_conform_report_t *report)
{
    printf("\n");
    if (status != KC_OK) {
        printf("# %s\n", error->message);
    } else if (!is_passed(status, report)) {
        printf("# %" PRIu64 " failed; %s\n", report->failed_count,
               report->first_failure);
    }
    fflush(stdout);
}

int suite_end(const suite_program_t *program, kc_status_t status,
              const kc_error_t *error)
{
    if (status != KC_OK) {
        printf("Bail out! %s\n", error->message);
    }
    printf("1..%d\n", program->line_count);
    return fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
