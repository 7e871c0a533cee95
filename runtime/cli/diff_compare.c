/* SPDX-License-Identifier: Apache-2.0
 *
 * Differences in bits, in units of the last place and absolute. Numbers of one
 * sign are as many ULP apart as there are numbers between them, plus one;
 * counting goes on through zero, so +0 and -0 are 0 apart and differ in bits.
 */
#include "cli/diff_compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <kcapsule/tensor.h>

static double element(const DLTensor *view, int64_t index)
{
    const void *data = kc_tensor_data(view);
    switch (kc_tensor_dtype(view)) {
    case KC_DTYPE_F32:
        return ((const float *)data)[index];
    case KC_DTYPE_F64:
        return ((const double *)data)[index];
    case KC_DTYPE_I32:
        return ((const int32_t *)data)[index];
    case KC_DTYPE_I64:
        return (double)((const int64_t *)data)[index];
    default:
        return ((const uint8_t *)data)[index];
    }
}

double *cli_diff_doubles(const DLTensor *view)
{
    int64_t count = kc_tensor_element_count(view);
    double *values = calloc((size_t)count + 1, sizeof *values);
    for (int64_t idx = 0; values != NULL && idx < count; idx++) {
        values[idx] = element(view, idx);
    }
    return values;
}

/* Numbers in their order as integers without a gap. */
static int64_t place_of_double(double value)
{
    int64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits >= 0 ? bits : INT64_MIN - bits;
}

static int64_t place_of_float(float value)
{
    int32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits >= 0 ? bits : (int64_t)INT32_MIN - bits;
}

static uint64_t ulp_between(int32_t dtype, double a, double b)
{
    int64_t first = 0;
    int64_t second = 0;
    if (isnan(a) || isnan(b)) {
        return UINT64_MAX;
    }
    if (dtype == KC_DTYPE_F32) {
        first = place_of_float((float)a);
        second = place_of_float((float)b);
    } else if (dtype == KC_DTYPE_F64) {
        first = place_of_double(a);
        second = place_of_double(b);
    }
    return first > second ? (uint64_t)first - (uint64_t)second
                          : (uint64_t)second - (uint64_t)first;
}

static int is_same(double a, double b)
{
    if (isnan(a) || isnan(b)) {
        return isnan(a) && isnan(b);
    }
    return a == b && signbit(a) == signbit(b);
}

static double distance(double a, double b)
{
    if (a == b) {
        return 0.0;
    }
    double found = fabs(a - b);
    return isnan(found) ? INFINITY : found;
}

static void note_outside(cli_diff_error_t *error, int64_t place, double a,
                         double b, double allowed)
{
    if (error->outside++ == 0) {
        error->outside_place = place;
        error->outside_a = a;
        error->outside_b = b;
        error->outside_allowed = allowed;
    }
}

/* A bound that is no number judges nothing. */
static void hold_to(cli_diff_error_t *error, int64_t place, double a, double b,
                    double allowed)
{
    if (error->rule == DIFF_EQUAL_BITS) {
        note_outside(error, place, a, b, 0.0);
    } else if (error->rule == DIFF_BOUNDED && isfinite(allowed)) {
        if (!(distance(a, b) <= allowed)) {
            note_outside(error, place, a, b, allowed);
        }
    } else {
        error->open++;
    }
}

static void note_difference(cli_diff_error_t *error, int32_t dtype,
                            int64_t place, double a, double b, double allowed)
{
    uint64_t ulp = ulp_between(dtype, a, b);
    double absolute = distance(a, b);
    if (ulp > error->ulp) {
        error->ulp = ulp;
    }
    if (error->different++ == 0 || absolute > error->absolute) {
        error->absolute = absolute;
        error->place = place;
        error->allowed = allowed;
    }
    hold_to(error, place, a, b, allowed);
}

void cli_diff_compare(const DLTensor *a, const DLTensor *b,
                      cli_diff_rule_t rule, const double *allowed,
                      cli_diff_error_t *out_error)
{
    int32_t dtype = kc_tensor_dtype(a);
    cli_diff_error_t error = {
        .rule = rule, .count = kc_tensor_element_count(a), .operand = -1};
    for (int64_t idx = 0; idx < error.count; idx++) {
        double first = element(a, idx);
        double second = element(b, idx);
        double bound = rule == DIFF_EQUAL_BITS ? 0.0
                       : allowed != NULL       ? allowed[idx]
                                               : INFINITY;
        if (!is_same(first, second)) {
            note_difference(&error, dtype, idx, first, second, bound);
        }
    }
    *out_error = error;
}

void cli_diff_merge(cli_diff_error_t *into, const cli_diff_error_t *other)
{
    if (into->rule == DIFF_NOT_COMPARED) {
        *into = *other;
        return;
    }
    cli_diff_error_t merged = other->absolute > into->absolute ? *other : *into;
    const cli_diff_error_t *outside = into->outside > 0 ? into : other;
    merged.rule = other->rule > into->rule ? other->rule : into->rule;
    merged.count = into->count + other->count;
    merged.different = into->different + other->different;
    merged.ulp = into->ulp > other->ulp ? into->ulp : other->ulp;
    merged.outside = into->outside + other->outside;
    merged.open = into->open + other->open;
    if (outside->outside > 0) {
        merged.operand = outside->operand;
        merged.outside_place = outside->outside_place;
        merged.outside_a = outside->outside_a;
        merged.outside_b = outside->outside_b;
        merged.outside_allowed = outside->outside_allowed;
    }
    *into = merged;
}
