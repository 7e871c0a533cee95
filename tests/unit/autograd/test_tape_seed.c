/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Seeds: what may be left out, what is refused, and memory of any form. */
#include "autograd/tape_state.h"

#include "unit/autograd/suites.h"
#include "unit/autograd/tape_fixture.h"

START_TEST(one_for_a_scalar_only)
{
    tape_fixture_t at;
    kc_tensor_t *tensor = NULL;
    kc_tensor_t *gradient = NULL;
    tape_begin(&at);
    kc_variable_t x = tape_leaf(&at, "x", 2, DIMS(1, 1), FLOATS(3));
    EXPECT_FAILURE(at.error, KC_ERR_ARGUMENT,
                   "backward: seed 0: expected a tensor f32 [1, 1], found "
                   "none: only a scalar has the seed 1",
                   tape_try(&at, x, 0));
    EXPECT_OK(at.error, kci_tensor_create(&at.allocator, KC_DTYPE_F64, 0, NULL,
                                          &tensor, &at.error));
    *(double *)kc_tensor_data(&tensor->view) = 3;
    kc_variable_t d = tape_leaf_of(&at, tensor, "d", KC_LEAF_GRADIENT);
    tape_backward(&at, tape_binary(&at, KC_OP_MUL, d, d));
    EXPECT_OK(at.error, kci_tape_gradient(at.tape, d, &gradient, &at.error));
    ck_assert_double_eq(*(double *)kc_tensor_data(&gradient->view), 6);
    kci_tensor_release(gradient);
    tape_end(&at);
}
END_TEST

typedef struct seed_case {
    tape_fixture_t at;
    kc_variable_t x;
    kc_variable_t y;
} seed_case_t;

static void begin(seed_case_t *of)
{
    tape_begin(&of->at);
    of->x = tape_leaf(&of->at, "x", 2, DIMS(2, 3), FLOATS(1, 1, 1, 1, 1, 1));
    of->y = tape_scale(&of->at, of->x, 2);
}

static void expect_refusal(seed_case_t *of, const DLTensor *seed,
                           const char *text)
{
    kc_backward_request_t request = tape_request(&of->y, &seed);
    EXPECT_FAILURE(of->at.error, KC_ERR_TENSOR, text,
                   kci_tape_backward(of->at.tape, &request, &of->at.error));
    ck_assert(!tape_has_gradient(&of->at, of->x));
}

START_TEST(seeds_that_are_refused)
{
    seed_case_t of;
    operand_t seed;
    begin(&of);
    operand_init(&seed, KC_DTYPE_F32, 2, DIMS(3, 2));
    expect_refusal(&of, &seed.view,
                   "backward: seed 0: expected f32 [2, 3], found f32 [3, 2]");
    operand_init(&seed, KC_DTYPE_F32, 1, DIMS(6));
    expect_refusal(&of, &seed.view, "found f32 [6]");
    operand_init(&seed, KC_DTYPE_F64, 2, DIMS(2, 3));
    expect_refusal(&of, &seed.view, "expected f32 [2, 3], found f64 [2, 3]");
    operand_init(&seed, KC_DTYPE_F32, 2, DIMS(2, 3));
    seed.view.ndim = 1000;
    expect_refusal(&of, &seed.view, "found f32 of rank 1000");
    operand_init(&seed, KC_DTYPE_F32, 2, DIMS(2, 3));
    seed.view.shape = NULL;
    expect_refusal(&of, &seed.view, "found f32 without shape");
    operand_init(&seed, KC_DTYPE_F32, 2, DIMS(2, 3));
    seed.view.data = NULL;
    expect_refusal(&of, &seed.view, "found no memory");
    operand_init(&seed, KC_DTYPE_F32, 2, DIMS(2, 3));
    seed.view.device.device_type = kDLCUDA;
    expect_refusal(&of, &seed.view, "found memory of another device");
    operand_init(&seed, KC_DTYPE_F32, 2, DIMS(2, 3));
    seed.view.byte_offset = 2;
    expect_refusal(&of, &seed.view, "not aligned to the element");
    operand_init(&seed, KC_DTYPE_F32, 2, DIMS(2, 3));
    seed.strides[0] = -3;
    expect_refusal(&of, &seed.view, "strides that are negative");
    tape_end(&of.at);
}
END_TEST

/* A transposed seed, one element in all places, and one that is a value of
 * the tape. */
START_TEST(seeds_of_any_form)
{
    seed_case_t of;
    operand_t seed;
    kc_tensor_t *value = NULL;
    begin(&of);
    operand_floats(&seed, 2, DIMS(2, 3), FLOATS(1, 2, 3, 4, 5, 6));
    seed.strides[0] = 1;
    seed.strides[1] = 2;
    kc_tensor_t *gradient = tape_gradient_of(&of.at, of.y, &seed.view, of.x);
    tape_expect_values(gradient, FLOATS(2, 6, 10, 4, 8, 12), 6);
    kci_tensor_release(gradient);
    seed.strides[0] = 0;
    seed.strides[1] = 0;
    gradient = tape_gradient_of(&of.at, of.y, &seed.view, of.x);
    tape_expect_values(gradient, FLOATS(2, 2, 2, 2, 2, 2), 6);
    kci_tensor_release(gradient);
    EXPECT_OK(of.at.error,
              kci_tape_value(of.at.tape, of.y, &value, &of.at.error));
    gradient = tape_gradient_of(&of.at, of.y, &value->view, of.x);
    tape_expect_values(gradient, FLOATS(4, 4, 4, 4, 4, 4), 6);
    kci_tensor_release(gradient);
    kci_tensor_release(value);
    tape_end(&of.at);
}
END_TEST

/* No elements, no memory. */
START_TEST(empty_values)
{
    tape_fixture_t at;
    tape_begin(&at);
    kc_variable_t x = tape_leaf(&at, "x", 2, DIMS(0, 3), NULL);
    kc_variable_t y = tape_binary(&at, KC_OP_MUL, x, x);
    kc_variable_t sum = tape_axis(&at, KC_OP_REDUCE_SUM, y, 0);
    tape_backward_filled(&at, sum, 1);
    kc_tensor_t *gradient = NULL;
    EXPECT_OK(at.error, kci_tape_gradient(at.tape, x, &gradient, &at.error));
    ck_assert_int_eq(gradient->shape[0], 0);
    ck_assert_int_eq(gradient->shape[1], 3);
    kci_tensor_release(gradient);
    operand_t seed;
    operand_init(&seed, KC_DTYPE_F32, 2, DIMS(0, 3));
    seed.view.data = NULL;
    gradient = tape_gradient_of(&at, tape_scale(&at, x, 2), &seed.view, x);
    kci_tensor_release(gradient);
    tape_end(&at);
}
END_TEST

Suite *suite_autograd_tape_seed(void)
{
    Suite *suite = suite_create("autograd/tape_seed");
    TCase *tcase = tcase_create("tape_seed");
    tcase_add_test(tcase, one_for_a_scalar_only);
    tcase_add_test(tcase, seeds_that_are_refused);
    tcase_add_test(tcase, seeds_of_any_form);
    tcase_add_test(tcase, empty_values);
    suite_add_tcase(suite, tcase);
    return suite;
}
