/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * softmax, log_softmax and hard_masked_softmax: differences over every axis,
 * the written order of the sums to the bit, blocked entries, scalars, rows
 * without elements. */
#include <math.h>
#include <string.h>

#include "autograd/rule.h"
#include "unit/autograd/composed_rule.h"
#include "unit/autograd/rule_spec.h"
#include "unit/autograd/suites.h"
#include "unit/expect.h"

/* Smooth with derivatives of order 1: rounding of the forward, some
 * 2^-53 / 1e-4, times the elements of a row. */
#define TOLERANCE 1e-9

static rule_fixture_t fixture;

static void begin(void)
{
    rule_fixture_begin(&fixture, 2);
}

static void end(void)
{
    rule_fixture_end(&fixture);
}

static const int32_t composed[] = {KC_OP_SOFTMAX, KC_OP_LOG_SOFTMAX};

static rule_spec_t spec_of(int32_t op, int32_t rank, const int64_t *dims,
                           int64_t axis)
{
    rule_spec_t spec = rule_spec_along(op, rank, dims, axis);
    spec.inputs[0].lo = -3;
    spec.inputs[0].hi = 3;
    return spec;
}

/* No shape without elements may need memory for its sums. */
static const struct {
    int32_t rank;
    int64_t dims[3];
} shapes[] = {{1, {5}},       {1, {1}},         {2, {3, 4}}, {3, {2, 3, 4}},
              {2, {0, 3}},    {2, {3, 0}},      {1, {0}},    {3, {2, 1, 2}},
              {3, {2, 0, 3}}, {2, {1 << 30, 0}}};

START_TEST(rules_agree_with_differences_on_every_axis)
{
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        for (int64_t axis = 0; axis < shapes[s].rank; axis++) {
            rule_spec_t spec =
                spec_of(composed[_i], shapes[s].rank, shapes[s].dims, axis);
            rule_spec_differences(&fixture, &spec, 20 + s, TOLERANCE);
        }
    }
}
END_TEST

#define ROWS    3
#define COLUMNS 37

/* Along axis 0, elements COLUMNS apart, in float32 as ops.md 7.4 says. */
static void write_slice(int32_t op, const float *y, const float *g, float *out)
{
    float sum = 0;
    for (size_t i = 0; i < ROWS * COLUMNS; i += COLUMNS) {
        sum += op == KC_OP_SOFTMAX ? g[i] * y[i] : g[i];
    }
    for (size_t i = 0; i < ROWS * COLUMNS; i += COLUMNS) {
        out[i] = op == KC_OP_SOFTMAX ? y[i] * (g[i] - sum)
                                     : g[i] - (float)exp((double)y[i]) * sum;
    }
}

START_TEST(sums_are_in_the_written_order)
{
    rule_spec_t spec =
        spec_of(composed[_i], 2, (const int64_t[]){ROWS, COLUMNS}, 0);
    rule_operands_t operands;
    const bool wanted[RULE_INPUTS_MAX] = {true};
    float expected[ROWS * COLUMNS];
    kc_tensor_t *found[RULE_INPUTS_MAX];
    rule_spec_make(&fixture, &spec, KC_DTYPE_F32, 7, &operands);
    kc_tensor_t *y = rule_forward(&fixture, &operands);
    kc_tensor_t *g = rule_random(&fixture, KC_DTYPE_F32, 2,
                                 (const int64_t[]){ROWS, COLUMNS}, 8);
    rule_vjp(&fixture, RULE_COMPOSED, &operands, y, g, wanted, found);
    for (size_t column = 0; column < COLUMNS; column++) {
        write_slice(composed[_i],
                    (const float *)kc_tensor_data(&y->view) + column,
                    (const float *)kc_tensor_data(&g->view) + column,
                    expected + column);
    }
    ck_assert_mem_eq(kc_tensor_data(&found[0]->view), expected,
                     sizeof expected);
    kci_tensor_release(found[0]);
    kci_tensor_release(g);
    kci_tensor_release(y);
    rule_operands_release(&operands);
}
END_TEST

/* The result is a constant; a rule by the formula would give NaN here. */
START_TEST(scalars_have_the_gradient_zero)
{
    static const double cotangents[] = {3, INFINITY, NAN};
    for (size_t i = 0; i < 3; i++) {
        const double zero = 0;
        const double *const expected[] = {&zero};
        rule_spec_t spec = spec_of(composed[_i], 0, shapes[0].dims, 0);
        rule_spec_values(&fixture, &spec, &cotangents[i], expected);
    }
}
END_TEST

