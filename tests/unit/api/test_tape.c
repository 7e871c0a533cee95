/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * The tape as an application sees it: through the shared library, in any
 * order of release, and with every argument forgotten once. */
#include <kcapsule/tape.h>

#include <string.h>

#include "unit/api/api_fixture.h"
#include "unit/api/suites.h"
#include "unit/expect.h"

typedef struct tape_case {
    fixture_heap_t heap;
    kc_runtime_t *runtime;
    kc_session_t *session;
    kc_tape_t *tape;
    kc_error_t error;
} tape_case_t;

static void begin(tape_case_t *at)
{
    *at = (tape_case_t){.error = KC_ERROR_INIT};
    at->runtime = fixture_runtime(&at->heap);
    kc_profile_t *profile = fixture_profile(at->runtime, "checked_cpu");
    EXPECT_OK(at->error,
              kc_session_create(at->runtime, profile, KC_SESSION_GRADIENTS,
                                &at->session, &at->error));
    EXPECT_OK(at->error, kc_tape_create(at->session, &at->tape, &at->error));
    kc_profile_release(profile);
}

static kc_variable_t leaf(tape_case_t *at, float first)
{
    kc_variable_t variable = {0};
    kc_tensor_t *tensor = fixture_tensor(at->runtime, first);
    EXPECT_OK(at->error, kc_tape_leaf(at->tape, tensor, "x", KC_LEAF_GRADIENT,
                                      &variable, &at->error));
    kc_tensor_release(tensor);
    return variable;
}

static void backward(tape_case_t *at, kc_variable_t output)
{
    kc_tensor_t *seed = fixture_tensor(at->runtime, 1);
    const DLTensor *view = kc_tensor_view(seed);
    kc_backward_request_t request = {.struct_size = sizeof request,
                                     .outputs = &output,
                                     .seeds = &view,
                                     .output_count = 1};
    EXPECT_OK(at->error, kc_tape_backward(at->tape, &request, &at->error));
    kc_tensor_release(seed);
}

static void end(tape_case_t *at)
{
    kc_tape_release(at->tape);
    kc_session_release(at->session);
    kc_runtime_release(at->runtime);
    ck_assert_uint_eq(at->heap.live_blocks, 0);
}

/* y = x * detach(x), seed 1 2 3 4: the gradient is the seed times x. */
START_TEST(forward_and_backward)
{
    static const float expected[] = {5, 12, 21, 32};
    tape_case_t at;
    kc_variable_t inputs[2];
    kc_variable_t y = {0};
    kc_tensor_t *value = NULL;
    kc_tensor_t *gradient = NULL;
    begin(&at);
    inputs[0] = leaf(&at, 5);
    EXPECT_OK(at.error,
              kc_tape_detach(at.tape, inputs[0], &inputs[1], &at.error));
    EXPECT_OK(at.error, kc_tape_apply(at.tape, KC_OP_MUL, NULL, inputs, 2, &y,
                                      &at.error));
    EXPECT_OK(at.error, kc_tape_value(at.tape, y, &value, &at.error));
    ck_assert_float_eq(((float *)kc_tensor_data(kc_tensor_view(value)))[1], 36);
    EXPECT_OK(at.error,
              kc_tape_gradient(at.tape, inputs[0], &gradient, &at.error));
    ck_assert_ptr_null(gradient);
    backward(&at, y);
    EXPECT_OK(at.error,
              kc_tape_gradient(at.tape, inputs[0], &gradient, &at.error));
    ck_assert_mem_eq(kc_tensor_data(kc_tensor_view(gradient)), expected,
                     sizeof expected);
    kc_tensor_release(gradient);
    kc_tensor_release(value);
    kc_tape_clear_gradients(at.tape);
    EXPECT_OK(at.error,
              kc_tape_gradient(at.tape, inputs[0], &gradient, &at.error));
    ck_assert_ptr_null(gradient);
    kc_tape_reset(at.tape);
    EXPECT_FAILURE(at.error, KC_ERR_ARGUMENT, "the tape was reset since",
                   kc_tape_value(at.tape, inputs[0], &value, &at.error));
    end(&at);
}
END_TEST

/* Runtime and session go first; the tape works on, and what it gave outlives
 * it. */
START_TEST(any_order_of_release)
{
    tape_case_t at;
    kc_variable_t y = {0};
    kc_tensor_t *gradient = NULL;
    begin(&at);
    kc_variable_t x = leaf(&at, 1);
    kc_tensor_t *seed = fixture_tensor(at.runtime, 1);
    kc_runtime_release(at.runtime);
    kc_session_release(at.session);
    EXPECT_OK(at.error,
              kc_tape_apply(at.tape, KC_OP_RELU, NULL, &x, 1, &y, &at.error));
    const DLTensor *view = kc_tensor_view(seed);
    kc_backward_request_t request = {.struct_size = sizeof request,
                                     .outputs = &y,
                                     .seeds = &view,
                                     .output_count = 1,
                                     .wanted = &x,
                                     .out_gradients = &gradient,
                                     .wanted_count = 1};
    EXPECT_OK(at.error, kc_tape_backward(at.tape, &request, &at.error));
    kc_tape_release(at.tape);
    ck_assert_float_eq(((float *)kc_tensor_data(kc_tensor_view(gradient)))[3],
                       4);
    kc_tensor_release(gradient);
    kc_tensor_release(seed);
    ck_assert_uint_eq(at.heap.live_blocks, 0);
}
END_TEST

