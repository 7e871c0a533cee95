/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * The life of a tape: who may have one, what a backward and a reset end, and
 * that the memory comes back. */
#include "autograd/tape.h"

#include "unit/autograd/suites.h"
#include "unit/autograd/tape_fixture.h"
#include "unit/built_modules.h"

START_TEST(a_session_without_gradients_has_none)
{
    tape_fixture_t at;
    kc_session_t *session = NULL;
    kc_tape_t *tape = NULL;
    tape_begin(&at);
    kc_profile_t *profile = built_checked_cpu();
    EXPECT_OK(at.error,
              kci_session_create(at.host, profile, false, &session, &at.error));
    EXPECT_FAILURE(at.error, KC_ERR_ARGUMENT,
                   "tape: expected a session with gradients, found VJP mode "
                   "none",
                   kci_tape_create(session, &tape, &at.error));
    ck_assert_ptr_null(tape);
    kci_tape_destroy(NULL);
    kci_session_destroy(session);
    kci_profile_release(profile);
    tape_end(&at);
}
END_TEST

START_TEST(the_tape_keeps_its_session)
{
    tape_fixture_t at;
    tape_begin(&at);
    kc_variable_t x = tape_number(&at, "x", 3);
    kci_session_destroy(at.session);
    at.session = NULL;
    kc_variable_t y = tape_binary(&at, KC_OP_MUL, x, x);
    tape_backward(&at, y);
    TAPE_EXPECT(&at, x, 6);
    tape_end(&at);
}
END_TEST

START_TEST(two_tapes_tell_their_variables_apart)
{
    tape_fixture_t at;
    tape_fixture_t other;
    kc_variable_t y = {0};
    tape_begin(&at);
    tape_begin(&other);
    kc_variable_t x = tape_number(&at, "x", 3);
    kc_variable_t z = tape_number(&other, "z", 3);
    kc_variable_t inputs[] = {x, z};
    EXPECT_FAILURE(
        at.error, KC_ERR_ARGUMENT, "variable 0 belongs to another tape",
        kci_tape_apply(at.tape, KC_OP_ADD, NULL, inputs, 2, &y, &at.error));
    ck_assert_uint_eq(y.tape, 0);
    tape_end(&other);
    tape_end(&at);
}
END_TEST

START_TEST(a_backward_ends_all_but_the_leaves)
{
    tape_fixture_t at;
    kc_tensor_t *value = NULL;
    tape_begin(&at);
    kc_variable_t x = tape_number(&at, "x", 3);
    kc_variable_t y = tape_binary(&at, KC_OP_MUL, x, x);
    kc_variable_t c =
        tape_leaf_of(&at, tape_tensor(&at, 0, NULL, FLOATS(5)), "c", 0);
    size_t live = at.allocator.live_bytes;
    tape_backward(&at, y);
    EXPECT_FAILURE(at.error, KC_ERR_ARGUMENT,
                   "variable 1 is stale: a backward without KC_BACKWARD_KEEP "
                   "used the tape up",
                   kci_tape_value(at.tape, y, &value, &at.error));
    ck_assert_ptr_null(value);
    ck_assert_uint_eq(at.tape->node_count, 0);
    ck_assert_uint_eq(at.tape->variable_count, 2);
    /* The value of y went, the gradient of x came. */
    ck_assert_uint_eq(at.allocator.live_bytes, live);
    kc_variable_t z = tape_binary(&at, KC_OP_MUL, x, c);
    tape_backward(&at, z);
    TAPE_EXPECT(&at, x, 6 + 5);
    tape_end(&at);
}
END_TEST

/* Leaves are found by number when there are gaps between their numbers. */
START_TEST(leaves_of_many_rounds_are_found)
{
    enum { ROUNDS = 9 };
    tape_fixture_t at;
    kc_variable_t leaves[ROUNDS];
    tape_begin(&at);
    for (int round = 0; round < ROUNDS; round++) {
        leaves[round] = tape_number(&at, NULL, (float)(round + 1));
        kc_variable_t sum = leaves[0];
        for (int i = 0; i <= round; i++) {
            sum = tape_binary(&at, KC_OP_ADD, sum, leaves[i]);
        }
        tape_backward(&at, sum);
    }
    for (int i = 0; i < ROUNDS; i++) {
        ck_assert_float_eq(*tape_data(&at, leaves[i]), (float)(i + 1));
        if (i > 0) {
            TAPE_EXPECT(&at, leaves[i], (float)(ROUNDS - i));
        }
    }
    TAPE_EXPECT(&at, leaves[0], 2 * ROUNDS);
    tape_end(&at);
}
END_TEST