/* y is one half or one: the numbers are exact. */
START_TEST(numbers_by_hand)
{
    const double x[] = {1, 1, 0, -INFINITY};
    const double g[] = {3, 1, 5, 7};
    const double of_softmax[] = {0.5, -0.5, 0, 0};
    const double *const expected[] = {of_softmax};
    rule_spec_t spec = spec_of(KC_OP_SOFTMAX, 2, (const int64_t[]){2, 2}, 1);
    spec.inputs[0].elements = x;
    rule_spec_values(&fixture, &spec, g, expected);
    /* log_softmax: g - share * sum(g); of -inf the share is zero */
    const double one[] = {0, -INFINITY};
    const double two[] = {4, 2};
    const double of_log[] = {-2, 2};
    const double *const logs[] = {of_log};
    spec = spec_of(KC_OP_LOG_SOFTMAX, 1, (const int64_t[]){2}, 0);
    spec.inputs[0].elements = one;
    rule_spec_values(&fixture, &spec, two, logs);
}
END_TEST

START_TEST(a_row_of_nan_stays_in_its_row)
{
    const double x[] = {NAN, 0, 0, 0};
    const double g[] = {1, 1, 1, 1};
    const double of_rows[] = {NAN, NAN, 0, 0};
    const double *const expected[] = {of_rows};
    rule_spec_t spec = spec_of(composed[_i], 2, (const int64_t[]){2, 2}, 1);
    spec.inputs[0].elements = x;
    if (composed[_i] == KC_OP_SOFTMAX) {
        rule_spec_values(&fixture, &spec, g, expected);
    } else { /* exp(log 1/2) need not be 1/2 */
        const double of_log[] = {NAN, NAN};
        const double *const logs[] = {of_log};
        spec.inputs[0].dims[0] = 1;
        rule_spec_values(&fixture, &spec, g, logs);
    }
}
END_TEST

START_TEST(composed_rules_do_not_show_threads)
{
    rule_spec_t spec =
        spec_of(composed[_i], 3, (const int64_t[]){11, 67, 53}, 1);
    rule_spec_threads(&spec, 31);
}
END_TEST

START_TEST(declared_inner_operations_are_all_used)
{
    rule_spec_t spec = spec_of(composed[_i], 2, (const int64_t[]){2, 3}, 0);
    ck_assert_uint_eq(composed_rule_ops_of(composed[_i], &spec.attributes, 1, 2,
                                           (const int64_t[]){2, 3}),
                      kci_vjp_info(composed[_i])->inner_ops);
}
END_TEST

static rule_spec_t masked_spec(int32_t rank, const int64_t *dims,
                               const double *mask)
{
    rule_spec_t spec = spec_of(KC_OP_HARD_MASKED_SOFTMAX, rank, dims, 0);
    spec.kind = RULE_RUNTIME;
    spec.attributes.struct_size = 0;
    spec.input_count = 2;
    spec.inputs[1] =
        (rule_input_t){.dtype = KC_DTYPE_BOOL, .rank = rank, .elements = mask};
    memcpy(spec.inputs[1].dims, dims, (size_t)rank * sizeof *dims);
    return spec;
}

START_TEST(masked_rule_agrees_with_differences)
{
    /* rows: some, all, none, one allowed */
    static const double mask[24] = {1, 0, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0,
                                    0, 1, 0, 0, 1, 1, 0, 0, 0, 0, 1, 1};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        rule_spec_t spec = masked_spec(shapes[s].rank, shapes[s].dims, mask);
        rule_spec_differences(&fixture, &spec, 50 + s, TOLERANCE);
    }
    for (size_t i = 0; i < 2; i++) {
        rule_spec_t scalar = masked_spec(0, shapes[0].dims, &mask[i]);
        rule_spec_differences(&fixture, &scalar, 90 + i, TOLERANCE);
    }
}
END_TEST

/* Blocked scores and their cotangents may hold anything. Allowed ones are
 * equal, so that their weights are one half. */
START_TEST(blocked_entries_do_not_exist)
{
    const double x[] = {NAN, 1, INFINITY, 1};
    const double mask[] = {0, 1, 0, 1};
    const double g[] = {INFINITY, 3, NAN, 1};
    const double row[] = {0, 0.5, 0, -0.5};
    const double *const expected[] = {row};
    rule_spec_t spec = masked_spec(1, (const int64_t[]){4}, mask);
    spec.inputs[0].elements = x;
    rule_spec_values(&fixture, &spec, g, expected);
}
END_TEST

START_TEST(a_fully_blocked_row_has_exact_zeros)
{
    const double x[] = {NAN, -INFINITY, INFINITY, 2, 2, 7};
    const double mask[] = {0, 0, 0, 1, 1, 0};
    const double g[] = {NAN, INFINITY, -5, 6, 2, NAN};
    const double rows[] = {0, 0, 0, 1, -1, 0};
    const double *const expected[] = {rows};
    rule_spec_t spec = masked_spec(2, (const int64_t[]){2, 3}, mask);
    spec.inputs[0].elements = x;
    rule_spec_values(&fixture, &spec, g, expected);
    const double none = 0;
    const double nan = NAN;
    const double *const zero[] = {&none};
    spec = masked_spec(0, (const int64_t[]){1}, &none);
    spec.inputs[0].elements = &nan;
    rule_spec_values(&fixture, &spec, &nan, zero);
}
END_TEST

