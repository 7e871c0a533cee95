/* SPDX-License-Identifier: Apache-2.0
 *
 * Consts are found by name once, through a sorted list; inputs and outputs
 * by their place. Every mismatch names node, port and both types.
 */
#include "exec/graph_values.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/label.h"
#include "dispatch/guard.h"
#include "graph/kinds.h"

static const char *node_name(const kc_graph_t *graph, uint32_t node)
{
    uint32_t name = graph->nodes[node].name;
    return name == KCI_NO_INDEX ? "" : graph->names[name];
}

void kci_graph_ports_release(kci_graph_ports_t *ports)
{
    kci_free(ports->inputs);
    kci_free(ports->consts);
    *ports = (kci_graph_ports_t){0};
}

static void collect_ports(const kc_graph_t *graph, kci_graph_ports_t *ports)
{
    ports->input_count = 0;
    ports->const_count = 0;
    for (uint32_t node = 0; node < graph->node_count; node++) {
        kci_kind_role_t role = kci_kind(graph->nodes[node].kind)->role;
        if (role == KCI_ROLE_INPUT) {
            ports->inputs[ports->input_count++] = node;
        } else if (role == KCI_ROLE_CONST) {
            ports->consts[ports->const_count++] = node;
        }
    }
}

kc_status_t kci_graph_ports_create(const kc_graph_t *graph,
                                   kci_graph_ports_t *out_ports,
                                   kc_error_t *error)
{
    void *inputs = NULL;
    void *consts = NULL;
    if (graph->dim_name_count > 0) {
        return kci_fail(error, KC_ERR_GRAPH,
                        "%s: expected every extent as a number, found the "
                        "name %s",
                        graph->source, graph->dim_names[0]);
    }
    KC_RETURN_IF_ERROR(
        kci_alloc_array(graph->node_count, sizeof(uint32_t), &inputs, error));
    kc_status_t status =
        kci_alloc_array(graph->node_count, sizeof(uint32_t), &consts, error);
    if (status != KC_OK) {
        kci_free(inputs);
        return status;
    }
    *out_ports = (kci_graph_ports_t){.inputs = inputs, .consts = consts};
    collect_ports(graph, out_ports);
    return KC_OK;
}

kc_status_t kci_check_port_counts(const kc_graph_t *graph,
                                  const kci_graph_ports_t *ports,
                                  size_t input_count, size_t output_count,
                                  kc_error_t *error)
{
    if (input_count != ports->input_count) {
        return kci_fail(error, KC_ERR_ARGUMENT,
                        "%s: expected %zu inputs, found %zu", graph->source,
                        ports->input_count, input_count);
    }
    if (output_count != graph->output_count) {
        return kci_fail(error, KC_ERR_ARGUMENT,
                        "%s: expected %u outputs, found %zu", graph->source,
                        (unsigned)graph->output_count, output_count);
    }
    return KC_OK;
}

static bool has_type(const DLTensor *view, const kci_tensor_type_t *type)
{
    if (kc_tensor_dtype(view) != type->dtype ||
        view->ndim != type->shape.rank ||
        (view->ndim > 0 && view->shape == NULL)) {
        return false;
    }
    for (int32_t axis = 0; axis < view->ndim; axis++) {
        if (view->shape[axis] != type->shape.dims[axis]) {
            return false;
        }
    }
    return true;
}

void kci_type_text(int32_t dtype, int32_t rank, const int64_t *dims,
                   char out[KCI_TYPE_TEXT_SIZE])
{
    char shape[KCI_SHAPE_TEXT_SIZE] = "without shape";
    if (rank < 0 || rank > KC_MAX_RANK) {
        snprintf(shape, sizeof shape, "of rank %d", (int)rank);
    } else if (rank == 0 || dims != NULL) {
        kci_shape_format(rank, dims, NULL, shape, sizeof shape);
    }
    snprintf(out, KCI_TYPE_TEXT_SIZE, "%s %.140s",
             kci_label(&kci_dtypes, dtype), shape);
}

static kc_status_t refuse_type(uint32_t node, const char *role,
                               const char *name, const DLTensor *view,
                               const kci_tensor_type_t *type, kc_error_t *error)
{
    char expected[KCI_TYPE_TEXT_SIZE];
    char found[KCI_TYPE_TEXT_SIZE];
    kci_type_text(type->dtype, type->shape.rank, type->shape.dims, expected);
    kci_type_text(kc_tensor_dtype(view), view->ndim, view->shape, found);
    return kci_fail(error, KC_ERR_TENSOR,
                    "%s: %s %s (node %u): expected %s, found %s",
                    kc_tensor_dtype(view) == type->dtype ? KCI_GUARD_SHAPE
                                                         : KCI_GUARD_DTYPE,
                    role, name, (unsigned)node, expected, found);
}

const char *kci_view_memory_fault(const DLTensor *view)
{
    kci_byte_range_t range;
    if (!kci_view_byte_range(view, &range)) {
        return "strides that are negative or lead out of the address space";
    }
    if (range.start == range.end) {
        return NULL;
    }
    if (view->data == NULL) {
        return "no memory";
    }
    return range.start % (view->dtype.bits / 8u) != 0
               ? "an address that is not aligned to the element"
               : NULL;
}

