/* SPDX-License-Identifier: Apache-2.0
 *
 * The limits of a capsule as plain numbers to compare with, and the one
 * comparison of them with a demand. Inline, because graphs have millions of
 * nodes.
 */
#ifndef KC_PLAN_LIMITS_H
#define KC_PLAN_LIMITS_H

#include <kcapsule/policy.h>
#include "graph/graph.h"

/* Every field holds a limit; what the contract leaves open is the largest
 * value there is. */
typedef struct kci_flat_limits {
    int64_t extent_max;
    int64_t element_max;
    uint32_t dtypes;
    uint32_t ranks;
    uint32_t input_count_max;
} kci_flat_limits_t;

kci_flat_limits_t kci_limits_flatten(const kc_limits_t *limits);

/* The first limit that the demand breaks, in the order of the reasons, or
 * KC_REASON_SELECTED. A named extent is left out of the demand's numbers, so
 * it is judged when it is bound. */
static inline kc_reason_t kci_limits_judge(const kci_flat_limits_t *limits,
                                           const kci_demand_t *demand)
{
    if ((limits->dtypes >> (uint32_t)demand->dtype & 1u) == 0) {
        return KC_REASON_LIMIT_DTYPE;
    }
    if ((limits->ranks >> (uint32_t)demand->rank & 1u) == 0) {
        return KC_REASON_LIMIT_RANK;
    }
    if (demand->extent_max > limits->extent_max) {
        return KC_REASON_LIMIT_EXTENT;
    }
    if (demand->element_max > limits->element_max) {
        return KC_REASON_LIMIT_ELEMENTS;
    }
    if (demand->input_count > limits->input_count_max) {
        return KC_REASON_LIMIT_INPUTS;
    }
    return KC_REASON_SELECTED;
}

#endif
