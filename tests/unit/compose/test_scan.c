/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * The unrolled recurrence against the recurrence itself, to the bit. */
#include "compose/compositions.h"

#include <kcapsule/compose.h>
#include "tensor/dtype.h"
#include "unit/compose/evaluate.h"
#include "unit/compose/suites.h"
#include "unit/expect.h"
#include "unit/failing_heap.h"

enum { A, B, X, H0, INPUTS };

static rule_fixture_t fixture;

static void begin(void)
{
    rule_fixture_begin(&fixture, 1);
}

static void end(void)
{
    rule_fixture_end(&fixture);
}

typedef struct scan {
    int64_t states;
    kc_tensor_t *inputs[INPUTS];
    kci_term_t terms[INPUTS];
    kci_composition_t composition;
} scan_t;

static void scan_begin(scan_t *scan, int32_t dtype, int64_t steps,
                       int64_t states, bool is_shared)
{
    const int64_t rows[] = {steps, states};
    scan->states = states;
    kci_composition_init(&scan->composition);
    for (size_t i = 0; i < INPUTS; i++) {
        bool is_vector = i == H0 || (i != X && is_shared);
        scan->inputs[i] =
            rule_random(&fixture, dtype, is_vector ? 1 : 2,
                        is_vector ? rows + 1 : rows, (uint64_t)steps + i);
        scan->terms[i] = evaluate_argument(&scan->composition, scan->inputs[i]);
    }
}

static kci_term_t compose(scan_t *scan)
{
    return kci_compose_scan(&scan->composition, scan->terms[A], scan->terms[B],
                            scan->terms[X], scan->terms[H0]);
}

static void scan_end(scan_t *scan)
{
    kci_composition_release(&scan->composition);
    for (size_t i = 0; i < INPUTS; i++) {
        kci_tensor_release(scan->inputs[i]);
    }
}

static float coefficient(const kc_tensor_t *tensor, int64_t states, int64_t t,
                         int64_t state)
{
    int64_t row = tensor->view.ndim == 1 ? 0 : t;
    return (float)rule_element(tensor, row * states + state);
}

static void check(int64_t steps, int64_t states, bool is_shared)
{
    scan_t scan;
    scan_begin(&scan, KC_DTYPE_F32, steps, states, is_shared);
    kc_tensor_t *found =
        evaluate_term(&fixture, &scan.composition, scan.inputs, compose(&scan));
    ck_assert_int_eq(found->view.ndim, 2);
    ck_assert_int_eq(found->view.shape[0], steps);
    ck_assert_int_eq(found->view.shape[1], states);
    for (int64_t j = 0; j < states; j++) {
        float h = (float)rule_element(scan.inputs[H0], j);
        for (int64_t t = 0; t < steps; t++) {
            float kept = coefficient(scan.inputs[A], states, t, j) * h;
            float written = coefficient(scan.inputs[B], states, t, j) *
                            coefficient(scan.inputs[X], states, t, j);
            h = kept + written;
            ck_assert_msg(rule_element(found, t * states + j) == h,
                          "step %lld state %lld of %lld x %lld", (long long)t,
                          (long long)j, (long long)steps, (long long)states);
        }
    }
    kci_tensor_release(found);
    scan_end(&scan);
}

/* One row, some, and more than one concat takes, once and twice over. */
START_TEST(is_the_recurrence)
{
    static const int64_t steps[] = {1, 2, 5, 64, 65, 128, 200};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        check(steps[i], 3, false);
        check(steps[i], 3, true);
    }
}
END_TEST

START_TEST(without_steps_or_states)
{
    check(0, 3, false);
    check(0, 3, true);
    check(4, 0, false);
    check(4, 0, true);
}
END_TEST

/* ops.md 9 */
START_TEST(gives_the_golden_states)
{
    static const double golden[] = {1, 1.5, 1.75};
    static const double values[INPUTS][3] = {{0.5}, {1}, {1, 1, 1}, {0}};
    static const int64_t dims[] = {3, 1};
    scan_t scan = {.states = 1};
    kci_composition_init(&scan.composition);
    for (size_t i = 0; i < INPUTS; i++) {
        scan.inputs[i] = rule_tensor(&fixture, KC_DTYPE_F64, i == X ? 2 : 1,
                                     i == X ? dims : dims + 1, values[i]);
        scan.terms[i] = evaluate_argument(&scan.composition, scan.inputs[i]);
    }
    kc_tensor_t *found =
        evaluate_term(&fixture, &scan.composition, scan.inputs, compose(&scan));
    for (int64_t t = 0; t < 3; t++) {
        ck_assert_double_eq(rule_element(found, t), golden[t]);
    }
    kci_tensor_release(found);
    scan_end(&scan);
}
END_TEST

/* Three operations a row and one that takes it out; what all rows share is
 * made one once; then the rows are put together. */
