/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * reduce_sum and reduce_mean: the cotangent along every axis, to the bit. */
#include <math.h>
#include <string.h>

#include "autograd/rule.h"
#include "unit/autograd/composed_rule.h"
#include "unit/autograd/rule_spec.h"
#include "unit/autograd/suites.h"
#include "unit/expect.h"

/* Linear: differences err by rounding alone, some 1e2 * 2^-53 / 1e-4. */
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

static const int32_t ops[] = {KC_OP_REDUCE_SUM, KC_OP_REDUCE_MEAN};

START_TEST(rules_agree_with_differences_on_every_axis)
{
    static const struct {
        int32_t rank;
        int64_t dims[4];
    } shapes[] = {{1, {5}},       {1, {1}},       {2, {3, 4}},
                  {3, {2, 3, 4}}, {3, {4, 1, 2}}, {4, {2, 3, 1, 2}},
                  {2, {0, 3}},    {3, {2, 0, 3}}};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        for (int64_t axis = 0; axis < shapes[s].rank; axis++) {
            rule_spec_t spec =
                rule_spec_along(ops[_i], shapes[s].rank, shapes[s].dims, axis);
            rule_spec_differences(&fixture, &spec, 20 + s, TOLERANCE);
        }
    }
}
END_TEST

/* Signs of zeros, infinities and NaN come through; 4 divides exactly. */
START_TEST(every_place_has_the_cotangent)
{
    const double x[24] = {0};
    const double g[] = {1, -2, -0.0, INFINITY, NAN, 12};
    double sums[24];
    double means[24];
    const double *const expected[] = {_i == 0 ? sums : means};
    rule_spec_t spec =
        rule_spec_along(ops[_i], 3, (const int64_t[]){2, 4, 3}, 1);
    spec.inputs[0].elements = x;
    for (size_t i = 0; i < 24; i++) {
        sums[i] = g[i / 12 * 3 + i % 3];
        means[i] = sums[i] / 4;
    }
    rule_spec_values(&fixture, &spec, g, expected);
}
END_TEST

/* g times the rounded 1/n, not g/n: 5 * fl(1/3) is not fl(5/3). */
START_TEST(the_mean_is_scaled_by_the_rounded_reciprocal)
{
    rule_spec_t spec =
        rule_spec_along(KC_OP_REDUCE_MEAN, 2, (const int64_t[]){3, 200}, 0);
    rule_operands_t operands;
    const bool wanted[RULE_INPUTS_MAX] = {true};
    kc_tensor_t *found[RULE_INPUTS_MAX] = {NULL};
    const float third = 1.0f / 3.0f;
    size_t quotients = 0;
    rule_spec_make(&fixture, &spec, KC_DTYPE_F32, 2, &operands);
    kc_tensor_t *y = rule_forward(&fixture, &operands);
    rule_vjp(&fixture, RULE_COMPOSED, &operands, y, y, wanted, found);
    for (int64_t i = 0; i < 600; i++) {
        const float g = ((const float *)kc_tensor_data(&y->view))[i % 200];
        const float value = ((const float *)kc_tensor_data(&found[0]->view))[i];
        ck_assert_float_eq(value, g * third);
        quotients += value != g / 3.0f;
    }
    ck_assert_uint_gt(quotients, 0);
    kci_tensor_release(found[0]);
    kci_tensor_release(y);
    rule_operands_release(&operands);
}
END_TEST

/* The mean of nothing is NaN; its gradient has no place to be. */
START_TEST(an_empty_axis_gives_an_empty_gradient)
{
    const double g[] = {1, INFINITY, NAN};
    const double *const expected[] = {g};
    rule_spec_t spec = rule_spec_along(ops[_i], 2, (const int64_t[]){0, 3}, 0);
    rule_spec_values(&fixture, &spec, g, expected);
}
END_TEST

START_TEST(threads_do_not_show)
{
    rule_spec_t spec =
        rule_spec_along(ops[_i], 3, (const int64_t[]){13, 67, 53}, 1);
    rule_spec_threads(&spec, 31);
}
END_TEST

START_TEST(declared_inner_operations_are_all_used)
{
    rule_spec_t spec = rule_spec_along(ops[_i], 2, (const int64_t[]){2, 3}, 1);
    ck_assert_uint_eq(composed_rule_ops_of(ops[_i], &spec.attributes, 1, 2,
                                           (const int64_t[]){2, 3}),
                      kci_vjp_info(ops[_i])->inner_ops);
}
END_TEST

START_TEST(the_mean_of_nothing_costs_nothing)
{
    rule_spec_t spec =
        rule_spec_along(KC_OP_REDUCE_MEAN, 2, (const int64_t[]){2, 0}, 1);
    ck_assert_uint_eq(composed_rule_ops_of(KC_OP_REDUCE_MEAN, &spec.attributes,
                                           1, 2, (const int64_t[]){2, 0}),
                      0);
}
END_TEST

Suite *suite_autograd_reduce(void)
{
    Suite *suite = suite_create("autograd/reduce");
    TCase *tests = tcase_create("reduce");
    tcase_add_checked_fixture(tests, begin, end);
    tcase_add_loop_test(tests, rules_agree_with_differences_on_every_axis, 0,
                        2);
    tcase_add_loop_test(tests, every_place_has_the_cotangent, 0, 2);
    tcase_add_test(tests, the_mean_is_scaled_by_the_rounded_reciprocal);
    tcase_add_loop_test(tests, an_empty_axis_gives_an_empty_gradient, 0, 2);
    suite_add_tcase(suite, tests);
    TCase *own = tcase_create("own fixtures");
    tcase_add_loop_test(own, threads_do_not_show, 0, 2);
    tcase_add_loop_test(own, declared_inner_operations_are_all_used, 0, 2);
    tcase_add_test(own, the_mean_of_nothing_costs_nothing);
    suite_add_tcase(suite, own);
    return suite;
}
