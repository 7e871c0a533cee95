/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * The runtime's rule of attention: differences, and the bits of a plain loop
 * in the written order. What is blocked: test_attention_blocked.c. */
#include "autograd/attention_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "unit/autograd/attention_operands.h"
#include "unit/autograd/suites.h"
#include "unit/expect.h"

/* Derivatives of order 1: the rounding of the forward, some 2^-53 / 1e-4 an
 * element, times the few dozen elements of a sum. */
#define TOLERANCE 1e-9

static rule_fixture_t fixture;

static void begin(void)
{
    rule_fixture_begin(&fixture, 1);
}

static void end(void)
{
    rule_fixture_end(&fixture);
}

/* The wide ones would take the differences minutes. */
START_TEST(differences)
{
    attention_operands_t operands;
    attention_operands_make(&fixture, &attention_geometries[_i], KC_DTYPE_F64,
                            51, &operands);
    rule_check_differences(&fixture, RULE_RUNTIME, &operands.rule, 55,
                           TOLERANCE);
    attention_operands_release(&operands);
}
END_TEST

/* One head in floats, as ops.md 7.11 writes it down. */
typedef struct plain_head {
    const attention_operands_t *operands;
    int64_t head;
    const float *q;
    const float *k;
    const float *v;
    const float *g;
    float *weights;
    float *slopes; /* of the scores */
} plain_head_t;

static float plain_dot(const float *a, const float *b, int64_t count)
{
    float sum = 0;
    for (int64_t c = 0; c < count; c++) {
        sum += a[c] * b[c];
    }
    return sum;
}

static void plain_row(const plain_head_t *at, int64_t i)
{
    const attention_geometry_t *of = &at->operands->geometry;
    float *a = at->weights + i * of->keys;
    float *ds = at->slopes + i * of->keys;
    float largest = -INFINITY;
    float sum = 0;
    float mean = 0;
    for (int64_t j = 0; j < of->keys; j++) {
        if (attention_allows(at->operands, at->head, i, j)) {
            a[j] = plain_dot(at->q + i * of->width, at->k + j * of->width,
                             of->width) *
                   0.75f;
            largest = a[j] > largest ? a[j] : largest;
        }
    }
    for (int64_t j = 0; j < of->keys; j++) {
        if (attention_allows(at->operands, at->head, i, j)) {
            a[j] = (float)exp((double)(a[j] - largest));
            sum += a[j];
        }
    }
    for (int64_t j = 0; j < of->keys; j++) {
        if (attention_allows(at->operands, at->head, i, j)) {
            a[j] /= sum;
            ds[j] = plain_dot(at->g + i * of->value_width,
                              at->v + j * of->value_width, of->value_width);
            mean += ds[j] * a[j];
        }
    }
    for (int64_t j = 0; j < of->keys; j++) {
        ds[j] = a[j] * (ds[j] - mean) * 0.75f;
    }
}

/* The sum over one axis of factor * element, blocked entries left out. */
static float plain_sum(const plain_head_t *at, int input, int64_t row,
                       int64_t c)
{
    const attention_geometry_t *of = &at->operands->geometry;
    const int64_t count = input == 0 ? of->keys : of->queries;
    float sum = 0;
    for (int64_t n = 0; n < count; n++) {
        const int64_t i = input == 0 ? row : n;
        const int64_t j = input == 0 ? n : row;
        if (!attention_allows(at->operands, at->head, i, j)) {
            continue;
        }
        if (input == 0) {
            sum += at->slopes[i * of->keys + j] * at->k[j * of->width + c];
        } else if (input == 1) {
            sum += at->slopes[i * of->keys + j] * at->q[i * of->width + c];
        } else {
            sum +=
                at->weights[i * of->keys + j] * at->g[i * of->value_width + c];
        }
    }
    return sum;
}

/* `to`: the rows of this head. */
static void check_rows(const plain_head_t *at, int input, int64_t rows,
                       int64_t width, const float *to)
{
    for (int64_t place = 0; place < rows * width; place++) {
        float expected = plain_sum(at, input, place / width, place % width);
        ck_assert_msg(memcmp(&expected, &to[place], sizeof expected) == 0,
                      "input %d head %lld place %lld: found %a, expected %a",
                      input, (long long)at->head, (long long)place,
                      (double)to[place], (double)expected);
    }
}

