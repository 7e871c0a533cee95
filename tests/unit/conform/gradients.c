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

#include "conform/gradient.h"
#include "unit/conform/suite_program.h"

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
    suite_program_t program;
    kc_runtime_t *runtime;
    kc_session_t *session;
    suite_profile_t profile;
    int capsule_count; /* of the profile, put to the test */
} run_t;

static void report_line(run_t *run, const char *what, int32_t op,
                        kc_status_t status, const kc_error_t *error,
                        const kci_conform_report_t *report)
{
    suite_begin_line(&run->program, status, report);
    printf("%s: %s %s %s: %" PRIu64 " cases, %" PRIu64
           " of them empty, %" PRIu64 " elements",
           run->profile.name, kc_op_label(op), what,
           suite_dtype_name(run->program.options.dtype), report->run_count,
           report->empty_count, report->checked_count);
    suite_end_line(status, error, report);
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
        kci_conform_gradients(subject, &run->program.options, &report, &error);
    report_line(run, "gradients", op, status, &error, &report);
    report = (kci_conform_report_t){0};
    status =
        kci_conform_kinks(subject, run->program.options.dtype, &report, &error);
    if (report.run_count > 0 || status != KC_OK) {
        report_line(run, "kinks", op, status, &error, &report);
    }
    if (has_mask(op)) {
        report = (kci_conform_report_t){0};
        status = kci_conform_blocked(subject, &run->program.options, &report,
                                     &error);
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
    uint32_t dtypes = suite_begin_capsule(&run->program, capsule);
    for (int32_t dtype = KC_DTYPE_F32; dtype <= KC_DTYPE_F64; dtype++) {
        if ((dtypes & 1u << dtype) != 0) {
            run->program.options.dtype = dtype;
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

/* The capsule that the profile chooses for the operation. */
static void run_row(void *context, int32_t op, const kc_plan_row_t *row)
{
    run_t *run = context;
    const char *reason = why_not(row->capsule);
    if (run->profile.has_mock && row->capsule == NULL) {
        return;
    }
    if (run->profile.has_mock &&
        strcmp(row->module_name, run->profile.name) != 0) {
        return;
    }
    if (reason != NULL) {
        printf("ok %d - %s: %s # SKIP %s\n", ++run->program.line_count,
               run->profile.name, kc_op_label(op), reason);
    } else {
        run_capsule(run, row->capsule);
    }
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
        status = suite_each_row(&run->program, profile, run_row, run, error);
    }
    if (status == KC_OK && run->capsule_count == 0) {
        printf("not ok %d - %s: no capsule was put to the test\n",
               ++run->program.line_count, run->profile.name);
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
    run_t run = {.program = {.only_op = -1,
                             .options = {.case_count = KCI_GRADIENT_CASES,
                                         .seed = KCI_GRADIENT_SEED}}};
    if (suite_read_arguments(&run.program, argument_count - 2, arguments + 2,
                             &error) != KC_OK) {
        fprintf(stderr, "%s\n", error.message);
        return EXIT_FAILURE;
    }
    printf("# seeds from %" PRIu64 "\n", run.program.options.seed);
    kc_status_t status = run_profiles(&run, profile, &error);
    return suite_end(&run.program, status, &error);
}
