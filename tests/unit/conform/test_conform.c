/* SPDX-License-Identifier: Apache-2.0
 *
 * The runner: an honest implementation passes, one with any single fault does
 * not, and the line about it says what and where.
 */
#include "conform/conform.h"

#include <math.h>
#include <string.h>

#include "unit/conform/impostors.h"
#include "unit/conform/suites.h"
#include "unit/expect.h"

#define CASES 60

static const kc_capsule_record_t loose = {
    .name = "test.loose",
    .numerics = {.reduction = KC_REDUCTION_IMPLEMENTATION_DEFINED}};
static const kc_capsule_record_t left = {
    .name = "test.left",
    .numerics = {.reduction = KC_REDUCTION_FIXED_LEFT,
                 .order = "left.mul_add/1"}};
static const kc_capsule_record_t other_order = {
    .name = "test.other_order",
    .numerics = {.reduction = KC_REDUCTION_FIXED_LEFT, .order = "left.fma/1"}};

static kci_conform_report_t run(const kc_capsule_record_t *capsule,
                                kci_conform_run_fn function, void *context,
                                int32_t op, int32_t dtype)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_conform_subject_t subject = {capsule, function, context};
    kci_conform_options_t options = {
        .dtype = dtype, .case_count = CASES, .seed = 100};
    kci_conform_report_t report;
    EXPECT_OK(error, kci_conform_op(&subject, op, &options, &report, &error));
    return report;
}

static kci_conform_report_t run_impostor(impostor_fault_t fault, int32_t op,
                                         int32_t dtype)
{
    impostor_t impostor = {.fault = fault};
    kci_conform_report_t report =
        run(&loose, impostor_run, &impostor, op, dtype);
    ck_assert_uint_eq(report.run_count, CASES);
    ck_assert_uint_eq(impostor.call_count, CASES);
    return report;
}

static void expect_passed(const kci_conform_report_t *report)
{
    ck_assert_msg(kci_conform_is_passed(report), "%s", report->first_failure);
    ck_assert_str_eq(report->first_failure, "");
}

static void expect_caught(const kci_conform_report_t *report, const char *words)
{
    ck_assert(!kci_conform_is_passed(report));
    ck_assert_uint_gt(report->failed_count, 0);
    ck_assert_msg(strstr(report->first_failure, words) != NULL,
                  "no `%s` in: %s", words, report->first_failure);
    ck_assert(strstr(report->first_failure, "seed ") != NULL);
    ck_assert(strchr(report->first_failure, '\n') == NULL);
}

/* The honest one keeps the written order, so that it may promise it. */
START_TEST(honest_passes)
{
    for (int32_t op = 0; op < KC_OP_COUNT; op++) {
        impostor_t impostor = {.fault = IMPOSTOR_HONEST};
        kci_conform_report_t report =
            run(&left, impostor_run, &impostor, op, KC_DTYPE_F32);
        expect_passed(&report);
        ck_assert_uint_eq(report.called_count, CASES);
        ck_assert_uint_gt(report.checked_count, CASES / 2);
        ck_assert_uint_lt(report.empty_count, CASES / 2);
    }
}
END_TEST

/* Each fault that concerns every operation, for operations of all kinds. */
START_TEST(faults_are_caught)
{
    static const int32_t ops[] = {KC_OP_ADD,     KC_OP_EXP,  KC_OP_SOFTMAX,
                                  KC_OP_PERMUTE, KC_OP_CONV, KC_OP_MAX_POOL};
    static const struct {
        impostor_fault_t fault;
        const char *words;
    } faults[] = {
        {IMPOSTOR_DOES_NOTHING, "found it unwritten"},
        {IMPOSTOR_SKIPS_LAST, "found it unwritten"},
        {IMPOSTOR_WRITES_NAN, "found nan"},
        {IMPOSTOR_WRITES_ZEROS, "found 0"},
        {IMPOSTOR_OVERRUNS, "no byte written around the output"},
        {IMPOSTOR_UNDERRUNS, "no byte written around the output"},
        {IMPOSTOR_SWAPS_TWO, "element ["},
        {IMPOSTOR_WRITES_INPUT, "input 0 unchanged"},
        {IMPOSTOR_WRITES_GAPS, "input 0 unchanged"},
        {IMPOSTOR_FAILS, "found status 14: no luck"},
        {IMPOSTOR_FAILS_WRITING, "found status 14"},
    };
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        for (size_t j = 0; j < sizeof faults / sizeof *faults; j++) {
            kci_conform_report_t report =
                run_impostor(faults[j].fault, ops[i], KC_DTYPE_F32);
            expect_caught(&report, faults[j].words);
        }
    }
}
END_TEST

/* One unit in the last place is found where the result is decided, in both
 * types, also for functions that are rounded correctly in f32. */
START_TEST(an_ulp_is_found)
{
    static const int32_t ops[] = {KC_OP_ADD, KC_OP_SQRT, KC_OP_GATHER,
                                  KC_OP_RAND_UNIFORM, KC_OP_MAX};
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        kci_conform_report_t report =
            run_impostor(IMPOSTOR_SHIFTS_BY_ULP, ops[i], KC_DTYPE_F32);
        expect_caught(&report, "within 0, found");
    }
    kci_conform_report_t report =
        run_impostor(IMPOSTOR_SHIFTS_BY_ULP, KC_OP_MUL, KC_DTYPE_F64);
    expect_caught(&report, "within 0, found");
    report = run_impostor(IMPOSTOR_SHIFTS_BY_ULP, KC_OP_GELU, KC_DTYPE_F32);
    expect_caught(&report, "element [");
    report = run_impostor(IMPOSTOR_FLUSHES, KC_OP_MUL, KC_DTYPE_F32);
    expect_caught(&report, "found 0");
}
END_TEST

