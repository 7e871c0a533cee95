/* SPDX-License-Identifier: Apache-2.0
 *
 * The gradients of every operation that a profile can train, whoever owns the
 * rule: seeded cases against central differences, kinks, blocked entries. The
 * suite is one; it is run for checked_cpu, and for mock modules with the
 * operations and the owners that checked_cpu does not have. Writes TAP: an
 * operation without a gradient here is skipped and says so.
 *
 *   gradients [PROFILE [OP [FIRST_SEED [CASES]]]]
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <kcapsule/kcapsule.h>
#include "conform/gradient.h"

#define PATH_SIZE 1024

/* A profile of the library, or one of this folder that puts a mock module in
 * front; then only the capsules of the mock are of interest. Both have the
 * same name. */
typedef struct suite_profile {
    const char *name;
    bool has_mock;
} suite_profile_t;

static const suite_profile_t profiles[] = {
    {"checked_cpu", false},
    {"plain_loops", true},
    {"composed_attention", true},
    {"own_backward", true},
};
#define PROFILE_COUNT (sizeof profiles / sizeof *profiles)

typedef struct run {
    kc_runtime_t *runtime;
    kc_session_t *session;
    suite_profile_t profile;
    int32_t only_op; /* -1: all */
    kci_conform_options_t options;
    int count;
    int capsule_count; /* of the profile, put to the test */
} run_t;

/* What a provider states of its exp, log, sin...: LibTorch's are SLEEF's, the
 * sine and cosine of which may be 3.5 ulp off. */
static double function_ulps(const kc_capsule_record_t *capsule)
{
    return strcmp(capsule->provider, "libtorch") == 0 ? 4 : 0;
}

static const char *const dtype_names[] = {"f32", "f64"};

