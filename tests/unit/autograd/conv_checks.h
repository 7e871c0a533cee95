/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * What the rules of conv and conv_transpose are both held to.
 */
#ifndef KC_TESTS_UNIT_AUTOGRAD_CONV_CHECKS_H
#define KC_TESTS_UNIT_AUTOGRAD_CONV_CHECKS_H

#include "unit/autograd/conv_loops.h"

/* The bits of the written order, over ten geometries of the seeds from
 * `first_seed` on. */
void conv_check_bits(int32_t op, uint64_t first_seed);
/* Central differences in double, with a bias and without. */
void conv_check_differences(int32_t op);
/* No sample, no channel of x, no channel of the result, no cell of x. A window
 * fits the empty plane with `padding` before its last axis. */
void conv_check_empty_sums(const conv_case_t *shape, int64_t padding);
/* Of one sample of the shape, the first element of whose cotangent is
 * infinite: just the elements that `reaches` names are not finite. */
typedef bool (*conv_reach_fn)(int input, int64_t element);
void conv_check_infinite_cotangent(const conv_case_t *shape,
                                   conv_reach_fn reaches);

#endif
