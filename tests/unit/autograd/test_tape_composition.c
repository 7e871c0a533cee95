/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Compositions on a tape: ordinary operations with ordinary gradients. */
#include "autograd/tape_state.h"

#include "unit/autograd/suites.h"
#include "unit/autograd/tape_fixture.h"

static const kci_tensor_type_t pair = {.dtype = KC_DTYPE_F32,
                                       .shape = {.rank = 1, .dims = {2}}};

START_TEST(steps_are_operations)
{
    tape_fixture_t at;
    kci_composition_t composition;
    kc_variable_t out[4] = {{9, 9, 9}, {9, 9, 9}, {9, 9, 9}, {9, 9, 9}};
    static const float literal[] = {10, 100};
    kci_composition_init(&composition);
    tape_begin(&at);
    kci_term_t x = kci_compose_argument(&composition, &pair);
    kci_term_t c = kci_compose_literal(&composition, &pair, literal);
    kci_term_t y = kci_compose_binary(&composition, KC_OP_MUL, x, c);
    const kci_term_t terms[] = {y, x, c, KCI_NO_TERM};
    kc_variable_t leaf = tape_leaf(&at, "x", 1, DIMS(2), FLOATS(3, 4));
    EXPECT_OK(at.error, kci_tape_run_composition(at.tape, &composition, &leaf,
                                                 terms, 4, out, &at.error));
    ck_assert_float_eq(tape_data(&at, out[0])[1], 400);
    ck_assert_uint_eq(out[1].index, leaf.index);
    ck_assert_float_eq(tape_data(&at, out[2])[1], 100);
    ck_assert_uint_eq(out[3].tape, 0);
    ck_assert_uint_eq(tape_calls(&at, KCI_CALL_FORWARD, KC_OP_MUL), 1);
    /* The literal belongs to the tape: the composition may go. */
    kci_composition_release(&composition);
    tape_backward_filled(&at, out[0], 1);
    TAPE_EXPECT(&at, leaf, 10, 100);
    tape_end(&at);
}
END_TEST

START_TEST(a_failure_leaves_nothing)
{
    tape_fixture_t at;
    kci_composition_t composition;
    kc_variable_t out = {0};
    static const int64_t index = 7;
    kci_composition_init(&composition);
    tape_begin(&at);
    kci_term_t x = kci_compose_argument(&composition, &pair);
    kci_term_t e = kci_compose_unary(&composition, KC_OP_EXP, x);
    kci_term_t y = kci_compose_gather(
        &composition, e, kci_compose_indices(&composition, &index, 1), 0);
    kc_variable_t leaf = tape_leaf(&at, "x", 1, DIMS(2), FLOATS(3, 4));
    size_t live = at.allocator.live_bytes;
    EXPECT_FAILURE(at.error, KC_ERR_TENSOR, "dispatch.index_range",
                   kci_tape_run_composition(at.tape, &composition, &leaf, &y, 1,
                                            &out, &at.error));
    ck_assert_uint_eq(at.tape->variable_count, 1);
    ck_assert_uint_eq(at.tape->node_count, 0);
    ck_assert_uint_eq(at.allocator.live_bytes, live);
    kc_variable_t foreign = leaf;
    foreign.tape++;
    EXPECT_FAILURE(at.error, KC_ERR_ARGUMENT, "belongs to another tape",
                   kci_tape_run_composition(at.tape, &composition, &foreign, &y,
                                            1, &out, &at.error));
    (void)kci_compose_slice(&composition, x, 0, 5, 9);
    EXPECT_FAILURE(at.error, KC_ERR_GRAPH, "slice",
                   kci_tape_run_composition(at.tape, &composition, &leaf, &y, 1,
                                            &out, &at.error));
    ck_assert_uint_eq(out.tape, 0);
    kci_composition_release(&composition);
    tape_end(&at);
}
END_TEST

Suite *suite_autograd_tape_composition(void)
{
    Suite *suite = suite_create("autograd/tape_composition");
    TCase *tcase = tcase_create("tape_composition");
    tcase_add_test(tcase, steps_are_operations);
    tcase_add_test(tcase, a_failure_leaves_nothing);
    suite_add_tcase(suite, tcase);
    return suite;
}
