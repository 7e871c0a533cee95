/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading attributes from JSON by a table. Operations have one table each;
 * kinds of graph nodes whose file attributes differ from those of their
 * operation bring their own.
 */
#ifndef KC_OPS_ATTRIBUTE_TABLE_H
#define KC_OPS_ATTRIBUTE_TABLE_H

#include "ops/op_info.h"

/* A default text is the value as it would be printed, the name of an earlier
 * attribute of the same kind, or a formula that the shape rule works out
 * from the operands: a number is NaN until then. */
KC_MUST_USE kc_status_t kci_attributes_read(const kci_op_request_t *request,
                                            const kci_attribute_info_t *table,
                                            size_t count, const json_t *object,
                                            kc_attributes_t *out_attributes,
                                            kc_error_t *error);

/* One value. `axis_count` is the number of entries of arrays, -1 while it is
 * not known: then the value must be a list, and sets it. */
typedef struct kci_attribute_slot {
    const kci_op_request_t *request;
    const kci_attribute_info_t *info;
    void *target;
    int64_t *axis_count;
} kci_attribute_slot_t;

KC_MUST_USE kc_status_t kci_attribute_from_json(
    const kci_attribute_slot_t *slot, const json_t *value, kc_error_t *error);
/* From info->default_text, which is not NULL and no other attribute. */
void kci_attribute_set_default(const kci_attribute_slot_t *slot);

#endif
