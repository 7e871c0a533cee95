/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * F37: y = x * x at x = 3, then something writes to what was saved. An error
 * that names it, or the gradient from a private copy; never another number.
 * What nobody saved may be written. */
#include "autograd/tape_state.h"

#include <string.h>

#include "unit/autograd/suites.h"
#include "unit/autograd/tape_fixture.h"

#define CHANGED_LEAF                                                           \
    "operation 1 (mul): expected its saved operand a, leaf x, as it was, "     \
    "found its bytes changed since"

typedef struct square {
    tape_fixture_t at;
    kc_tensor_t *tensor; /* of the caller; the leaf shares it */
    kc_variable_t x;
    kc_variable_t y;
} square_t;

static void square_begin(square_t *square)
{
    tape_fixture_t *at = &square->at;
    tape_begin(at);
    square->tensor = tape_tensor(at, 0, NULL, FLOATS(3));
    EXPECT_OK(at->error,
              kci_tape_leaf(at->tape, square->tensor, "x", KC_LEAF_GRADIENT,
                            &square->x, &at->error));
    square->y = tape_binary(at, KC_OP_MUL, square->x, square->x);
}

/* The tape is as it was: with the old bytes back, all is well. */
static void square_expect_refusal(square_t *square)
{
    tape_fixture_t *at = &square->at;
    EXPECT_FAILURE(at->error, KC_ERR_TENSOR, CHANGED_LEAF,
                   tape_try(at, square->y, 0));
    ck_assert(!tape_has_gradient(at, square->x));
    *(float *)kc_tensor_data(&square->tensor->view) = 3;
    tape_backward(at, square->y);
    TAPE_EXPECT(at, square->x, 6);
    kci_tensor_release(square->tensor);
    tape_end(at);
}

START_TEST(written_through_a_pointer)
{
    square_t square;
    square_begin(&square);
    *(float *)kc_tensor_data(&square.tensor->view) = 100;
    square_expect_refusal(&square);
}
END_TEST

START_TEST(written_as_the_output_of_an_operation)
{
    square_t square;
    operand_t big;
    square_begin(&square);
    operand_floats(&big, 0, NULL, FLOATS(100));
    const DLTensor *inputs[] = {&big.view};
    EXPECT_OK(square.at.error,
              kci_session_run(square.at.session, KC_OP_RELU, NULL, inputs, 1,
                              &square.tensor->view, &square.at.error));
    square_expect_refusal(&square);
}
END_TEST

START_TEST(written_through_a_view)
{
    square_t square;
    kc_tensor_t *view = NULL;
    square_begin(&square);
    EXPECT_OK(square.at.error, kci_tensor_reshape(square.tensor, 1, DIMS(1),
                                                  &view, &square.at.error));
    operand_t big;
    operand_floats(&big, 1, DIMS(1), FLOATS(100));
    kci_tensor_copy_elements(&big.view, &view->view);
    kci_tensor_release(view);
    square_expect_refusal(&square);
}
END_TEST

START_TEST(written_through_the_value_of_the_tape)
{
    square_t square;
    square_begin(&square);
    *tape_data(&square.at, square.x) = 100;
    square_expect_refusal(&square);
}
END_TEST

START_TEST(written_with_the_same_bytes)
{
    square_t square;
    square_begin(&square);
    *(float *)kc_tensor_data(&square.tensor->view) = 100;
    *(float *)kc_tensor_data(&square.tensor->view) = 3;
    tape_backward(&square.at, square.y);
    TAPE_EXPECT(&square.at, square.x, 6);
    kci_tensor_release(square.tensor);
    tape_end(&square.at);
}
END_TEST

/* An intermediate value, and what an operation saved of its own result. */
START_TEST(intermediate_values)
{
    tape_fixture_t at;
    tape_begin(&at);
    kc_variable_t x = tape_number(&at, "x", 3);
    kc_variable_t k = tape_scale(&at, x, 2);
    kc_variable_t e = tape_unary(&at, KC_OP_EXP, k);
    kc_variable_t y = tape_binary(&at, KC_OP_MUL, e, k);
    float kept = *tape_data(&at, k);
    *tape_data(&at, k) = 100;
    EXPECT_FAILURE(at.error, KC_ERR_TENSOR,
                   "operation 3 (mul): expected its saved operand b, the "
                   "result of operation 1 (scale), as it was",
                   tape_try(&at, y, 0));
    *tape_data(&at, k) = kept;
    *tape_data(&at, e) = 0;
    EXPECT_FAILURE(at.error, KC_ERR_TENSOR,
                   "operation 2 (exp): expected its saved operand output, the "
                   "result of operation 2 (exp), as it was",
                   tape_try(&at, e, 0));
    ck_assert(!tape_has_gradient(&at, x));
    tape_end(&at);
}
END_TEST

