/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * What has gone wrong with gradients elsewhere: one tensor in two places
 * (F34), the shape of the gradient of a broadcast operand (F36), a backward
 * a second time (F38). F08 is in test_tape_record.c, F37 in
 * test_tape_saved.c. */
#include "autograd/tape_state.h"

#include "unit/autograd/suites.h"
#include "unit/autograd/tape_fixture.h"
#include "unit/built_modules.h"

/* a * b + a, both 3: 2x + 1. */
START_TEST(one_tensor_in_two_places)
{
    tape_fixture_t at;
    tape_begin(&at);
    kc_variable_t x = tape_number(&at, "x", 3);
    kc_variable_t product = tape_binary(&at, KC_OP_MUL, x, x);
    tape_backward(&at, tape_binary(&at, KC_OP_ADD, product, x));
    TAPE_EXPECT(&at, x, 7);
    tape_end(&at);
}
END_TEST

static kc_variable_t attend(tape_fixture_t *at, const kc_variable_t *inputs)
{
    kc_attributes_t attributes = {.struct_size = sizeof attributes,
                                  .op = KC_OP_SCALED_DOT_PRODUCT_ATTENTION};
    attributes.u.attention.scale = 0.5;
    return tape_op(at, KC_OP_SCALED_DOT_PRODUCT_ATTENTION, &attributes, inputs,
                   3);
}

/* query = key = value: the gradients of three copies, added in the order of
 * the places, to the bit. */
START_TEST(attention_with_itself)
{
    static const int64_t dims[] = {1, 2, 5, 4};
    tape_fixture_t at;
    kc_variable_t copies[3];
    kc_tensor_t *parts[3] = {NULL};
    float expected[40];
    tape_begin(&at);
    kc_variable_t x =
        tape_leaf_of(&at, tape_random(&at, 4, dims, 8), "x", KC_LEAF_GRADIENT);
    const kc_variable_t same[] = {x, x, x};
    for (int i = 0; i < 3; i++) {
        copies[i] = tape_leaf_of(&at, tape_random(&at, 4, dims, 8), NULL,
                                 KC_LEAF_GRADIENT);
    }
    kc_tensor_t *seed = tape_random(&at, 4, dims, 9);
    const DLTensor *view = &seed->view;
    kc_variable_t apart = attend(&at, copies);
    kc_backward_request_t request = tape_request(&apart, &view);
    request.flags = KC_BACKWARD_KEEP;
    request.wanted = copies;
    request.wanted_count = 3;
    request.out_gradients = parts;
    EXPECT_OK(at.error, kci_tape_backward(at.tape, &request, &at.error));
    for (int i = 0; i < 40; i++) {
        float sum = ((float *)kc_tensor_data(&parts[0]->view))[i];
        sum += ((float *)kc_tensor_data(&parts[1]->view))[i];
        sum += ((float *)kc_tensor_data(&parts[2]->view))[i];
        expected[i] = sum;
    }
    kc_tensor_t *found = tape_gradient_of(&at, attend(&at, same), view, x);
    tape_expect_values(found, expected, 40);
    kci_tensor_release(found);
    for (int i = 0; i < 3; i++) {
        kci_tensor_release(parts[i]);
    }
    kci_tensor_release(seed);
    tape_end(&at);
}
END_TEST

/* [2, 3] plus [1, 3]; a missing axis too. */
START_TEST(a_broadcast_row)
{
    tape_fixture_t at;
    tape_begin(&at);
    kc_variable_t a =
        tape_leaf(&at, "a", 2, DIMS(2, 3), FLOATS(1, 2, 3, 4, 5, 6));
    kc_variable_t row = tape_leaf(&at, "row", 2, DIMS(1, 3), FLOATS(1, 1, 1));
    kc_variable_t flat = tape_leaf(&at, "flat", 1, DIMS(3), FLOATS(1, 1, 1));
    kc_variable_t y =
        tape_binary(&at, KC_OP_ADD, a,
                    tape_shape(&at, KC_OP_BROADCAST, row, 2, DIMS(2, 3)));
    y = tape_binary(&at, KC_OP_ADD, y,
                    tape_shape(&at, KC_OP_BROADCAST, flat, 2, DIMS(2, 3)));
    tape_backward_filled(&at, y, 1);
    TAPE_EXPECT(&at, a, 1, 1, 1, 1, 1, 1);
    TAPE_EXPECT(&at, row, 2, 2, 2);
    TAPE_EXPECT(&at, flat, 2, 2, 2);
    tape_end(&at);
}
END_TEST

