/* SPDX-License-Identifier: Apache-2.0
 *
 * Smooth cases: for every operation and many seeds no two values are near
 * each other, none is near a kink or a pole, and empty operands are met.
 */
#include "conform/smooth.h"

#include <math.h>

#include "conform/gradient.h"
#include "unit/conform/suites.h"
#include "unit/expect.h"

#define SEEDS 60

/* What differences move an element by, at most: a thousandth of 2.5. */
#define LARGEST_STEP 2.5e-3

static kci_case_t *make(int32_t op, int32_t dtype, uint64_t seed)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_case_t *trial = NULL;
    EXPECT_OK(error, kci_case_create_smooth(op, dtype, seed, &trial, &error));
    return trial;
}

/* The floating-point elements of the operands from the first up to `end`. */
static size_t read_values(const kci_case_t *trial, size_t end, double *out)
{
    size_t count = 0;
    for (size_t i = 0; i < trial->input_count && i < end; i++) {
        kc_error_t error = KC_ERROR_INIT;
        kci_array_t array;
        int32_t dtype = trial->operands[i].dtype;
        if (!trial->operands[i].is_present ||
            (dtype != KC_DTYPE_F32 && dtype != KC_DTYPE_F64)) {
            continue;
        }
        EXPECT_OK(error, kci_array_read(trial->inputs[i], &array, &error));
        for (int64_t k = 0; k < array.count; k++) {
            ck_assert_uint_lt(count, KCI_SMOOTH_ELEMENTS_MAX);
            out[count++] = array.values[k];
        }
        kci_array_release(&array);
    }
    return count;
}

static double nearest(const double *values, size_t count, double to)
{
    double distance = INFINITY;
    for (size_t i = 0; i < count; i++) {
        distance = fmin(distance, fabs(values[i] - to));
    }
    return distance;
}

static double closest_pair(const double *values, size_t count)
{
    double distance = INFINITY;
    for (size_t i = 1; i < count; i++) {
        distance = fmin(distance, nearest(values, i, values[i]));
    }
    return distance;
}

/* What the operation is not smooth at, of each operation that has such. */
static void expect_no_kink(const kci_case_t *trial, const double *values,
                           size_t count)
{
    const kc_clamp_attributes_t *clamp = &trial->attributes.u.clamp;
    switch (trial->op) {
    case KC_OP_RELU:
    case KC_OP_ABS:
        ck_assert_double_gt(nearest(values, count, 0), LARGEST_STEP);
        break;
    case KC_OP_SQRT:
    case KC_OP_LOG:
        for (size_t i = 0; i < count; i++) {
            ck_assert_double_ge(values[i], 0.25);
        }
        break;
    case KC_OP_INV:
        ck_assert_double_ge(nearest(values, count, 0), 0.5);
        break;
    case KC_OP_CLAMP:
        ck_assert(!isnan(clamp->lo) && !isnan(clamp->hi));
        ck_assert_double_gt(nearest(values, count, clamp->lo), LARGEST_STEP);
        ck_assert_double_gt(nearest(values, count, clamp->hi), LARGEST_STEP);
        break;
    default:
        break;
    }
}

START_TEST(no_ties_and_no_kinks)
{
    static double values[KCI_SMOOTH_ELEMENTS_MAX];
    for (int32_t op = 0; op < KC_OP_COUNT; op++) {
        for (uint64_t seed = 0; seed < SEEDS; seed++) {
            int32_t dtype = seed % 2 == 0 ? KC_DTYPE_F32 : KC_DTYPE_F64;
            kci_case_t *trial = make(op, dtype, seed);
            /* An epsilon of safe_log is a constant. */
            size_t count = read_values(
                trial, op == KC_OP_SAFE_LOG ? 1 : KCI_CASE_INPUT_MAX, values);
            double distance = closest_pair(values, count);
            /* Both sides of 0 are folded onto one by |x|: half as far. Some
             * operands have a scale of their own, beside which the others
             * lie anyhow. */
            bool is_scaled = op == KC_OP_SELECTIVE_SCAN ||
                             op == KC_OP_BATCH_NORM ||
                             op == KC_OP_SCALED_DOT_PRODUCT_ATTENTION;
            double least = is_scaled ? 0 : 1.9 / KCI_SMOOTH_ELEMENTS_MAX;
            ck_assert_msg(distance >= least, "%s seed %d: %g apart",
                          kc_op_label(op), (int)seed, distance);
            ck_assert_double_gt(distance, 0);
            for (size_t i = 0; i < count; i++) {
                ck_assert_double_le(fabs(values[i]), 2.5);
            }
            expect_no_kink(trial, values, count);
            kci_case_release(trial);
        }
    }
}
END_TEST

