/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether the bound of the gradients is worth anything: for every operation,
 * the largest element of a gradient that is off by a thousandth of itself in
 * f32, and by a millionth in f64, is found in many of the cases.
 */
#include "conform/gradient.h"
#include "unit/conform/gradient_impostors.h"
#include "unit/conform/gradient_stage.h"
#include "unit/conform/suites.h"
#include "unit/expect.h"

#define CASES 15

/*
 * In the others the gradient has no elements, or is 0, or the element is
 * small against the sums that it is made of. A softmax of one element, or
 * with one that is allowed, does not depend on it. The numbers are below what
 * was seen, and far above the chance of a bound that says nothing.
 */
static uint64_t least_found(int32_t op)
{
    switch (op) {
    case KC_OP_SOFTMAX:
    case KC_OP_LOG_SOFTMAX:
    case KC_OP_HARD_MASKED_SOFTMAX:
        return 3;
    default:
        return 4;
    }
}

/* False: nobody has a gradient of it here. */
static bool expect_found(const gradient_stage_t *stage, int32_t op,
                         int32_t dtype)
{
    gradient_impostor_t impostor = {.fault = GRADIENT_ONE_OFF};
    if (!gradient_stage_find(stage, op, &impostor.honest)) {
        return false;
    }
    kc_error_t error = KC_ERROR_INIT;
    kci_gradient_subject_t subject = gradient_impostor_subject(&impostor);
    kci_conform_options_t options = {
        .dtype = dtype, .case_count = CASES, .seed = 7000};
    kci_conform_report_t report;
    EXPECT_OK(error,
              kci_conform_gradients(&subject, &options, &report, &error));
    ck_assert_msg(report.failed_count >= least_found(op),
                  "%s: found in %d of %d cases", kc_op_label(op),
                  (int)report.failed_count, CASES);
    return true;
}

START_TEST(one_element_is_found)
{
    gradient_stage_t stage;
    int op_count = 0;
    gradient_stage_begin(&stage);
    for (int32_t op = 0; op < KC_OP_COUNT; op++) {
        op_count += expect_found(&stage, op, _i);
    }
    ck_assert_int_ge(op_count, 43);
    gradient_stage_end(&stage);
}
END_TEST

/* The two rules that no maintained module meets, and the composed one. */
START_TEST(one_element_of_a_mock_is_found)
{
    gradient_stage_t stage;
    gradient_stage_begin_mock(&stage, "plain_loops");
    ck_assert(expect_found(&stage, KC_OP_FFT_FNO, _i));
    ck_assert(expect_found(&stage, KC_OP_SELECTIVE_SCAN, _i));
    gradient_stage_end(&stage);
    gradient_stage_begin_mock(&stage, "composed_attention");
    ck_assert(expect_found(&stage, KC_OP_SCALED_DOT_PRODUCT_ATTENTION, _i));
    gradient_stage_end(&stage);
}
END_TEST

Suite *suite_conform_gradient_sensitivity(void)
{
    Suite *suite = suite_create("conform.gradient_sensitivity");
    TCase *tcase = tcase_create("gradient_sensitivity");
    tcase_add_loop_test(tcase, one_element_is_found, KC_DTYPE_F32,
                        KC_DTYPE_F64 + 1);
    tcase_add_loop_test(tcase, one_element_of_a_mock_is_found, KC_DTYPE_F32,
                        KC_DTYPE_F64 + 1);
    suite_add_tcase(suite, tcase);
    return suite;
}
