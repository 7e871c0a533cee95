/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * matmul, linear and mse_loss: differences, the promised orders of summation
 * to the bit, operands without elements. */
#include <math.h>
#include <string.h>

#include "autograd/rule.h"
#include "tensor/dtype.h"
#include "unit/autograd/failing_rule.h"
#include "unit/autograd/rule_fixture.h"
#include "unit/autograd/suites.h"

/* Quadratic at most in each element: differences err by rounding alone, some
 * 1e3 * 2^-53 / 1e-4. */
#define TOLERANCE 1e-8

static rule_fixture_t fixture;

static void begin(void)
{
    rule_fixture_begin(&fixture, 2);
}

static void end(void)
{
    rule_fixture_end(&fixture);
}

#define SHAPE(...)                                                             \
    (sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), (const int64_t[])    \
    {                                                                          \
        __VA_ARGS__                                                            \
    }

static kc_tensor_t *draw(int32_t dtype, size_t rank, const int64_t *dims,
                         uint64_t seed)
{
    return rule_random(&fixture, dtype, (int32_t)rank, dims, seed);
}

static void check(rule_operands_t *operands, uint64_t seed)
{
    rule_check_differences(&fixture, RULE_COMPOSED, operands, seed, TOLERANCE);
    rule_operands_release(operands);
}

START_TEST(matmul_agrees_with_differences)
{
    const int64_t extents[][3] = {{2, 3, 4}, {1, 1, 1}, {3, 5, 1}};
    for (size_t i = 0; i < sizeof extents / sizeof *extents; i++) {
        int64_t m = extents[i][0];
        int64_t n = extents[i][1];
        int64_t p = extents[i][2];
        rule_operands_t flat = {.op = KC_OP_MATMUL, .input_count = 2};
        flat.inputs[0] = draw(KC_DTYPE_F64, SHAPE(m, n), 2 * i);
        flat.inputs[1] = draw(KC_DTYPE_F64, SHAPE(n, p), 2 * i + 1);
        check(&flat, i);
        rule_operands_t batch = {.op = KC_OP_MATMUL, .input_count = 2};
        batch.inputs[0] = draw(KC_DTYPE_F64, SHAPE(2, 2, m, n), 20 + i);
        batch.inputs[1] = draw(KC_DTYPE_F64, SHAPE(2, 2, n, p), 30 + i);
        check(&batch, 40 + i);
    }
}
END_TEST

/* Sums of nothing are +0. */
START_TEST(matmul_without_elements)
{
    const int64_t extents[][3] = {{0, 3, 2}, {2, 0, 3}, {2, 3, 0}};
    for (size_t i = 0; i < 3; i++) {
        int64_t m = extents[i][0];
        int64_t n = extents[i][1];
        int64_t p = extents[i][2];
        rule_operands_t operands = {.op = KC_OP_MATMUL, .input_count = 2};
        operands.inputs[0] = draw(KC_DTYPE_F64, SHAPE(m, n), i);
        operands.inputs[1] = draw(KC_DTYPE_F64, SHAPE(n, p), i);
        check(&operands, i);
    }
}
END_TEST

static float *floats(kc_tensor_t *tensor)
{
    return kc_tensor_data(&tensor->view);
}

typedef struct vjp {
    kc_tensor_t *output;
    kc_tensor_t *cotangent;
    kc_tensor_t *found[RULE_INPUTS_MAX];
} vjp_t;

static void run_rule(const rule_operands_t *operands, uint64_t seed, vjp_t *out)
{
    bool wanted[RULE_INPUTS_MAX] = {true, true, true};
    memset(out, 0, sizeof *out);
    out->output = rule_forward(&fixture, operands);
    out->cotangent =
        draw(kc_tensor_dtype(&out->output->view),
             (size_t)out->output->view.ndim, out->output->view.shape, seed);
    rule_vjp(&fixture, RULE_COMPOSED, operands, out->output, out->cotangent,
             wanted, out->found);
}

static void release_vjp(vjp_t *vjp)
{
    for (size_t i = 0; i < RULE_INPUTS_MAX; i++) {
        kci_tensor_release(vjp->found[i]);
    }
    kci_tensor_release(vjp->cotangent);
    kci_tensor_release(vjp->output);
}

/* Element (i, j) of a transposed or plain matrix. */
typedef struct matrix {
    const float *data;
    size_t row;
    size_t column;
} matrix_t;

static void expect_product(const kc_tensor_t *found, size_t rows,
                           size_t columns, size_t terms, matrix_t a, matrix_t b)
{
    for (size_t i = 0; i < rows; i++) {
        for (size_t j = 0; j < columns; j++) {
            float sum = 0;
            for (size_t k = 0; k < terms; k++) {
                float product = a.data[i * a.row + k * a.column] *
                                b.data[k * b.row + j * b.column];
                sum += product;
            }
            ck_assert_double_eq(rule_element(found, (int64_t)(i * columns + j)),
                                (double)sum);
        }
    }
}

