/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Rules of operations that move elements: differences, elements by hand,
 * the order of the sums of broadcast, steps that are not needed. */
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

static rule_input_t input_of(int32_t rank, const int64_t *dims)
{
    rule_input_t input = {.rank = rank};
    memcpy(input.dims, dims, (size_t)rank * sizeof *dims);
    return input;
}

static rule_spec_t spec_of(int32_t op, int32_t rank, const int64_t *dims)
{
    rule_spec_t spec = {
        .op = op,
        .kind = RULE_COMPOSED,
        .attributes = {.struct_size = sizeof spec.attributes, .op = op},
        .input_count = 1,
        .inputs = {input_of(rank, dims)}};
    return spec;
}

#define SHAPE(...)                                                             \
    (int32_t)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)),             \
        (const int64_t[])                                                      \
    {                                                                          \
        __VA_ARGS__                                                            \
    }

static rule_spec_t to_shape(int32_t op, int32_t rank, const int64_t *dims,
                            int32_t to_rank, const int64_t *to)
{
    rule_spec_t spec = spec_of(op, rank, dims);
    spec.attributes.u.shape.rank = to_rank;
    memcpy(spec.attributes.u.shape.shape, to, (size_t)to_rank * sizeof *to);
    return spec;
}

static void check(rule_spec_t spec, uint64_t seed)
{
    rule_spec_differences(&fixture, &spec, seed, TOLERANCE);
}

static const int64_t nothing[1] = {0};
#define SCALAR 0, nothing

START_TEST(reshape_goes_back)
{
    const int32_t op = KC_OP_RESHAPE;
    check(to_shape(op, SHAPE(6), SHAPE(2, 3)), 1);
    check(to_shape(op, SHAPE(2, 3), SHAPE(3, 2)), 2);
    check(to_shape(op, SHAPE(2, 3), SHAPE(2, 3)), 3);
    check(to_shape(op, SHAPE(1, 1), SCALAR), 4);
    check(to_shape(op, SCALAR, SHAPE(1)), 5);
    check(to_shape(op, SHAPE(0, 3), SHAPE(2, 0, 5)), 6);
}
END_TEST

static rule_spec_t permuted(int32_t rank, const int64_t *dims,
                            const int64_t *perm)
{
    rule_spec_t spec = spec_of(KC_OP_PERMUTE, rank, dims);
    spec.attributes.u.permute.rank = rank;
    memcpy(spec.attributes.u.permute.perm, perm, (size_t)rank * sizeof *perm);
    return spec;
}

