/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * The walk: each node once after all its consumers, sums in the written
 * order, and nothing that was not asked for. */
#include "autograd/tape_state.h"

#include <string.h>

#include "unit/autograd/suites.h"
#include "unit/autograd/tape_fixture.h"
#include "unit/built_modules.h"

/* 1e8, -1e8, 1: added from the left 1, in other orders 0. */
#define BIG 1e8F

/* Consumers by falling number: the last one first. */
START_TEST(sums_are_in_order_of_consumers)
{
    tape_fixture_t at;
    tape_begin(&at);
    kc_variable_t x = tape_number(&at, "x", 1);
    kc_variable_t third = tape_scale(&at, x, 1);
    kc_variable_t second = tape_scale(&at, x, -(double)BIG);
    kc_variable_t first = tape_scale(&at, x, (double)BIG);
    kc_variable_t sum = tape_binary(&at, KC_OP_ADD, second, third);
    tape_backward(&at, tape_binary(&at, KC_OP_ADD, sum, first));
    TAPE_EXPECT(&at, x, 1);
    ck_assert_uint_eq(tape_calls(&at, KCI_CALL_SUM, KC_OP_ADD), 2);
    tape_end(&at);
}
END_TEST

/* Of one consumer by rising place. */
START_TEST(sums_are_in_order_of_places)
{
    tape_fixture_t at;
    tape_begin(&at);
    kc_attributes_t attributes = {.struct_size = sizeof attributes,
                                  .op = KC_OP_CONCAT};
    kc_variable_t x = tape_leaf(&at, "x", 1, DIMS(1), FLOATS(1));
    const kc_variable_t places[] = {x, x, x};
    kc_variable_t y = tape_op(&at, KC_OP_CONCAT, &attributes, places, 3);
    kc_tensor_t *seed = tape_tensor(&at, 1, DIMS(3), FLOATS(BIG, -BIG, 1));
    kc_tensor_t *gradient = tape_gradient_of(&at, y, &seed->view, x);
    tape_expect_values(gradient, FLOATS(1), 1);
    kci_tensor_release(gradient);
    kci_tensor_release(seed);
    tape_end(&at);
}
END_TEST

/* A value that is itself an output: its seed comes before what its consumers
 * give. Seeds of one output that comes twice are added in their order. */
START_TEST(a_seed_comes_first)
{
    tape_fixture_t at;
    tape_begin(&at);
    kc_variable_t x = tape_number(&at, "x", 1);
    kc_variable_t k = tape_scale(&at, x, 1);
    kc_variable_t last = tape_scale(&at, k, 1);
    kc_variable_t next = tape_scale(&at, k, 1);
    const kc_variable_t outputs[] = {last, k, next, k};
    static const float numbers[] = {1, BIG, -BIG, 3 * BIG};
    kc_tensor_t *seeds[4];
    const DLTensor *views[4];
    for (int i = 0; i < 4; i++) {
        seeds[i] = tape_tensor(&at, 0, NULL, &numbers[i]);
        views[i] = &seeds[i]->view;
    }
    kc_backward_request_t request = tape_request(outputs, views);
    request.flags = KC_BACKWARD_KEEP;
    request.output_count = 3;
    EXPECT_OK(at.error, kci_tape_backward(at.tape, &request, &at.error));
    TAPE_EXPECT(&at, x, 1);
    kci_tape_clear_gradients(at.tape);
    request.output_count = 4;
    EXPECT_OK(at.error, kci_tape_backward(at.tape, &request, &at.error));
    TAPE_EXPECT(&at, x, ((BIG + 3 * BIG) - BIG) + 1);
    for (int i = 0; i < 4; i++) {
        kci_tensor_release(seeds[i]);
    }
    tape_end(&at);
}
END_TEST

/* y = a * b with a = 2x, b = a * x: each rule once. */
START_TEST(a_diamond)
{
    tape_fixture_t at;
    tape_begin(&at);
    kc_variable_t x = tape_number(&at, "x", 3);
    kc_variable_t a = tape_scale(&at, x, 2);
    kc_variable_t b = tape_binary(&at, KC_OP_MUL, a, x);
    tape_backward(&at, tape_binary(&at, KC_OP_MUL, a, b));
    /* 4 x^3 */
    TAPE_EXPECT(&at, x, 12 * 9);
    ck_assert_uint_eq(tape_calls(&at, KCI_CALL_VJP, KC_OP_MUL), 2);
    ck_assert_uint_eq(tape_calls(&at, KCI_CALL_VJP, KC_OP_SCALE), 1);
    tape_end(&at);
}
END_TEST