START_TEST(matmul_sums_in_the_written_order)
{
    enum { M = 33, N = 35, P = 37 };
    rule_operands_t operands = {.op = KC_OP_MATMUL, .input_count = 2};
    vjp_t vjp;
    operands.inputs[0] = draw(KC_DTYPE_F32, SHAPE(M, N), 1);
    operands.inputs[1] = draw(KC_DTYPE_F32, SHAPE(N, P), 2);
    run_rule(&operands, 3, &vjp);
    const float *g = floats(vjp.cotangent);
    const float *a = floats(operands.inputs[0]);
    const float *b = floats(operands.inputs[1]);
    expect_product(vjp.found[0], M, N, P, (matrix_t){g, P, 1},
                   (matrix_t){b, 1, P});
    expect_product(vjp.found[1], N, P, M, (matrix_t){a, 1, N},
                   (matrix_t){g, P, 1});
    release_vjp(&vjp);
    rule_operands_release(&operands);
}
END_TEST

static rule_operands_t linear(int32_t dtype, size_t rank, const int64_t *dims,
                              int64_t out, bool has_bias, uint64_t seed)
{
    rule_operands_t operands = {.op = KC_OP_LINEAR, .input_count = 2};
    operands.inputs[0] = draw(dtype, rank, dims, seed);
    operands.inputs[1] = draw(dtype, SHAPE(out, dims[rank - 1]), seed + 1);
    if (has_bias) {
        operands.inputs[2] = draw(dtype, SHAPE(out), seed + 2);
        operands.input_count = 3;
    }
    return operands;
}

START_TEST(linear_agrees_with_differences)
{
    static const int64_t extents[][3] = {{2, 2, 3}, {4, 3, 0}, {5, 0, 0}};
    static const size_t ranks[] = {3, 2, 1};
    for (size_t i = 0; i < 3; i++) {
        for (int bias = 0; bias < 2; bias++) {
            rule_operands_t operands =
                linear(KC_DTYPE_F64, ranks[i], extents[i], 4, bias != 0, 7 * i);
            check(&operands, i);
        }
    }
}
END_TEST

START_TEST(linear_without_elements)
{
    static const int64_t extents[][2] = {{0, 3}, {3, 0}, {2, 3}};
    static const int64_t outs[] = {2, 2, 0};
    for (size_t i = 0; i < 3; i++) {
        rule_operands_t operands =
            linear(KC_DTYPE_F64, 2, extents[i], outs[i], true, i);
        check(&operands, i);
    }
}
END_TEST

/* A bias given as an absent third operand is none. */
START_TEST(linear_with_an_absent_bias)
{
    static const int64_t dims[] = {2, 3};
    rule_operands_t operands = linear(KC_DTYPE_F64, 2, dims, 2, false, 5);
    operands.input_count = 3;
    check(&operands, 5);
}
END_TEST

START_TEST(linear_sums_in_the_written_order)
{
    enum { ROWS = 34, IN = 5, OUT = 39 };
    static const int64_t dims[] = {2, ROWS / 2, IN};
    rule_operands_t operands = linear(KC_DTYPE_F32, 3, dims, OUT, true, 11);
    vjp_t vjp;
    run_rule(&operands, 12, &vjp);
    const float *g = floats(vjp.cotangent);
    expect_product(vjp.found[0], ROWS, IN, OUT, (matrix_t){g, OUT, 1},
                   (matrix_t){floats(operands.inputs[1]), IN, 1});
    expect_product(vjp.found[1], OUT, IN, ROWS, (matrix_t){g, 1, OUT},
                   (matrix_t){floats(operands.inputs[0]), IN, 1});
    static const float one = 1;
    expect_product(vjp.found[2], OUT, 1, ROWS, (matrix_t){g, 1, OUT},
                   (matrix_t){&one, 0, 0});
    release_vjp(&vjp);
    rule_operands_release(&operands);
}
END_TEST

START_TEST(mse_loss_agrees_with_differences)
{
    rule_operands_t pair = {.op = KC_OP_MSE_LOSS, .input_count = 2};
    pair.inputs[0] = draw(KC_DTYPE_F64, SHAPE(3, 5), 1);
    pair.inputs[1] = draw(KC_DTYPE_F64, SHAPE(3, 5), 2);
    check(&pair, 3);
    rule_operands_t scalars = {.op = KC_OP_MSE_LOSS, .input_count = 2};
    scalars.inputs[0] = rule_random(&fixture, KC_DTYPE_F64, 0, NULL, 4);
    scalars.inputs[1] = rule_random(&fixture, KC_DTYPE_F64, 0, NULL, 5);
    check(&scalars, 6);
}
END_TEST

