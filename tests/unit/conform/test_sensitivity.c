/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether cases and bounds are worth anything: an implementation that leaves
 * out a term, an attribute or an operand is found in many of the cases of
 * every operation, also where only the bound speaks and no promised order.
 */
#include <math.h>
#include <string.h>

#include "conform/conform.h"
#include "unit/conform/suites.h"
#include "unit/expect.h"

#define CASES 120

/* Works like the oracle, on operands and attributes that it has changed. */
typedef struct mistake {
    int spoiled_input; /* its last element counts as 0; -1: none */
    int ignored_input; /* counts as absent; -1: none */
    void (*change)(kc_attributes_t *attributes);
} mistake_t;

static void put(DLTensor *output, int64_t place, double value)
{
    unsigned char *to = kc_tensor_data(output);
    float narrow = (float)value;
    unsigned char boolean = value != 0;
    switch (kc_tensor_dtype(output)) {
    case KC_DTYPE_F32:
        memcpy(to + 4 * place, &narrow, sizeof narrow);
        break;
    case KC_DTYPE_F64:
        memcpy(to + 8 * place, &value, sizeof value);
        break;
    default:
        memcpy(to + place, &boolean, sizeof boolean);
        break;
    }
}

/* A dense copy of an operand, its last element 0. */
static DLTensor spoil(const DLTensor *input, kci_array_t *array,
                      kc_error_t *error)
{
    EXPECT_OK(*error, kci_array_read(input, array, error));
    if (array->count > 0) {
        array->values[array->count - 1] = 0;
    }
    DLTensor copy = *input;
    if (array->dtype == KC_DTYPE_F32) {
        float *narrow = (float *)array->values;
        for (int64_t i = 0; i < array->count; i++) {
            double value = array->values[i];
            narrow[i] = (float)value;
        }
    }
    copy.data = array->values;
    copy.byte_offset = 0;
    copy.strides = NULL;
    return copy;
}

static kc_status_t run_mistaken(void *context, int32_t op,
                                const kc_attributes_t *attributes,
                                const DLTensor *const *inputs,
                                size_t input_count, DLTensor *output,
                                kc_error_t *error)
{
    const mistake_t *mistake = context;
    const DLTensor *changed[KCI_CASE_INPUT_MAX] = {NULL};
    kc_attributes_t own = *attributes;
    kci_array_t array = {.values = NULL};
    DLTensor copy;
    kci_problem_t problem;
    for (size_t i = 0; i < input_count; i++) {
        changed[i] = (int)i == mistake->ignored_input ? NULL : inputs[i];
    }
    if (mistake->spoiled_input >= 0 &&
        (size_t)mistake->spoiled_input < input_count) {
        copy = spoil(inputs[mistake->spoiled_input], &array, error);
        changed[mistake->spoiled_input] = &copy;
    }
    if (mistake->change != NULL) {
        mistake->change(&own);
    }
    EXPECT_OK(*error, kci_oracle_evaluate(op, &own, changed, input_count, 0,
                                          &problem, error));
    for (int64_t i = 0; i < problem.count; i++) {
        put(output, i, problem.written[i]);
    }
    kci_problem_release(&problem);
    kci_array_release(&array);
    return KC_OK;
}

/*
 * Found in at least `percent` of the cases. In the others it makes no
 * difference, or none beyond the rounding: a zero, an empty operand, a
 * blocked key, a cell that no window meets, one of thousands of terms, a row
 * with NaN. The numbers are well below what was seen, and far above chance.
 */
static void expect_found(int32_t op, mistake_t mistake, unsigned percent)
{
    static const kc_capsule_record_t loose = {
        .name = "test.loose",
        .numerics = {.reduction = KC_REDUCTION_IMPLEMENTATION_DEFINED}};
    kc_error_t error = KC_ERROR_INIT;
    kci_conform_subject_t subject = {&loose, run_mistaken, &mistake};
    kci_conform_options_t options = {
        .dtype = KC_DTYPE_F32, .case_count = CASES, .seed = 5000};
    kci_conform_report_t report;
    EXPECT_OK(error, kci_conform_op(&subject, op, &options, &report, &error));
    ck_assert_uint_eq(report.called_count, CASES);
    ck_assert_msg(report.failed_count * 100 >= (uint64_t)CASES * percent,
                  "%s: found in %d of %d cases", kc_op_label(op),
                  (int)report.failed_count, CASES);
}

static void expect_term_found(int32_t op, int input, unsigned percent)
{
    expect_found(op, (mistake_t){input, -1, NULL}, percent);
}

static void expect_operand_found(int32_t op, int input, unsigned percent)
{
    expect_found(op, (mistake_t){-1, input, NULL}, percent);
}

static void expect_attribute_found(int32_t op,
                                   void (*change)(kc_attributes_t *),
                                   unsigned percent)
{
    expect_found(op, (mistake_t){-1, -1, change}, percent);
}

