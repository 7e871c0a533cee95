/* SPDX-License-Identifier: Apache-2.0
 *
 * One entry of a safetensors header: type, shape and range, which must agree
 * with each other.
 */
#ifndef KC_TENSOR_SAFETENSORS_ENTRY_H
#define KC_TENSOR_SAFETENSORS_ENTRY_H

#include <jansson.h>
#include "tensor/safetensors_header.h"

/* Fills all of `*entry` but its name. Errors do not name the tensor. */
KC_MUST_USE kc_status_t
kci_safetensors_entry_parse(const json_t *json, uint64_t data_size,
                            kci_safetensors_entry_t *entry, kc_error_t *error);

#endif
