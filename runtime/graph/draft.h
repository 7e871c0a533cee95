/* SPDX-License-Identifier: Apache-2.0
 *
 * A node that is not in the graph yet: what is known of it, the checks in
 * the order of the specification, and the error that names it.
 */
#ifndef KC_GRAPH_DRAFT_H
#define KC_GRAPH_DRAFT_H

#include "graph/kinds.h"

typedef struct kci_draft {
    const kc_graph_t *graph; /* the nodes before it; borrowed */
    int32_t kind;
    const uint32_t *parents; /* borrowed */
    uint32_t parent_count;
    kci_tensor_type_t declared;
    const char *name; /* borrowed; NULL: none */
    bool is_trainable;
    bool is_literal;            /* a const that brings its value */
    const void *literal;        /* its elements; borrowed */
    uint8_t axes[2];            /* of a transpose, as they were given */
    kc_attributes_t attributes; /* of an operation that has any */
    kci_demand_t demand;        /* written by kci_draft_infer */
} kci_draft_t;

/* A node of another graph with everything that it holds, to be appended to
 * `to`; borrowed from `from`, which is well formed. */
void kci_draft_of_node(const kc_graph_t *from, uint32_t node,
                       const kc_graph_t *to, kci_draft_t *out_draft);
/* kci_shape_check with the extents in the error; a fault of this status. */
KC_MUST_USE kc_status_t kci_check_declared_shape(int32_t rank,
                                                 const int64_t *dims,
                                                 kc_status_t fault,
                                                 kc_error_t *error);
/* A value of the type has an address for each byte. With a named extent the
 * name counts as 1: it is asked again when it is bound. */
KC_MUST_USE kc_status_t kci_check_declared_size(const kci_tensor_type_t *type,
                                                kc_error_t *error);
/* The name of a const, or of a port: an input or output, which a command
 * line gives as NAME=FILE. */
KC_MUST_USE kc_status_t kci_check_name(const char *name, bool is_port,
                                       kc_error_t *error);
/* Number of parents, then that each comes before the node. */
KC_MUST_USE kc_status_t kci_draft_check_parents(const kci_draft_t *draft,
                                                kc_error_t *error);
/* Names and marks that only some kinds have. */
KC_MUST_USE kc_status_t kci_draft_check_marks(const kci_draft_t *draft,
                                              kc_error_t *error);
/* From the file; the parents are checked. */
KC_MUST_USE kc_status_t kci_draft_read_attributes(kci_draft_t *draft,
                                                  const json_t *object,
                                                  kc_error_t *error);
/* The inferred type is the declared one. */
KC_MUST_USE kc_status_t kci_draft_infer(kci_draft_t *draft, kc_error_t *error);

/* Puts "node 4 (slice {"axis":0}, parents [1]): " in front of the error;
 * `attributes` is what to print after the kind, "" for nothing. */
void kci_draft_name_error(const kci_draft_t *draft, const char *attributes,
                          kc_error_t *error);
/* A file name as errors print it: long ones keep their end. */
#define KCI_SOURCE_TEXT_SIZE 96
void kci_format_source(const char *source, char out[KCI_SOURCE_TEXT_SIZE]);

#endif