START_TEST(permute_goes_back_by_the_inverse)
{
    static const int64_t perms[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                       {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    for (size_t i = 0; i < 6; i++) {
        check(permuted(SHAPE(2, 3, 4), perms[i]), i);
        check(permuted(SHAPE(2, 0, 4), perms[i]), i);
    }
    check(permuted(SCALAR, nothing), 7);
    check(permuted(SHAPE(5), perms[0]), 8);
    check(permuted(SHAPE(2, 1, 3, 2), (const int64_t[]){3, 0, 2, 1}), 9);
}
END_TEST

START_TEST(broadcast_sums_what_it_repeated)
{
    const int32_t op = KC_OP_BROADCAST;
    check(to_shape(op, SCALAR, SHAPE(3, 2)), 1);
    check(to_shape(op, SHAPE(3), SHAPE(2, 3)), 2);
    check(to_shape(op, SHAPE(1, 3), SHAPE(4, 3)), 3);
    check(to_shape(op, SHAPE(3, 1), SHAPE(3, 4)), 4);
    check(to_shape(op, SHAPE(2, 1, 3), SHAPE(5, 2, 4, 3)), 5);
    check(to_shape(op, SHAPE(1, 2, 1), SHAPE(3, 2, 4)), 6);
    check(to_shape(op, SHAPE(2, 3), SHAPE(1, 2, 3)), 7);
    check(to_shape(op, SHAPE(2, 3), SHAPE(2, 3)), 8);
    check(to_shape(op, SHAPE(1, 3), SHAPE(0, 3)), 9);
    check(to_shape(op, SHAPE(3), SHAPE(0, 3)), 10);
    check(to_shape(op, SHAPE(0, 1), SHAPE(2, 0, 4)), 11);
}
END_TEST

/* [1, 2^-24, 2^-24] folds to 1 and pairwise from the right to more, so each
 * order has its own bits. The outermost axis first: columns, then the row. */
START_TEST(broadcast_sums_the_outermost_axis_first)
{
    const float tiny = 0x1p-24f;
    const double g[2][3] = {{1, 0x1p-24, 0x1p-24}, {0, 0x1p-24, 0x1p-24}};
    const double x = 0;
    const double column_first = (double)((1.0f + 2 * tiny) + 2 * tiny);
    const double row_first = (double)(((1.0f + tiny) + tiny) + 2 * tiny);
    rule_spec_t spec = to_shape(KC_OP_BROADCAST, SCALAR, SHAPE(2, 3));
    rule_operands_t operands;
    const bool wanted[RULE_INPUTS_MAX] = {true};
    kc_tensor_t *found[RULE_INPUTS_MAX] = {NULL};
    ck_assert_double_ne(column_first, row_first);
    spec.inputs[0].elements = &x;
    rule_spec_make(&fixture, &spec, KC_DTYPE_F32, 1, &operands);
    kc_tensor_t *y = rule_forward(&fixture, &operands);
    kc_tensor_t *cotangent = rule_tensor(&fixture, KC_DTYPE_F32, 2,
                                         (const int64_t[]){2, 3}, &g[0][0]);
    rule_vjp(&fixture, RULE_COMPOSED, &operands, y, cotangent, wanted, found);
    ck_assert_double_eq(rule_element(found[0], 0), column_first);
    kci_tensor_release(found[0]);
    kci_tensor_release(cotangent);
    kci_tensor_release(y);
    rule_operands_release(&operands);
}
END_TEST

/* Where nothing is repeated nothing is summed: -0 stays -0. A sum of -0 is
 * +0, and a sum of nothing. */
START_TEST(broadcast_sums_nothing_that_was_not_repeated)
{
    const double x[] = {1, 2};
    const double minus[] = {-0.0, -0.0, -0.0, -0.0};
    const double plus[] = {0, 0};
    const double *const expected[] = {minus};
    const double *const sums[] = {plus};
    rule_spec_t spec = to_shape(KC_OP_BROADCAST, SHAPE(2), SHAPE(1, 2));
    spec.inputs[0].elements = x;
    rule_spec_values(&fixture, &spec, minus, expected);
    spec = to_shape(KC_OP_BROADCAST, SHAPE(2, 1), SHAPE(2, 2));
    spec.inputs[0].elements = x;
    rule_spec_values(&fixture, &spec, minus, sums);
    spec = to_shape(KC_OP_BROADCAST, SHAPE(2, 1), SHAPE(2, 0));
    spec.inputs[0].elements = x;
    rule_spec_values(&fixture, &spec, minus, sums);
}
END_TEST

/* An axis that is not there would make very many sums of nothing. */
START_TEST(broadcast_to_nothing_makes_no_sums)
{
    rule_spec_t spec =
        to_shape(KC_OP_BROADCAST, SHAPE(1, 1), SHAPE(0, INT64_C(1) << 40));
    const double x = 1;
    const double zero = 0;
    const double *const expected[] = {&zero};
    spec.inputs[0].elements = &x;
    rule_spec_values(&fixture, &spec, &x, expected);
}
END_TEST

static rule_spec_t joined(int64_t axis, size_t count,
                          const rule_input_t *inputs)
{
    rule_spec_t spec = {.op = KC_OP_CONCAT,
                        .kind = RULE_COMPOSED,
                        .attributes = {.struct_size = sizeof spec.attributes,
                                       .op = KC_OP_CONCAT,
                                       .u.axis.axis = axis},
                        .input_count = count};
    memcpy(spec.inputs, inputs, count * sizeof *inputs);
    return spec;
}

START_TEST(concat_cuts)
{
    const rule_input_t first[] = {{.rank = 1, .dims = {2}},
                                  {.rank = 1, .dims = {0}},
                                  {.rank = 1, .dims = {3}},
                                  {.rank = 1, .dims = {1}}};
    const rule_input_t middle[] = {{.rank = 3, .dims = {2, 1, 3}},
                                   {.rank = 3, .dims = {2, 2, 3}}};
    const rule_input_t last[] = {{.rank = 2, .dims = {2, 3}},
                                 {.rank = 2, .dims = {2, 0}},
                                 {.rank = 2, .dims = {2, 2}}};
    const rule_input_t empty[] = {{.rank = 2, .dims = {0, 3}},
                                  {.rank = 2, .dims = {0, 2}}};
    check(joined(0, 4, first), 1);
    check(joined(0, 3, first), 2);
    check(joined(1, 2, middle), 3);
    check(joined(1, 3, last), 4);
    check(joined(1, 2, empty), 5);
}
END_TEST

/* The most inputs an operation has, each cut at its own place. */
START_TEST(concat_has_many_inputs)
{
    kci_tensor_type_t types[KC_MAX_INPUTS];
    const kci_tensor_type_t *pointers[KC_MAX_INPUTS];
    const kc_attributes_t attributes = {.struct_size = sizeof attributes,
                                        .op = KC_OP_CONCAT};
    composed_case_t from = {.op = KC_OP_CONCAT,
                            .attributes = &attributes,
                            .types = pointers,
                            .input_count = KC_MAX_INPUTS};
    composed_rule_t rule;
    int64_t start = 0;
    for (int64_t i = 0; i < KC_MAX_INPUTS; i++) {
        types[i] = composed_type(KC_DTYPE_F32, 1, (const int64_t[]){i % 3 + 1});
        pointers[i] = &types[i];
    }
    composed_rule_begin(&rule, &from);
    ck_assert_uint_eq(rule.composition.step_count, KC_MAX_INPUTS);
    for (size_t i = 0; i < KC_MAX_INPUTS; i++) {
        const kci_composition_step_t *step = &rule.composition.steps[i];
        const kc_slice_attributes_t *slice =
            &kci_composition_attributes(&rule.composition, step)->u.slice;
        ck_assert_int_eq(step->op, KC_OP_SLICE);
        ck_assert_uint_eq(step->result, rule.results[i]);
        ck_assert_int_eq(slice->start, start);
        start += slice->length;
    }
    composed_rule_end(&rule);
}
END_TEST

static rule_spec_t cut(int32_t rank, const int64_t *dims, int64_t axis,
                       int64_t start, int64_t length)
{
    rule_spec_t spec = spec_of(KC_OP_SLICE, rank, dims);
    spec.attributes.u.slice = (kc_slice_attributes_t){axis, start, length};
    return spec;
}

START_TEST(slice_is_surrounded_by_zeros)
{
    check(cut(SHAPE(5), 0, 1, 3), 1);
    check(cut(SHAPE(5), 0, 0, 3), 2);
    check(cut(SHAPE(5), 0, 2, 3), 3);
    check(cut(SHAPE(5), 0, 0, 5), 4);
    check(cut(SHAPE(5), 0, 2, 0), 5);
    check(cut(SHAPE(5), 0, 5, 0), 6);
    check(cut(SHAPE(0), 0, 0, 0), 7);
    check(cut(SHAPE(2, 4, 3), 1, 1, 2), 8);
    check(cut(SHAPE(2, 4, 3), 2, 2, 1), 9);
    check(cut(SHAPE(2, 4, 3), 0, 1, 1), 10);
    check(cut(SHAPE(2, 4, 0), 1, 1, 2), 11);
}
END_TEST

START_TEST(zeros_are_exact_whatever_the_cotangent)
{
    const double x[] = {1, 2, 3, 4};
    const double g[] = {INFINITY, -0.0};
    const double whole[] = {0, INFINITY, -0.0, 0};
    const double *const expected[] = {whole};
    rule_spec_t spec = cut(SHAPE(4), 0, 1, 2);
    spec.inputs[0].elements = x;
    rule_spec_values(&fixture, &spec, g, expected);
}
END_TEST

static uint64_t ops_of(const rule_spec_t *spec)
{
    return composed_rule_ops_of(spec->op, &spec->attributes, spec->input_count,
                                spec->inputs[0].rank, spec->inputs[0].dims);
}

START_TEST(declared_inner_operations_are_all_used)
{
    const rule_spec_t specs[] = {
        to_shape(KC_OP_RESHAPE, SHAPE(6), SHAPE(2, 3)),
        permuted(SHAPE(2, 3), (const int64_t[]){1, 0}),
        to_shape(KC_OP_BROADCAST, SHAPE(1), SHAPE(2, 3)),
        joined(0, 2,
               (const rule_input_t[]){input_of(SHAPE(2)), input_of(SHAPE(2))}),
        cut(SHAPE(5), 0, 1, 3)};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        ck_assert_uint_eq(ops_of(&specs[i]),
                          kci_vjp_info(specs[i].op)->inner_ops);
    }
}
END_TEST

START_TEST(what_changes_nothing_is_no_step)
{
    const rule_spec_t specs[] = {
        to_shape(KC_OP_RESHAPE, SHAPE(2, 3), SHAPE(2, 3)),
        permuted(SHAPE(2, 3), (const int64_t[]){0, 1}),
        to_shape(KC_OP_BROADCAST, SHAPE(2, 3), SHAPE(2, 3)),
        cut(SHAPE(5), 0, 0, 5), cut(SHAPE(5), 0, 3, 0)};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        ck_assert_uint_eq(ops_of(&specs[i]), 0);
    }
}
END_TEST

