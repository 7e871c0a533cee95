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

#include <kcapsule/kcapsule.h>
#include "conform/conform.h"

#define CASES 250
#define SEED  UINT64_C(20260)

typedef struct run {
    kc_session_t *session;
    const char *profile_name;
    int32_t only_op; /* -1: all */
    kci_conform_options_t options;
    int count;
} run_t;

/* What a provider states of its exp, log, sin...: LibTorch's are SLEEF's, the
 * sine and cosine of which may be 3.5 ulp off. */
static double function_ulps(const kc_capsule_record_t *capsule)
{
    return strcmp(capsule->provider, "libtorch") == 0 ? 4 : 0;
}

static const char *const dtype_names[] = {"f32", "f64", "bool", "i32", "i64"};

static void report_line(run_t *run, const char *op, int32_t dtype,
                        kc_status_t status, const kc_error_t *error,
                        const kci_conform_report_t *report)
{
    bool is_passed = status == KC_OK && kci_conform_is_passed(report);
    printf("%s %d - %s %s: %" PRIu64 " cases, %" PRIu64 " elements, %" PRIu64
           " open\n",
           is_passed ? "ok" : "not ok", ++run->count, op, dtype_names[dtype],
           report->run_count, report->checked_count, report->open_count);
    if (status != KC_OK) {
        printf("# %s\n", error->message);
    } else if (!is_passed) {
        printf("# %" PRIu64 " failed; %s\n", report->failed_count,
               report->first_failure);
    }
    fflush(stdout);
}

static void run_capsule(run_t *run, const kc_capsule_record_t *capsule)
{
    const char *op = kc_op_label(capsule->op);
    if ((capsule->flags & KC_CAPSULE_NO_HANDLER) != 0) {
        printf("ok %d - %s # SKIP the capsule says it has no handler\n",
               ++run->count, op);
        return;
    }
    uint32_t dtypes = capsule->limits.dtypes != 0 ? capsule->limits.dtypes
                                                  : 1u << KC_DTYPE_F32;
    run->options.function_ulps = function_ulps(capsule);
    for (int32_t dtype = 0; dtype < KC_DTYPE_COUNT; dtype++) {
        kc_error_t error = KC_ERROR_INIT;
        kci_conform_report_t report = {0};
        if ((dtypes & 1u << dtype) == 0) {
            continue;
        }
        run->options.dtype = dtype;
        kc_status_t status = kci_conform_session(
            run->session, capsule, &run->options, &report, &error);
        report_line(run, op, dtype, status, &error, &report);
    }
}

/* The capsule that the profile chooses for each operation. */
static kc_status_t run_all(run_t *run, kc_profile_t *profile, kc_error_t *error)
{
    for (int32_t op = 0; op < KC_OP_COUNT; op++) {
        kc_plan_t *plan = NULL;
        kc_plan_row_t row = {.struct_size = sizeof row};
        if (run->only_op >= 0 && op != run->only_op) {
            continue;
        }
        kc_status_t status = kc_plan_ops(profile, &op, 1, &plan, error);
        if (status != KC_OK) {
            return status;
        }
        kc_plan_row(plan, 0, &row);
        if (row.capsule == NULL) {
            printf("ok %d - %s # SKIP no capsule on this device\n",
                   ++run->count, kc_op_label(op));
        } else {
            run_capsule(run, row.capsule);
        }
        kc_plan_release(plan);
    }
    return KC_OK;
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
        status = run_all(run, profile, error);
    }
    kc_session_release(run->session);
    kc_profile_release(profile);
    kc_runtime_release(runtime);
    return status;
}

int main(int argument_count, char **arguments)
{
    kc_error_t error = KC_ERROR_INIT;
    run_t run = {.profile_name = "checked_cpu",
                 .only_op = -1,
                 .options = {.case_count = CASES, .seed = SEED}};
    if (argument_count > 2 && strcmp(arguments[1], "-p") == 0) {
        run.profile_name = arguments[2];
        argument_count -= 2;
        arguments += 2;
    }
    if (argument_count > 1 &&
        kc_op_parse(arguments[1], &run.only_op, &error) != KC_OK) {
        fprintf(stderr, "%s\n", error.message);
        return EXIT_FAILURE;
    }
    if (argument_count > 2) {
        run.options.seed = strtoull(arguments[2], NULL, 0);
    }
    if (argument_count > 3) {
        run.options.case_count = strtoull(arguments[3], NULL, 0);
    }
    kc_status_t status = run_profile(&run, &error);
    if (status != KC_OK) {
        printf("Bail out! %s\n", error.message);
    }
    printf("1..%d\n", run.count);
    return fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