/* [2, 3] times [2, 1]; plus a scalar. */
START_TEST(a_broadcast_column_and_a_scalar)
{
    tape_fixture_t at;
    tape_begin(&at);
    kc_variable_t a =
        tape_leaf(&at, "a", 2, DIMS(2, 3), FLOATS(1, 2, 3, 4, 5, 6));
    kc_variable_t column =
        tape_leaf(&at, "column", 2, DIMS(2, 1), FLOATS(7, 8));
    kc_variable_t scalar = tape_number(&at, "scalar", 9);
    kc_variable_t y =
        tape_binary(&at, KC_OP_MUL, a,
                    tape_shape(&at, KC_OP_BROADCAST, column, 2, DIMS(2, 3)));
    y = tape_binary(&at, KC_OP_ADD, y,
                    tape_shape(&at, KC_OP_BROADCAST, scalar, 2, DIMS(2, 3)));
    tape_backward_filled(&at, y, 1);
    TAPE_EXPECT(&at, a, 7, 7, 7, 8, 8, 8);
    TAPE_EXPECT(&at, column, 6, 15);
    TAPE_EXPECT(&at, scalar, 6);
    tape_end(&at);
}
END_TEST

/* [1, 3] plus [2, 1]: both grow. */
START_TEST(both_operands_are_broadcast)
{
    tape_fixture_t at;
    tape_begin(&at);
    kc_variable_t row = tape_leaf(&at, "row", 2, DIMS(1, 3), FLOATS(1, 1, 1));
    kc_variable_t column =
        tape_leaf(&at, "column", 2, DIMS(2, 1), FLOATS(7, 8));
    kc_variable_t left = tape_shape(&at, KC_OP_BROADCAST, row, 2, DIMS(2, 3));
    kc_variable_t right =
        tape_shape(&at, KC_OP_BROADCAST, column, 2, DIMS(2, 3));
    tape_backward_filled(&at, tape_binary(&at, KC_OP_ADD, left, right), 1);
    TAPE_EXPECT(&at, row, 2, 2, 2);
    TAPE_EXPECT(&at, column, 3, 3);
    tape_end(&at);
}
END_TEST

typedef struct shared_node {
    tape_fixture_t at;
    kc_variable_t x;
    kc_variable_t losses[2]; /* 3k, which saves nothing, and k * k */
} shared_node_t;

static void shared_begin(shared_node_t *of)
{
    tape_begin(&of->at);
    of->x = tape_number(&of->at, "x", 5);
    kc_variable_t k = tape_scale(&of->at, of->x, 2);
    of->losses[0] = tape_scale(&of->at, k, 3);
    of->losses[1] = tape_binary(&of->at, KC_OP_MUL, k, k);
}

/* One rule, whichever loss comes first and whichever next. */
START_TEST(a_used_tape_is_used_for_all)
{
    shared_node_t of;
    shared_begin(&of);
    tape_backward(&of.at, of.losses[_i]);
    TAPE_EXPECT(&of.at, of.x, _i == 0 ? 6 : 40);
    for (int next = 0; next < 2; next++) {
        EXPECT_FAILURE(of.at.error, KC_ERR_ARGUMENT,
                       "is stale: a backward without KC_BACKWARD_KEEP used "
                       "the tape up",
                       tape_try(&of.at, of.losses[next], 0));
    }
    TAPE_EXPECT(&of.at, of.x, _i == 0 ? 6 : 40);
    tape_end(&of.at);
}
END_TEST

START_TEST(a_kept_tape_is_kept_for_all)
{
    shared_node_t of;
    shared_begin(&of);
    tape_backward_keep(&of.at, of.losses[0]);
    TAPE_EXPECT(&of.at, of.x, 6);
    tape_backward_keep(&of.at, of.losses[1]);
    TAPE_EXPECT(&of.at, of.x, 46);
    tape_backward_keep(&of.at, of.losses[_i]);
    TAPE_EXPECT(&of.at, of.x, _i == 0 ? 52 : 86);
    tape_backward(&of.at, of.losses[1]);
    TAPE_EXPECT(&of.at, of.x, _i == 0 ? 92 : 126);
    tape_end(&of.at);
}
END_TEST

/* Made with gradients off: nothing to go back to, and it is said. */
START_TEST(a_value_made_without_gradients)
{
    tape_fixture_t at;
    tape_begin(&at);
    kc_variable_t c =
        tape_leaf_of(&at, tape_tensor(&at, 0, NULL, FLOATS(3)), "c", 0);
    kc_variable_t y = tape_binary(&at, KC_OP_MUL, c, c);
    EXPECT_FAILURE(at.error, KC_ERR_ARGUMENT,
                   "expected a value that depends on a leaf with "
                   "KC_LEAF_GRADIENT, found one without gradient",
                   tape_try(&at, y, 0));
    tape_end(&at);
}
END_TEST

Suite *suite_autograd_tape_reports(void)
{
    Suite *suite = suite_create("autograd/tape_reports");
    TCase *tcase = tcase_create("tape_reports");
    tcase_add_test(tcase, one_tensor_in_two_places);
    tcase_add_test(tcase, attention_with_itself);
    tcase_add_test(tcase, a_broadcast_row);
    tcase_add_test(tcase, a_broadcast_column_and_a_scalar);
    tcase_add_test(tcase, both_operands_are_broadcast);
    tcase_add_loop_test(tcase, a_used_tape_is_used_for_all, 0, 2);
    tcase_add_loop_test(tcase, a_kept_tape_is_kept_for_all, 0, 2);
    tcase_add_test(tcase, a_value_made_without_gradients);
    suite_add_tcase(suite, tcase);
    return suite;
}
