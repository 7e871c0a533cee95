/* SPDX-License-Identifier: Apache-2.0
 *
 * The rules by which errors spread. Each is the first line of its function;
 * settle() adds the rounding of the operation itself.
 */
#include "conform/tracked.h"

#include <float.h>
#include <math.h>
#include <kcapsule/vocabulary.h>

kci_precision_t kci_precision_of(int32_t dtype)
{
    if (dtype == KC_DTYPE_F64) {
        return (kci_precision_t){.dtype = dtype,
                                 .roundoff = 0x1p-53,
                                 .unit = 0x1p-52,
                                 .tiny = 0x1p-1074,
                                 .largest = DBL_MAX};
    }
    return (kci_precision_t){.dtype = KC_DTYPE_F32,
                             .roundoff = 0x1p-24,
                             .unit = 0x1p-24 + 0x1p-53,
                             .tiny = 0x1p-149,
                             .largest = (double)FLT_MAX};
}

double kci_precision_round(const kci_precision_t *type, double value)
{
    return type->dtype == KC_DTYPE_F64 ? value : (double)(float)value;
}

double kci_precision_ulp(const kci_precision_t *type, double value)
{
    double size = fabs(value);
    int exponent = 0;
    if (!(size > 0) || isinf(size)) {
        return type->tiny;
    }
    frexp(size, &exponent); /* size < 2^exponent */
    double ulp = ldexp(type->roundoff * 2, exponent - 1);
    return ulp > type->tiny ? ulp : type->tiny;
}

kci_tracked_t kci_tracked_exact(double value)
{
    return (kci_tracked_t){value, 0, value};
}

kci_tracked_t kci_tracked_constant(const kci_precision_t *type, double value)
{
    return (kci_tracked_t){value, type->unit * fabs(value),
                           kci_precision_round(type, value)};
}

bool kci_tracked_is_open(const kci_tracked_t *number)
{
    return isinf(number->error);
}

static bool is_zero(const kci_tracked_t *number)
{
    return number->value == 0 && number->error == 0;
}

/* May be 0, without being exactly 0. */
static bool may_vanish(const kci_tracked_t *number)
{
    return number->error > 0 && fabs(number->value) <= number->error;
}

/* Result and error before rounding, `roundings` roundings of it to come. */
static kci_tracked_t settle(const kci_precision_t *type, double value,
                            double error, double written, double roundings)
{
    written = kci_precision_round(type, written);
    if (isinf(error) || (isfinite(value) && isnan(error))) {
        return (kci_tracked_t){value, INFINITY, written};
    }
    if (!isfinite(value)) {
        return (kci_tracked_t){value, 0, written};
    }
    error += roundings * (type->unit * (fabs(value) + error) + type->tiny);
    bool may_overflow = !(fabs(value) + error <= type->largest);
    return (kci_tracked_t){value, may_overflow ? INFINITY : error, written};
}

/* The error of a result of a and b: none counts where one is open, or where
 * two finite numbers overflowed. */
static double join(const kci_tracked_t *a, const kci_tracked_t *b, double value,
                   double error)
{
    bool overflowed = isinf(value) && isfinite(a->value) && isfinite(b->value);
    bool is_open = kci_tracked_is_open(a) || kci_tracked_is_open(b);
    return is_open || overflowed ? INFINITY : (isfinite(value) ? error : 0);
}

kci_tracked_t kci_tracked_add(const kci_precision_t *type, kci_tracked_t a,
                              kci_tracked_t b)
{
    double error = a.error + b.error;
    double value = a.value + b.value;
    return settle(type, value, join(&a, &b, value, error),
                  a.written + b.written, 1);
}

kci_tracked_t kci_tracked_subtract(const kci_precision_t *type, kci_tracked_t a,
                                   kci_tracked_t b)
{
    b.value = -b.value;
    b.written = -b.written;
    return kci_tracked_add(type, a, b);
}

kci_tracked_t kci_tracked_multiply(const kci_precision_t *type, kci_tracked_t a,
                                   kci_tracked_t b)
{
    double error =
        fabs(a.value) * b.error + fabs(b.value) * a.error + a.error * b.error;
    double value = a.value * b.value;
    double written = kci_precision_round(type, a.written * b.written);
    bool is_exact = (is_zero(&a) && isfinite(b.value)) ||
                    (is_zero(&b) && isfinite(a.value));
    if (is_exact && !kci_tracked_is_open(&a) && !kci_tracked_is_open(&b)) {
        return (kci_tracked_t){value, 0, written};
    }
    if ((isinf(a.value) && may_vanish(&b)) ||
        (isinf(b.value) && may_vanish(&a))) {
        return (kci_tracked_t){value, INFINITY, written};
    }
    return settle(type, value, join(&a, &b, value, error), written, 1);
}

