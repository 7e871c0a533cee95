/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Backward requests that are refused, before anything runs. */
#include "autograd/tape_state.h"

#include "unit/autograd/suites.h"
#include "unit/autograd/tape_fixture.h"

typedef struct request_case {
    tape_fixture_t at;
    kc_variable_t x;
    kc_variable_t y;
    kc_backward_request_t request;
} request_case_t;

static void begin(request_case_t *of)
{
    tape_begin(&of->at);
    of->x = tape_number(&of->at, "x", 3);
    of->y = tape_binary(&of->at, KC_OP_MUL, of->x, of->x);
    of->request = tape_request(&of->y, NULL);
}

static void expect_refusal(request_case_t *of, kc_status_t status,
                           const char *text)
{
    EXPECT_FAILURE(of->at.error, status, text,
                   kci_tape_backward(of->at.tape, &of->request, &of->at.error));
    ck_assert(!tape_has_gradient(&of->at, of->x));
    ck_assert_uint_eq(tape_calls(&of->at, KCI_CALL_VJP, KC_OP_MUL), 0);
    of->request = tape_request(&of->y, NULL);
}

START_TEST(orders_flags_and_counts)
{
    request_case_t of;
    kc_tensor_t *gradient = NULL;
    begin(&of);
    of.request.order = 2;
    expect_refusal(&of, KC_ERR_NOT_IN_BUILD,
                   "backward: expected order 1, found 2: gradients of "
                   "gradients are not in this build");
    of.request.flags = 6;
    expect_refusal(&of, KC_ERR_ARGUMENT,
                   "backward: expected flags within 0x1, found 0x6");
    of.request.output_count = 0;
    expect_refusal(&of, KC_ERR_ARGUMENT,
                   "backward: expected outputs, found none");
    of.request.wanted_count = 1;
    expect_refusal(&of, KC_ERR_ARGUMENT, "together");
    of.request.wanted = &of.x;
    of.request.wanted_count = 1;
    expect_refusal(&of, KC_ERR_ARGUMENT, "together");
    of.request.wanted = &of.x;
    of.request.out_gradients = &gradient;
    expect_refusal(&of, KC_ERR_ARGUMENT, "together");
    of.request.order = 1;
    EXPECT_OK(of.at.error,
              kci_tape_backward(of.at.tape, &of.request, &of.at.error));
    TAPE_EXPECT(&of.at, of.x, 6);
    tape_end(&of.at);
}
END_TEST

START_TEST(outputs_without_gradient)
{
    request_case_t of;
    begin(&of);
    kc_variable_t c =
        tape_leaf_of(&of.at, tape_tensor(&of.at, 0, NULL, FLOATS(5)), "c", 0);
    kc_variable_t made = tape_binary(&of.at, KC_OP_MUL, c, c);
    kc_variable_t outputs[] = {of.y, c};
    of.request.outputs = outputs;
    of.request.output_count = 2;
    expect_refusal(&of, KC_ERR_ARGUMENT,
                   "backward: output 1 (leaf c): expected a value that depends "
                   "on a leaf with KC_LEAF_GRADIENT, found one without "
                   "gradient");
    of.request.outputs = &made;
    expect_refusal(&of, KC_ERR_ARGUMENT,
                   "output 0 (the result of operation 3 (mul))");
    outputs[0] = (kc_variable_t){0};
    of.request.outputs = outputs;
    expect_refusal(&of, KC_ERR_ARGUMENT,
                   "backward: output 0: expected a variable, found none");
    outputs[0] = of.y;
    outputs[0].tape++;
    of.request.outputs = outputs;
    expect_refusal(&of, KC_ERR_ARGUMENT,
                   "backward: output 0: variable 1 belongs to another tape");
    tape_end(&of.at);
}
END_TEST

START_TEST(wanted_without_gradient)
{
    request_case_t of;
    kc_tensor_t *gradients[2] = {NULL};
    kc_tensor_t *indices = NULL;
    begin(&of);
    EXPECT_OK(of.at.error, kci_tensor_create(&of.at.allocator, KC_DTYPE_I64, 1,
                                             DIMS(2), &indices, &of.at.error));
    kc_variable_t rows = tape_leaf_of(&of.at, indices, "rows", 0);
    kc_variable_t c =
        tape_leaf_of(&of.at, tape_tensor(&of.at, 0, NULL, FLOATS(5)), "c", 0);
    kc_variable_t wanted[] = {of.x, rows};
    of.request.wanted = wanted;
    of.request.wanted_count = 2;
    of.request.out_gradients = gradients;
    expect_refusal(&of, KC_ERR_ARGUMENT,
                   "backward: wanted 1 (leaf rows): expected floating-point "
                   "elements, found i64");
    wanted[1] = c;
    of.request.wanted = wanted;
    of.request.wanted_count = 2;
    of.request.out_gradients = gradients;
    expect_refusal(&of, KC_ERR_ARGUMENT, "backward: wanted 1 (leaf c)");
    ck_assert_ptr_null(gradients[0]);
    tape_end(&of.at);
}
END_TEST

Suite *suite_autograd_tape_request(void)
{
    Suite *suite = suite_create("autograd/tape_request");
    TCase *tcase = tcase_create("tape_request");
    tcase_add_test(tcase, orders_flags_and_counts);
    tcase_add_test(tcase, outputs_without_gradient);
    tcase_add_test(tcase, wanted_without_gradient);
    suite_add_tcase(suite, tcase);
    return suite;
}
