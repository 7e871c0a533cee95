/* SPDX-License-Identifier: Apache-2.0
 *
 * The rules of comparison, element by element.
 */
#include "conform/compare.h"

#include <math.h>

#include "conform/array.h"
#include "conform/guarded.h"

bool kci_is_same(double a, double b)
{
    if (isnan(a) || isnan(b)) {
        return isnan(a) && isnan(b);
    }
    return a == b && signbit(a) == signbit(b);
}

/* From half an ulp above the largest number on, rounding gives infinity. */
static double overflow_from(const kci_precision_t *type)
{
    return type->largest * (1 + type->roundoff / 2);
}

bool kci_is_within(const kci_precision_t *type, double found, double value,
                   double bound)
{
    if (isinf(bound)) {
        return true;
    }
    if (bound == 0 || !isfinite(value)) {
        return kci_is_same(found, kci_precision_round(type, value));
    }
    if (isinf(found)) {
        return signbit(found) == signbit(value) &&
               fabs(value) + bound >= overflow_from(type);
    }
    return fabs(found - value) <= bound; /* false for NaN */
}

static bool is_float(int32_t dtype)
{
    return dtype == KC_DTYPE_F32 || dtype == KC_DTYPE_F64;
}

static bool is_element_within(const kci_problem_t *problem, int64_t i,
                              double found)
{
    if (!is_float(problem->dtype)) {
        return found == problem->values[i];
    }
    return kci_is_within(&problem->type, found, problem->values[i],
                         problem->bounds[i]);
}

/* Of bool, only the bytes 0 and 1 are values. */
static bool is_canonical(const kci_problem_t *problem,
                         const unsigned char *element)
{
    return problem->dtype != KC_DTYPE_BOOL || *element <= 1;
}

static kci_mismatch_t judge(const kci_problem_t *problem, int64_t i,
                            const unsigned char *element, double found,
                            bool is_written_order)
{
    if (kci_guarded_is_untouched(problem->dtype, element)) {
        return KCI_MISMATCH_UNTOUCHED;
    }
    if (!is_canonical(problem, element) ||
        !is_element_within(problem, i, found)) {
        return KCI_MISMATCH_VALUE;
    }
    if (is_written_order && is_float(problem->dtype) &&
        !kci_is_same(found, problem->written[i])) {
        return KCI_MISMATCH_WRITTEN;
    }
    return KCI_MATCH;
}

static size_t size_of(int32_t dtype)
{
    bool is_word = dtype == KC_DTYPE_F32 || dtype == KC_DTYPE_I32;
    return dtype == KC_DTYPE_BOOL ? 1 : (is_word ? 4 : 8);
}

kci_comparison_t kci_compare(const kci_problem_t *problem,
                             const unsigned char *elements,
                             bool is_written_order)
{
    kci_comparison_t result = {.mismatch = KCI_MATCH};
    for (int64_t i = 0; i < problem->count; i++) {
        const unsigned char *element =
            elements + (size_t)i * size_of(problem->dtype);
        double found = kci_element_as_double(problem->dtype, element);
        bool is_open = isinf(problem->bounds[i]) && !is_written_order;
        result.open_count += is_open;
        result.checked_count += !is_open;
        kci_mismatch_t mismatch =
            judge(problem, i, element, found, is_written_order);
        if (result.mismatch == KCI_MATCH && mismatch != KCI_MATCH) {
            result.mismatch = mismatch;
            result.place = i;
            result.found = found;
        }
    }
    return result;
}
