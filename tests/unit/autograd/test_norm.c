/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * layer_norm and the three forms of batch_norm: differences, channels on any
 * axis, the written order of sums, rows that cannot spoil each other, and
 * that only what is wanted is composed. */
#include <math.h>
#include <string.h>

#include "autograd/rule.h"
#include "tensor/dtype.h"
#include "unit/autograd/failing_rule.h"
#include "unit/autograd/rule_fixture.h"
#include "unit/autograd/suites.h"

/* Deviations here are above 0.1, so fifth derivatives are below 1e7 and the
 * extrapolated differences err by 1e7 * (1e-4)^4 at most; rounding less. */
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

static kc_tensor_t *draw(int32_t dtype, int32_t rank, const int64_t *dims,
                         uint64_t seed)
{
    return rule_random(&fixture, dtype, rank, dims, seed);
}

static void check(rule_operands_t *operands, uint64_t seed)
{
    rule_check_differences(&fixture, RULE_COMPOSED, operands, seed, TOLERANCE);
    rule_operands_release(operands);
}

static kc_attributes_t layer_attributes(int64_t axis, double eps)
{
    kc_attributes_t attributes = {.struct_size = sizeof attributes,
                                  .op = KC_OP_LAYER_NORM};
    attributes.u.layer_norm = (kc_layer_norm_attributes_t){axis, eps};
    return attributes;
}

static kc_attributes_t batch_attributes(int32_t mode, int64_t channel_axis)
{
    kc_attributes_t attributes = {.struct_size = sizeof attributes,
                                  .op = KC_OP_BATCH_NORM};
    attributes.u.batch_norm =
        (kc_batch_norm_attributes_t){mode, channel_axis, 1e-2};
    return attributes;
}

static rule_operands_t layer_norm(const kc_attributes_t *attributes,
                                  int32_t dtype, int32_t rank,
                                  const int64_t *dims, bool has_parameters,
                                  uint64_t seed)
{
    int32_t axis = (int32_t)attributes->u.layer_norm.axis;
    rule_operands_t operands = {
        .op = KC_OP_LAYER_NORM, .attributes = attributes, .input_count = 1};
    operands.inputs[0] = draw(dtype, rank, dims, seed);
    if (has_parameters) {
        operands.input_count = 3;
        operands.inputs[1] = draw(dtype, rank - axis, dims + axis, seed + 1);
        operands.inputs[2] = draw(dtype, rank - axis, dims + axis, seed + 2);
    }
    return operands;
}

START_TEST(layer_norm_agrees_with_differences)
{
    static const int64_t dims[] = {2, 3, 4};
    for (int64_t axis = 0; axis < 3; axis++) {
        for (int has = 0; has < 2; has++) {
            kc_attributes_t attributes = layer_attributes(axis, 1e-2);
            rule_operands_t operands =
                layer_norm(&attributes, KC_DTYPE_F64, 3, dims, has != 0,
                           10 * (uint64_t)axis);
            check(&operands, (uint64_t)axis);
        }
    }
}
END_TEST

/* Gamma and beta that are absent by NULL are ones and zeros. */
START_TEST(layer_norm_with_absent_parameters)
{
    static const int64_t dims[] = {3, 4};
    kc_attributes_t attributes = layer_attributes(1, 1e-2);
    rule_operands_t operands =
        layer_norm(&attributes, KC_DTYPE_F64, 2, dims, false, 4);
    operands.input_count = 3;
    check(&operands, 5);
}
END_TEST

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
        draw(kc_tensor_dtype(&out->output->view), out->output->view.ndim,
             out->output->view.shape, seed);
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

/* A row of one element is its own mean, and its cotangent exact zero. */
START_TEST(layer_norm_of_single_elements)
{
    static const int64_t dims[] = {5, 1};
    kc_attributes_t attributes = layer_attributes(1, 1e-5);
    rule_operands_t operands =
        layer_norm(&attributes, KC_DTYPE_F32, 2, dims, true, 7);
    vjp_t vjp;
    run_rule(&operands, 8, &vjp);
    for (int64_t i = 0; i < 5; i++) {
        ck_assert_double_eq(rule_element(vjp.found[0], i), 0.0);
    }
    ck_assert_double_eq(rule_element(vjp.found[1], 0), 0.0);
    release_vjp(&vjp);
    rule_operands_release(&operands);
}
END_TEST

