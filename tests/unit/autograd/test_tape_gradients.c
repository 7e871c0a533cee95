/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Gradients of leaves: how they begin, grow and start anew, and that their
 * memory is nobody else's. */
#include "autograd/tape_state.h"

#include <string.h>

#include "unit/autograd/suites.h"
#include "unit/autograd/tape_fixture.h"
#include "unit/built_modules.h"

START_TEST(gradients_grow)
{
    tape_fixture_t at;
    kc_tensor_t *old = NULL;
    tape_begin(&at);
    kc_variable_t x = tape_number(&at, "x", 3);
    kc_variable_t far = tape_leaf(&at, "far", 1, DIMS(2), FLOATS(1, 2));
    ck_assert(!tape_has_gradient(&at, x));
    tape_backward(&at, tape_scale(&at, x, 5));
    TAPE_EXPECT(&at, x, 5);
    TAPE_EXPECT(&at, far, 0, 0);
    EXPECT_OK(at.error, kci_tape_gradient(at.tape, x, &old, &at.error));
    tape_backward(&at, tape_binary(&at, KC_OP_MUL, x, x));
    TAPE_EXPECT(&at, x, 11);
    TAPE_EXPECT(&at, far, 0, 0);
    /* What was read before is as it was. */
    tape_expect_values(old, FLOATS(5), 1);
    kci_tensor_release(old);
    kci_tape_clear_gradients(at.tape);
    ck_assert(!tape_has_gradient(&at, x));
    tape_backward(&at, tape_scale(&at, x, 5));
    TAPE_EXPECT(&at, x, 5);
    tape_end(&at);
}
END_TEST

/* The old one comes first: 1e8 + 1 rounds, -1e8 is added to that. */
START_TEST(the_new_one_is_added_to_the_old_one)
{
    tape_fixture_t at;
    tape_begin(&at);
    kc_variable_t x = tape_number(&at, "x", 3);
    tape_backward(&at, tape_scale(&at, x, 1e8));
    tape_backward(&at, tape_scale(&at, x, 1));
    tape_backward(&at, tape_scale(&at, x, -1e8));
    TAPE_EXPECT(&at, x, 0);
    ck_assert_uint_eq(tape_calls(&at, KCI_CALL_SUM, KC_OP_ADD), 2);
    tape_end(&at);
}
END_TEST

/* The rule of add passes one cotangent to both; the seed is the caller's. */
START_TEST(no_two_gradients_share_memory)
{
    tape_fixture_t at;
    kc_tensor_t *of_a = NULL;
    kc_tensor_t *of_b = NULL;
    tape_begin(&at);
    kc_variable_t a = tape_leaf(&at, "a", 1, DIMS(2), FLOATS(1, 2));
    kc_variable_t b = tape_leaf(&at, "b", 1, DIMS(2), FLOATS(1, 2));
    kc_tensor_t *seed = tape_tensor(&at, 1, DIMS(2), FLOATS(4, 5));
    const DLTensor *view = &seed->view;
    kc_variable_t y = tape_binary(&at, KC_OP_ADD, a, b);
    const kc_variable_t outputs[] = {y, a};
    const DLTensor *seeds[] = {view, view};
    kc_backward_request_t request = tape_request(outputs, seeds);
    request.output_count = 1;
    EXPECT_OK(at.error, kci_tape_backward(at.tape, &request, &at.error));
    EXPECT_OK(at.error, kci_tape_gradient(at.tape, a, &of_a, &at.error));
    EXPECT_OK(at.error, kci_tape_gradient(at.tape, b, &of_b, &at.error));
    *(float *)kc_tensor_data(&of_a->view) = 100;
    *(float *)kc_tensor_data(view) = 200;
    TAPE_EXPECT(&at, a, 100, 5);
    TAPE_EXPECT(&at, b, 4, 5);
    kci_tensor_release(of_a);
    kci_tensor_release(of_b);
    kci_tensor_release(seed);
    tape_end(&at);
}
END_TEST

/* Whatever rules give: cotangents that share memory become two tensors. */
START_TEST(shared_cotangents_become_two)
{
    tape_fixture_t at;
    kc_tensor_t *cotangents[2] = {NULL};
    kc_tensor_t *gradients[2] = {NULL};
    size_t wanted[] = {0, 1};
    kci_tape_targets_t targets = {.wanted = wanted, .wanted_count = 2};
    tape_begin(&at);
    tape_leaf(&at, "a", 1, DIMS(2), FLOATS(1, 2));
    tape_leaf(&at, "b", 1, DIMS(2), FLOATS(1, 2));
    cotangents[0] = tape_tensor(&at, 1, DIMS(2), FLOATS(4, 5));
    EXPECT_OK(at.error,
              kci_tensor_share(cotangents[0], &cotangents[1], &at.error));
    EXPECT_OK(at.error,
              kci_tape_make_gradients(at.tape, &targets, _i == 1, cotangents,
                                      gradients, &at.error));
    ck_assert_ptr_ne(gradients[0]->view.data, gradients[1]->view.data);
    for (int i = 0; i < 2; i++) {
        tape_expect_values(gradients[i], FLOATS(4, 5), 2);
        ck_assert_int_eq(gradients[i]->storage->reference_count, 1);
        kci_tensor_release(gradients[i]);
        kci_tensor_release(cotangents[i]);
    }
    tape_end(&at);
}
END_TEST