START_TEST(one_term_of_a_sum)
{
    expect_term_found(KC_OP_REDUCE_SUM, 0, 60);
    expect_term_found(KC_OP_REDUCE_MEAN, 0, 60);
    expect_term_found(KC_OP_MATMUL, 0, 45);
    expect_term_found(KC_OP_MATMUL, 1, 45);
    expect_term_found(KC_OP_LINEAR, 0, 50);
    expect_term_found(KC_OP_LINEAR, 2, 30);
    expect_term_found(KC_OP_MSE_LOSS, 0, 35);
    expect_term_found(KC_OP_SCATTER_ADD, 2, 50);
    expect_term_found(KC_OP_CONV, 0, 25);
    expect_term_found(KC_OP_CONV, 1, 50);
    expect_term_found(KC_OP_CONV_TRANSPOSE, 0, 35);
    expect_term_found(KC_OP_AVG_POOL, 0, 40);
    expect_term_found(KC_OP_FFT_FNO, 0, 30);
    expect_term_found(KC_OP_SELECTIVE_SCAN, 2, 50);
    expect_term_found(KC_OP_LAYER_NORM, 0, 50);
    expect_term_found(KC_OP_BATCH_NORM, 0, 50);
    expect_term_found(KC_OP_SOFTMAX, 0, 40);
    expect_term_found(KC_OP_LOG_SOFTMAX, 0, 40);
    expect_term_found(KC_OP_SMOOTH_MAX_POOL, 0, 30);
    expect_term_found(KC_OP_SCALED_DOT_PRODUCT_ATTENTION, 1, 15);
    expect_term_found(KC_OP_SCALED_DOT_PRODUCT_ATTENTION, 2, 25);
}
END_TEST

START_TEST(an_operand)
{
    expect_operand_found(KC_OP_LINEAR, 2, 50);
    expect_operand_found(KC_OP_CONV, 2, 40);
    expect_operand_found(KC_OP_CONV_TRANSPOSE, 2, 40);
    expect_operand_found(KC_OP_LAYER_NORM, 1, 40);
    expect_operand_found(KC_OP_LAYER_NORM, 2, 40);
    expect_operand_found(KC_OP_BATCH_NORM, 2, 50);
    expect_operand_found(KC_OP_SCALED_DOT_PRODUCT_ATTENTION, 3, 25);
}
END_TEST

static void swap_padding(kc_attributes_t *attributes)
{
    kc_conv_attributes_t *conv = &attributes->u.conv;
    for (int64_t i = 0; i < conv->spatial_rank; i++) {
        int64_t before = conv->padding[i];
        conv->padding[i] = conv->padding_after[i];
        conv->padding_after[i] = before;
    }
}

static void forget_causal(kc_attributes_t *attributes)
{
    attributes->u.attention.causal = 0;
}

static void forget_scale(kc_attributes_t *attributes)
{
    attributes->u.attention.scale = 1;
}

static void other_gelu(kc_attributes_t *attributes)
{
    attributes->u.gelu.approximate = !attributes->u.gelu.approximate;
}

static void other_key(kc_attributes_t *attributes)
{
    attributes->u.random.key++;
}

static void negate_beta(kc_attributes_t *attributes)
{
    attributes->u.pool.beta *= -1;
}

static void tenfold_layer_eps(kc_attributes_t *attributes)
{
    attributes->u.layer_norm.eps *= 10;
}

static void tenfold_batch_eps(kc_attributes_t *attributes)
{
    attributes->u.batch_norm.eps *= 10;
}

static void first_axis(kc_attributes_t *attributes)
{
    attributes->u.axis.axis = 0;
}

static void from_the_start(kc_attributes_t *attributes)
{
    attributes->u.slice.start = 0;
}

static void halve_factor(kc_attributes_t *attributes)
{
    attributes->u.scale.factor /= 2;
}

static void raise_bounds(kc_attributes_t *attributes)
{
    attributes->u.clamp.lo += 0.25;
    attributes->u.clamp.hi += 0.25;
}

START_TEST(an_attribute)
{
    expect_attribute_found(KC_OP_CONV, swap_padding, 50);
    expect_attribute_found(KC_OP_SCALED_DOT_PRODUCT_ATTENTION, forget_causal,
                           15);
    expect_attribute_found(KC_OP_SCALED_DOT_PRODUCT_ATTENTION, forget_scale,
                           25);
    expect_attribute_found(KC_OP_GELU, other_gelu, 40);
    expect_attribute_found(KC_OP_RAND_UNIFORM, other_key, 80);
    expect_attribute_found(KC_OP_BERNOULLI_MASK, other_key, 25);
    expect_attribute_found(KC_OP_SMOOTH_MAX_POOL, negate_beta, 60);
    expect_attribute_found(KC_OP_LAYER_NORM, tenfold_layer_eps, 20);
    expect_attribute_found(KC_OP_BATCH_NORM, tenfold_batch_eps, 25);
    expect_attribute_found(KC_OP_SOFTMAX, first_axis, 25);
    expect_attribute_found(KC_OP_SLICE, from_the_start, 40);
    expect_attribute_found(KC_OP_SCALE, halve_factor, 60);
    expect_attribute_found(KC_OP_CLAMP, raise_bounds, 60);
}
END_TEST

CONFORM_SUITE(sensitivity, one_term_of_a_sum, an_operand, an_attribute)