START_TEST(is_made_of_products_and_sums)
{
    scan_t scan;
    scan_begin(&scan, KC_DTYPE_F32, 7, 2, true);
    ck_assert_uint_ne(compose(&scan), KCI_NO_TERM);
    ck_assert_uint_eq(kci_composition_ops(&scan.composition),
                      KCI_OP_BIT(KC_OP_MUL) | KCI_OP_BIT(KC_OP_ADD) |
                          KCI_OP_BIT(KC_OP_SLICE) | KCI_OP_BIT(KC_OP_RESHAPE) |
                          KCI_OP_BIT(KC_OP_CONCAT));
    ck_assert_uint_eq(scan.composition.step_count, 7 * (3 + 1) + 3 + 1);
    scan_end(&scan);
}
END_TEST

/* What selective_scan refuses is refused in its words. */
START_TEST(refuses_what_the_operation_refuses)
{
    scan_t scan;
    kc_error_t error = KC_ERROR_INIT;
    scan_begin(&scan, KC_DTYPE_F32, 2, 3, true);
    kci_term_t result =
        kci_compose_scan(&scan.composition, scan.terms[A], scan.terms[X],
                         scan.terms[X], scan.terms[H0]);
    ck_assert_uint_eq(result, KCI_NO_TERM);
    ck_assert_int_eq(kci_composition_status(&scan.composition, &error),
                     KC_ERR_GRAPH);
    ck_assert_ptr_nonnull(strstr(error.message, "b: expected"));
    ck_assert_uint_eq(scan.composition.step_count, 0);
    ck_assert_uint_eq(compose(&scan), KCI_NO_TERM);
    scan_end(&scan);
}
END_TEST

/* One step more than there may be: nothing is made, no memory taken. */
START_TEST(refuses_what_is_too_long_to_unroll)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_composition_t composition;
    const kci_tensor_type_t row = {.dtype = KC_DTYPE_F32,
                                   .shape = {.rank = 1, .dims = {1}}};
    kci_tensor_type_t rows = {.dtype = KC_DTYPE_F32,
                              .shape = {.rank = 2, .dims = {0, 1}}};
    rows.shape.dims[0] = KC_COMPOSE_SCAN_STEPS_MAX + 1;
    for (int is_shared = 0; is_shared < 2; is_shared++) {
        kci_composition_init(&composition);
        kci_term_t a =
            kci_compose_argument(&composition, is_shared ? &row : &rows);
        kci_term_t x = kci_compose_argument(&composition, &rows);
        kci_term_t h0 = kci_compose_argument(&composition, &row);
        failing_heap_break_after(0);
        ck_assert_uint_eq(kci_compose_scan(&composition, a, a, x, h0),
                          KCI_NO_TERM);
        failing_heap_mend();
        EXPECT_FAILURE(error, KC_ERR_GRAPH,
                       "selective_scan: x: expected at most 2097152 rows to "
                       "unroll, found 2097153",
                       kci_composition_status(&composition, &error));
        ck_assert_uint_eq(composition.step_count, 0);
        kci_composition_release(&composition);
    }
}
END_TEST

/* What the limit is for: a step makes no more than it counts. */
START_TEST(a_step_makes_few_nodes)
{
    scan_t scan;
    scan_begin(&scan, KC_DTYPE_F32, 200, 2, false);
    ck_assert_uint_ne(compose(&scan), KCI_NO_TERM);
    ck_assert_uint_le(scan.composition.step_count + 1, 200 * 7);
    scan_end(&scan);
}
END_TEST

START_TEST(no_failed_allocation_hurts)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_status_t status = KC_ERR_MEMORY;
    int granted = 0;
    for (; status != KC_OK && granted < 500; granted++) {
        scan_t scan;
        scan_begin(&scan, KC_DTYPE_F32, 70, 2, granted % 2 == 0);
        failing_heap_break_after(granted);
        kci_term_t result = compose(&scan);
        failing_heap_mend();
        status = kci_composition_status(&scan.composition, &error);
        ck_assert(status == KC_OK || status == KC_ERR_MEMORY);
        ck_assert_int_eq(result == KCI_NO_TERM, status != KC_OK);
        scan_end(&scan);
    }
    EXPECT_OK(error, status);
    ck_assert_int_gt(granted, 5);
}
END_TEST

Suite *suite_compose_scan(void)
{
    Suite *suite = suite_create("compose/scan");
    TCase *tcase = tcase_create("scan");
    tcase_add_checked_fixture(tcase, begin, end);
    tcase_add_test(tcase, is_the_recurrence);
    tcase_add_test(tcase, without_steps_or_states);
    tcase_add_test(tcase, gives_the_golden_states);
    tcase_add_test(tcase, is_made_of_products_and_sums);
    tcase_add_test(tcase, refuses_what_the_operation_refuses);
    tcase_add_test(tcase, refuses_what_is_too_long_to_unroll);
    tcase_add_test(tcase, a_step_makes_few_nodes);
    tcase_add_test(tcase, no_failed_allocation_hurts);
    suite_add_tcase(suite, tcase);
    return suite;
}
