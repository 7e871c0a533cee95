/* SPDX-License-Identifier: Apache-2.0
 *
 * What goes into a graph and comes out of it: values of const nodes by name,
 * and whether a view is what an input or output node declares.
 */
#ifndef KC_EXEC_GRAPH_VALUES_H
#define KC_EXEC_GRAPH_VALUES_H

#include "exec/executor.h"
#include "graph/graph.h"

/* Inputs and consts of a graph in node order, and which node comes from
 * which. */
typedef struct kci_graph_ports {
    uint32_t *inputs; /* node of each input */
    size_t input_count;
    uint32_t *consts; /* node of each const */
    size_t const_count;
} kci_graph_ports_t;

/* Also refuses a graph with named extents, which no one can execute. */
KC_MUST_USE kc_status_t kci_graph_ports_create(const kc_graph_t *graph,
                                               kci_graph_ports_t *out_ports,
                                               kc_error_t *error);
void kci_graph_ports_release(kci_graph_ports_t *ports);

/* KC_ERR_ARGUMENT unless the counts are those of the graph. */
KC_MUST_USE kc_status_t kci_check_port_counts(const kc_graph_t *graph,
                                              const kci_graph_ports_t *ports,
                                              size_t input_count,
                                              size_t output_count,
                                              kc_error_t *error);
/* Device, dtype, shape and memory of a view are those of the node; `role` is
 * "input", "const" or "output", `name` its name. */
KC_MUST_USE kc_status_t kci_check_graph_view(const kc_graph_t *graph,
                                             uint32_t node, const char *role,
                                             const char *name,
                                             const DLTensor *view,
                                             kc_error_t *error);

/* "f32 [2, 3]"; of a view that is no tensor, what is wrong with it. */
#define KCI_TYPE_TEXT_SIZE 160
void kci_type_text(int32_t dtype, int32_t rank, const int64_t *dims,
                   char out[KCI_TYPE_TEXT_SIZE]);

/* Why nobody can read or write a view of a right type and device: strides,
 * missing or misaligned memory; NULL: one can. */
const char *kci_view_memory_fault(const DLTensor *view);

/* A dense tensor for each const node, in node order: shared with the one
 * that was given, or a copy where that is not dense or its bool bytes are
 * not 0 or 1. Literals of the graph need no value: theirs is copied. Owned:
 * release each, then kci_free. */
KC_MUST_USE kc_status_t kci_graph_take_consts(
    const kc_graph_t *graph, const kci_graph_ports_t *ports,
    kci_host_allocator_t *allocator, const kci_named_tensor_t *consts,
    size_t count, kc_tensor_t ***out_tensors, kc_error_t *error);

/* The value of a literal node, in a tensor of its own. */
KC_MUST_USE kc_status_t kci_graph_copy_literal(const kc_graph_t *graph,
                                               uint32_t node,
                                               kci_host_allocator_t *allocator,
                                               kc_tensor_t **out_tensor,
                                               kc_error_t *error);

/* A dense copy in a tensor of its own. */
KC_MUST_USE kc_status_t kci_copy_view(kci_host_allocator_t *allocator,
                                      const DLTensor *view,
                                      kc_tensor_t **out_tensor,
                                      kc_error_t *error);

#endif