static void check_head(const attention_operands_t *operands, int64_t head,
                       const kc_tensor_t *g, kc_tensor_t *const *found)
{
    const attention_geometry_t *of = &operands->geometry;
    const int64_t q_size = of->queries * of->width;
    const int64_t k_size = of->keys * of->width;
    const int64_t v_size = of->keys * of->value_width;
    const size_t pairs = (size_t)(of->queries * of->keys);
    plain_head_t at = {
        .operands = operands,
        .head = head,
        .q = attention_floats(operands->rule.inputs[0]) + head * q_size,
        .k = attention_floats(operands->rule.inputs[1]) + head * k_size,
        .v = attention_floats(operands->rule.inputs[2]) + head * v_size,
        .g = attention_floats(g) + head * of->queries * of->value_width,
        .weights = calloc(pairs, sizeof(float)),
        .slopes = calloc(pairs, sizeof(float))};
    ck_assert(at.weights != NULL && at.slopes != NULL);
    for (int64_t i = 0; i < of->queries; i++) {
        plain_row(&at, i);
    }
    check_rows(&at, 0, of->queries, of->width,
               attention_floats(found[0]) + head * q_size);
    check_rows(&at, 1, of->keys, of->width,
               attention_floats(found[1]) + head * k_size);
    check_rows(&at, 2, of->keys, of->value_width,
               attention_floats(found[2]) + head * v_size);
    free(at.weights);
    free(at.slopes);
}

START_TEST(the_bits_of_a_plain_loop)
{
    kc_tensor_t *found[RULE_INPUTS_MAX];
    kc_tensor_t *one[RULE_INPUTS_MAX];
    attention_operands_t operands;
    attention_operands_make(&fixture, &attention_geometries[_i], KC_DTYPE_F32,
                            61, &operands);
    kc_tensor_t *g = attention_cotangent(&fixture, &operands, 65);
    attention_rows_run(&fixture, &operands, g, attention_all, found);
    for (int64_t head = 0; head < attention_heads(&operands.geometry); head++) {
        check_head(&operands, head, g, found);
    }
    for (int i = 0; i < 3; i++) {
        bool alone[RULE_INPUTS_MAX] = {false};
        alone[i] = true;
        attention_rows_run(&fixture, &operands, g, alone, one);
        rule_check_bits(one[i], found[i]);
        attention_release_three(one);
    }
    attention_release_three(found);
    kci_tensor_release(g);
    attention_operands_release(&operands);
}
END_TEST

/* sum of g y with x in all three places, in double. */
static double objective_of_one(const attention_operands_t *operands,
                               const kc_tensor_t *g)
{
    kc_tensor_t *y = rule_forward(&fixture, &operands->rule);
    double sum = 0;
    for (int64_t i = 0; i < kc_tensor_element_count(&y->view); i++) {
        sum += rule_element(y, i) * rule_element(g, i);
    }
    kci_tensor_release(y);
    return sum;
}

/* q, k and v the same tensor: the three cotangents are those of separate
 * copies, and their sum is the slope. */
START_TEST(one_tensor_in_three_places)
{
    const attention_geometry_t geometry = {1, {2}, 3, 3, 4, 4, 1, -1, {0}};
    const double step = 1e-5;
    kc_tensor_t *shared[RULE_INPUTS_MAX];
    kc_tensor_t *copies[RULE_INPUTS_MAX];
    attention_operands_t operands;
    attention_operands_make(&fixture, &geometry, KC_DTYPE_F64, 91, &operands);
    kc_tensor_t *g = attention_cotangent(&fixture, &operands, 95);
    kc_tensor_t **inputs = operands.rule.inputs;
    const size_t size = sizeof(double) * 2 * 3 * 4;
    memcpy(inputs[1]->view.data, inputs[0]->view.data, size);
    memcpy(inputs[2]->view.data, inputs[0]->view.data, size);
    attention_rows_run(&fixture, &operands, g, attention_all, copies);
    attention_operands_t one = operands;
    one.rule.attributes = &one.attributes;
    one.rule.inputs[1] = inputs[0];
    one.rule.inputs[2] = inputs[0];
    attention_rows_run(&fixture, &one, g, attention_all, shared);
    double *x = kc_tensor_data(&inputs[0]->view);
    for (int64_t n = 0; n < 2 * 3 * 4; n++) {
        const double here = x[n];
        double sum = 0;
        x[n] = here + step;
        double slope = objective_of_one(&one, g);
        x[n] = here - step;
        slope = (slope - objective_of_one(&one, g)) / (2 * step);
        x[n] = here;
        for (int i = 0; i < 3; i++) {
            sum += rule_element(shared[i], n);
        }
        /* step^2 times a third derivative of order 1 */
        ck_assert_double_eq_tol(sum, slope, 1e-8);
    }
    for (int i = 0; i < 3; i++) {
        rule_check_bits(shared[i], copies[i]);
    }
    attention_release_three(shared);
    attention_release_three(copies);
    kci_tensor_release(g);
    attention_operands_release(&operands);
}
END_TEST

