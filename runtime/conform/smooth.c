/* SPDX-License-Identifier: Apache-2.0
 *
 * A permuted grid, and what each operation needs besides: arguments of
 * logarithms and roots above 0, divisors away from it, coefficients of a
 * recurrence below 1, scores that leave more than one key a weight, bounds of
 * a clamp between two values of the grid.
 */
#include "conform/smooth.h"

#include <math.h>

#include "conform/array.h"

static bool is_float(int32_t dtype)
{
    return dtype == KC_DTYPE_F32 || dtype == KC_DTYPE_F64;
}

static int64_t count_elements(const kci_case_t *trial)
{
    int64_t count = 0;
    for (size_t i = 0; i < trial->input_count; i++) {
        const kci_operand_t *operand = &trial->operands[i];
        if (operand->is_present && is_float(operand->dtype)) {
            count += kci_extent_product(operand->shape, 0, operand->rank);
        }
    }
    return count;
}

static int64_t common_divisor(int64_t a, int64_t b)
{
    while (b != 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

double kci_smooth_spacing(const kci_case_t *trial)
{
    return 4.0 / (double)trial->smooth_count;
}

/* The middle between two values of the grid, next to `bound`; an infinite one
 * stays. */
static double between_values(const kci_case_t *trial, double bound)
{
    if (isinf(bound)) {
        return bound;
    }
    double step = kci_smooth_spacing(trial);
    double place = floor(((isnan(bound) ? 0.5 : bound) + 2) / step);
    return -2 + (place + 0.75) * step;
}

/* Mostly with values on both sides of both; else as they were drawn, also
 * crossed. */
static void tame_bounds(kci_case_t *trial, kc_clamp_attributes_t *clamp)
{
    if (kci_draw_chance(&trial->draw, 70)) {
        clamp->lo = kci_draw_real(&trial->draw, -2, 0);
        clamp->hi = clamp->lo + kci_draw_real(&trial->draw, 0.5, 2);
    }
    clamp->lo = between_values(trial, fmin(clamp->lo, 4));
    clamp->hi = between_values(trial, fmax(clamp->hi, -4));
}

static void tame_attributes(kci_case_t *trial)
{
    kc_attributes_t *attributes = &trial->attributes;
    kci_draw_t *draw = &trial->draw;
    switch (trial->op) {
    case KC_OP_SCALE:
        /* Exact in float32: the oracle sees it in double. */
        attributes->u.scale.factor = (double)(float)kci_draw_real(draw, -3, 3);
        break;
    case KC_OP_SCALED_DOT_PRODUCT_ATTENTION:
        attributes->u.attention.scale =
            (double)(float)attributes->u.attention.scale;
        break;
    case KC_OP_CLAMP:
        tame_bounds(trial, &attributes->u.clamp);
        break;
    case KC_OP_SMOOTH_MAX_POOL:
        attributes->u.pool.beta = fmax(-3, fmin(3, attributes->u.pool.beta));
        break;
    default:
        break;
    }
}

bool kci_smooth_begin(kci_case_t *trial)
{
    trial->smooth_count = count_elements(trial);
    trial->smooth_next = 0;
    if (trial->smooth_count > KCI_SMOOTH_ELEMENTS_MAX) {
        return false;
    }
    int64_t count = trial->smooth_count > 0 ? trial->smooth_count : 1;
    trial->smooth_count = count;
    do {
        trial->smooth_step = kci_draw_integer(&trial->draw, 1, count);
    } while (common_divisor(trial->smooth_step, count) != 1);
    tame_attributes(trial);
    return true;
}

/* Away from 0 on the same side. */
static double away_from_zero(double value)
{
    return value < 0 ? value - 0.5 : value + 0.5;
}

static double place_value(const kci_case_t *trial, size_t input, double value)
{
    switch (trial->op) {
    case KC_OP_SQRT:
    case KC_OP_LOG:
        return fabs(value) + 0.25;
    case KC_OP_INV:
        return away_from_zero(value);
    case KC_OP_SCALED_DOT_PRODUCT_ATTENTION:
        return input < 2 ? 0.5 * value : value;
    case KC_OP_SELECTIVE_SCAN:
        return input < 2 ? 0.45 * value : value;
    default:
        return value;
    }
}

double kci_smooth_next(kci_case_t *trial, const kci_operand_t *operand)
{
    int64_t place =
        trial->smooth_next++ * trial->smooth_step % trial->smooth_count;
    double value = -2 + ((double)place + 0.25) * kci_smooth_spacing(trial);
    switch (operand->fill) {
    case KCI_FILL_EPSILON:
        value = 0x1p-10 * (1 + fabs(value));
        break;
    case KCI_FILL_VARIANCE:
        value = fabs(value) + 0.25;
        break;
    default:
        value = place_value(trial, (size_t)(operand - trial->operands), value);
        break;
    }
    return operand->dtype == KC_DTYPE_F64 ? value : (double)(float)value;
}
