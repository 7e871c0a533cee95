/* SPDX-License-Identifier: Apache-2.0
 *
 * The gradients of every operation that a profile can train, whoever owns the
 * rule: seeded cases against central differences, kinks, blocked entries.
 * Writes TAP: an operation without a gradient here is skipped and says so.
 *
 *   gradients [PROFILE [OP [FIRST_SEED [CASES]]]]
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <kcapsule/kcapsule.h>
#include "conform/gradient.h"

#define CASES 40
#define SEED  UINT64_C(20261)

typedef struct run {
    kc_runtime_t *runtime;
    kc_session_t *session;
    int32_t only_op; /* -1: all */
    kci_conform_options_t options;
    int count;
} run_t;

static const char *const dtype_names[] = {"f32", "f64"};

static void report_line(run_t *run, const char *what, int32_t op,
                        kc_status_t status, const kc_error_t *error,
                        const kci_conform_report_t *report)
{
    bool is_passed = status == KC_OK && kci_conform_is_passed(report);
    printf("%s %d - %s %s %s: %" PRIu64 " cases, %" PRIu64 " elements\n",
           is_passed ? "ok" : "not ok", ++run->count, kc_op_label(op), what,
           dtype_names[run->options.dtype], report->run_count,
           report->checked_count);
    if (status != KC_OK) {
        printf("# %s\n", error->message);
    } else if (!is_passed) {
        printf("# %" PRIu64 " failed; %s\n", report->failed_count,
               report->first_failure);
    }
    fflush(stdout);
}

static bool has_mask(int32_t op)
{
    return op == KC_OP_HARD_MASKED_SOFTMAX ||
           op == KC_OP_SCALED_DOT_PRODUCT_ATTENTION;
}

static void run_dtype(run_t *run, const kci_gradient_subject_t *subject)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_conform_report_t report = {0};
    int32_t op = subject->capsule->op;
    kc_status_t status =
        kci_conform_gradients(subject, &run->options, &report, &error);
    report_line(run, "gradients", op, status, &error, &report);
    report = (kci_conform_report_t){0};
    status = kci_conform_kinks(subject, run->options.dtype, &report, &error);
    if (report.run_count > 0 || status != KC_OK) {
        report_line(run, "kinks", op, status, &error, &report);
    }
    if (has_mask(op)) {
        report = (kci_conform_report_t){0};
        status = kci_conform_blocked(subject, &run->options, &report, &error);
        report_line(run, "blocked", op, status, &error, &report);
    }
}

static void run_capsule(run_t *run, const kc_capsule_record_t *capsule)
{
    kci_gradient_subject_t subject = {capsule, run->runtime, run->session};
    uint32_t dtypes = capsule->limits.dtypes != 0 ? capsule->limits.dtypes
                                                  : 1u << KC_DTYPE_F32;
    bool is_composition = strcmp(capsule->provider, "torchlean") == 0;
    if ((capsule->flags & KC_CAPSULE_NO_HANDLER) != 0 && !is_composition) {
        printf("ok %d - %s # SKIP the capsule says it has no handler\n",
               ++run->count, kc_op_label(capsule->op));
        return;
    }
    for (int32_t dtype = KC_DTYPE_F32; dtype <= KC_DTYPE_F64; dtype++) {
        if ((dtypes & 1u << dtype) != 0) {
            run->options.dtype = dtype;
            run_dtype(run, &subject);
        }
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
        } else if (row.capsule->vjp_mode == KC_VJP_NONE) {
            printf("ok %d - %s # SKIP a leaf of the tape\n", ++run->count,
                   kc_op_label(op));
        } else {
            run_capsule(run, row.capsule);
        }
        kc_plan_release(plan);
    }
    return KC_OK;
}

static kc_status_t run_profile(run_t *run, const char *name, kc_error_t *error)
{
    kc_runtime_options_t options = {.struct_size = sizeof options,
                                    .thread_count = 2};
    kc_profile_t *profile = NULL;
    kc_status_t status = kc_runtime_create(&options, &run->runtime, error);
    if (status == KC_OK) {
        status = kc_profile_load(run->runtime, name, &profile, error);
    }
    if (status == KC_OK) {
        status = kc_session_create(run->runtime, profile, KC_SESSION_GRADIENTS,
                                   &run->session, error);
    }
    if (status == KC_OK) {
        status = run_all(run, profile, error);
    }
    kc_session_release(run->session);
    kc_profile_release(profile);
    kc_runtime_release(run->runtime);
    return status;
}

int main(int argument_count, char **arguments)
{
    kc_error_t error = KC_ERROR_INIT;
    const char *profile = argument_count > 1 ? arguments[1] : "checked_cpu";
    run_t run = {.only_op = -1, .options = {.case_count = CASES, .seed = SEED}};
    if (argument_count > 2 &&
        kc_op_parse(arguments[2], &run.only_op, &error) != KC_OK) {
        fprintf(stderr, "%s\n", error.message);
        return EXIT_FAILURE;
    }
    if (argument_count > 3) {
        run.options.seed = strtoull(arguments[3], NULL, 0);
    }
    if (argument_count > 4) {
        run.options.case_count = strtoull(arguments[4], NULL, 0);
    }
    printf("# profile %s, seeds from %" PRIu64 "\n", profile, run.options.seed);
    kc_status_t status = run_profile(&run, profile, &error);
    if (status != KC_OK) {
        printf("Bail out! %s\n", error.message);
    }
    printf("1..%d\n", run.count);
    return fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
