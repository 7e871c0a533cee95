/* SPDX-License-Identifier: Apache-2.0
 *
 * The limits of a capsule in the form in which a call compares them: no
 * field is optional any more.
 */
#ifndef KC_DISPATCH_LIMITS_H
#define KC_DISPATCH_LIMITS_H

#include <stdbool.h>
#include <kcapsule/contract.h>
#include <kcapsule/tensor.h>

typedef struct kci_flat_limits {
    uint32_t dtypes;      /* bits 1u << kc_dtype_t */
    uint32_t ranks;       /* bits 1u << rank       */
    uint32_t input_count_max;
    bool has_size_limits; /* whether extents need to be looked at */
    int64_t extent_max;
    int64_t element_max;
} kci_flat_limits_t;

void kci_flat_limits_make(const kc_limits_t *limits,
                          kci_flat_limits_t *out_limits);

/* What planning would ask of these operands; `output` may be NULL when it is
 * not known yet. False for views that no guard has looked at and that are
 * not even readable: the guards refuse them later. */
typedef struct kci_operand_sizes {
    int32_t dtype;       /* of the first input, or of the output */
    int32_t rank;        /* likewise */
    uint32_t input_count;
    int64_t extent_max;  /* over all operands */
    int64_t element_max; /* over all operands; INT64_MAX when it overflows */
} kci_operand_sizes_t;
bool kci_operand_sizes(const DLTensor *const *inputs, size_t input_count,
                       const DLTensor *output, bool with_extents,
                       kci_operand_sizes_t *out_sizes);

static inline bool kci_flat_limits_accept(const kci_flat_limits_t *limits,
                                          const kci_operand_sizes_t *sizes)
{
    return sizes->dtype >= 0 && (limits->dtypes >> sizes->dtype & 1u) != 0 &&
           (limits->ranks >> sizes->rank & 1u) != 0 &&
           sizes->input_count <= limits->input_count_max &&
           (!limits->has_size_limits ||
            (sizes->extent_max <= limits->extent_max &&
             sizes->element_max <= limits->element_max));
}

#endif
