/* SPDX-License-Identifier: Apache-2.0
 *
 * Tensors and weights.
 */
#include <kcapsule/values.h>

#include <string.h>

#include "api/argument.h"
#include "base/alloc.h"
#include "exec/weights.h"
#include "tensor/dtype.h"
#include "tensor/npy.h"

/* A shape that would be a format error in a file is the caller's here. */
static kc_status_t as_argument(kc_error_t *error)
{
    if (error != NULL) {
        error->status = KC_ERR_ARGUMENT;
    }
    return KC_ERR_ARGUMENT;
}

static kc_status_t check_type(int32_t dtype, int32_t rank, const int64_t *dims,
                              int64_t *out_count, kc_error_t *error)
{
    if (dtype < 0 || dtype >= KC_DTYPE_COUNT) {
        return kci_fail(error, KC_ERR_ARGUMENT,
                        "tensor: expected a kc_dtype_t, found %d", dtype);
    }
    if (rank > 0 && dims == NULL) {
        return kci_fail(error, KC_ERR_ARGUMENT,
                        "tensor: expected %d extents, found NULL", rank);
    }
    if (kci_shape_check(rank, dims, "tensor", out_count, error) != KC_OK) {
        return as_argument(error);
    }
    return KC_OK;
}

kc_status_t kc_tensor_create(kc_runtime_t *runtime, int32_t dtype, int32_t rank,
                             const int64_t *dims, kc_tensor_t **out_tensor,
                             kc_error_t *error)
{
    KC_REQUIRE(runtime, error);
    KC_REQUIRE(out_tensor, error);
    int64_t count = 0;
    KC_RETURN_IF_ERROR(check_type(dtype, rank, dims, &count, error));
    kc_tensor_t *tensor = NULL;
    KC_RETURN_IF_ERROR(kci_tensor_create(runtime->allocator, dtype, rank, dims,
                                         &tensor, error));
    if (count != 0) {
        memset(kc_tensor_data(&tensor->view), 0,
               (size_t)count * kci_dtype_size(dtype));
    }
    *out_tensor = tensor;
    return KC_OK;
}

kc_status_t kc_tensor_wrap(kc_runtime_t *runtime, int32_t dtype, int32_t rank,
                           const int64_t *dims, const int64_t *strides,
                           void *data, kc_tensor_t **out_tensor,
                           kc_error_t *error)
{
    KC_REQUIRE(runtime, error);
    KC_REQUIRE(out_tensor, error);
    int64_t count = 0;
    KC_RETURN_IF_ERROR(check_type(dtype, rank, dims, &count, error));
    if (count != 0) {
        KC_REQUIRE(data, error);
    }
    return kci_tensor_wrap(runtime->allocator, dtype, rank, dims, strides, data,
                           NULL, NULL, out_tensor, error);
}

kc_status_t kc_tensor_read_npy(kc_runtime_t *runtime, const char *path,
                               kc_tensor_t **out_tensor, kc_error_t *error)
{
    KC_REQUIRE(runtime, error);
    KC_REQUIRE(path, error);
    KC_REQUIRE(out_tensor, error);
    return kci_npy_read(runtime->allocator, path, out_tensor, error);
}

kc_status_t kc_tensor_write_npy(const kc_tensor_t *tensor, const char *path,
                                kc_error_t *error)
{
    KC_REQUIRE(tensor, error);
    KC_REQUIRE(path, error);
    return kci_npy_write(path, &tensor->view, error);
}

void kc_tensor_release(kc_tensor_t *tensor)
{
    kci_tensor_release(tensor);
}

DLTensor *kc_tensor_view(kc_tensor_t *tensor)
{
    return &tensor->view;
}

kc_status_t kc_weights_open(kc_runtime_t *runtime, const char *path,
                            kc_weights_t **out_weights, kc_error_t *error)
{
    KC_REQUIRE(runtime, error);
    KC_REQUIRE(path, error);
    KC_REQUIRE(out_weights, error);
    return kci_weights_open(runtime, path, out_weights, error);
}

kc_status_t kc_weights_from_tensors(kc_runtime_t *runtime,
                                    const char *const *names,
                                    kc_tensor_t *const *tensors, size_t count,
                                    kc_weights_t **out_weights,
                                    kc_error_t *error)
{
    KC_REQUIRE(runtime, error);
    KC_REQUIRE(names, error);
    KC_REQUIRE(tensors, error);
    KC_REQUIRE(out_weights, error);
    for (size_t i = 0; i < count; i++) {
        KC_REQUIRE(names[i], error);
        KC_REQUIRE(tensors[i], error);
    }
    return kci_weights_from_tensors(runtime, names, tensors, count, out_weights,
                                    error);
}

void kc_weights_release(kc_weights_t *weights)
{
    kci_weights_release(weights);
}

size_t kc_weights_count(const kc_weights_t *weights)
{
    return weights->count;
}

const char *kc_weights_name(const kc_weights_t *weights, size_t index)
{
    return index < weights->count ? weights->names[index] : NULL;
}

const char *kc_weights_sha256(const kc_weights_t *weights)
{
    return weights->file != NULL ? kci_safetensors_sha256(weights->file) : "";
}

static kc_status_t share_consts(const kci_named_tensor_t *consts, size_t count,
                                kc_tensor_t **shared, kc_error_t *error)
{
    for (size_t i = 0; i < count; i++) {
        KC_RETURN_IF_ERROR(
            kci_tensor_share(consts[i].tensor, &shared[i], error));
    }
    return KC_OK;
}

kc_status_t kc_weights_consts(kc_weights_t *weights, const kc_graph_t *graph,
                              kc_tensor_t **out_tensors, size_t count,
                              kc_error_t *error)
{
    KC_REQUIRE(weights, error);
    KC_REQUIRE(graph, error);
    if (count != 0) {
        KC_REQUIRE(out_tensors, error);
    }
    kci_named_tensor_t *consts = NULL;
    size_t found = 0;
    void *memory = NULL;
    KC_RETURN_IF_ERROR(
        kci_weights_for_graph(weights, graph, &consts, &found, error));
    kc_status_t status = KC_OK;
    if (found != count) {
        status = kci_fail(error, KC_ERR_ARGUMENT,
                          "%s: expected room for %zu consts, found %zu",
                          graph->source, found, count);
    }
    if (status == KC_OK) {
        status = kci_alloc_array(count, sizeof(kc_tensor_t *), &memory, error);
    }
    kc_tensor_t **shared = memory;
    if (status == KC_OK) {
        status = share_consts(consts, count, shared, error);
    }
    for (size_t i = 0; shared != NULL && i < count; i++) {
        if (status == KC_OK) {
            out_tensors[i] = shared[i];
        } else {
            kci_tensor_release(shared[i]);
        }
    }
    kci_free(shared);
    kci_free(consts);
    return status;
}