START_TEST(layer_norm_keeps_nan_in_its_row)
{
    enum { ROWS = 3, COUNT = 4 };
    static const int64_t dims[] = {ROWS, COUNT};
    kc_attributes_t attributes = layer_attributes(1, 1e-5);
    rule_operands_t operands =
        layer_norm(&attributes, KC_DTYPE_F32, 2, dims, true, 9);
    vjp_t clean;
    vjp_t vjp;
    run_rule(&operands, 10, &clean);
    ((float *)kc_tensor_data(&operands.inputs[0]->view))[COUNT + 1] = NAN;
    run_rule(&operands, 10, &vjp);
    for (int64_t i = 0; i < (int64_t)ROWS * COUNT; i++) {
        double value = rule_element(vjp.found[0], i);
        if (i / COUNT == 1) {
            ck_assert(isnan(value));
        } else {
            ck_assert_double_eq(value, rule_element(clean.found[0], i));
        }
    }
    release_vjp(&vjp);
    release_vjp(&clean);
    rule_operands_release(&operands);
}
END_TEST

/* dbeta[j] = fold0 over rows of g[r, j]. */
START_TEST(layer_norm_sums_rows_in_order)
{
    enum { ROWS = 40, COUNT = 6 };
    static const int64_t dims[] = {4, ROWS / 4, 2, COUNT / 2};
    kc_attributes_t attributes = layer_attributes(2, 1e-5);
    rule_operands_t operands =
        layer_norm(&attributes, KC_DTYPE_F32, 4, dims, true, 11);
    vjp_t vjp;
    run_rule(&operands, 12, &vjp);
    const float *g = kc_tensor_data(&vjp.cotangent->view);
    for (int64_t j = 0; j < COUNT; j++) {
        float sum = 0;
        for (int64_t r = 0; r < ROWS; r++) {
            sum += g[r * COUNT + j];
        }
        ck_assert_double_eq(rule_element(vjp.found[2], j), (double)sum);
    }
    release_vjp(&vjp);
    rule_operands_release(&operands);
}
END_TEST

/* Mean and variance of eval are drawn, the variances made positive. */
static rule_operands_t batch_norm(const kc_attributes_t *attributes,
                                  int32_t dtype, int32_t rank,
                                  const int64_t *dims, uint64_t seed)
{
    const kc_batch_norm_attributes_t *norm = &attributes->u.batch_norm;
    bool is_eval = norm->mode == KC_BATCH_NORM_EVAL;
    const int64_t *channels = dims + norm->channel_axis;
    rule_operands_t operands = {.op = KC_OP_BATCH_NORM,
                                .attributes = attributes,
                                .input_count = is_eval ? 5 : 3};
    operands.inputs[0] = draw(dtype, rank, dims, seed);
    for (size_t i = 1; i < operands.input_count; i++) {
        operands.inputs[i] = draw(dtype, 1, channels, seed + i);
    }
    if (is_eval) {
        double positive[8];
        for (int64_t i = 0; i < *channels; i++) {
            positive[i] = 1.5 + rule_element(operands.inputs[4], i);
        }
        kci_tensor_release(operands.inputs[4]);
        operands.inputs[4] =
            rule_tensor(&fixture, dtype, 1, channels, positive);
    }
    return operands;
}

START_TEST(batch_norm_agrees_with_differences)
{
    static const int64_t dims[] = {3, 2, 4, 2};
    for (int32_t mode = 0; mode <= KC_BATCH_NORM_EVAL; mode++) {
        for (int32_t axis = 0; axis < 4; axis++) {
            if (mode == KC_BATCH_NORM_BATCH && axis == 0) {
                continue;
            }
            kc_attributes_t attributes = batch_attributes(mode, axis);
            rule_operands_t operands =
                batch_norm(&attributes, KC_DTYPE_F64, 4, dims,
                           (uint64_t)(10 * mode + axis));
            check(&operands, (uint64_t)axis);
        }
    }
}
END_TEST

/* No axes besides the channels. */
START_TEST(batch_norm_of_channels_alone)
{
    static const int64_t dims[] = {3, 4};
    for (int32_t mode = 0; mode <= KC_BATCH_NORM_EVAL; mode++) {
        kc_attributes_t attributes = batch_attributes(mode, 1);
        rule_operands_t operands =
            batch_norm(&attributes, KC_DTYPE_F64, 2, dims, 3);
        check(&operands, 4);
    }
    kc_attributes_t attributes = batch_attributes(KC_BATCH_NORM_EVAL, 0);
    rule_operands_t operands =
        batch_norm(&attributes, KC_DTYPE_F64, 1, dims, 5);
    check(&operands, 6);
}
END_TEST

/* dbeta[c] = fold0 of g over the batch, then over the axes after c. */
START_TEST(batch_norm_sums_in_row_major_order)
{
    enum { OUTER = 5, CHANNELS = 3, INNER = 7 };
    static const int64_t dims[] = {OUTER, CHANNELS, INNER};
    for (int32_t mode = 0; mode <= KC_BATCH_NORM_EVAL; mode++) {
        kc_attributes_t attributes = batch_attributes(mode, 1);
        rule_operands_t operands =
            batch_norm(&attributes, KC_DTYPE_F32, 3, dims, 13);
        vjp_t vjp;
        run_rule(&operands, 14, &vjp);
        const float *g = kc_tensor_data(&vjp.cotangent->view);
        for (int64_t c = 0; c < CHANNELS; c++) {
            float sum = 0;
            for (int64_t i = 0; i < (int64_t)OUTER * INNER; i++) {
                sum += g[(i / INNER * CHANNELS + c) * INNER + i % INNER];
            }
            ck_assert_double_eq(rule_element(vjp.found[2], c), (double)sum);
        }
        release_vjp(&vjp);
        rule_operands_release(&operands);
    }
}
END_TEST

