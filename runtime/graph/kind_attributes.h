/* SPDX-License-Identifier: Apache-2.0
 *
 * Readers of kinds whose attributes in a file are not those of their
 * operation: the shape of the result is the declared one, a transpose names
 * two axes, a mode follows from the kind.
 */
#ifndef KC_GRAPH_KIND_ATTRIBUTES_H
#define KC_GRAPH_KIND_ATTRIBUTES_H

#include "ops/op_info.h"

#define KCI_KIND_READER(name)                                                  \
    KC_MUST_USE kc_status_t name(                                              \
        const kci_op_request_t *request, const json_t *object,                 \
        const kci_tensor_type_t *declared, kc_attributes_t *out_attributes,    \
        kc_error_t *error)

KCI_KIND_READER(kci_read_transpose);
/* The axes of an object that kci_read_transpose took. */
void kci_transpose_axes(const json_t *object, uint8_t out_axes[2]);
KCI_KIND_READER(kci_read_target_shape); /* reshape, broadcast_to */
KCI_KIND_READER(kci_read_flatten);
KCI_KIND_READER(kci_read_sum);
KCI_KIND_READER(kci_read_batch_norm_eval);
KCI_KIND_READER(kci_read_batch_norm); /* mode sample or batch */
KCI_KIND_READER(kci_read_random);     /* the key is the builder's to set */

#endif
