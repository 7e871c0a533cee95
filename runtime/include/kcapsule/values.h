/* SPDX-License-Identifier: Apache-2.0
 *
 * Tensors and weight files. A tensor is a DLPack view over memory of the
 * runtime's allocator or of the application. Used by one thread at a time.
 */
#ifndef KCAPSULE_VALUES_H
#define KCAPSULE_VALUES_H

#include <kcapsule/runtime.h>
#include <kcapsule/tensor.h>

KC_BEGIN_DECLS

/* Dense, row-major, zeroed. */
KC_API KC_MUST_USE kc_status_t kc_tensor_create(kc_runtime_t *runtime,
                                                int32_t dtype, int32_t rank,
                                                const int64_t *dims,
                                                kc_tensor_t **out_tensor,
                                                kc_error_t *error);
/* Borrows `data` until the tensor is released. `strides` count elements;
 * NULL: dense. */
KC_API KC_MUST_USE kc_status_t
kc_tensor_wrap(kc_runtime_t *runtime, int32_t dtype, int32_t rank,
               const int64_t *dims, const int64_t *strides, void *data,
               kc_tensor_t **out_tensor, kc_error_t *error);
/* NumPy array files; nothing is cast, column order is refused. */
KC_API KC_MUST_USE kc_status_t kc_tensor_read_npy(kc_runtime_t *runtime,
                                                  const char *path,
                                                  kc_tensor_t **out_tensor,
                                                  kc_error_t *error);
/* The file appears complete or not at all. */
KC_API KC_MUST_USE kc_status_t kc_tensor_write_npy(const kc_tensor_t *tensor,
                                                   const char *path,
                                                   kc_error_t *error);
KC_API void kc_tensor_release(kc_tensor_t *tensor);
/* Borrowed; valid as long as the tensor. */
KC_API DLTensor *kc_tensor_view(kc_tensor_t *tensor);

/* A safetensors file; entries are read when a graph asks for them. */
KC_API KC_MUST_USE kc_status_t kc_weights_open(kc_runtime_t *runtime,
                                               const char *path,
                                               kc_weights_t **out_weights,
                                               kc_error_t *error);
/* Weights from tensors of the application, which are retained under the
 * given names. */
KC_API KC_MUST_USE kc_status_t
kc_weights_from_tensors(kc_runtime_t *runtime, const char *const *names,
                        kc_tensor_t *const *tensors, size_t count,
                        kc_weights_t **out_weights, kc_error_t *error);
KC_API void kc_weights_release(kc_weights_t *weights);
KC_API size_t kc_weights_count(const kc_weights_t *weights);
KC_API const char *kc_weights_name(const kc_weights_t *weights, size_t index);
/* The values of the consts of a graph, in the order of kc_graph_const: tensors
 * of the caller's (kc_tensor_release) that share the memory of the weights.
 * `count` is kc_graph_const_count. KC_ERR_NOT_FOUND names a const without an
 * entry; one of another type or shape is an error that names both. */
KC_API KC_MUST_USE kc_status_t kc_weights_consts(kc_weights_t *weights,
                                                 const kc_graph_t *graph,
                                                 kc_tensor_t **out_tensors,
                                                 size_t count,
                                                 kc_error_t *error);
/* SHA-256 of the file, "" for weights from tensors. */
KC_API const char *kc_weights_sha256(const kc_weights_t *weights);

KC_END_DECLS

#endif