START_TEST(threads_do_not_show)
{
    const rule_input_t halves[] = {input_of(SHAPE(61, 50, 9)),
                                   input_of(SHAPE(61, 50, 9))};
    const rule_spec_t specs[] = {
        permuted(SHAPE(61, 50, 17), (const int64_t[]){2, 0, 1}),
        to_shape(KC_OP_BROADCAST, SHAPE(61, 1, 9), SHAPE(2, 61, 50, 9)),
        joined(1, 2, halves), cut(SHAPE(61, 50, 17), 1, 3, 40)};
    rule_spec_threads(&specs[_i], 13);
}
END_TEST

Suite *suite_autograd_layout(void)
{
    Suite *suite = suite_create("autograd/layout");
    TCase *tests = tcase_create("layout");
    tcase_add_checked_fixture(tests, begin, end);
    tcase_add_test(tests, reshape_goes_back);
    tcase_add_test(tests, permute_goes_back_by_the_inverse);
    tcase_add_test(tests, broadcast_sums_what_it_repeated);
    tcase_add_test(tests, broadcast_sums_the_outermost_axis_first);
    tcase_add_test(tests, broadcast_sums_nothing_that_was_not_repeated);
    tcase_add_test(tests, broadcast_to_nothing_makes_no_sums);
    tcase_add_test(tests, concat_cuts);
    tcase_add_test(tests, slice_is_surrounded_by_zeros);
    tcase_add_test(tests, zeros_are_exact_whatever_the_cotangent);
    suite_add_tcase(suite, tests);
    TCase *own = tcase_create("own fixtures");
    tcase_add_test(own, concat_has_many_inputs);
    tcase_add_test(own, declared_inner_operations_are_all_used);
    tcase_add_test(own, what_changes_nothing_is_no_step);
    tcase_add_loop_test(own, threads_do_not_show, 0, 4);
    suite_add_tcase(suite, own);
    return suite;
}
