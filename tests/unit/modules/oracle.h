/* SPDX-License-Identifier: Apache-2.0
 *
 * Meanings that several tests need, as scalar loops in double with every
 * result rounded to the element type. That gives the bits of arithmetic in
 * the type itself: 53 bits are more than twice 24 plus two.
 */
#ifndef KC_TESTS_UNIT_MODULES_ORACLE_H
#define KC_TESTS_UNIT_MODULES_ORACLE_H

#include "unit/modules/operand.h"

/* acc = +0; acc = fl(acc + fl(a[i] * b[i])) in index order. */
double oracle_dot(int32_t dtype, size_t n, const operand_t *a, size_t a_first,
                  size_t a_stride, const operand_t *b, size_t b_first,
                  size_t b_stride);

/* x and y may be equal. `allowed` NULL: all. */
void oracle_softmax(int32_t dtype, size_t n, const double *x,
                    const unsigned char *allowed, double *y);

/* Zeroed memory, never NULL. */
double *new_doubles(size_t count);

#endif