static void report_line(run_t *run, const char *what, int32_t op,
                        kc_status_t status, const kc_error_t *error,
                        const kci_conform_report_t *report)
{
    bool is_passed = status == KC_OK && kci_conform_is_passed(report);
    printf("%s %d - %s: %s %s %s: %" PRIu64 " cases, %" PRIu64
           " of them empty, %" PRIu64 " elements\n",
           is_passed ? "ok" : "not ok", ++run->count, run->profile.name,
           kc_op_label(op), what, dtype_names[run->options.dtype],
           report->run_count, report->empty_count, report->checked_count);
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

/* Whose forward it was, whose backward, and what that was made of, by the
 * record of the session. */
static void tell_owners(const run_t *run, const kc_capsule_record_t *capsule)
{
    kc_record_t *record = NULL;
    kc_error_t error = KC_ERROR_INIT;
    uint64_t named = 0;
    if (kc_session_record(run->session, &record, &error) != KC_OK) {
        printf("# %s\n", error.message);
        return;
    }
    printf("# %s: provider %s, capsule %s, backward %s",
           kc_op_label(capsule->op), capsule->provider, capsule->name,
           kc_vjp_mode_label(capsule->vjp_mode));
    for (size_t i = 0; i < kc_record_row_count(record); i++) {
        kc_record_row_t row = {.struct_size = sizeof row};
        kc_record_row(record, i, &row);
        if (row.kind == KC_CALL_INNER_VJP &&
            strcmp(row.served, capsule->name) == 0 &&
            (named & UINT64_C(1) << row.op) == 0) {
            printf("%s %s", named == 0 ? ", made of" : "", row.capsule);
            named |= UINT64_C(1) << row.op;
        }
    }
    printf("\n");
    kc_record_release(record);
}

static void run_capsule(run_t *run, const kc_capsule_record_t *capsule)
{
    kci_gradient_subject_t subject = {
        .capsule = capsule, .runtime = run->runtime, .session = run->session};
    uint32_t dtypes = capsule->limits.dtypes != 0 ? capsule->limits.dtypes
                                                  : 1u << KC_DTYPE_F32;
    run->options.function_ulps = function_ulps(capsule);
    for (int32_t dtype = KC_DTYPE_F32; dtype <= KC_DTYPE_F64; dtype++) {
        if ((dtypes & 1u << dtype) != 0) {
            run->options.dtype = dtype;
            run_dtype(run, &subject);
        }
    }
    run->capsule_count++;
    tell_owners(run, capsule);
}

/* Why there is nothing to run, or NULL. */
static const char *why_not(const kc_capsule_record_t *capsule)
{
    if (capsule == NULL) {
        return "no capsule on this device";
    }
    if (capsule->vjp_mode == KC_VJP_NONE) {
        return "a leaf of the tape";
    }
    bool is_composition = strcmp(capsule->provider, "torchlean") == 0;
    if ((capsule->flags & KC_CAPSULE_NO_HANDLER) != 0 && !is_composition) {
        return "the capsule says it has no handler";
    }
    return NULL;
}

static void run_row(run_t *run, int32_t op, const kc_plan_row_t *row)
{
    const char *reason = why_not(row->capsule);
    if (run->profile.has_mock && row->capsule == NULL) {
        return;
    }
    if (run->profile.has_mock &&
        strcmp(row->module_name, run->profile.name) != 0) {
        return;
    }
    if (reason != NULL) {
        printf("ok %d - %s: %s # SKIP %s\n", ++run->count, run->profile.name,
               kc_op_label(op), reason);
    } else {
        run_capsule(run, row->capsule);
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
        run_row(run, op, &row);
        kc_plan_release(plan);
    }
    return KC_OK;
}

static const char *folder(const char *variable)
{
    const char *value = getenv(variable);
    return value != NULL ? value : ".";
}

static kc_status_t load_mock_profile(run_t *run, kc_profile_t **out_profile,
                                     kc_error_t *error)
{
    char path[PATH_SIZE];
    kc_capsule_module_t *module = NULL;
    snprintf(path, sizeof path, "%s/tests/mocks/.libs/%s.so",
             folder("KC_BUILDDIR"), run->profile.name);
    kc_status_t status =
        kc_capsule_module_from_file(run->runtime, path, &module, error);
    if (status == KC_OK) {
        snprintf(path, sizeof path, "%s/tests/unit/conform/%s.ini",
                 folder("KC_SRCDIR"), run->profile.name);
        status = kc_profile_load_with_modules(run->runtime, path, &module, 1,
                                              out_profile, error);
    }
    kc_capsule_module_release(module);
    return status;
}

static kc_status_t run_profile(run_t *run, kc_error_t *error)
{
    kc_runtime_options_t options = {.struct_size = sizeof options,
                                    .thread_count = 2};
    kc_profile_t *profile = NULL;
    kc_status_t status = kc_runtime_create(&options, &run->runtime, error);
    if (status == KC_OK) {
        status = run->profile.has_mock
                     ? load_mock_profile(run, &profile, error)
                     : kc_profile_load(run->runtime, run->profile.name,
                                       &profile, error);
    }
    if (status == KC_OK) {
        status = kc_session_create(run->runtime, profile, KC_SESSION_GRADIENTS,
                                   &run->session, error);
    }
    if (status == KC_OK) {
        run->capsule_count = 0;
        status = run_all(run, profile, error);
    }
    if (status == KC_OK && run->capsule_count == 0) {
        printf("not ok %d - %s: no capsule was put to the test\n", ++run->count,
               run->profile.name);
    }
    kc_session_release(run->session);
    kc_profile_release(profile);
    kc_runtime_release(run->runtime);
    run->session = NULL;
    run->runtime = NULL;
    return status;
}

/* All of the table, or the one that was asked for. */
static kc_status_t run_profiles(run_t *run, const char *only, kc_error_t *error)
{
    bool is_known = false;
    kc_status_t status = KC_OK;
    for (size_t i = 0; status == KC_OK && i < PROFILE_COUNT; i++) {
        bool is_asked = only == NULL || strcmp(profiles[i].name, only) == 0;
        is_known = is_known || is_asked;
        run->profile = profiles[i];
        status = is_asked ? run_profile(run, error) : KC_OK;
    }
    if (!is_known) {
        run->profile = (suite_profile_t){only, false};
        status = run_profile(run, error);
    }
    return status;
}

int main(int argument_count, char **arguments)
{
    kc_error_t error = KC_ERROR_INIT;
    const char *profile = argument_count > 1 ? arguments[1] : NULL;
    run_t run = {.only_op = -1,
                 .options = {.case_count = KCI_GRADIENT_CASES,
                             .seed = KCI_GRADIENT_SEED}};
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
    printf("# seeds from %" PRIu64 "\n", run.options.seed);
    kc_status_t status = run_profiles(&run, profile, &error);
    if (status != KC_OK) {
        printf("Bail out! %s\n", error.message);
    }
    printf("1..%d\n", run.count);
    return fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
