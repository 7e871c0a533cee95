/* SPDX-License-Identifier: Apache-2.0
 *
 * Looking up the values of a graph's const nodes. An entry is read once and
 * kept, so that a run holds each weight once.
 */
#include "exec/weights.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "exec/graph_values.h"
#include "graph/kinds.h"

static kc_status_t allocate_columns(kc_weights_t *weights, kc_error_t *error)
{
    size_t count = weights->count;
    void *column = NULL;
    KC_RETURN_IF_ERROR(kci_alloc_array(count, sizeof(char *), &column, error));
    weights->names = column;
    KC_RETURN_IF_ERROR(kci_alloc_array(count, sizeof(size_t), &column, error));
    weights->by_name = column;
    KC_RETURN_IF_ERROR(
        kci_alloc_array(count, sizeof(kc_tensor_t *), &column, error));
    weights->tensors = column;
    return KC_OK;
}

static kc_status_t create_empty(kc_runtime_t *runtime, size_t count,
                                kc_weights_t **out_weights, kc_error_t *error)
{
    void *memory = NULL;
    KC_RETURN_IF_ERROR(
        kci_alloc_array(1, sizeof(kc_weights_t), &memory, error));
    kc_weights_t *weights = memory;
    weights->runtime = kci_runtime_retain(runtime);
    pthread_mutex_init(&weights->mutex, NULL);

    weights->count = count;
    kc_status_t status = allocate_columns(weights, error);
    if (status != KC_OK) {
        weights->count = 0;
        kci_weights_release(weights);
        return status;
    }
    *out_weights = weights;
    return KC_OK;
}

static int compare_names(const void *a, const void *b, void *context)
{
    char *const *names = context;
    return strcmp(names[*(const size_t *)a], names[*(const size_t *)b]);
}

/* Sorts the index by name; two entries of one name are an error. */
static kc_status_t index_names(kc_weights_t *weights, kc_error_t *error)
{
    for (size_t i = 0; i < weights->count; i++) {
        weights->by_name[i] = i;
    }
    qsort_r(weights->by_name, weights->count, sizeof(size_t), compare_names,
            weights->names);
    for (size_t i = 1; i < weights->count; i++) {
        const char *name = weights->names[weights->by_name[i]];
        if (strcmp(weights->names[weights->by_name[i - 1]], name) == 0) {
            return kci_fail(error, KC_ERR_DUPLICATE,
                            "weights: two tensors are named %s", name);
        }
    }
    return KC_OK;
}

static kc_status_t copy_names_of_file(kc_weights_t *weights, kc_error_t *error)
{
    for (size_t i = 0; i < weights->count; i++) {
        KC_RETURN_IF_ERROR(kci_copy_string(
            kci_safetensors_name(weights->file, i), &weights->names[i], error));
    }
    return index_names(weights, error);
}

kc_status_t kci_weights_open(kc_runtime_t *runtime, const char *path,
                             kc_weights_t **out_weights, kc_error_t *error)
{
    kci_safetensors_t *file = NULL;
    KC_RETURN_IF_ERROR(kci_safetensors_open(path, &file, error));
    kc_weights_t *weights = NULL;
    kc_status_t status =
        create_empty(runtime, kci_safetensors_count(file), &weights, error);
    if (status != KC_OK) {
        kci_safetensors_close(file);
        return status;
    }
    weights->file = file;
    status = kci_copy_string(path, &weights->path, error);
    if (status == KC_OK) {
        status = copy_names_of_file(weights, error);
    }
    if (status != KC_OK) {
        kci_weights_release(weights);
        return status;
    }
    *out_weights = weights;
    return KC_OK;
}

/* False when no entry has that name. */
static bool find_name(const kc_weights_t *weights, const char *name,
                      size_t *out_index)
{
    size_t low = 0;
    size_t high = weights->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(name, weights->names[weights->by_name[middle]]);
        if (order == 0) {
            *out_index = weights->by_name[middle];
            return true;
        }
        low = order > 0 ? middle + 1 : low;
        high = order > 0 ? high : middle;
    }
    return false;
}

static kc_status_t share_tensors(kc_weights_t *weights,
                                 const char *const *names,
                                 kc_tensor_t *const *tensors, kc_error_t *error)
{
    for (size_t i = 0; i < weights->count; i++) {
        KC_RETURN_IF_ERROR(
            kci_copy_string(names[i], &weights->names[i], error));
        KC_RETURN_IF_ERROR(
            kci_tensor_share(tensors[i], &weights->tensors[i], error));
    }
    return index_names(weights, error);
}