START_TEST(a_value_with_many_consumers)
{
    enum { CONSUMERS = 3000 };
    tape_fixture_t at;
    tape_begin(&at);
    kc_variable_t x = tape_number(&at, "x", 3);
    kc_variable_t k = tape_scale(&at, x, 1);
    kc_variable_t sum = k;
    for (int i = 1; i < CONSUMERS; i++) {
        sum = tape_binary(&at, KC_OP_ADD, sum, k);
    }
    tape_backward(&at, sum);
    TAPE_EXPECT(&at, x, CONSUMERS);
    ck_assert_uint_eq(tape_calls(&at, KCI_CALL_VJP, KC_OP_SCALE), 1);
    ck_assert_uint_eq(tape_calls(&at, KCI_CALL_SUM, KC_OP_ADD), CONSUMERS - 1);
    tape_end(&at);
}
END_TEST

/* What nobody reads gives nothing and runs nothing. */
START_TEST(a_result_nobody_reads)
{
    tape_fixture_t at;
    tape_begin(&at);
    kc_variable_t x = tape_number(&at, "x", 3);
    tape_unary(&at, KC_OP_EXP, x);
    kc_variable_t y = tape_binary(&at, KC_OP_MUL, x, x);
    tape_unary(&at, KC_OP_RELU, y);
    tape_backward(&at, y);
    TAPE_EXPECT(&at, x, 6);
    ck_assert_uint_eq(tape_calls(&at, KCI_CALL_VJP, KC_OP_EXP), 0);
    ck_assert_uint_eq(tape_calls(&at, KCI_CALL_VJP, KC_OP_RELU), 0);
    tape_end(&at);
}
END_TEST

/* w is wanted: exp(x) is not on the way, nor is the other half of the rule of
 * the product; then the intermediate value itself. */
START_TEST(only_what_is_wanted_runs)
{
    tape_fixture_t at;
    tape_begin(&at);
    kc_variable_t x = tape_number(&at, "x", 0);
    kc_variable_t w = tape_number(&at, "w", 5);
    kc_variable_t e = tape_unary(&at, KC_OP_EXP, x);
    kc_variable_t y = tape_binary(&at, KC_OP_MUL, w, e);
    kc_tensor_t *gradient = tape_gradient_of(&at, y, NULL, w);
    tape_expect_values(gradient, FLOATS(1), 1);
    kci_tensor_release(gradient);
    ck_assert_uint_eq(tape_calls(&at, KCI_CALL_VJP, KC_OP_EXP), 0);
    ck_assert_uint_eq(tape_calls(&at, KCI_CALL_INNER_VJP, KC_OP_MUL), 1);
    ck_assert(!tape_has_gradient(&at, w));
    gradient = tape_gradient_of(&at, y, NULL, e);
    tape_expect_values(gradient, FLOATS(5), 1);
    kci_tensor_release(gradient);
    ck_assert_uint_eq(tape_calls(&at, KCI_CALL_VJP, KC_OP_EXP), 0);
    tape_end(&at);
}
END_TEST

/* z, twice an output, does not lead to x: its seeds are never added up. */
START_TEST(seeds_that_lead_nowhere_are_left_alone)
{
    tape_fixture_t at;
    kc_tensor_t *gradient = NULL;
    tape_begin(&at);
    kc_variable_t x = tape_number(&at, "x", 3);
    kc_variable_t w = tape_number(&at, "w", 5);
    kc_variable_t z = tape_unary(&at, KC_OP_ABS, w);
    const kc_variable_t outputs[] = {tape_unary(&at, KC_OP_RELU, x), z, z};
    kc_backward_request_t request = tape_request(outputs, NULL);
    request.output_count = 3;
    request.wanted = &x;
    request.wanted_count = 1;
    request.out_gradients = &gradient;
    EXPECT_OK(at.error, kci_tape_backward(at.tape, &request, &at.error));
    tape_expect_values(gradient, FLOATS(1), 1);
    kci_tensor_release(gradient);
    ck_assert_uint_eq(tape_calls(&at, KCI_CALL_SUM, KC_OP_ADD), 0);
    ck_assert_uint_eq(tape_calls(&at, KCI_CALL_VJP, KC_OP_ABS), 0);
    tape_end(&at);
}
END_TEST

/* An intermediate value and a leaf before it, both at once; the output's own
 * gradient is its seed; a leaf that the output does not reach has zeros. */
START_TEST(wanted_along_the_way)
{
    tape_fixture_t at;
    tape_begin(&at);
    kc_variable_t x = tape_number(&at, "x", 3);
    kc_variable_t far = tape_leaf(&at, "far", 1, DIMS(2), FLOATS(1, 2));
    kc_variable_t k = tape_binary(&at, KC_OP_MUL, x, x);
    kc_variable_t y = tape_scale(&at, k, 7);
    const kc_variable_t wanted[] = {y, k, x, far, k};
    kc_tensor_t *gradients[5] = {NULL};
    kc_backward_request_t request = tape_request(&y, NULL);
    request.wanted = wanted;
    request.wanted_count = 5;
    request.out_gradients = gradients;
    EXPECT_OK(at.error, kci_tape_backward(at.tape, &request, &at.error));
    tape_expect_values(gradients[0], FLOATS(1), 1);
    tape_expect_values(gradients[1], FLOATS(7), 1);
    tape_expect_values(gradients[2], FLOATS(42), 1);
    tape_expect_values(gradients[3], FLOATS(0, 0), 2);
    tape_expect_values(gradients[4], FLOATS(7), 1);
    ck_assert_ptr_ne(gradients[1]->view.data, gradients[4]->view.data);
    /* Without KC_BACKWARD_KEEP the tape is used up in this form too. */
    EXPECT_FAILURE(at.error, KC_ERR_ARGUMENT, "used the tape up",
                   tape_try(&at, y, 0));
    for (int i = 0; i < 5; i++) {
        kci_tensor_release(gradients[i]);
    }
    tape_end(&at);
}
END_TEST