START_TEST(an_allowed_nan_stays_in_its_row)
{
    const double x[] = {NAN, 0, 0, 1, 1, 0};
    const double mask[] = {1, 0, 1, 1, 1, 0};
    const double g[] = {1, 1, 1, 1, 1, 1};
    const double rows[] = {NAN, 0, NAN, 0, 0, 0};
    const double *const expected[] = {rows};
    rule_spec_t spec = masked_spec(2, (const int64_t[]){2, 3}, mask);
    spec.inputs[0].elements = x;
    rule_spec_values(&fixture, &spec, g, expected);
}
END_TEST

#define LONG_ROW 301

/* One row after the other, in float32, ascending over allowed entries. */
static void write_masked_row(const float *y, const float *g, const double *mask,
                             float *out)
{
    float sum = 0;
    for (size_t i = 0; i < LONG_ROW; i++) {
        sum = mask[i] != 0 ? sum + g[i] * y[i] : sum;
    }
    for (size_t i = 0; i < LONG_ROW; i++) {
        out[i] = mask[i] != 0 ? y[i] * (g[i] - sum) : 0;
    }
}

static double long_mask[70 * LONG_ROW];

static rule_spec_t long_spec(int64_t rows)
{
    for (size_t i = 0; i < 70 * LONG_ROW; i++) {
        long_mask[i] = i * 7919 % 5 != 0;
    }
    return masked_spec(2, (const int64_t[]){rows, LONG_ROW}, long_mask);
}

START_TEST(masked_sums_are_in_the_written_order)
{
    rule_spec_t spec = long_spec(2);
    rule_operands_t operands;
    const bool wanted[RULE_INPUTS_MAX] = {true};
    float expected[2 * LONG_ROW];
    kc_tensor_t *found[RULE_INPUTS_MAX] = {NULL};
    rule_spec_make(&fixture, &spec, KC_DTYPE_F32, 7, &operands);
    kc_tensor_t *y = rule_forward(&fixture, &operands);
    kc_tensor_t *g = rule_random(&fixture, KC_DTYPE_F32, 2,
                                 (const int64_t[]){2, LONG_ROW}, 8);
    rule_vjp(&fixture, RULE_RUNTIME, &operands, y, g, wanted, found);
    for (size_t row = 0; row < 2; row++) {
        const size_t first = row * LONG_ROW;
        write_masked_row((const float *)kc_tensor_data(&y->view) + first,
                         (const float *)kc_tensor_data(&g->view) + first,
                         long_mask + first, expected + first);
    }
    ck_assert_mem_eq(kc_tensor_data(&found[0]->view), expected,
                     sizeof expected);
    kci_tensor_release(found[0]);
    kci_tensor_release(g);
    kci_tensor_release(y);
    rule_operands_release(&operands);
}
END_TEST

/* Some 5 tiles. */
START_TEST(masked_rule_does_not_show_threads)
{
    rule_spec_t spec = long_spec(70);
    rule_spec_threads(&spec, 33);
}
END_TEST

Suite *suite_autograd_softmax(void)
{
    Suite *suite = suite_create("autograd/softmax");
    TCase *tests = tcase_create("softmax");
    tcase_add_checked_fixture(tests, begin, end);
    tcase_add_loop_test(tests, rules_agree_with_differences_on_every_axis, 0,
                        2);
    tcase_add_loop_test(tests, sums_are_in_the_written_order, 0, 2);
    tcase_add_loop_test(tests, scalars_have_the_gradient_zero, 0, 2);
    tcase_add_test(tests, numbers_by_hand);
    tcase_add_loop_test(tests, a_row_of_nan_stays_in_its_row, 0, 2);
    tcase_add_test(tests, masked_rule_agrees_with_differences);
    tcase_add_test(tests, blocked_entries_do_not_exist);
    tcase_add_test(tests, a_fully_blocked_row_has_exact_zeros);
    tcase_add_test(tests, an_allowed_nan_stays_in_its_row);
    tcase_add_test(tests, masked_sums_are_in_the_written_order);
    suite_add_tcase(suite, tests);
    TCase *own = tcase_create("own fixtures");
    tcase_add_loop_test(own, composed_rules_do_not_show_threads, 0, 2);
    tcase_add_test(own, masked_rule_does_not_show_threads);
    tcase_add_loop_test(own, declared_inner_operations_are_all_used, 0, 2);
    suite_add_tcase(suite, own);
    return suite;
}
