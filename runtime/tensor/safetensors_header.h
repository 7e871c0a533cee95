/* SPDX-License-Identifier: Apache-2.0
 *
 * The JSON header of a safetensors file, as a table of entries whose ranges
 * were checked against each other and against the size of the data.
 */
#ifndef KC_TENSOR_SAFETENSORS_HEADER_H
#define KC_TENSOR_SAFETENSORS_HEADER_H

#include "tensor/shape.h"

#define KCI_SAFETENSORS_TYPE_SIZE 16

typedef struct kci_safetensors_entry {
    char *name;                           /* owned */
    char type[KCI_SAFETENSORS_TYPE_SIZE]; /* as in the file, cut */
    int32_t dtype;                        /* -1: a type that we do not load */
    kci_shape_t shape;
    int64_t begin; /* in the data */
    int64_t end;
} kci_safetensors_entry_t;

typedef struct kci_safetensors_header {
    kci_safetensors_entry_t *entries; /* owned, in the order of the file */
    size_t count;
} kci_safetensors_header_t;

/* `data_size` is what follows the header in the file. */
KC_MUST_USE kc_status_t kci_safetensors_header_parse(
    const char *text, size_t length, const char *name, uint64_t data_size,
    kci_safetensors_header_t *out_header, kc_error_t *error);
void kci_safetensors_header_release(kci_safetensors_header_t *header);

#endif
