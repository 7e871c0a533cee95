/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * gather and scatter_add: differences over every axis with repeated indices,
 * the order of contributions to the bit. */
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

static const int32_t ops[] = {KC_OP_GATHER, KC_OP_SCATTER_ADD};

static rule_spec_t spec_of(int32_t op, int32_t rank, const int64_t *dims,
                           int64_t axis, int64_t count, const double *indices)
{
    rule_spec_t spec = rule_spec_along(op, rank, dims, axis);
    spec.input_count = op == KC_OP_GATHER ? 2 : 3;
    spec.inputs[1] = (rule_input_t){
        .dtype = KC_DTYPE_I64, .rank = 1, .dims = {count}, .elements = indices};
    spec.inputs[2] = spec.inputs[0];
    spec.inputs[2].dims[axis] = count;
    return spec;
}

START_TEST(rules_agree_with_differences_on_every_axis)
{
    static const double indices[] = {1, 0, 1, 1, 0};
    static const struct {
        int32_t rank;
        int64_t dims[3];
    } shapes[] = {{1, {3}},    {2, {3, 4}},    {3, {2, 3, 2}},
                  {2, {2, 2}}, {3, {2, 2, 0}}, {3, {0, 2, 2}}};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        for (int64_t axis = 0; axis < shapes[s].rank; axis++) {
            bool is_empty = shapes[s].dims[axis] == 0;
            for (int64_t count = 0; count <= (is_empty ? 0 : 5); count++) {
                rule_spec_t spec =
                    spec_of(ops[_i], shapes[s].rank, shapes[s].dims, axis,
                            count, indices);
                rule_spec_differences(&fixture, &spec, 20 + s, TOLERANCE);
            }
        }
    }
}
END_TEST

/* [1, 2^-24, 2^-24] is 1 in the written order and more in any other. */
START_TEST(repeated_indices_add_in_ascending_order)
{
    const double indices[] = {2, 0, 2, 2};
    const double x[] = {5, 6, 7};
    const double g[] = {1, -3, 0x1p-24, 0x1p-24};
    const double sums[] = {-3, 0, 1};
    rule_spec_t spec =
        spec_of(KC_OP_GATHER, 1, (const int64_t[]){3}, 0, 4, indices);
    rule_operands_t operands;
    const bool wanted[RULE_INPUTS_MAX] = {true};
    kc_tensor_t *found[RULE_INPUTS_MAX] = {NULL};
    spec.inputs[0].elements = x;
    rule_spec_make(&fixture, &spec, KC_DTYPE_F32, 1, &operands);
    kc_tensor_t *y = rule_forward(&fixture, &operands);
    kc_tensor_t *cotangent =
        rule_tensor(&fixture, KC_DTYPE_F32, 1, (const int64_t[]){4}, g);
    rule_vjp(&fixture, RULE_COMPOSED, &operands, y, cotangent, wanted, found);
    for (int64_t i = 0; i < 3; i++) {
        ck_assert_double_eq(rule_element(found[0], i), sums[i]);
    }
    kci_tensor_release(found[0]);
    kci_tensor_release(cotangent);
    kci_tensor_release(y);
    rule_operands_release(&operands);
}
END_TEST

/* What no index names has exactly +0, and -0 added to zeros is +0. Indices
 * of 32 bits serve as well. */
START_TEST(gather_leaves_zeros)
{
    const double indices[] = {3, 1};
    const double x[] = {1, 2, 3, 4};
    const double g[] = {INFINITY, -0.0};
    const double whole[] = {0, 0, 0, INFINITY};
    const double *const expected[] = {whole, NULL};
    rule_spec_t spec =
        spec_of(KC_OP_GATHER, 1, (const int64_t[]){4}, 0, 2, indices);
    spec.inputs[0].elements = x;
    rule_spec_values(&fixture, &spec, g, expected);
    spec.inputs[1].dtype = KC_DTYPE_I32;
    rule_spec_values(&fixture, &spec, g, expected);
}
END_TEST

START_TEST(scatter_add_passes_and_gathers)
{
    const double indices[] = {1, 1, 0};
    const double base[] = {1, 2, 3};
    const double source[] = {4, 5, 6};
    const double g[] = {-0.0, INFINITY, 7};
    const double of_source[] = {INFINITY, INFINITY, -0.0};
    const double *const expected[] = {g, NULL, of_source};
    rule_spec_t spec =
        spec_of(KC_OP_SCATTER_ADD, 1, (const int64_t[]){3}, 0, 3, indices);
    spec.inputs[0].elements = base;
    spec.inputs[2].elements = source;
    rule_spec_values(&fixture, &spec, g, expected);
}
END_TEST

static double many[300];

START_TEST(threads_do_not_show)
{
    for (size_t i = 0; i < 300; i++) {
        many[i] = (double)(i * 7919 % 40);
    }
    rule_spec_t spec =
        spec_of(ops[_i], 3, (const int64_t[]){3, 40, 531}, 1, 300, many);
    rule_spec_threads(&spec, 31);
}
END_TEST

START_TEST(declared_inner_operations_are_all_used)
{
    kci_tensor_type_t x =
        composed_type(KC_DTYPE_F32, 2, (const int64_t[]){3, 2});
    kci_tensor_type_t indices =
        composed_type(KC_DTYPE_I64, 1, (const int64_t[]){3});
    const kci_tensor_type_t *types[] = {&x, &indices, &x};
    const kc_attributes_t attributes = {.struct_size = sizeof attributes,
                                        .op = ops[_i]};
    composed_case_t from = {.op = ops[_i],
                            .attributes = &attributes,
                            .types = types,
                            .input_count = _i == 0 ? 2 : 3};
    ck_assert_uint_eq(composed_rule_ops(&from),
                      kci_vjp_info(ops[_i])->inner_ops);
}
END_TEST

Suite *suite_autograd_index(void)
{
    Suite *suite = suite_create("autograd/index");
    TCase *tests = tcase_create("index");
    tcase_add_checked_fixture(tests, begin, end);
    tcase_add_loop_test(tests, rules_agree_with_differences_on_every_axis, 0,
                        2);
    tcase_add_test(tests, repeated_indices_add_in_ascending_order);
    tcase_add_test(tests, gather_leaves_zeros);
    tcase_add_test(tests, scatter_add_passes_and_gathers);
    suite_add_tcase(suite, tests);
    TCase *own = tcase_create("own fixtures");
    tcase_add_loop_test(own, threads_do_not_show, 0, 2);
    tcase_add_loop_test(own, declared_inner_operations_are_all_used, 0, 2);
    suite_add_tcase(suite, own);
    return suite;
}
