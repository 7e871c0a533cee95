/* SPDX-License-Identifier: Apache-2.0
 *
 * What operands at hand ask of a capsule's limits: the demand that planning
 * takes from a graph, taken from the tensors of a call.
 */
#ifndef KC_DISPATCH_DEMAND_H
#define KC_DISPATCH_DEMAND_H

#include <kcapsule/tensor.h>
#include "plan/limits.h"

static inline bool kci_limits_have_sizes(const kci_flat_limits_t *limits)
{
    return limits->extent_max != INT64_MAX || limits->element_max != INT64_MAX;
}

/* `output` may be NULL where it is not known yet. Extents are left 0 unless
 * asked for; a count beyond int64_t is INT64_MAX. False for views that no
 * guard has looked at and that cannot be judged: the guards refuse them
 * later. */
bool kci_operand_demand(int32_t op, const DLTensor *const *inputs,
                        size_t input_count, const DLTensor *output,
                        bool with_extents, kci_demand_t *out_demand);

#endif