START_TEST(a_reset_ends_everything)
{
    tape_fixture_t at;
    kc_tensor_t *value = NULL;
    kc_variable_t unmade = {0};
    tape_begin(&at);
    size_t live = at.allocator.live_bytes;
    kc_variable_t x = tape_number(&at, "x", 3);
    kc_variable_t y = tape_binary(&at, KC_OP_MUL, x, x);
    tape_backward_keep(&at, y);
    uint64_t counter = kci_session_next_random_counter(at.session);
    kci_tape_reset(at.tape);
    ck_assert_uint_eq(at.allocator.live_bytes, live);
    EXPECT_FAILURE(at.error, KC_ERR_ARGUMENT,
                   "variable 0 is stale: the tape was reset since",
                   kci_tape_value(at.tape, x, &value, &at.error));
    kc_variable_t again = tape_number(&at, "x", 4);
    ck_assert_uint_eq(again.index, x.index);
    EXPECT_FAILURE(at.error, KC_ERR_ARGUMENT, "the tape was reset since",
                   kci_tape_value(at.tape, x, &value, &at.error));
    unmade = again;
    unmade.index = 77;
    EXPECT_FAILURE(at.error, KC_ERR_ARGUMENT,
                   "variable 77: the tape has made none of that number",
                   kci_tape_value(at.tape, unmade, &value, &at.error));
    /* The record and the counter stay. */
    ck_assert_uint_eq(tape_calls(&at, KCI_CALL_FORWARD, KC_OP_MUL), 1);
    ck_assert_uint_eq(kci_session_next_random_counter(at.session), counter + 1);
    tape_end(&at);
}
END_TEST

/* The same after a backward that used the tape up, as each step of a loop
 * does that makes its leaves anew. */
START_TEST(a_used_tape_is_reset)
{
    tape_fixture_t at;
    tape_begin(&at);
    for (int step = 0; step < 3; step++) {
        kc_variable_t x = tape_number(&at, "x", 3);
        ck_assert_uint_eq(x.index, 0);
        tape_backward(&at, tape_binary(&at, KC_OP_MUL, x, x));
        TAPE_EXPECT(&at, x, 6);
        kci_tape_reset(at.tape);
        ck_assert_uint_eq(at.tape->variable_capacity, 0);
        ck_assert_uint_eq(at.tape->node_capacity, 0);
    }
    tape_end(&at);
}
END_TEST

/* No machine stack, and nothing left. */
START_TEST(a_very_deep_chain)
{
    enum { DEPTH = 100000 };
    tape_fixture_t at;
    tape_begin(&at);
    kc_variable_t x = tape_number(&at, "x", 3);
    size_t live = at.allocator.live_bytes;
    kc_variable_t y = x;
    for (int i = 0; i < DEPTH; i++) {
        y = tape_scale(&at, y, i % 2 == 0 ? 2.0 : 0.5);
    }
    size_t long_live = at.allocator.live_bytes;
    kci_host_allocator_reset_peak(&at.allocator);
    tape_backward_keep(&at, y);
    TAPE_EXPECT(&at, x, 1);
    /* Cotangents went as soon as they were read: a few at a time, far from
     * one a node. */
    ck_assert_uint_lt(at.allocator.peak_bytes - long_live, 16384);
    kci_tape_clear_gradients(at.tape);
    ck_assert_uint_eq(at.allocator.live_bytes, long_live);
    tape_backward(&at, y);
    kci_tape_clear_gradients(at.tape);
    ck_assert_uint_eq(at.allocator.live_bytes, live);
    tape_end(&at);
}
END_TEST

Suite *suite_autograd_tape(void)
{
    Suite *suite = suite_create("autograd/tape");
    TCase *tcase = tcase_create("tape");
    tcase_add_test(tcase, a_session_without_gradients_has_none);
    tcase_add_test(tcase, the_tape_keeps_its_session);
    tcase_add_test(tcase, two_tapes_tell_their_variables_apart);
    tcase_add_test(tcase, a_backward_ends_all_but_the_leaves);
    tcase_add_test(tcase, leaves_of_many_rounds_are_found);
    tcase_add_test(tcase, a_reset_ends_everything);
    tcase_add_test(tcase, a_used_tape_is_reset);
    tcase_add_test(tcase, a_very_deep_chain);
    suite_add_tcase(suite, tcase);
    return suite;
}