/* (d * (2 / N)) * g, and its negative. */
START_TEST(mse_loss_rounds_in_the_written_order)
{
    enum { N = 7 };
    rule_operands_t pair = {.op = KC_OP_MSE_LOSS, .input_count = 2};
    vjp_t vjp;
    pair.inputs[0] = draw(KC_DTYPE_F32, SHAPE(N), 21);
    pair.inputs[1] = draw(KC_DTYPE_F32, SHAPE(N), 22);
    run_rule(&pair, 23, &vjp);
    for (size_t i = 0; i < N; i++) {
        float d = floats(pair.inputs[0])[i] - floats(pair.inputs[1])[i];
        float slope = d * (2.0f / (float)N);
        float expected = slope * floats(vjp.cotangent)[0];
        ck_assert_double_eq(rule_element(vjp.found[0], (int64_t)i),
                            (double)expected);
        ck_assert_double_eq(rule_element(vjp.found[1], (int64_t)i),
                            -(double)expected);
    }
    release_vjp(&vjp);
    rule_operands_release(&pair);
}
END_TEST

/* The loss of nothing is NaN; its gradients are as empty as the operands. */
START_TEST(mse_loss_of_nothing)
{
    rule_operands_t pair = {.op = KC_OP_MSE_LOSS, .input_count = 2};
    vjp_t vjp;
    pair.inputs[0] = draw(KC_DTYPE_F32, SHAPE(2, 0), 1);
    pair.inputs[1] = draw(KC_DTYPE_F32, SHAPE(2, 0), 2);
    run_rule(&pair, 3, &vjp);
    ck_assert(isnan(rule_element(vjp.output, 0)));
    for (size_t i = 0; i < 2; i++) {
        ck_assert_int_eq(vjp.found[i]->view.ndim, 2);
        ck_assert_int_eq(kc_tensor_element_count(&vjp.found[i]->view), 0);
    }
    release_vjp(&vjp);
    rule_operands_release(&pair);
}
END_TEST

/* 2/N with N as a number of the operands' type: 2^24 + 1 is no float32. Of
 * nothing N is 1. */
START_TEST(mse_loss_counts_in_the_type_of_its_operands)
{
    static const struct {
        int32_t dtype;
        int64_t count;
        double slope;
    } cases[] = {{KC_DTYPE_F32, 16777217, 0x1p-23},
                 {KC_DTYPE_F64, 16777217, 2.0 / 16777217},
                 {KC_DTYPE_F32, 0, 2},
                 {KC_DTYPE_F64, 0, 2}};
    composed_rule_t rule;
    kci_tensor_type_t type =
        composed_type(cases[_i].dtype, 1, &cases[_i].count);
    const kci_tensor_type_t *types[] = {&type, &type};
    composed_rule_begin(
        &rule, &(composed_case_t){KC_OP_MSE_LOSS, NULL, types, 2, NULL});
    const kci_composition_step_t *scale = &rule.composition.steps[1];
    ck_assert_int_eq(scale->op, KC_OP_SCALE);
    ck_assert(
        kci_composition_attributes(&rule.composition, scale)->u.scale.factor ==
        cases[_i].slope);
    composed_rule_end(&rule);
}
END_TEST

START_TEST(no_failed_allocation_hurts)
{
    static const int64_t dims[] = {2, 3, 3};
    kci_tensor_type_t x = composed_type(KC_DTYPE_F32, 3, dims);
    kci_tensor_type_t square = composed_type(KC_DTYPE_F32, 2, dims + 1);
    kci_tensor_type_t vector = composed_type(KC_DTYPE_F32, 1, dims + 1);
    const kci_tensor_type_t *equal[] = {&x, &x};
    const kci_tensor_type_t *affine[] = {&x, &square, &vector};
    failing_rule_check(&(composed_case_t){KC_OP_LINEAR, NULL, affine, 3, NULL});
    failing_rule_check(
        &(composed_case_t){KC_OP_MSE_LOSS, NULL, equal, 2, NULL});
    equal[0] = &square;
    equal[1] = &square;
    failing_rule_check(&(composed_case_t){KC_OP_MATMUL, NULL, equal, 2, NULL});
}
END_TEST

Suite *suite_autograd_matmul(void)
{
    Suite *suite = suite_create("autograd/matmul");
    TCase *tcase = tcase_create("rules");
    tcase_add_checked_fixture(tcase, begin, end);
    tcase_add_test(tcase, matmul_agrees_with_differences);
    tcase_add_test(tcase, matmul_without_elements);
    tcase_add_test(tcase, matmul_sums_in_the_written_order);
    tcase_add_test(tcase, linear_agrees_with_differences);
    tcase_add_test(tcase, linear_without_elements);
    tcase_add_test(tcase, linear_with_an_absent_bias);
    tcase_add_test(tcase, linear_sums_in_the_written_order);
    tcase_add_test(tcase, mse_loss_agrees_with_differences);
    tcase_add_test(tcase, mse_loss_rounds_in_the_written_order);
    tcase_add_test(tcase, mse_loss_of_nothing);
    tcase_add_loop_test(tcase, mse_loss_counts_in_the_type_of_its_operands, 0,
                        4);
    tcase_add_test(tcase, no_failed_allocation_hurts);
    suite_add_tcase(suite, tcase);
    return suite;
}
