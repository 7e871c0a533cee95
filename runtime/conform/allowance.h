/* SPDX-License-Identifier: Apache-2.0
 *
 * How far a gradient may be off the exact one, whoever computes it in the
 * element type by the written rule.
 */
#ifndef KC_CONFORM_ALLOWANCE_H
#define KC_CONFORM_ALLOWANCE_H

#include "conform/gradient_case.h"

/* Of every element of one input; `slopes` are those of its `count` elements.
 * What the slopes themselves are off is not in it. `function_ulps`: what a
 * provider states of its functions. */
double kci_gradient_allowance(const kci_gradient_case_t *one,
                              const kci_slope_t *slopes, int64_t count,
                              double function_ulps);

#endif
