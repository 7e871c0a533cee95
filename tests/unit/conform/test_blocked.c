/* SPDX-License-Identifier: Apache-2.0
 *
 * What is blocked must not be seen: owners who look at it, or leave a zero
 * that is none, are found; who may refuse is a matter of the provider.
 */
#include <string.h>

#include "conform/gradient.h"
#include "unit/conform/gradient_impostors.h"
#include "unit/conform/gradient_stage.h"
#include "unit/conform/suites.h"
#include "unit/expect.h"

#define CASES 30

static const int32_t ops[] = {KC_OP_HARD_MASKED_SOFTMAX,
                              KC_OP_SCALED_DOT_PRODUCT_ATTENTION};

static kci_conform_report_t run(const kci_gradient_subject_t *subject,
                                int32_t dtype)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_conform_options_t options = {
        .dtype = dtype, .case_count = CASES, .seed = 40};
    kci_conform_report_t report;
    EXPECT_OK(error, kci_conform_blocked(subject, &options, &report, &error));
    ck_assert_uint_eq(report.run_count, CASES);
    return report;
}

START_TEST(honest_passes)
{
    gradient_stage_t stage;
    gradient_stage_begin(&stage);
    for (int i = 0; i < 2; i++) {
        for (int32_t dtype = KC_DTYPE_F32; dtype <= KC_DTYPE_F64; dtype++) {
            kci_gradient_subject_t subject =
                gradient_stage_subject(&stage, ops[i]);
            kci_conform_report_t report = run(&subject, dtype);
            ck_assert_msg(kci_conform_is_passed(&report), "%s",
                          report.first_failure);
        }
    }
    gradient_stage_end(&stage);
}
END_TEST

START_TEST(faults_are_caught)
{
    static const struct {
        gradient_fault_t fault;
        const char *words;
    } faults[] = {{GRADIENT_MASK_IGNORED, "expected exact zeros for row"},
                  {GRADIENT_NEGATIVE_ZEROS, "expected exact zeros for row"},
                  {GRADIENT_NEXT_NUMBERS, "expected exact zeros for row"},
                  {GRADIENT_READS_BLOCKED, "changed with what is blocked"},
                  {GRADIENT_FAILS, "found status 14: no luck"}};
    gradient_stage_t stage;
    gradient_stage_begin(&stage);
    for (int i = 0; i < 2; i++) {
        for (size_t k = 0; k < sizeof faults / sizeof *faults; k++) {
            gradient_impostor_t impostor = {
                .honest = gradient_stage_subject(&stage, ops[i]),
                .fault = faults[k].fault};
            kci_gradient_subject_t subject =
                gradient_impostor_subject(&impostor);
            kci_conform_report_t report = run(&subject, KC_DTYPE_F32);
            ck_assert_uint_gt(report.failed_count, CASES / 4);
            ck_assert_msg(strstr(report.first_failure, " blocked, seed ") !=
                              NULL,
                          "%s", report.first_failure);
            if (i == 0 || k > 2) {
                ck_assert_msg(
                    strstr(report.first_failure, faults[k].words) != NULL,
                    "no `%s` in: %s", faults[k].words, report.first_failure);
            }
        }
    }
    gradient_stage_end(&stage);
}
END_TEST

/* Answers the first questions of each case, then refuses one. */
typedef struct refuser {
    kci_gradient_subject_t honest;
    uint64_t answer_count; /* a case */
    uint64_t call_count;
} refuser_t;

static kc_status_t refuse(void *context, const kci_gradient_call_t *call,
                          kc_tensor_t **out, kc_error_t *error)
{
    refuser_t *refuser = context;
    uint64_t place = refuser->call_count++ % (refuser->answer_count + 1);
    if (place < refuser->answer_count) {
        return kci_gradient_run(&refuser->honest, call, out, error);
    }
    strcpy(error->message, "expected finite values");
    return KC_ERR_TENSOR;
}

/* And only what is not finite, the last question. */
START_TEST(only_a_composition_may_refuse)
{
    static const struct {
        const char *provider;
        uint64_t answer_count;
        uint64_t failed_count;
    } cases[] = {
        {"torchlean", 2, 0}, {"torchlean", 1, CASES}, {"acme", 1, CASES}};
    gradient_stage_t stage;
    gradient_stage_begin(&stage);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        refuser_t refuser = {.honest = gradient_stage_subject(&stage, ops[1]),
                             .answer_count = cases[i].answer_count};
        kci_gradient_subject_t subject = refuser.honest;
        kc_capsule_record_t capsule = *subject.capsule;
        subject.capsule = &capsule;
        subject.run = refuse;
        subject.context = &refuser;
        strcpy(capsule.provider, cases[i].provider);
        kci_conform_report_t report = run(&subject, KC_DTYPE_F32);
        ck_assert_uint_eq(report.failed_count, cases[i].failed_count);
        ck_assert_uint_eq(refuser.call_count,
                          (cases[i].answer_count + 1) * CASES);
    }
    gradient_stage_end(&stage);
}
END_TEST

CONFORM_SUITE(blocked, honest_passes, faults_are_caught,
              only_a_composition_may_refuse)