kci_tracked_t kci_tracked_divide(const kci_precision_t *type, kci_tracked_t a,
                                 kci_tracked_t b)
{
    double value = a.value / b.value;
    double error =
        (a.error + fabs(value) * b.error) / (fabs(b.value) - b.error);
    double written = a.written / b.written;
    if (may_vanish(&b) || kci_tracked_is_open(&a) || kci_tracked_is_open(&b)) {
        return settle(type, value, INFINITY, written, 1);
    }
    if (is_zero(&b)) {
        return settle(type, value, may_vanish(&a) ? INFINITY : 0, written, 1);
    }
    if (is_zero(&a) || isinf(b.value)) {
        return (kci_tracked_t){value, 0, kci_precision_round(type, written)};
    }
    return settle(type, value, join(&a, &b, value, error), written, 1);
}

kci_tracked_t kci_tracked_sqrt(const kci_precision_t *type, kci_tracked_t a)
{
    /* sqrt(v) - sqrt(v - e) <= e / sqrt(v). */
    double value = sqrt(a.value);
    double error = a.error == 0 ? 0 : a.error / value;
    bool is_open = kci_tracked_is_open(&a) || (a.error > 0 && may_vanish(&a));
    return settle(type, value, is_open ? INFINITY : error, sqrt(a.written), 1);
}

kci_tracked_t kci_tracked_function(const kci_precision_t *type, double value,
                                   double ulps)
{
    /* An ulp is at most twice the roundoff. */
    return settle(type, value, 0, value, 2 * ulps);
}

kci_tracked_t kci_tracked_exp(const kci_precision_t *type, kci_tracked_t a)
{
    /* exp(v + e) - exp(v) = exp(v) (exp(e) - 1). */
    double value = exp(a.value);
    double error = a.error == 0 ? 0 : value * expm1(a.error);
    bool is_open =
        kci_tracked_is_open(&a) || (isinf(value) && isfinite(a.value));
    if (a.value == -INFINITY && !is_open) {
        return kci_tracked_exact(0);
    }
    return settle(type, value, is_open ? INFINITY : error, exp(a.written), 2);
}

kci_tracked_t kci_tracked_log(const kci_precision_t *type, kci_tracked_t a)
{
    /* log(v) - log(v - e) <= e / (v - e). */
    double value = log(a.value);
    double error = a.error == 0 ? 0 : a.error / (a.value - a.error);
    bool is_open =
        kci_tracked_is_open(&a) || (a.error > 0 && !(a.value > a.error));
    return settle(type, value, is_open ? INFINITY : error, log(a.written), 2);
}

kci_fold_t kci_fold_begin(const kci_precision_t *type)
{
    return (kci_fold_t){.type = type};
}

kci_fold_t kci_fold_begin_at(const kci_precision_t *type, double first)
{
    kci_fold_t fold = {.type = type, .value = first, .written = first};
    fold.magnitude = isfinite(first) ? fabs(first) : 0;
    fold.count = 1;
    return fold;
}

void kci_fold_add(kci_fold_t *fold, kci_tracked_t term)
{
    fold->value += term.value;
    fold->written =
        kci_precision_round(fold->type, fold->written + term.written);
    fold->magnitude += isfinite(term.value) ? fabs(term.value) : 0;
    fold->error += term.error;
    fold->count++;
}

kci_tracked_t kci_fold_sum(const kci_fold_t *fold)
{
    double n = (double)fold->count * fold->type->roundoff;
    double size = fold->magnitude + fold->error;
    /* A partial sum in some order may be as large as all terms together. */
    if (!(size <= fold->type->largest)) {
        return (kci_tracked_t){fold->value, INFINITY, fold->written};
    }
    double error =
        isfinite(fold->value) ? fold->error + 2 * n / (1 - n) * size : 0;
    return (kci_tracked_t){fold->value, error, fold->written};
}

kci_tracked_t kci_fold_mean(const kci_fold_t *fold, int64_t count)
{
    kci_tracked_t mean = kci_tracked_divide(fold->type, kci_fold_sum(fold),
                                            kci_tracked_exact((double)count));
    mean.error +=
        isfinite(mean.value) ? fold->type->unit * fabs(mean.value) : 0;
    return mean;
}
