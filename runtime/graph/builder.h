/* SPDX-License-Identifier: Apache-2.0
 *
 * Builds a graph node by node and checks each on the way, in the order of
 * the specification: parent count, parents before the node, attributes,
 * inferred shape equals the declared one. The file reader and applications
 * both come through here.
 */
#ifndef KC_GRAPH_BUILDER_H
#define KC_GRAPH_BUILDER_H

#include "graph/graph.h"

typedef struct kc_graph_builder kc_graph_builder_t;

/* All pointers are borrowed for the call. A dim < 0 is not allowed here; a
 * named leading extent comes by `leading_name` (dims[0] is then ignored). */
typedef struct kci_node_spec {
    const char *kind;
    const uint32_t *parents;
    uint32_t parent_count;
    int32_t dtype;
    int32_t rank;
    const int64_t *dims;
    const char *leading_name; /* NULL: none */
    const char *name;         /* inputs and consts: required; else NULL */
    const json_t *attributes; /* object or NULL */
    bool is_trainable;        /* const only */
} kci_node_spec_t;

KC_MUST_USE kc_status_t kci_graph_builder_create(const char *source,
                                                 kc_graph_builder_t **out,
                                                 kc_error_t *error);
/* A builder that has the nodes of a graph under their ids already, its names of
 * extents and its outputs. The graph stays as it is. */
KC_MUST_USE kc_status_t kci_graph_builder_from_graph(const char *source,
                                                     const kc_graph_t *graph,
                                                     kc_graph_builder_t **out,
                                                     kc_error_t *error);
/* The node's id is the number of nodes before it. On failure the builder
 * stays usable without the node. */
KC_MUST_USE kc_status_t kci_graph_builder_add(kc_graph_builder_t *builder,
                                              const kci_node_spec_t *spec,
                                              uint32_t *out_id,
                                              kc_error_t *error);
/* A node of one catalogue operation, as a file would have it, from attributes
 * that are resolved (NULL: it has none); the checks are the same. `type` is
 * what it declares. */
KC_MUST_USE kc_status_t kci_graph_builder_operation(
    kc_graph_builder_t *builder, int32_t op, const kc_attributes_t *attributes,
    const uint32_t *parents, uint32_t parent_count,
    const kci_tensor_type_t *type, uint32_t *out_id, kc_error_t *error);
/* A const that brings its value, which no weights have to have: dense
 * elements of the type, copied. */
KC_MUST_USE kc_status_t kci_graph_builder_literal(kc_graph_builder_t *builder,
                                                  const kci_tensor_type_t *type,
                                                  const void *elements,
                                                  uint32_t *out_id,
                                                  kc_error_t *error);
/* The nodes so far; borrowed until one is added. */
const kc_graph_t *kci_graph_builder_nodes(const kc_graph_builder_t *builder);
/* Only the first `node_count` nodes stay. Those that go are operations and
 * literals, and no output is one of them. */
void kci_graph_builder_take_back(kc_graph_builder_t *builder,
                                 uint32_t node_count);
KC_MUST_USE kc_status_t kci_graph_builder_output(kc_graph_builder_t *builder,
                                                 const char *name,
                                                 uint32_t node,
                                                 kc_error_t *error);
/* Moves the graph to the caller; the builder is destroyed on KC_OK. */
KC_MUST_USE kc_status_t kci_graph_builder_finish(kc_graph_builder_t *builder,
                                                 kc_graph_t **out_graph,
                                                 kc_error_t *error);
void kci_graph_builder_destroy(kc_graph_builder_t *builder);

#endif