/* relu(x + b), b = -2: only the last place passes. The record tells rules
 * from inner operations. */
START_TEST(a_graph_and_its_record)
{
    static const float expected[] = {0, 0, 0, 4};
    tape_case_t at;
    kc_variable_t y = {0};
    kc_tensor_t *gradient = NULL;
    kc_record_t *record = NULL;
    begin(&at);
    kc_graph_t *graph = fixture_graph();
    kc_variable_t x = leaf(&at, 0);
    kc_variable_t b = leaf(&at, -4);
    EXPECT_OK(at.error, kc_tape_run_graph(at.tape, graph, &x, 1, &b, 1, &y, 1,
                                          &at.error));
    backward(&at, y);
    EXPECT_OK(at.error, kc_tape_gradient(at.tape, x, &gradient, &at.error));
    ck_assert_mem_eq(kc_tensor_data(kc_tensor_view(gradient)), expected,
                     sizeof expected);
    EXPECT_OK(at.error, kc_session_record(at.session, &record, &at.error));
    ck_assert_uint_eq(kc_record_row_count(record), 4);
    kc_record_row_t row = {.struct_size = sizeof row};
    kc_record_row(record, 2, &row);
    ck_assert_str_eq(row.capsule, "reference.relu");
    kc_record_row(record, 3, &row);
    ck_assert_str_eq(row.capsule, "reference.add");
    kc_record_release(record);
    kc_tensor_release(gradient);
    kc_graph_release(graph);
    end(&at);
}
END_TEST

START_TEST(forgotten_arguments_are_named)
{
    tape_case_t at;
    kc_variable_t y = {0};
    kc_tensor_t *tensor = NULL;
    kc_tape_t *tape = NULL;
    begin(&at);
    kc_variable_t x = leaf(&at, 1);
    EXPECT_FAILURE(at.error, KC_ERR_ARGUMENT,
                   "kc_tape_create: expected session",
                   kc_tape_create(NULL, &tape, &at.error));
    EXPECT_FAILURE(at.error, KC_ERR_ARGUMENT, "out_tape",
                   kc_tape_create(at.session, NULL, &at.error));
    EXPECT_FAILURE(at.error, KC_ERR_ARGUMENT, "tensor",
                   kc_tape_leaf(at.tape, NULL, "x", 0, &y, &at.error));
    EXPECT_FAILURE(
        at.error, KC_ERR_ARGUMENT, "inputs",
        kc_tape_apply(at.tape, KC_OP_RELU, NULL, NULL, 1, &y, &at.error));
    EXPECT_FAILURE(
        at.error, KC_ERR_ARGUMENT, "out_variable",
        kc_tape_apply(at.tape, KC_OP_RELU, NULL, &x, 1, NULL, &at.error));
    EXPECT_FAILURE(at.error, KC_ERR_ARGUMENT, "out_variable",
                   kc_tape_detach(at.tape, x, NULL, &at.error));
    EXPECT_FAILURE(
        at.error, KC_ERR_ARGUMENT, "graph",
        kc_tape_run_graph(at.tape, NULL, &x, 1, NULL, 0, &y, 1, &at.error));
    EXPECT_FAILURE(at.error, KC_ERR_ARGUMENT, "tape",
                   kc_tape_value(NULL, x, &tensor, &at.error));
    EXPECT_FAILURE(at.error, KC_ERR_ARGUMENT, "out_tensor",
                   kc_tape_gradient(at.tape, x, NULL, &at.error));
    EXPECT_FAILURE(at.error, KC_ERR_ARGUMENT, "request",
                   kc_tape_backward(at.tape, NULL, &at.error));
    kc_backward_request_t request = {.struct_size = 8, .output_count = 1};
    EXPECT_FAILURE(at.error, KC_ERR_ARGUMENT, "struct_size",
                   kc_tape_backward(at.tape, &request, &at.error));
    request.struct_size = sizeof request;
    EXPECT_FAILURE(at.error, KC_ERR_ARGUMENT, "outputs",
                   kc_tape_backward(at.tape, &request, &at.error));
    kc_tape_clear_gradients(NULL);
    kc_tape_reset(NULL);
    kc_tape_release(NULL);
    ck_assert(y.tape == 0 && tape == NULL && tensor == NULL);
    end(&at);
}
END_TEST

/* The profile decides too: one that wants no gradients has no tape. */
START_TEST(sessions_without_gradients)
{
    tape_case_t at;
    kc_session_t *session = NULL;
    kc_tape_t *tape = NULL;
    begin(&at);
    kc_profile_t *profile = fixture_profile(at.runtime, "checked_cpu");
    EXPECT_OK(at.error,
              kc_session_create(at.runtime, profile, 0, &session, &at.error));
    EXPECT_FAILURE(at.error, KC_ERR_ARGUMENT,
                   "expected a session with gradients",
                   kc_tape_create(session, &tape, &at.error));
    ck_assert_ptr_null(tape);
    kc_session_release(session);
    kc_profile_release(profile);
    end(&at);
}
END_TEST

Suite *suite_api_tape(void)
{
    Suite *suite = suite_create("api/tape");
    TCase *tests = tcase_create("tape");
    tcase_add_test(tests, forward_and_backward);
    tcase_add_test(tests, any_order_of_release);
    tcase_add_test(tests, a_graph_and_its_record);
    tcase_add_test(tests, forgotten_arguments_are_named);
    tcase_add_test(tests, sessions_without_gradients);
    suite_add_tcase(suite, tests);
    return suite;
}
