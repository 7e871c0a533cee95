/* SPDX-License-Identifier: Apache-2.0
 *
 * The suite of gradients: an honest tape passes, an owner with any single
 * fault does not, and the line about it says what and where.
 */
#include "conform/gradient.h"

#include <string.h>

#include "unit/conform/gradient_impostors.h"
#include "unit/conform/gradient_stage.h"
#include "unit/conform/suites.h"
#include "unit/expect.h"

#define CASES 12
#define SEED  300

static kci_conform_report_t run(const kci_gradient_subject_t *subject,
                                int32_t dtype)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_conform_options_t options = {
        .dtype = dtype, .case_count = CASES, .seed = SEED};
    kci_conform_report_t report;
    EXPECT_OK(error, kci_conform_gradients(subject, &options, &report, &error));
    ck_assert_uint_eq(report.run_count, CASES);
    return report;
}

static kci_conform_report_t run_impostor(const gradient_stage_t *stage,
                                         gradient_fault_t fault, int32_t op,
                                         int32_t dtype)
{
    gradient_impostor_t impostor = {.honest = gradient_stage_subject(stage, op),
                                    .fault = fault};
    kci_gradient_subject_t subject = gradient_impostor_subject(&impostor);
    kci_conform_report_t report = run(&subject, dtype);
    ck_assert_uint_ge(impostor.call_count, CASES);
    return report;
}

static void expect_caught(const kci_conform_report_t *report, const char *words)
{
    ck_assert_msg(!kci_conform_is_passed(report), "not caught: %s", words);
    ck_assert_msg(strstr(report->first_failure, words) != NULL,
                  "no `%s` in: %s", words, report->first_failure);
    ck_assert(strchr(report->first_failure, '\n') == NULL);
}

/* Every question counts, and is recorded: of an operation with two inputs
 * four a case. */
START_TEST(honest_passes)
{
    static const int32_t ops[] = {KC_OP_MUL, KC_OP_MATMUL, KC_OP_SOFTMAX,
                                  KC_OP_BATCH_NORM};
    gradient_stage_t stage;
    gradient_stage_begin(&stage);
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        for (int32_t dtype = KC_DTYPE_F32; dtype <= KC_DTYPE_F64; dtype++) {
            kci_conform_report_t report =
                run_impostor(&stage, GRADIENT_HONEST, ops[i], dtype);
            ck_assert_msg(kci_conform_is_passed(&report), "%s",
                          report.first_failure);
            ck_assert_uint_gt(report.checked_count, CASES);
            if (i < 2) {
                ck_assert_uint_eq(report.asked_count, 4 * CASES);
            }
        }
    }
    gradient_stage_end(&stage);
}
END_TEST

/* Faults of every operation. */
START_TEST(faults_are_caught)
{
    static const int32_t ops[] = {KC_OP_ADD,     KC_OP_TANH,   KC_OP_SOFTMAX,
                                  KC_OP_CONCAT,  KC_OP_LINEAR, KC_OP_CONV,
                                  KC_OP_AVG_POOL};
    static const struct {
        gradient_fault_t fault;
        const char *words;
    } faults[] = {
        {GRADIENT_NEGATED, "differences give"},
        {GRADIENT_DOUBLED, "differences give"},
        {GRADIENT_ZEROS, "differences give"},
        {GRADIENT_NAN, "found nan"},
        {GRADIENT_ONE_OFF, ", element ["},
        {GRADIENT_LATER_DIFFERS, "other bits when asked again"},
        {GRADIENT_WRITES_INPUT, "; "},
        {GRADIENT_FAILS, "found status 14: no luck"},
    };
    gradient_stage_t stage;
    gradient_stage_begin(&stage);
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        for (size_t j = 0; j < sizeof faults / sizeof *faults; j++) {
            kci_conform_report_t report =
                run_impostor(&stage, faults[j].fault, ops[i],
                             i % 2 == j % 2 ? KC_DTYPE_F32 : KC_DTYPE_F64);
            expect_caught(&report, faults[j].words);
            ck_assert(strstr(report.first_failure, "seed ") != NULL);
        }
    }
    gradient_stage_end(&stage);
}
END_TEST

/* Where the gradient does not depend on the input, nothing else is wrong. */
START_TEST(a_written_input)
{
    gradient_stage_t stage;
    gradient_stage_begin(&stage);
    kci_conform_report_t report =
        run_impostor(&stage, GRADIENT_WRITES_INPUT, KC_OP_CONCAT, KC_DTYPE_F64);
    expect_caught(&report, "expected input 0 unchanged");
    gradient_stage_end(&stage);
}
END_TEST

START_TEST(one_wanted_alone)
{
    gradient_stage_t stage;
    gradient_stage_begin(&stage);
    kci_conform_report_t report =
        run_impostor(&stage, GRADIENT_ALONE_DIFFERS, KC_OP_MUL, KC_DTYPE_F32);
    expect_caught(&report, "gradient of input 0: other bits when wanted alone");
    gradient_stage_end(&stage);
}
END_TEST

START_TEST(transposed)
{
    static const int32_t ops[] = {KC_OP_MATMUL, KC_OP_ADD, KC_OP_PERMUTE,
                                  KC_OP_SCALED_DOT_PRODUCT_ATTENTION};
    gradient_stage_t stage;
    gradient_stage_begin(&stage);
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        kci_conform_report_t report =
            run_impostor(&stage, GRADIENT_TRANSPOSED, ops[i], KC_DTYPE_F32);
        expect_caught(&report, "differences give");
    }
    gradient_stage_end(&stage);
}
END_TEST

START_TEST(a_missing_sum)
{
    gradient_stage_t stage;
    gradient_stage_begin(&stage);
    kci_conform_report_t report = run_impostor(&stage, GRADIENT_NOT_SUMMED,
                                               KC_OP_BROADCAST, KC_DTYPE_F32);
    expect_caught(&report, "differences give");
    gradient_stage_end(&stage);
}
END_TEST

/* Right answers from elsewhere show nothing about this session's rule. */
START_TEST(not_recorded)
{
    gradient_stage_t stage;
    gradient_stage_t other;
    gradient_stage_begin(&stage);
    gradient_stage_begin(&other);
    gradient_impostor_t impostor = {
        .honest = gradient_stage_subject(&other, KC_OP_EXP)};
    kci_gradient_subject_t subject = gradient_impostor_subject(&impostor);
    subject.session = stage.session;
    kci_conform_report_t report = run(&subject, KC_DTYPE_F32);
    ck_assert_uint_eq(report.failed_count, 1);
    expect_caught(&report, subject.capsule->name);
    expect_caught(&report, ": expected its rule recorded ");
    expect_caught(&report, "times, found 0");
    gradient_stage_end(&other);
    gradient_stage_end(&stage);
}
END_TEST

CONFORM_SUITE(gradient, honest_passes, faults_are_caught, a_written_input,
              one_wanted_alone, transposed, a_missing_sum, not_recorded)