kc_status_t kci_check_graph_view(const kc_graph_t *graph, uint32_t node,
                                 const char *role, const char *name,
                                 const DLTensor *view, kc_error_t *error)
{
    kci_tensor_type_t type;
    kci_graph_node_type(graph, node, &type);
    if (view == NULL) {
        return kci_fail(error, KC_ERR_TENSOR,
                        "%s: %s %s (node %u): expected a tensor, found none",
                        KCI_GUARD_SHAPE, role, name, (unsigned)node);
    }
    if (view->device.device_type != kDLCPU) {
        return kci_fail(error, KC_ERR_TENSOR,
                        "%s: %s %s (node %u): expected device cpu, found "
                        "DLPack device %d",
                        KCI_GUARD_DEVICE, role, name, (unsigned)node,
                        (int)view->device.device_type);
    }
    if (!has_type(view, &type)) {
        return refuse_type(node, role, name, view, &type, error);
    }
    const char *fault = kci_view_memory_fault(view);
    if (fault != NULL) {
        return kci_fail(error, KC_ERR_TENSOR,
                        "%s: %s %s (node %u): expected usable memory, found "
                        "%s",
                        KCI_GUARD_LAYOUT, role, name, (unsigned)node, fault);
    }
    return KC_OK;
}

kc_status_t kci_copy_view(kci_host_allocator_t *allocator, const DLTensor *view,
                          kc_tensor_t **out_tensor, kc_error_t *error)
{
    kc_tensor_t *tensor = NULL;
    KC_RETURN_IF_ERROR(kci_tensor_create(allocator, kc_tensor_dtype(view),
                                         view->ndim, view->shape, &tensor,
                                         error));
    kci_tensor_copy_elements(view, &tensor->view);
    *out_tensor = tensor;
    return KC_OK;
}

static int compare_names(const void *a, const void *b)
{
    const kci_named_tensor_t *left = a;
    const kci_named_tensor_t *right = b;
    return strcmp(left->name, right->name);
}

kc_status_t kci_graph_copy_literal(const kc_graph_t *graph, uint32_t node,
                                   kci_host_allocator_t *allocator,
                                   kc_tensor_t **out_tensor, kc_error_t *error)
{
    const kci_graph_literal_t *literal = kci_graph_literal(graph, node);
    kci_tensor_type_t type;
    kci_graph_node_type(graph, node, &type);
    KC_RETURN_IF_ERROR(kci_tensor_create(allocator, type.dtype, type.shape.rank,
                                         type.shape.dims, out_tensor, error));
    if (literal->size_bytes != 0) {
        memcpy(kc_tensor_data(&(*out_tensor)->view), literal->bytes,
               literal->size_bytes);
    }
    return KC_OK;
}

static kc_status_t take_const(const kc_graph_t *graph, uint32_t node,
                              kci_host_allocator_t *allocator,
                              const kci_named_tensor_t *sorted, size_t count,
                              kc_tensor_t **out_tensor, kc_error_t *error)
{
    const char *name = node_name(graph, node);
    if (graph->nodes[node].is_literal) {
        return kci_graph_copy_literal(graph, node, allocator, out_tensor,
                                      error);
    }
    kci_named_tensor_t key = {.name = name};
    const kci_named_tensor_t *found =
        count == 0 ? NULL
                   : bsearch(&key, sorted, count, sizeof key, compare_names);
    if (found == NULL) {
        return kci_fail(error, KC_ERR_NOT_FOUND,
                        "const %s (node %u): expected a value, found none",
                        name, (unsigned)node);
    }
    const DLTensor *view = &found->tensor->view;
    KC_RETURN_IF_ERROR(
        kci_check_graph_view(graph, node, "const", name, view, error));
    if (kci_tensor_is_dense(view) &&
        (view->dtype.code != KC_DLPACK_BOOL || kci_bool_is_canonical(view))) {
        return kci_tensor_share(found->tensor, out_tensor, error);
    }
    return kci_copy_view(allocator, view, out_tensor, error);
}

static kc_status_t sort_consts(const kci_named_tensor_t *consts, size_t count,
                               kci_named_tensor_t **out_sorted,
                               kc_error_t *error)
{
    void *memory = NULL;
    KC_RETURN_IF_ERROR(kci_alloc_array(count, sizeof *consts, &memory, error));
    kci_named_tensor_t *sorted = memory;
    if (count > 0) {
        memcpy(sorted, consts, count * sizeof *consts);
        qsort(sorted, count, sizeof *sorted, compare_names);
    }
    for (size_t i = 1; i < count; i++) {
        if (strcmp(sorted[i - 1].name, sorted[i].name) == 0) {
            kc_status_t status =
                kci_fail(error, KC_ERR_DUPLICATE, "const %s is given twice",
                         sorted[i].name);
            kci_free(sorted);
            return status;
        }
    }
    *out_sorted = sorted;
    return KC_OK;
}

kc_status_t kci_graph_take_consts(const kc_graph_t *graph,
                                  const kci_graph_ports_t *ports,
                                  kci_host_allocator_t *allocator,
                                  const kci_named_tensor_t *consts,
                                  size_t count, kc_tensor_t ***out_tensors,
                                  kc_error_t *error)
{
    kci_named_tensor_t *sorted = NULL;
    void *memory = NULL;
    KC_RETURN_IF_ERROR(sort_consts(consts, count, &sorted, error));
    kc_status_t status = kci_alloc_array(ports->const_count,
                                         sizeof(kc_tensor_t *), &memory, error);
    kc_tensor_t **tensors = memory;
    for (size_t i = 0; i < ports->const_count && status == KC_OK; i++) {
        status = take_const(graph, ports->consts[i], allocator, sorted, count,
                            &tensors[i], error);
    }
    kci_free(sorted);
    if (status != KC_OK) {
        for (size_t i = 0; tensors != NULL && i < ports->const_count; i++) {
            kci_tensor_release(tensors[i]);
        }
        kci_free(tensors);
        return status;
    }
    *out_tensors = tensors;
    return KC_OK;
}