/* Wanted beyond the output: not reached, zeros, and nothing runs. */
START_TEST(wanted_after_the_output)
{
    tape_fixture_t at;
    tape_begin(&at);
    kc_variable_t x = tape_number(&at, "x", 3);
    kc_variable_t k = tape_binary(&at, KC_OP_MUL, x, x);
    kc_variable_t after = tape_scale(&at, k, 2);
    kc_tensor_t *gradient = tape_gradient_of(&at, k, NULL, after);
    tape_expect_values(gradient, FLOATS(0), 1);
    kci_tensor_release(gradient);
    ck_assert_uint_eq(tape_calls(&at, KCI_CALL_VJP, KC_OP_MUL), 0);
    tape_end(&at);
}
END_TEST

/* Products, a kink, a norm and a softmax, in sizes that threads share. */
static void train_step(tape_fixture_t *at, uint32_t threads,
                       kc_tensor_t **out_gradients)
{
    tape_begin_with(at, built_checked_cpu(), threads);
    kc_attributes_t norm = {.struct_size = sizeof norm, .op = KC_OP_LAYER_NORM};
    kc_attributes_t gelu = {.struct_size = sizeof gelu, .op = KC_OP_GELU};
    norm.u.layer_norm.axis = 1;
    norm.u.layer_norm.eps = 1e-5;
    const kc_variable_t leaves[] = {
        tape_leaf_of(at, tape_random(at, 2, DIMS(67, 129), 1), "x", 1),
        tape_leaf_of(at, tape_random(at, 2, DIMS(65, 129), 2), "w", 1),
        tape_leaf_of(at, tape_random(at, 1, DIMS(65), 3), "b", 1),
        tape_leaf_of(at, tape_random(at, 1, DIMS(65), 4), "g", 1)};
    kc_variable_t h = tape_op(at, KC_OP_LINEAR, NULL, leaves, 3);
    h = tape_op(at, KC_OP_GELU, &gelu, &h, 1);
    const kc_variable_t normed[] = {h, leaves[3], leaves[2]};
    h = tape_op(at, KC_OP_LAYER_NORM, &norm, normed, 3);
    h = tape_axis(at, KC_OP_SOFTMAX, h, 1);
    h = tape_binary(at, KC_OP_MUL, h, h);
    h = tape_axis(at, KC_OP_REDUCE_SUM, tape_axis(at, KC_OP_REDUCE_SUM, h, 0),
                  0);
    kc_backward_request_t request = tape_request(&h, NULL);
    request.wanted = leaves;
    request.wanted_count = 4;
    request.out_gradients = out_gradients;
    EXPECT_OK(at->error, kci_tape_backward(at->tape, &request, &at->error));
}

START_TEST(the_same_bits_with_any_number_of_threads)
{
    static const uint32_t threads[] = {1, 2, 7};
    tape_fixture_t at[3];
    kc_tensor_t *gradients[3][4] = {{NULL}};
    for (int i = 0; i < 3; i++) {
        train_step(&at[i], threads[i], gradients[i]);
    }
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 4; k++) {
            const kc_tensor_t *first = gradients[0][k];
            ck_assert_mem_eq(kc_tensor_data(&gradients[i][k]->view),
                             kc_tensor_data(&first->view),
                             first->storage->size_bytes);
        }
    }
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 4; k++) {
            kci_tensor_release(gradients[i][k]);
        }
        tape_end(&at[i]);
    }
}
END_TEST

Suite *suite_autograd_tape_backward(void)
{
    Suite *suite = suite_create("autograd/tape_backward");
    TCase *tcase = tcase_create("tape_backward");
    tcase_add_test(tcase, sums_are_in_order_of_consumers);
    tcase_add_test(tcase, sums_are_in_order_of_places);
    tcase_add_test(tcase, a_seed_comes_first);
    tcase_add_test(tcase, a_diamond);
    tcase_add_test(tcase, a_value_with_many_consumers);
    tcase_add_test(tcase, a_result_nobody_reads);
    tcase_add_test(tcase, only_what_is_wanted_runs);
    tcase_add_test(tcase, seeds_that_lead_nowhere_are_left_alone);
    tcase_add_test(tcase, wanted_along_the_way);
    tcase_add_test(tcase, wanted_after_the_output);
    tcase_add_test(tcase, the_same_bits_with_any_number_of_threads);
    suite_add_tcase(suite, tcase);
    return suite;
}