START_TEST(what_nobody_saved_may_be_written)
{
    tape_fixture_t at;
    tape_begin(&at);
    kc_variable_t x = tape_number(&at, "x", 3);
    kc_variable_t k = tape_scale(&at, x, 2);
    kc_variable_t y = tape_binary(&at, KC_OP_ADD, k, x);
    *tape_data(&at, x) = 100;
    *tape_data(&at, k) = 100;
    *tape_data(&at, y) = 100;
    tape_backward(&at, y);
    TAPE_EXPECT(&at, x, 3);
    tape_end(&at);
}
END_TEST

/* A detached value is saved under the name of what it shows. */
START_TEST(a_detached_value)
{
    tape_fixture_t at;
    kc_variable_t stopped = {0};
    tape_begin(&at);
    kc_variable_t x = tape_number(&at, "x", 3);
    EXPECT_OK(at.error, kci_tape_detach(at.tape, x, &stopped, &at.error));
    kc_variable_t y =
        tape_binary(&at, KC_OP_MUL, stopped, tape_scale(&at, x, 1));
    *tape_data(&at, x) = 100;
    EXPECT_FAILURE(at.error, KC_ERR_TENSOR, "its saved operand a, leaf x, as",
                   tape_try(&at, y, 0));
    tape_end(&at);
}
END_TEST

/* A strided leaf is copied when it is saved: the gradient is that of then. */
START_TEST(strided_operands_are_private)
{
    tape_fixture_t at;
    float memory[] = {3, -1, 4, -1};
    kc_tensor_t *tensor = NULL;
    tape_begin(&at);
    EXPECT_OK(at.error,
              kci_tensor_wrap(&at.allocator, KC_DTYPE_F32, 1, DIMS(2), DIMS(2),
                              memory, NULL, NULL, &tensor, &at.error));
    kc_variable_t x = tape_leaf_of(&at, tensor, "x", KC_LEAF_GRADIENT);
    kc_variable_t y = tape_binary(&at, KC_OP_MUL, x, x);
    memory[0] = 100;
    memory[2] = 100;
    tape_backward_filled(&at, y, 1);
    TAPE_EXPECT(&at, x, 6, 8);
    tape_end(&at);
}
END_TEST

/* A mask whose true is 2: rules see 1. */
START_TEST(masks_are_canonical)
{
    tape_fixture_t at;
    unsigned char bytes[] = {2, 0, 255};
    kc_tensor_t *mask = NULL;
    tape_begin(&at);
    EXPECT_OK(at.error,
              kci_tensor_wrap(&at.allocator, KC_DTYPE_BOOL, 1, DIMS(3), NULL,
                              bytes, NULL, NULL, &mask, &at.error));
    kc_variable_t m = tape_leaf_of(&at, mask, "mask", 0);
    kc_variable_t x = tape_leaf(&at, "x", 1, DIMS(3), FLOATS(1, 2, 1));
    kc_variable_t y = tape_binary(&at, KC_OP_HARD_MASKED_SOFTMAX, x, m);
    ck_assert_ptr_nonnull(at.tape->saved[0].copy);
    const unsigned char *seen = kc_tensor_data(&at.tape->saved[0].copy->view);
    ck_assert_uint_eq(seen[0], 1);
    ck_assert_uint_eq(seen[2], 1);
    kc_tensor_t *seed = tape_tensor(&at, 1, DIMS(3), FLOATS(1, 5, 0));
    kc_tensor_t *gradient = tape_gradient_of(&at, y, &seed->view, x);
    tape_expect_values(gradient, FLOATS(0.25F, 0, -0.25F), 3);
    kci_tensor_release(gradient);
    kci_tensor_release(seed);
    tape_end(&at);
}
END_TEST

Suite *suite_autograd_tape_saved(void)
{
    Suite *suite = suite_create("autograd/tape_saved");
    TCase *tcase = tcase_create("tape_saved");
    tcase_add_test(tcase, written_through_a_pointer);
    tcase_add_test(tcase, written_as_the_output_of_an_operation);
    tcase_add_test(tcase, written_through_a_view);
    tcase_add_test(tcase, written_through_the_value_of_the_tape);
    tcase_add_test(tcase, written_with_the_same_bytes);
    tcase_add_test(tcase, intermediate_values);
    tcase_add_test(tcase, what_nobody_saved_may_be_written);
    tcase_add_test(tcase, a_detached_value);
    tcase_add_test(tcase, strided_operands_are_private);
    tcase_add_test(tcase, masks_are_canonical);
    suite_add_tcase(suite, tcase);
    return suite;
}