kc_status_t kci_weights_from_tensors(kc_runtime_t *runtime,
                                     const char *const *names,
                                     kc_tensor_t *const *tensors, size_t count,
                                     kc_weights_t **out_weights,
                                     kc_error_t *error)
{
    kc_weights_t *weights = NULL;
    KC_RETURN_IF_ERROR(create_empty(runtime, count, &weights, error));
    kc_status_t status = share_tensors(weights, names, tensors, error);
    if (status != KC_OK) {
        kci_weights_release(weights);
        return status;
    }
    *out_weights = weights;
    return KC_OK;
}

void kci_weights_release(kc_weights_t *weights)
{
    if (weights == NULL) {
        return;
    }
    for (size_t i = 0; i < weights->count; i++) {
        kci_free(weights->names[i]);
        kci_tensor_release(weights->tensors[i]);
    }
    kci_free(weights->names);
    kci_free(weights->by_name);
    kci_free(weights->path);
    kci_free(weights->tensors);
    kci_safetensors_close(weights->file);
    pthread_mutex_destroy(&weights->mutex);
    kci_runtime_release(weights->runtime);
    kci_free(weights);
}

static kc_status_t load_entry(kc_weights_t *weights, size_t index,
                              kc_tensor_t **out_tensor, kc_error_t *error)
{
    kc_status_t status = KC_OK;
    pthread_mutex_lock(&weights->mutex);
    if (weights->tensors[index] == NULL) {
        status = kci_safetensors_load(weights->file, weights->names[index],
                                      weights->runtime->allocator,
                                      &weights->tensors[index], error);
    }
    if (status == KC_OK) {
        *out_tensor = weights->tensors[index];
    }
    pthread_mutex_unlock(&weights->mutex);
    return status;
}

static kc_status_t find_const(kc_weights_t *weights, const kc_graph_t *graph,
                              uint32_t node, kci_named_tensor_t *out_const,
                              kc_error_t *error)
{
    const char *name = graph->names[graph->nodes[node].name];
    if (weights == NULL) {
        return kci_fail(error, KC_ERR_NOT_FOUND,
                        "node %u const %s: expected weights, found none", node,
                        name);
    }
    size_t index = 0;
    if (!find_name(weights, name, &index)) {
        return kci_fail(error, KC_ERR_NOT_FOUND,
                        "node %u const %s: the weights have no entry of this "
                        "name (%zu entries)",
                        node, name, weights->count);
    }
    out_const->name = name;
    KC_RETURN_IF_ERROR(load_entry(weights, index, &out_const->tensor, error));
    kc_status_t status = kci_check_graph_view(graph, node, "const", name,
                                              &out_const->tensor->view, error);
    if (status != KC_OK && weights->path != NULL) {
        kci_error_prepend(error, "%s", weights->path);
    }
    return status;
}

static bool is_const(const kc_graph_t *graph, uint32_t node)
{
    return kci_kind(graph->nodes[node].kind)->role == KCI_ROLE_CONST &&
           !graph->nodes[node].is_literal;
}

static size_t count_consts(const kc_graph_t *graph)
{
    size_t count = 0;
    for (uint32_t node = 0; node < graph->node_count; node++) {
        count += is_const(graph, node);
    }
    return count;
}

kc_status_t kci_weights_for_graph(kc_weights_t *weights,
                                  const kc_graph_t *graph,
                                  kci_named_tensor_t **out_consts,
                                  size_t *out_count, kc_error_t *error)
{
    size_t count = count_consts(graph);
    void *memory = NULL;
    KC_RETURN_IF_ERROR(
        kci_alloc_array(count, sizeof(kci_named_tensor_t), &memory, error));
    kci_named_tensor_t *consts = memory;
    size_t found = 0;
    for (uint32_t node = 0; node < graph->node_count; node++) {
        if (!is_const(graph, node)) {
            continue;
        }
        kc_status_t status =
            find_const(weights, graph, node, &consts[found++], error);
        if (status != KC_OK) {
            kci_free(consts);
            return status;
        }
    }
    *out_consts = consts;
    *out_count = count;
    return KC_OK;
}