/* The coefficients of the recurrence do not let it grow. */
START_TEST(coefficients_below_one)
{
    static double values[KCI_SMOOTH_ELEMENTS_MAX];
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        kci_case_t *trial = make(KC_OP_SELECTIVE_SCAN, KC_DTYPE_F32, seed);
        size_t count = read_values(trial, 2, values);
        for (size_t i = 0; i < count; i++) {
            ck_assert_double_lt(fabs(values[i]), 0.95);
        }
        kci_case_release(trial);
    }
}
END_TEST

/* Most clamps let something through and hold something back. */
START_TEST(bounds_among_the_values)
{
    int decided = 0;
    int crossed = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        kci_case_t *trial = make(KC_OP_CLAMP, KC_DTYPE_F32, seed);
        const kc_clamp_attributes_t *clamp = &trial->attributes.u.clamp;
        decided += clamp->lo > -2 && clamp->lo < clamp->hi && clamp->hi < 2;
        crossed += clamp->lo > clamp->hi;
        kci_case_release(trial);
    }
    ck_assert_int_gt(decided, SEEDS / 3);
    ck_assert_int_gt(crossed, 0);
}
END_TEST

START_TEST(same_seed_same_case)
{
    for (uint64_t seed = 0; seed < 20; seed++) {
        kci_case_t *a = make(KC_OP_LINEAR, KC_DTYPE_F64, seed);
        kci_case_t *b = make(KC_OP_LINEAR, KC_DTYPE_F64, seed);
        ck_assert_uint_eq(a->seed, seed);
        for (size_t i = 0; i < a->input_count; i++) {
            kci_guarded_t *memory = &a->operands[i].memory;
            ck_assert_uint_eq(memory->size, b->operands[i].memory.size);
            ck_assert_mem_eq(memory->block, b->operands[i].memory.block,
                             memory->size + 2 * KCI_GUARD_BYTES);
        }
        kci_case_release(a);
        kci_case_release(b);
    }
}
END_TEST

/* Of what make check runs: the catalogue refuses empty norms; whatever else
 * has a gradient is asked for some, and for more that are not empty. */
START_TEST(empty_operands_are_met)
{
    for (int32_t op = KC_OP_BERNOULLI_MASK + 1; op < KC_OP_COUNT; op++) {
        for (int32_t dtype = KC_DTYPE_F32; dtype <= KC_DTYPE_F64; dtype++) {
            int empty = 0;
            for (uint64_t i = 0; i < KCI_GRADIENT_CASES; i++) {
                kci_case_t *trial = make(op, dtype, KCI_GRADIENT_SEED + i);
                empty += kci_case_is_empty(trial);
                kci_case_release(trial);
            }
            bool is_norm = op == KC_OP_LAYER_NORM || op == KC_OP_BATCH_NORM;
            ck_assert_msg(is_norm ? empty == 0 : empty > 0, "%s: %d empty",
                          kc_op_label(op), empty);
            ck_assert_msg(empty <= KCI_GRADIENT_CASES / 2, "%s: %d empty",
                          kc_op_label(op), empty);
        }
    }
}
END_TEST

/* Too many elements are refused, with the count left to look at. */
START_TEST(too_many_elements)
{
    static const int64_t fits[] = {KCI_SMOOTH_ELEMENTS_MAX};
    static const int64_t exceeds[] = {KCI_SMOOTH_ELEMENTS_MAX + 1};
    kci_case_t trial = {.op = KC_OP_EXP, .draw = kci_draw_begin(1)};
    kci_case_add(&trial, KC_DTYPE_F32, 1, fits, KCI_FILL_VALUES);
    ck_assert(kci_smooth_begin(&trial));
    ck_assert_double_eq(kci_smooth_spacing(&trial),
                        4.0 / KCI_SMOOTH_ELEMENTS_MAX);
    trial = (kci_case_t){.op = KC_OP_EXP, .draw = kci_draw_begin(1)};
    kci_case_add(&trial, KC_DTYPE_F32, 1, exceeds, KCI_FILL_VALUES);
    ck_assert(!kci_smooth_begin(&trial));
    /* Masks and indices do not count. */
    trial = (kci_case_t){.op = KC_OP_EXP, .draw = kci_draw_begin(1)};
    kci_case_add(&trial, KC_DTYPE_BOOL, 1, exceeds, KCI_FILL_MASK);
    ck_assert(kci_smooth_begin(&trial));
}
END_TEST

CONFORM_SUITE(smooth, no_ties_and_no_kinks, coefficients_below_one,
              bounds_among_the_values, same_seed_same_case,
              empty_operands_are_met, too_many_elements)