static kc_profile_t *only_own_backward(void)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_profile_t *profile = NULL;
    kc_profile_t *built = built_profile_with("own_backward", "acme");
    kc_policy_t policy = built->policy;
    policy.preference = KC_PREFERENCE_ONLY;
    strcpy(policy.provider, "acme");
    EXPECT_OK(error, kci_profile_with_policy(built, &policy, &profile, &error));
    kci_profile_release(built);
    return profile;
}

/* A profile with relu and mul and nothing that adds: what needs no sum works,
 * the rest says what is missing and changes nothing. */
START_TEST(nothing_that_adds)
{
    tape_fixture_t at;
    tape_begin_with(&at, only_own_backward(), 1);
    kc_variable_t x = tape_number(&at, "x", 3);
    kc_variable_t w = tape_number(&at, "w", 4);
    EXPECT_FAILURE(at.error, KC_ERR_NO_CAPSULE,
                   "backward: the sum of the cotangents of leaf x: no "
                   "admissible kernel capsule for op add",
                   tape_try(&at, tape_binary(&at, KC_OP_MUL, x, x), 0));
    ck_assert(!tape_has_gradient(&at, x));
    tape_backward(&at, tape_binary(&at, KC_OP_MUL, x, w));
    TAPE_EXPECT(&at, x, 4);
    EXPECT_FAILURE(at.error, KC_ERR_NO_CAPSULE,
                   "backward: the sum of the gradients of leaf x: no "
                   "admissible kernel capsule for op add",
                   tape_try(&at, tape_binary(&at, KC_OP_MUL, x, w), 0));
    TAPE_EXPECT(&at, x, 4);
    TAPE_EXPECT(&at, w, 3);
    tape_end(&at);
}
END_TEST

START_TEST(only_leaves_have_one)
{
    tape_fixture_t at;
    kc_tensor_t *gradient = NULL;
    tape_begin(&at);
    kc_variable_t x = tape_number(&at, "x", 3);
    kc_variable_t y = tape_scale(&at, x, 5);
    kc_variable_t c =
        tape_leaf_of(&at, tape_tensor(&at, 0, NULL, FLOATS(5)), "c", 0);
    EXPECT_FAILURE(at.error, KC_ERR_ARGUMENT,
                   "gradient: expected a leaf with KC_LEAF_GRADIENT, found the "
                   "result of operation 1 (scale)",
                   kci_tape_gradient(at.tape, y, &gradient, &at.error));
    EXPECT_FAILURE(at.error, KC_ERR_ARGUMENT, "found leaf c without it",
                   kci_tape_gradient(at.tape, c, &gradient, &at.error));
    ck_assert_ptr_null(gradient);
    tape_end(&at);
}
END_TEST

/* A kept tape, twice: exactly doubled. */
START_TEST(a_kept_tape_doubles)
{
    tape_fixture_t at;
    tape_begin(&at);
    kc_variable_t x = tape_number(&at, "x", 0.1F);
    kc_variable_t y = tape_unary(&at, KC_OP_EXP, tape_unary(&at, KC_OP_SIN, x));
    tape_backward_keep(&at, y);
    kc_tensor_t *once = NULL;
    EXPECT_OK(at.error, kci_tape_gradient(at.tape, x, &once, &at.error));
    tape_backward_keep(&at, y);
    TAPE_EXPECT(&at, x, 2 * *(float *)kc_tensor_data(&once->view));
    kci_tensor_release(once);
    tape_end(&at);
}
END_TEST

Suite *suite_autograd_tape_gradients(void)
{
    Suite *suite = suite_create("autograd/tape_gradients");
    TCase *tcase = tcase_create("tape_gradients");
    tcase_add_test(tcase, gradients_grow);
    tcase_add_test(tcase, the_new_one_is_added_to_the_old_one);
    tcase_add_test(tcase, no_two_gradients_share_memory);
    tcase_add_loop_test(tcase, shared_cotangents_become_two, 0, 2);
    tcase_add_test(tcase, nothing_that_adds);
    tcase_add_test(tcase, only_leaves_have_one);
    tcase_add_test(tcase, a_kept_tape_doubles);
    suite_add_tcase(suite, tcase);
    return suite;
}