/* A stored variance below 0 counts as 0, backward as forward. */
START_TEST(batch_norm_eval_of_a_negative_variance)
{
    static const int64_t dims[] = {2, 1};
    kc_attributes_t attributes = batch_attributes(KC_BATCH_NORM_EVAL, 1);
    rule_operands_t operands =
        batch_norm(&attributes, KC_DTYPE_F64, 2, dims, 15);
    double *variance = kc_tensor_data(&operands.inputs[4]->view);
    vjp_t negative;
    vjp_t zero;
    *variance = -0.25;
    run_rule(&operands, 16, &negative);
    *variance = 0;
    run_rule(&operands, 16, &zero);
    for (size_t i = 0; i < 3; i++) {
        rule_check_bits(negative.found[i], zero.found[i]);
    }
    ck_assert(isfinite(rule_element(zero.found[0], 0)));
    release_vjp(&negative);
    release_vjp(&zero);
    rule_operands_release(&operands);
}
END_TEST

/* Of beta alone nothing but the sum is composed, of x in eval no x. */
START_TEST(composes_what_is_wanted)
{
    static const int64_t dims[] = {2, 3};
    kci_tensor_type_t x = composed_type(KC_DTYPE_F32, 2, dims);
    kci_tensor_type_t vector = composed_type(KC_DTYPE_F32, 1, dims + 1);
    const kci_tensor_type_t *types[] = {&x, &vector, &vector, &vector, &vector};
    static const bool beta[] = {false, false, true, false, false};
    static const bool input[] = {true, false, false, false, false};
    kc_attributes_t layer = layer_attributes(1, 1e-5);
    kc_attributes_t eval = batch_attributes(KC_BATCH_NORM_EVAL, 1);
    ck_assert_uint_eq(composed_rule_ops(&(composed_case_t){
                          KC_OP_LAYER_NORM, &layer, types, 3, beta}),
                      KCI_OP_BIT(KC_OP_REDUCE_SUM));
    uint64_t ops = composed_rule_ops(
        &(composed_case_t){KC_OP_BATCH_NORM, &eval, types, 5, input});
    ck_assert_uint_eq(ops & (KCI_OP_BIT(KC_OP_REDUCE_MEAN) |
                             KCI_OP_BIT(KC_OP_REDUCE_SUM) |
                             KCI_OP_BIT(KC_OP_SUB)),
                      0);
}
END_TEST

START_TEST(no_failed_allocation_hurts)
{
    static const int64_t dims[] = {2, 3};
    kci_tensor_type_t x = composed_type(KC_DTYPE_F32, 2, dims);
    kci_tensor_type_t vector = composed_type(KC_DTYPE_F32, 1, dims + 1);
    const kci_tensor_type_t *types[] = {&x, &vector, &vector, &vector, &vector};
    kc_attributes_t layer = layer_attributes(1, 1e-5);
    failing_rule_check(
        &(composed_case_t){KC_OP_LAYER_NORM, &layer, types, 3, NULL});
    for (int32_t mode = 0; mode <= KC_BATCH_NORM_EVAL; mode++) {
        kc_attributes_t batch = batch_attributes(mode, 1);
        failing_rule_check(
            &(composed_case_t){KC_OP_BATCH_NORM, &batch, types,
                               mode == KC_BATCH_NORM_EVAL ? 5u : 3u, NULL});
    }
}
END_TEST

Suite *suite_autograd_norm(void)
{
    Suite *suite = suite_create("autograd/norm");
    TCase *tcase = tcase_create("rules");
    tcase_add_checked_fixture(tcase, begin, end);
    tcase_add_test(tcase, layer_norm_agrees_with_differences);
    tcase_add_test(tcase, layer_norm_with_absent_parameters);
    tcase_add_test(tcase, layer_norm_of_single_elements);
    tcase_add_test(tcase, layer_norm_keeps_nan_in_its_row);
    tcase_add_test(tcase, layer_norm_sums_rows_in_order);
    tcase_add_test(tcase, batch_norm_agrees_with_differences);
    tcase_add_test(tcase, batch_norm_of_channels_alone);
    tcase_add_test(tcase, batch_norm_sums_in_row_major_order);
    tcase_add_test(tcase, batch_norm_eval_of_a_negative_variance);
    tcase_add_test(tcase, composes_what_is_wanted);
    tcase_add_test(tcase, no_failed_allocation_hurts);
    suite_add_tcase(suite, tcase);
    return suite;
}
