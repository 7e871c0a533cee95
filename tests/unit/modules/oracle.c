/* SPDX-License-Identifier: Apache-2.0
 *
 * The written formulas, as plainly as they can be put. Compiled without
 * contraction, like the kernels.
 */
#include "unit/modules/oracle.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>

double oracle_dot(int32_t dtype, size_t n, const operand_t *a, size_t a_first,
                  size_t a_stride, const operand_t *b, size_t b_first,
                  size_t b_stride)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        double product = operand_get(a, a_first + i * a_stride) *
                         operand_get(b, b_first + i * b_stride);
        sum = rounded(dtype, sum + rounded(dtype, product));
    }
    return sum;
}

static int is_allowed(const unsigned char *allowed, size_t i)
{
    return allowed == NULL || allowed[i] != 0;
}

void oracle_softmax(int32_t dtype, size_t n, const double *x,
                    const unsigned char *allowed, double *y)
{
    double largest = NAN;
    double sum = 0;
    int has_any = 0;
    for (size_t i = 0; i < n; i++) {
        if (is_allowed(allowed, i) && (!has_any || x[i] > largest)) {
            largest = x[i];
            has_any = 1;
        }
    }
    for (size_t i = 0; i < n; i++) {
        double shifted = rounded(dtype, x[i] - largest);
        y[i] = is_allowed(allowed, i) ? rounded(dtype, exp(shifted)) : 0;
        sum = rounded(dtype, sum + y[i]);
    }
    for (size_t i = 0; i < n; i++) {
        y[i] = is_allowed(allowed, i) ? rounded(dtype, y[i] / sum) : 0;
    }
}

double *new_doubles(size_t count)
{
    double *values = calloc(count + 1, sizeof *values);
    ck_assert_ptr_nonnull(values);
    return values;
}
