/* SPDX-License-Identifier: Apache-2.0
 *
 * Kinks are put to the test exactly: an honest tape passes all of them, and
 * the smallest fault is found in each.
 */
#include "conform/kink.h"

#include <string.h>

#include "unit/conform/gradient_impostors.h"
#include "unit/conform/gradient_stage.h"
#include "unit/conform/suites.h"
#include "unit/expect.h"

static kci_conform_report_t run(const gradient_stage_t *stage,
                                gradient_fault_t fault, int32_t op,
                                int32_t dtype)
{
    kc_error_t error = KC_ERROR_INIT;
    gradient_impostor_t impostor = {.honest = gradient_stage_subject(stage, op),
                                    .fault = fault};
    kci_gradient_subject_t subject = gradient_impostor_subject(&impostor);
    kci_conform_report_t report;
    EXPECT_OK(error, kci_conform_kinks(&subject, dtype, &report, &error));
    ck_assert_uint_eq(impostor.call_count, report.run_count);
    return report;
}

static uint64_t kinks_of(int32_t op)
{
    uint64_t count = 0;
    for (size_t i = 0; i < kci_kink_count(); i++) {
        count += kci_kink(i)->op == op;
    }
    return count;
}

START_TEST(honest_passes)
{
    gradient_stage_t stage;
    gradient_stage_begin(&stage);
    for (int32_t op = 0; op < KC_OP_COUNT; op++) {
        for (int32_t dtype = KC_DTYPE_F32;
             kinks_of(op) > 0 && dtype <= KC_DTYPE_F64; dtype++) {
            kci_conform_report_t report =
                run(&stage, GRADIENT_HONEST, op, dtype);
            ck_assert_msg(kci_conform_is_passed(&report), "%s",
                          report.first_failure);
            ck_assert_uint_eq(report.run_count, kinks_of(op));
        }
    }
    kci_conform_report_t none =
        run(&stage, GRADIENT_HONEST, KC_OP_MATMUL, KC_DTYPE_F32);
    ck_assert_uint_eq(none.run_count, 0);
    ck_assert(!kci_conform_is_passed(&none));
    gradient_stage_end(&stage);
}
END_TEST

/* Also where all of it is 0: the next number is none. */
START_TEST(one_ulp_is_found_in_each)
{
    gradient_stage_t stage;
    gradient_stage_begin(&stage);
    for (int32_t op = 0; op < KC_OP_COUNT; op++) {
        if (kinks_of(op) == 0) {
            continue;
        }
        kci_conform_report_t report =
            run(&stage, GRADIENT_NEXT_NUMBERS, op, KC_DTYPE_F32);
        ck_assert_msg(report.failed_count == report.run_count,
                      "%s: %d of %d found", kc_op_label(op),
                      (int)report.failed_count, (int)report.run_count);
        ck_assert(strstr(report.first_failure, ": expected ") != NULL);
        ck_assert(strstr(report.first_failure, kc_op_label(op)) != NULL);
    }
    gradient_stage_end(&stage);
}
END_TEST

START_TEST(conventions_are_decided)
{
    static const struct {
        int32_t op;
        gradient_fault_t fault;
    } faults[] = {{KC_OP_MAX, GRADIENT_TIE_TO_FIRST},
                  {KC_OP_MIN, GRADIENT_TIE_TO_FIRST},
                  {KC_OP_RELU, GRADIENT_NEGATIVE_ZEROS},
                  {KC_OP_MAX_POOL, GRADIENT_NEGATIVE_ZEROS},
                  {KC_OP_CLAMP, GRADIENT_NEGATED},
                  {KC_OP_HARD_MASKED_SOFTMAX, GRADIENT_MASK_IGNORED},
                  {KC_OP_HARD_MASKED_SOFTMAX, GRADIENT_READS_BLOCKED},
                  {KC_OP_SQRT, GRADIENT_FAILS}};
    gradient_stage_t stage;
    gradient_stage_begin(&stage);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        kci_conform_report_t report =
            run(&stage, faults[i].fault, faults[i].op, KC_DTYPE_F64);
        ck_assert_msg(report.failed_count > 0, "%s, fault %d",
                      kc_op_label(faults[i].op), (int)faults[i].fault);
    }
    gradient_stage_end(&stage);
}
END_TEST

CONFORM_SUITE(kink, honest_passes, one_ulp_is_found_in_each,
              conventions_are_decided)
