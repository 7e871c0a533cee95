/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Leaves, detached values, and what references and messages say. */
#include "autograd/tape_state.h"

#include "unit/autograd/suites.h"
#include "unit/autograd/tape_fixture.h"

START_TEST(leaves_are_shared)
{
    tape_fixture_t at;
    kci_tensor_type_t type;
    tape_begin(&at);
    kc_tensor_t *tensor = tape_tensor(&at, 2, DIMS(1, 2), FLOATS(4, 5));
    float *data = kc_tensor_data(&tensor->view);
    kc_variable_t x = tape_leaf_of(&at, tensor, "x", 0);
    ck_assert_ptr_eq(tape_data(&at, x), data);
    EXPECT_OK(at.error, kci_tape_type(at.tape, x, &type, &at.error));
    ck_assert_int_eq(type.dtype, KC_DTYPE_F32);
    ck_assert_int_eq(type.shape.rank, 2);
    ck_assert_int_eq(type.shape.dims[1], 2);
    tape_end(&at);
}
END_TEST

START_TEST(leaves_that_are_refused)
{
    tape_fixture_t at;
    kc_tensor_t *indices = NULL;
    kc_variable_t x = {0};
    tape_begin(&at);
    EXPECT_OK(at.error, kci_tensor_create(&at.allocator, KC_DTYPE_I64, 1,
                                          DIMS(2), &indices, &at.error));
    EXPECT_FAILURE(at.error, KC_ERR_ARGUMENT,
                   "leaf rows: expected floating-point elements for a "
                   "gradient, found i64",
                   kci_tape_leaf(at.tape, indices, "rows", KC_LEAF_GRADIENT, &x,
                                 &at.error));
    EXPECT_FAILURE(at.error, KC_ERR_ARGUMENT,
                   "leaf without a name: expected flags within 0x1, found 0x3",
                   kci_tape_leaf(at.tape, indices, NULL, 3, &x, &at.error));
    ck_assert_uint_eq(x.tape, 0);
    EXPECT_OK(at.error,
              kci_tape_leaf(at.tape, indices, NULL, 0, &x, &at.error));
    kci_tensor_release(indices);
    tape_end(&at);
}
END_TEST

/* x * detach(x): only one place counts. */
START_TEST(a_gradient_stops_at_a_detached_value)
{
    tape_fixture_t at;
    kc_variable_t stopped = {0};
    tape_begin(&at);
    kc_variable_t x = tape_number(&at, "x", 3);
    kc_variable_t k = tape_scale(&at, x, 2);
    EXPECT_OK(at.error, kci_tape_detach(at.tape, k, &stopped, &at.error));
    ck_assert_ptr_eq(tape_data(&at, stopped), tape_data(&at, k));
    kc_variable_t y = tape_binary(&at, KC_OP_MUL, x, stopped);
    tape_backward_keep(&at, y);
    TAPE_EXPECT(&at, x, 6);
    EXPECT_FAILURE(at.error, KC_ERR_ARGUMENT,
                   "backward: output 0 (a detached value of the result of "
                   "operation 1 (scale)): "
                   "expected a value that depends on a leaf with "
                   "KC_LEAF_GRADIENT, found one without gradient",
                   tape_try(&at, stopped, 0));
    EXPECT_FAILURE(
        at.error, KC_ERR_ARGUMENT, "expected a variable, found none",
        kci_tape_detach(at.tape, (kc_variable_t){0}, &stopped, &at.error));
    tape_end(&at);
}
END_TEST

/* A detached value is told from the leaf it shows, a wrong input by its place
 * in the operation, and no name is so long that the reason is lost. */
