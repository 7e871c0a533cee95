/* SPDX-License-Identifier: Apache-2.0
 *
 * One question to a tape: the gradients of what is wanted and nothing else,
 * and which inputs may be wanted at all.
 */
#include <string.h>

#include "conform/gradient.h"
#include "unit/conform/gradient_impostors.h"
#include "unit/conform/gradient_stage.h"
#include "unit/conform/suites.h"
#include "unit/expect.h"

static int64_t two[] = {2};

static DLTensor floats(float *values)
{
    return (DLTensor){.data = values,
                      .device = {kDLCPU, 0},
                      .ndim = 1,
                      .dtype = {kDLFloat, 32, 1},
                      .shape = two};
}

/* 2 * 5, 3 * 7 with cotangents 1, 10. */
typedef struct product_case {
    gradient_stage_t stage;
    kci_gradient_subject_t subject;
    float numbers[3][2];
    DLTensor views[3];
    const DLTensor *inputs[2];
    kc_error_t error;
} product_case_t;

static void product_begin(product_case_t *at)
{
    *at = (product_case_t){.numbers = {{2, 3}, {5, 7}, {1, 10}},
                           .error = KC_ERROR_INIT};
    gradient_stage_begin(&at->stage);
    at->subject = gradient_stage_subject(&at->stage, KC_OP_MUL);
    for (int i = 0; i < 3; i++) {
        at->views[i] = floats(at->numbers[i]);
    }
    at->inputs[0] = &at->views[0];
    at->inputs[1] = &at->views[1];
}

static kc_status_t ask(product_case_t *at, const bool *wanted,
                       kc_tensor_t **out)
{
    kci_gradient_call_t call = {.op = KC_OP_MUL,
                                .inputs = at->inputs,
                                .input_count = 2,
                                .cotangent = &at->views[2],
                                .wanted = wanted};
    return kci_gradient_ask(&at->subject, &call, out, &at->error);
}

START_TEST(what_is_wanted)
{
    static const bool choices[][2] = {
        {true, true}, {true, false}, {false, true}};
    static const float expected[2][2] = {{5, 70}, {2, 30}};
    product_case_t at;
    product_begin(&at);
    for (size_t i = 0; i < 3; i++) {
        kc_tensor_t *found[2] = {NULL, NULL};
        EXPECT_OK(at.error, ask(&at, choices[i], found));
        for (int k = 0; k < 2; k++) {
            ck_assert_int_eq(found[k] != NULL, choices[i][k]);
            if (found[k] != NULL) {
                ck_assert_mem_eq(kc_tensor_data(kc_tensor_view(found[k])),
                                 expected[k], sizeof expected[k]);
            }
            kc_tensor_release(found[k]);
        }
    }
    gradient_stage_end(&at.stage);
}
END_TEST

START_TEST(failures_come_back)
{
    static const bool wanted[] = {true, true};
    kc_tensor_t *found[2] = {NULL, NULL};
    int64_t three[] = {3};
    product_case_t at;
    product_begin(&at);
    at.views[2].shape = three;
    EXPECT_FAILURE(at.error, KC_ERR_TENSOR, "[3]", ask(&at, wanted, found));
    at.views[2].shape = two;
    at.views[1].shape = three;
    EXPECT_FAILURE(at.error, KC_ERR_TENSOR, "mul", ask(&at, wanted, found));
    ck_assert(found[0] == NULL && found[1] == NULL);
    gradient_stage_end(&at.stage);
}
END_TEST

/* The subject's own function, where it has one. */
START_TEST(another_answers)
{
    static const bool wanted[] = {true, true};
    static const float doubled[] = {10, 140};
    kc_tensor_t *found[2] = {NULL, NULL};
    product_case_t at;
    product_begin(&at);
    gradient_impostor_t impostor = {.honest = at.subject,
                                    .fault = GRADIENT_DOUBLED};
    at.subject = gradient_impostor_subject(&impostor);
    EXPECT_OK(at.error, ask(&at, wanted, found));
    ck_assert_uint_eq(impostor.call_count, 1);
    ck_assert_mem_eq(kc_tensor_data(kc_tensor_view(found[0])), doubled,
                     sizeof doubled);
    kc_tensor_release(found[0]);
    kc_tensor_release(found[1]);
    gradient_stage_end(&at.stage);
}
END_TEST

/* Operands of `count` floats, a mask behind them. */
static void expect_inputs(int32_t op, size_t count, const char *expected)
{
    static float numbers[2];
    static unsigned char bytes[2];
    const DLTensor number = floats(numbers);
    DLTensor mask = number;
    mask.data = bytes;
    mask.dtype = (DLDataType){KC_DLPACK_BOOL, 8, 1};
    const DLTensor *inputs[KCI_CASE_INPUT_MAX];
    bool found[KCI_CASE_INPUT_MAX];
    for (size_t i = 0; i < count; i++) {
        inputs[i] = &number;
    }
    inputs[count] = &mask;
    inputs[count + 1] = NULL;
    kci_gradient_inputs(op, inputs, count + 2, found);
    for (size_t i = 0; i < count; i++) {
        ck_assert_msg(found[i] == (expected[i] == 'x'), "%s input %d",
                      kc_op_label(op), (int)i);
    }
    ck_assert(!found[count] && !found[count + 1]);
}

START_TEST(which_have_a_derivative)
{
    expect_inputs(KC_OP_EXP, 1, "x");
    expect_inputs(KC_OP_MUL, 2, "xx");
    expect_inputs(KC_OP_LINEAR, 3, "xxx");
    expect_inputs(KC_OP_MSE_LOSS, 2, "xx");
    expect_inputs(KC_OP_SAFE_LOG, 2, "x-");
    expect_inputs(KC_OP_LAYER_NORM, 3, "xxx");
    expect_inputs(KC_OP_BATCH_NORM, 5, "xxx--");
    expect_inputs(KC_OP_SELECTIVE_SCAN, 4, "xxxx");
    expect_inputs(KC_OP_SCALED_DOT_PRODUCT_ATTENTION, 3, "xxx");
    expect_inputs(KC_OP_BERNOULLI_MASK, 1, "-");
}
END_TEST

CONFORM_SUITE(gradient_run, what_is_wanted, failures_come_back, another_answers,
              which_have_a_derivative)