/* A fused multiply-add is right, but it is not the order that was promised. */
START_TEST(fused_is_caught_where_promised)
{
    kci_conform_report_t report =
        run(&loose, impostor_fused_matmul, NULL, KC_OP_MATMUL, KC_DTYPE_F32);
    expect_passed(&report);
    report =
        run(&left, impostor_fused_matmul, NULL, KC_OP_MATMUL, KC_DTYPE_F32);
    expect_caught(&report, "the promised order");
    report = run(&other_order, impostor_fused_matmul, NULL, KC_OP_MATMUL,
                 KC_DTYPE_F32);
    expect_passed(&report);
}
END_TEST

START_TEST(missing_term_is_caught)
{
    kci_conform_report_t report =
        run(&loose, impostor_short_sum, NULL, KC_OP_REDUCE_SUM, KC_DTYPE_F32);
    expect_caught(&report, "element [");
    /* Nearly every case shows it: only sums of zeros do not. */
    ck_assert_uint_gt(report.failed_count, CASES * 3 / 4);
}
END_TEST

START_TEST(one_case_runs_again_alone)
{
    kc_error_t error = KC_ERROR_INIT;
    impostor_t impostor = {.fault = IMPOSTOR_WRITES_NAN};
    kci_conform_subject_t subject = {&loose, impostor_run, &impostor};
    kci_conform_options_t options = {
        .dtype = KC_DTYPE_F32, .case_count = 1, .seed = 107};
    kci_conform_report_t first;
    kci_conform_report_t second;
    EXPECT_OK(error,
              kci_conform_op(&subject, KC_OP_CONV, &options, &first, &error));
    EXPECT_OK(error,
              kci_conform_op(&subject, KC_OP_CONV, &options, &second, &error));
    ck_assert_str_eq(first.first_failure, second.first_failure);
    ck_assert(strstr(first.first_failure, "conv f32 seed 107: ") != NULL);
}
END_TEST

START_TEST(no_case_is_a_failure)
{
    kc_error_t error = KC_ERROR_INIT;
    impostor_t impostor = {.fault = IMPOSTOR_HONEST};
    kci_conform_subject_t subject = {&loose, impostor_run, &impostor};
    kci_conform_options_t options = {.dtype = KC_DTYPE_F32};
    kci_conform_report_t report;
    EXPECT_OK(error,
              kci_conform_op(&subject, KC_OP_ADD, &options, &report, &error));
    ck_assert(!kci_conform_is_passed(&report));
    /* Neither are cases in which nothing was compared. */
    report = (kci_conform_report_t){.run_count = 3, .called_count = 3};
    ck_assert(!kci_conform_is_passed(&report));
}
END_TEST

/* What a provider states of its functions widens their bound and no other. */
START_TEST(stated_ulps)
{
    kc_error_t error = KC_ERROR_INIT;
    impostor_t impostor = {.fault = IMPOSTOR_SHIFTS_BY_ULP};
    kci_conform_subject_t subject = {&loose, impostor_run, &impostor};
    kci_conform_options_t options = {.dtype = KC_DTYPE_F32,
                                     .case_count = CASES,
                                     .seed = 100,
                                     .function_ulps = 3};
    kci_conform_report_t report;
    EXPECT_OK(error, kci_conform_op(&subject, KC_OP_SIGMOID, &options, &report,
                                    &error));
    expect_passed(&report);
    EXPECT_OK(error,
              kci_conform_op(&subject, KC_OP_ADD, &options, &report, &error));
    expect_caught(&report, "within 0, found");
}
END_TEST

START_TEST(a_session_must_have_run_the_capsule)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_runtime_t *runtime = NULL;
    kc_profile_t *profile = NULL;
    kc_session_t *session = NULL;
    kci_conform_options_t options = {
        .dtype = KC_DTYPE_F32, .case_count = CASES, .seed = 100};
    kci_conform_report_t report;
    kc_capsule_record_t capsule = {.op = KC_OP_RELU, .name = "reference.relu"};
    EXPECT_OK(error, kc_runtime_create(NULL, &runtime, &error));
    EXPECT_OK(error, kc_profile_load(runtime, "checked_cpu", &profile, &error));
    EXPECT_OK(error, kc_session_create(runtime, profile, 0, &session, &error));
    EXPECT_OK(error, kci_conform_session(session, &capsule, &options, &report,
                                         &error));
    expect_passed(&report);
    strcpy(capsule.name, "another.relu");
    EXPECT_OK(error, kci_conform_session(session, &capsule, &options, &report,
                                         &error));
    ck_assert(!kci_conform_is_passed(&report));
    ck_assert_str_eq(report.first_failure,
                     "another.relu: expected 60 recorded calls, found 0");
    kc_session_release(session);
    kc_profile_release(profile);
    kc_runtime_release(runtime);
}
END_TEST

CONFORM_SUITE(conform, honest_passes, faults_are_caught, an_ulp_is_found,
              fused_is_caught_where_promised, missing_term_is_caught,
              one_case_runs_again_alone, no_case_is_a_failure, stated_ulps,
              a_session_must_have_run_the_capsule)
