/* SPDX-License-Identifier: Apache-2.0
 *
 * What the programs of the suite have in common: the cases that a command
 * line asks for, the capsules of a profile, and lines of TAP.
 */
#ifndef KC_TESTS_UNIT_CONFORM_SUITE_PROGRAM_H
#define KC_TESTS_UNIT_CONFORM_SUITE_PROGRAM_H

#include <kcapsule/kcapsule.h>
#include "conform/conform.h"

typedef struct suite_program {
    int32_t only_op; /* -1: all */
    kci_conform_options_t options;
    int line_count;
} suite_program_t;

/* [OP [FIRST_SEED [CASES]]]; what is not said stays as it is. */
kc_status_t suite_read_arguments(suite_program_t *program, int count,
                                 char **arguments, kc_error_t *error);

/* The row of a plan of each operation that was asked for. */
typedef void (*suite_row_fn)(void *context, int32_t op,
                             const kc_plan_row_t *row);
kc_status_t suite_each_row(const suite_program_t *program,
                           kc_profile_t *profile, suite_row_fn run,
                           void *context, kc_error_t *error);

/* The dtypes that the capsule takes, a bit each; sets the bound of functions
 * that its provider states. */
uint32_t suite_begin_capsule(suite_program_t *program,
                             const kc_capsule_record_t *capsule);
const char *suite_dtype_name(int32_t dtype);

/* "ok 7 - " or "not ok 7 - ", to which the caller adds the rest of the line;
 * then why it failed, if it did. */
void suite_begin_line(suite_program_t *program, kc_status_t status,
                      const kci_conform_report_t *report);
void suite_end_line(kc_status_t status, const kc_error_t *error,
                    const kci_conform_report_t *report);
/* The plan line. Gives what main returns. */
int suite_end(const suite_program_t *program, kc_status_t status,
              const kc_error_t *error);

#endif
