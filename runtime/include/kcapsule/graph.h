/* SPDX-License-Identifier: Apache-2.0
 *
 * Graphs: read from a file, or built node by node. A graph that exists is
 * well formed. Immutable. Kinds, parents and attributes: `kcapsule ops`.
 */
#ifndef KCAPSULE_GRAPH_H
#define KCAPSULE_GRAPH_H

#include <kcapsule/api.h>
#include <kcapsule/attributes.h>
#include <kcapsule/tensor.h>

KC_BEGIN_DECLS

/* The most nodes that a graph may have; one more is KC_ERR_GRAPH. */
#define KC_GRAPH_NODES_MAX 16777216

KC_API KC_MUST_USE kc_status_t kc_graph_read(const char *path,
                                             kc_graph_t **out_graph,
                                             kc_error_t *error);
/* `name` is what errors call the text. */
KC_API KC_MUST_USE kc_status_t kc_graph_parse(const char *text, size_t length,
                                              const char *name,
                                              kc_graph_t **out_graph,
                                              kc_error_t *error);
KC_API void kc_graph_release(kc_graph_t *graph);

/* Gives every named extent its value and checks all shapes again. */
KC_API KC_MUST_USE kc_status_t kc_graph_bind(
    kc_graph_t *graph, const char *const *names, const int64_t *values,
    size_t count, kc_graph_t **out_graph, kc_error_t *error);

/* An input, const or output of a graph. A negative leading extent is the name
 * number -1 - extent. `is_trainable`: 1 for a const that is, else 0; written
 * where the caller's struct_size has room for it. An index out of range leaves
 * `*out_port` as it was. */
typedef struct kc_graph_port {
    uint32_t struct_size;
    int32_t dtype;
    const char *name;
    uint32_t node;
    int32_t rank;
    int64_t dims[KC_MAX_RANK];
    int32_t is_trainable;
    uint32_t spare;
} kc_graph_port_t;
KC_API uint32_t kc_graph_node_count(const kc_graph_t *graph);
KC_API size_t kc_graph_input_count(const kc_graph_t *graph);
KC_API void kc_graph_input(const kc_graph_t *graph, size_t index,
                           kc_graph_port_t *out_port);
KC_API size_t kc_graph_const_count(const kc_graph_t *graph);
KC_API void kc_graph_const(const kc_graph_t *graph, size_t index,
                           kc_graph_port_t *out_port);
KC_API size_t kc_graph_output_count(const kc_graph_t *graph);
KC_API void kc_graph_output(const kc_graph_t *graph, size_t index,
                            kc_graph_port_t *out_port);
KC_API size_t kc_graph_extent_name_count(const kc_graph_t *graph);
/* NULL when `index` is out of range. */
KC_API const char *kc_graph_extent_name(const kc_graph_t *graph, size_t index);
/* SHA-256 of the file, or "" for a graph built in memory. */
KC_API const char *kc_graph_sha256(const kc_graph_t *graph);

/* One node as it is executed; pointers are borrowed from the graph. `op` is -1
 * for an input, a const and a detach, which need no kernel. `attributes` are
 * complete (NULL: there are none), `parents` in the order of the operands.
 * `is_flat`: the operand is the parent's value seen as one axis (kind `sum`).
 * `literal`: the dense value of a const that came with the graph, else NULL.
 * Extents and `is_trainable` as in kc_graph_port_t. */
typedef struct kc_graph_node {
    uint32_t struct_size;
    int32_t op; /* kc_op_t */
    int32_t dtype;
    int32_t rank;
    int64_t dims[KC_MAX_RANK];
    const char *kind;
    const char *name; /* of an input or const, else "" */
    const kc_attributes_t *attributes;
    const uint32_t *parents;
    uint32_t parent_count;
    int32_t is_flat;
    const void *literal;
    int32_t is_trainable;
    uint32_t spare;
} kc_graph_node_t;
/* An id out of range leaves `*out_node` as it was. */
KC_API void kc_graph_node(const kc_graph_t *graph, uint32_t node,
                          kc_graph_node_t *out_node);

/* One node as in a graph file; everything is borrowed for the call. A zeroed
 * `is_trainable` means not trainable; in a file, a const of f32 is trainable
 * unless it says otherwise. */
typedef struct kc_node_spec {
    uint32_t struct_size;
    int32_t dtype;
    const char *kind;
    const char *name; /* of input and const, else NULL */
    const uint32_t *parents;
    uint32_t parent_count;
    int32_t rank;
    const int64_t *dims;
    const char *leading_name; /* names the leading extent; else NULL */
    const char *attributes;   /* a JSON object, or NULL */
    int32_t is_trainable;     /* const only */
    uint32_t spare;
} kc_node_spec_t;
KC_API KC_MUST_USE kc_status_t kc_graph_builder_create(
    const char *name, kc_graph_builder_t **out_builder, kc_error_t *error);
/* A builder that begins with everything `graph` has, read from a file or
 * built: nodes keep their ids, names of extents and outputs are there. `name`
 * is that of the new graph; `graph` stays as it is and may be released. */
KC_API KC_MUST_USE kc_status_t kc_graph_builder_from_graph(
    const char *name, const kc_graph_t *graph, kc_graph_builder_t **out_builder,
    kc_error_t *error);
/* On failure the builder stays as it was. */
KC_API KC_MUST_USE kc_status_t kc_graph_builder_add(kc_graph_builder_t *builder,
                                                    const kc_node_spec_t *spec,
                                                    uint32_t *out_id,
                                                    kc_error_t *error);
KC_API KC_MUST_USE kc_status_t
kc_graph_builder_output(kc_graph_builder_t *builder, const char *name,
                        uint32_t node, kc_error_t *error);
/* The builder is given up on KC_OK. */
KC_API KC_MUST_USE kc_status_t kc_graph_builder_finish(
    kc_graph_builder_t *builder, kc_graph_t **out_graph, kc_error_t *error);
KC_API void kc_graph_builder_release(kc_graph_builder_t *builder);

/* Attributes of an operation from a JSON object as in graph files (NULL: none
 * given), complete for operands of the types of `inputs`; operands that are
 * absent are NULL. Checks the operands against the operation's rule as well:
 * KC_ERR_GRAPH names what was expected. */
KC_API KC_MUST_USE kc_status_t kc_attributes_parse(
    int32_t op, const char *json, const DLTensor *const *inputs,
    size_t input_count, kc_attributes_t *out_attributes, kc_error_t *error);

KC_END_DECLS

#endif
