/* SPDX-License-Identifier: Apache-2.0
 *
 * safetensors files: eight bytes header length, a JSON header, data. Every
 * length and range is checked against the bytes that are there; ranges must
 * tile the data without gap or overlap. Types F32 F64 BOOL I32 I64; an entry
 * of another type is refused when it is asked for.
 */
#ifndef KC_TENSOR_SAFETENSORS_H
#define KC_TENSOR_SAFETENSORS_H

#include "tensor/tensor.h"

typedef struct kci_safetensors kci_safetensors_t;

/* `bytes` are borrowed until close. `name` is what errors call them. */
KC_MUST_USE kc_status_t kci_safetensors_parse(const unsigned char *bytes,
                                              size_t size, const char *name,
                                              kci_safetensors_t **out_file,
                                              kc_error_t *error);
KC_MUST_USE kc_status_t kci_safetensors_open(const char *path,
                                             kci_safetensors_t **out_file,
                                             kc_error_t *error);
void kci_safetensors_close(kci_safetensors_t *file); /* accepts NULL */
size_t kci_safetensors_count(const kci_safetensors_t *file);
/* Borrowed until close. In the order of the header. */
const char *kci_safetensors_name(const kci_safetensors_t *file, size_t index);
/* SHA-256 of the whole file. */
const char *kci_safetensors_sha256(const kci_safetensors_t *file);
/* A copy of the named entry in memory of `allocator`, owned by the caller;
 * KC_ERR_NOT_FOUND names file and entry. The data of the file itself is read
 * from disk when asked for, so a run holds each weight once. */
KC_MUST_USE kc_status_t kci_safetensors_load(const kci_safetensors_t *file,
                                             const char *tensor_name,
                                             kci_host_allocator_t *allocator,
                                             kc_tensor_t **out_tensor,
                                             kc_error_t *error);

#endif
