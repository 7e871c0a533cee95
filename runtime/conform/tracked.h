/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers that carry what an evaluation in the element type may be off. The
 * formulas of the oracles are written with them, so that every bound follows
 * from the formula itself: forward running error analysis, Higham, "Accuracy
 * and Stability of Numerical Algorithms", 3.3 (sums: 3.1 and 4.2).
 */
#ifndef KC_CONFORM_TRACKED_H
#define KC_CONFORM_TRACKED_H

#include <stdbool.h>
#include <stdint.h>

/*
 * An element type. `roundoff` is u, half the distance from 1 to the next
 * number. `unit` is what one rounding is counted as: u and the roundoff of
 * double, in which the oracle itself computes; for f64 therefore 2u.
 */
typedef struct kci_precision {
    int32_t dtype;
    double roundoff;
    double unit;
    double tiny;    /* smallest subnormal: a product may lose half of it */
    double largest; /* finite */
} kci_precision_t;

kci_precision_t kci_precision_of(int32_t dtype);
/* Nearest number of the type, as double. */
double kci_precision_round(const kci_precision_t *type, double value);
/* Distance to the next number of the type above |value|. */
double kci_precision_ulp(const kci_precision_t *type, double value);

/*
 * `value`: the formula over the reals, evaluated in double. `error`: bound on
 * |result - value| of an evaluation in the element type; INFINITY where
 * anything may come out (an intermediate result may overflow, or an infinity
 * meets something that may be 0). `written`: the evaluation in the element
 * type, each operation rounded, in the order in which it stands here.
 * Not finite values are exact unless the error is INFINITY.
 */
typedef struct kci_tracked {
    double value;
    double error;
    double written;
} kci_tracked_t;

/* An operand: it is what it is. */
kci_tracked_t kci_tracked_exact(double value);
/* A constant of the formula, rounded to the type. */
kci_tracked_t kci_tracked_constant(const kci_precision_t *type, double value);
bool kci_tracked_is_open(const kci_tracked_t *number);

kci_tracked_t kci_tracked_add(const kci_precision_t *type, kci_tracked_t a,
                              kci_tracked_t b);
kci_tracked_t kci_tracked_subtract(const kci_precision_t *type, kci_tracked_t a,
                                   kci_tracked_t b);
kci_tracked_t kci_tracked_multiply(const kci_precision_t *type, kci_tracked_t a,
                                   kci_tracked_t b);
kci_tracked_t kci_tracked_divide(const kci_precision_t *type, kci_tracked_t a,
                                 kci_tracked_t b);
kci_tracked_t kci_tracked_sqrt(const kci_precision_t *type, kci_tracked_t a);
/* Functions: up to one ulp of error in the type is not held against an
 * implementation inside a larger formula. */
kci_tracked_t kci_tracked_exp(const kci_precision_t *type, kci_tracked_t a);
kci_tracked_t kci_tracked_log(const kci_precision_t *type, kci_tracked_t a);
/* A function value whose own error is at most `ulps` ulp and whose argument
 * was exact. */
kci_tracked_t kci_tracked_function(const kci_precision_t *type, double value,
                                   double ulps);

/*
 * A sum of n terms that may be taken in any order:
 *   |sum - exact| <= 2 g Sum|t|,  g = n u / (1 - n u),
 * one g for the implementation and one for whoever it is compared with, plus
 * what the terms themselves are off. `written` adds from +0 in order.
 */
typedef struct kci_fold {
    const kci_precision_t *type;
    double value;
    double magnitude; /* of the finite terms */
    double error;
    double written;
    int64_t count;
} kci_fold_t;

kci_fold_t kci_fold_begin(const kci_precision_t *type);
/* Starts with a term that is not added to 0 but stands there. */
kci_fold_t kci_fold_begin_at(const kci_precision_t *type, double first);
void kci_fold_add(kci_fold_t *fold, kci_tracked_t term);
kci_tracked_t kci_fold_sum(const kci_fold_t *fold);
/* sum / n or sum * (1/n): both are in use, the second rounds twice. */
kci_tracked_t kci_fold_mean(const kci_fold_t *fold, int64_t count);

#endif
