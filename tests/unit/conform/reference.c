/* SPDX-License-Identifier: Apache-2.0
 *
 * Every operation that a profile executes, against the oracles: seeded cases
 * in each dtype that the capsule takes, through the session. Without a word
 * the profile is checked_cpu, that is, the reference module. Writes TAP: an
 * operation without a handler is skipped and says so.
 *
 *   reference [-p PROFILE] [OP [FIRST_SEED [CASES]]]
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit/conform/suite_program.h"

#define CASES 250
#define SEED  UINT64_C(20260)

typedef struct run {
    suite_program_t program;
    kc_session_t *session;
    const char *profile_name;
} run_t;

static void run_dtype(run_t *run, const kc_capsule_record_t *capsule)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_conform_report_t report = {0};
    kc_status_t status = kci_conform_session(
        run->session, capsule, &run->program.options, &report, &error);
    suite_begin_line(&run->program, status, &report);
    printf("%s %s: %" PRIu64 " cases, %" PRIu64 " elements, %" PRIu64 " open",
           kc_op_label(capsule->op),
           suite_dtype_name(run->program.options.dtype), report.run_count,
           report.checked_count, report.open_count);
    suite_end_line(status, &error, &report);
}

/* The capsule that the profile chooses for the operation. */
static void run_row(void *context, int32_t op, const kc_plan_row_t *row)
{
    run_t *run = context;
    const kc_capsule_record_t *capsule = row->capsule;
    if (capsule == NULL || (capsule->flags & KC_CAPSULE_NO_HANDLER) != 0) {
        printf("ok %d - %s # SKIP %s\n", ++run->program.line_count,
               kc_op_label(op),
               capsule == NULL ? "no capsule on this device"
                               : "the capsule says it has no handler");
        return;
    }
    uint32_t dtypes = suite_begin_capsule(&run->program, capsule);
    for (int32_t dtype = 0; dtype < KC_DTYPE_COUNT; dtype++) {
        if ((dtypes & 1u << dtype) != 0) {
            run->program.options.dtype = dtype;
            run_dtype(run, capsule);
        }
    }
}

static kc_status_t run_profile(run_t *run, kc_error_t *error)
{
    kc_runtime_options_t options = {.struct_size = sizeof options,
                                    .thread_count = 2};
    kc_runtime_t *runtime = NULL;
    kc_profile_t *profile = NULL;
    kc_status_t status = kc_runtime_create(&options, &runtime, error);
    if (status == KC_OK) {
        status = kc_profile_load(runtime, run->profile_name, &profile, error);
    }
    if (status == KC_OK) {
        status = kc_session_create(runtime, profile, 0, &run->session, error);
    }
    if (status == KC_OK) {
        status = suite_each_row(&run->program, profile, run_row, run, error);
    }
    kc_session_release(run->session);
    kc_profile_release(profile);
    kc_runtime_release(runtime);
    return status;
}

int main(int argument_count, char **arguments)
{
    kc_error_t error = KC_ERROR_INIT;
    run_t run = {.program = {.only_op = -1,
                             .options = {.case_count = CASES, .seed = SEED}},
                 .profile_name = "checked_cpu"};
    if (argument_count > 2 && strcmp(arguments[1], "-p") == 0) {
        run.profile_name = arguments[2];
        argument_count -= 2;
        arguments += 2;
    }
    if (suite_read_arguments(&run.program, argument_count - 1, arguments + 1,
                             &error) != KC_OK) {
        fprintf(stderr, "%s\n", error.message);
        return EXIT_FAILURE;
    }
    kc_status_t status = run_profile(&run, &error);
    return suite_end(&run.program, status, &error);
}