START_TEST(what_is_refused_is_named)
{
    tape_fixture_t at;
    kc_variable_t stopped = {0};
    kc_variable_t y = {0};
    kc_tensor_t *gradient = NULL;
    char name[KC_ERROR_MESSAGE_SIZE + 1];
    memset(name, 'n', sizeof name);
    name[sizeof name - 1] = 0;
    tape_begin(&at);
    kc_variable_t x = tape_number(&at, "x", 3);
    EXPECT_OK(at.error, kci_tape_detach(at.tape, x, &stopped, &at.error));
    EXPECT_FAILURE(at.error, KC_ERR_ARGUMENT,
                   "backward: output 0 (a detached value of leaf x): expected",
                   tape_try(&at, stopped, 0));
    EXPECT_FAILURE(at.error, KC_ERR_ARGUMENT,
                   "found a detached value of leaf x",
                   kci_tape_gradient(at.tape, stopped, &gradient, &at.error));
    kc_variable_t inputs[] = {x, x};
    inputs[1].index += 7;
    EXPECT_FAILURE(
        at.error, KC_ERR_ARGUMENT,
        "mul: input 1: variable 7: the tape has made none",
        kci_tape_apply(at.tape, KC_OP_MUL, NULL, inputs, 2, &y, &at.error));
    kc_tensor_t *tensor = tape_tensor(&at, 0, NULL, FLOATS(3));
    EXPECT_FAILURE(at.error, KC_ERR_ARGUMENT,
                   "expected flags within 0x1, found 0x8",
                   kci_tape_leaf(at.tape, tensor, name, 8, &y, &at.error));
    kci_tensor_release(tensor);
    ck_assert(y.tape == 0 && gradient == NULL);
    tape_end(&at);
}
END_TEST

/* Any number in it makes it one. */
START_TEST(all_zero_is_no_variable)
{
    static const kc_variable_t rubbish[] = {{0, 1, 0}, {0, 0, 1}};
    tape_fixture_t at;
    size_t place = 0;
    tape_begin(&at);
    EXPECT_OK(at.error, kci_tape_find(at.tape, (kc_variable_t){0}, true, &place,
                                      &at.error));
    ck_assert_uint_eq(place, KCI_NO_PLACE);
    EXPECT_FAILURE(
        at.error, KC_ERR_ARGUMENT, "expected a variable, found none",
        kci_tape_find(at.tape, (kc_variable_t){0}, false, &place, &at.error));
    for (size_t i = 0; i < 2; i++) {
        EXPECT_FAILURE(
            at.error, KC_ERR_ARGUMENT, "belongs to another tape",
            kci_tape_find(at.tape, rubbish[i], true, &place, &at.error));
    }
    tape_end(&at);
}
END_TEST

START_TEST(names)
{
    tape_fixture_t at;
    char text[KCI_TAPE_NAME_SIZE];
    kc_variable_t stopped = {0};
    size_t flat = 0;
    tape_begin(&at);
    kc_variable_t x = tape_number(&at, "weight", 3);
    tape_number(&at, NULL, 3);
    tape_scale(&at, x, 2);
    EXPECT_OK(at.error, kci_tape_detach(at.tape, x, &stopped, &at.error));
    static const char *const expected[] = {"leaf weight", "leaf 1",
                                           "the result of operation 2 (scale)",
                                           "leaf weight", "leaf 1"};
    EXPECT_OK(at.error, kci_tape_flatten(at.tape, 1, &flat, &at.error));
    ck_assert_uint_eq(flat, 4);
    for (size_t i = 0; i < 5; i++) {
        kci_tape_describe(at.tape, i, text, sizeof text);
        ck_assert_str_eq(text, expected[i]);
    }
    tape_end(&at);
}
END_TEST

/* A backward moves a leaf that came after an operation. */
START_TEST(leaves_keep_their_names)
{
    tape_fixture_t at;
    tape_begin(&at);
    kc_variable_t x = tape_number(&at, "x", 3);
    kc_variable_t y = tape_scale(&at, x, 2);
    kc_variable_t late = tape_number(&at, "late", 5);
    tape_backward(&at, tape_binary(&at, KC_OP_MUL, y, late));
    kc_variable_t square = tape_binary(&at, KC_OP_MUL, late, late);
    *tape_data(&at, late) = 6;
    EXPECT_FAILURE(at.error, KC_ERR_TENSOR,
                   "(mul): expected its saved operand a, leaf late, as it was",
                   tape_try(&at, square, 0));
    tape_end(&at);
}
END_TEST

Suite *suite_autograd_tape_variable(void)
{
    Suite *suite = suite_create("autograd/tape_variable");
    TCase *tcase = tcase_create("tape_variable");
    tcase_add_test(tcase, leaves_are_shared);
    tcase_add_test(tcase, leaves_that_are_refused);
    tcase_add_test(tcase, a_gradient_stops_at_a_detached_value);
    tcase_add_test(tcase, what_is_refused_is_named);
    tcase_add_test(tcase, all_zero_is_no_variable);
    tcase_add_test(tcase, names);
    tcase_add_test(tcase, leaves_keep_their_names);
    suite_add_tcase(suite, tcase);
    return suite;
}