static void check_threads(const attention_geometry_t *geometry, int32_t dtype)
{
    static const uint32_t counts[] = {2, 7};
    kc_tensor_t *alone[RULE_INPUTS_MAX];
    kc_tensor_t *found[RULE_INPUTS_MAX];
    attention_operands_t operands;
    attention_operands_make(&fixture, geometry, dtype, 101, &operands);
    kc_tensor_t *g = attention_cotangent(&fixture, &operands, 105);
    attention_rows_run(&fixture, &operands, g, attention_all, alone);
    for (size_t n = 0; n < sizeof counts / sizeof *counts; n++) {
        rule_fixture_t many;
        rule_fixture_begin(&many, counts[n]);
        attention_rows_run(&many, &operands, g, attention_all, found);
        for (int i = 0; i < 3; i++) {
            rule_check_bits(found[i], alone[i]);
        }
        attention_release_three(found);
        rule_fixture_end(&many);
    }
    attention_release_three(alone);
    kci_tensor_release(g);
    attention_operands_release(&operands);
}

START_TEST(any_number_of_threads)
{
    check_threads(&attention_geometries[ATTENTION_WIDE], KC_DTYPE_F32);
    check_threads(&attention_geometries[ATTENTION_WIDE + 1], KC_DTYPE_F64);
}
END_TEST

START_TEST(scratch_that_fits_no_memory)
{
    size_t size = 7;
    kc_error_t error = KC_ERROR_INIT;
    const int64_t many = INT64_C(1) << 58;
    operand_t operand;
    operand_init(&operand, KC_DTYPE_F32, 2, DIMS(1, 0));
    DLTensor q = operand.view;
    DLTensor k = operand.view;
    int64_t shape[] = {many, 0};
    k.shape = shape;
    const DLTensor *inputs[] = {&q, &k, &k, NULL};
    const DLTensor *g[] = {&q};
    DLTensor *results[] = {&q, &k, &k, NULL};
    kc_attributes_t attributes =
        operand_attributes(KC_OP_SCALED_DOT_PRODUCT_ATTENTION);
    kc_call_t call = {.struct_size = sizeof call,
                      .input_count = 3,
                      .inputs = inputs,
                      .attributes = &attributes,
                      .error = &error,
                      .cotangents_out = g,
                      .cotangents_in = results};
    EXPECT_FAILURE(error, KC_ERR_MEMORY, "fits no memory",
                   kci_attention_rows_workspace(&call, &size));
    ck_assert_uint_eq(size, 7);
}
END_TEST

Suite *suite_autograd_attention_rows(void)
{
    Suite *suite = suite_create("autograd/attention_rows");
    TCase *tcase = tcase_create("attention_rows");
    tcase_add_checked_fixture(tcase, begin, end);
    tcase_add_loop_test(tcase, differences, 0, ATTENTION_WIDE);
    tcase_add_loop_test(tcase, the_bits_of_a_plain_loop, 0,
                        ATTENTION_GEOMETRIES);
    tcase_add_test(tcase, one_tensor_in_three_places);
    tcase_add_test(tcase, any_number_of_threads);
    tcase_add_test(tcase, scratch_that_fits_no_memory);
    suite_add_tcase(suite, tcase);
    return suite;
}
