/* SPDX-License-Identifier: Apache-2.0
 *
 * The named guards, in the order in which a call passes them. Each refuses
 * with KC_ERR_TENSOR and a message that begins with its name; each relies on
 * those before it.
 */
#ifndef KC_DISPATCH_GUARD_H
#define KC_DISPATCH_GUARD_H

#include "dispatch/demand.h"
#include "dispatch/operands.h"
#include "ops/op_info.h"

#define KCI_GUARD_DEVICE        "dispatch.device"
#define KCI_GUARD_DTYPE         "dispatch.dtype"
#define KCI_GUARD_SHAPE         "dispatch.shape"
#define KCI_GUARD_LAYOUT        "dispatch.layout"
#define KCI_GUARD_ALIAS         "dispatch.alias"
#define KCI_GUARD_ELEMENT_COUNT "dispatch.element_count"
#define KCI_GUARD_INDEX_RANGE   "dispatch.index_range"

/* Rank, extents and element count of every operand; device; dtype by the
 * kind of the operand; the catalogue's shape rule, which resolves
 * `attributes`; the type of the output. */
KC_MUST_USE kc_status_t kci_guard_types(const kci_operands_t *operands,
                                        kc_attributes_t *attributes,
                                        kc_error_t *error);
/* The same without an output: gives its type. */
KC_MUST_USE kc_status_t kci_guard_input_types(const kci_operands_t *operands,
                                              kc_attributes_t *attributes,
                                              kci_tensor_type_t *out_type,
                                              kc_error_t *error);
/* Memory where there are elements, strides that are not negative, alignment
 * to the element, an output whose elements are distinct. Whether the memory
 * is really there cannot be known. */
KC_MUST_USE kc_status_t kci_guard_layout(const kci_operands_t *operands,
                                         kc_error_t *error);
/* The output shares no byte with an input, except where limits.overwrites
 * lists the input and both are the same dense memory. */
KC_MUST_USE kc_status_t kci_guard_alias(const kci_operands_t *operands,
                                        kc_error_t *error);
/* The capsule's limits; names the one that is broken. */
KC_MUST_USE kc_status_t kci_guard_limits(const kci_operands_t *operands,
                                         const kci_flat_limits_t *limits,
                                         kc_error_t *error);
/* 0 <= index < extent, for every index of gather and scatter_add. */
KC_MUST_USE kc_status_t kci_guard_indices(const kci_operands_t *operands,
                                          const kc_attributes_t *attributes,
                                          kc_error_t *error);

/* Addresses [start, end) that the elements of a view lie in; equal when it
 * has none. False when strides are negative or the end has no address. */
typedef struct kci_byte_range {
    uintptr_t start;
    uintptr_t end;
} kci_byte_range_t;
bool kci_view_byte_range(const DLTensor *view, kci_byte_range_t *out_range);
static inline bool kci_byte_ranges_overlap(const kci_byte_range_t *a,
                                           const kci_byte_range_t *b)
{
    return a->start < a->end && b->start < b->end && a->start < b->end &&
           b->start < a->end;
}
/* Whether every byte of a bool view of dense memory is 0 or 1. */
bool kci_bool_is_canonical(const DLTensor *view);

#endif
