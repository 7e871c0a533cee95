/* SPDX-License-Identifier: Apache-2.0
 *
 * Values of const nodes: entries of a safetensors file, read at their first
 * use, or tensors of the application. A graph is given exactly its consts.
 */
#ifndef KC_EXEC_WEIGHTS_H
#define KC_EXEC_WEIGHTS_H

#include "exec/executor.h"
#include "exec/runtime.h"
#include "tensor/safetensors.h"

typedef struct kc_weights {
    kc_runtime_t *runtime;   /* retained */
    kci_safetensors_t *file; /* NULL: tensors of the application */
    char *path;              /* of the file, for errors; NULL without one */
    size_t count;
    char **names;
    size_t *by_name;       /* indices, sorted by name */
    kc_tensor_t **tensors; /* NULL until read */
    pthread_mutex_t mutex; /* guards `tensors` */
} kc_weights_t;

KC_MUST_USE kc_status_t kci_weights_open(kc_runtime_t *runtime,
                                         const char *path,
                                         kc_weights_t **out_weights,
                                         kc_error_t *error);
/* Shares the storage of the tensors. */
KC_MUST_USE kc_status_t kci_weights_from_tensors(kc_runtime_t *runtime,
                                                 const char *const *names,
                                                 kc_tensor_t *const *tensors,
                                                 size_t count,
                                                 kc_weights_t **out_weights,
                                                 kc_error_t *error);
void kci_weights_release(kc_weights_t *weights); /* accepts NULL */

/* One named tensor for each const node of the graph, in node order; the
 * array is the caller's (kci_free), the tensors are borrowed from `weights`.
 * `weights` may be NULL for a graph without consts. A const that the weights
 * do not have, or have with another type or shape than the graph's, is an
 * error that names node, entry and, if there is one, the file. */
KC_MUST_USE kc_status_t kci_weights_for_graph(kc_weights_t *weights,
                                              const kc_graph_t *graph,
                                              kci_named_tensor_t **out_consts,
                                              size_t *out_count,
                                              kc_error_t *error);

#endif
