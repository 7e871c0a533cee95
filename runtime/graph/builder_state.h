/* SPDX-License-Identifier: Apache-2.0
 *
 * A graph under construction, shared by the builder and by binding. The
 * graph itself is complete after every append.
 */
#ifndef KC_GRAPH_BUILDER_STATE_H
#define KC_GRAPH_BUILDER_STATE_H

#include "graph/attribute_pool.h"
#include "graph/builder.h"
#include "graph/draft.h"

struct kc_graph_builder {
    kc_graph_t *graph; /* owned */
    size_t node_capacity;
    size_t demand_capacity;
    size_t parent_capacity;
    size_t dim_capacity;
    size_t name_capacity;
    size_t dim_name_capacity;
    size_t output_capacity;
    size_t literal_capacity;
    kci_attribute_pool_t attributes;
    /* Owned; name to index. jansson seeds its hashes, so chosen names do not
     * make a look-up slow. */
    json_t *node_names;
    json_t *dim_names;
    json_t *output_names;
    uint32_t random_count; /* nodes that draw numbers, so far */
    char source[KCI_SOURCE_TEXT_SIZE];
};

/* Appends a draft that has passed its checks; nothing changes on failure.
 * Refuses a name that another input or const has. */
KC_MUST_USE kc_status_t kci_builder_append(kc_graph_builder_t *builder,
                                           const kci_draft_t *draft,
                                           kc_error_t *error);
/* Checks the declared shape and what is inferred, then appends: for a draft
 * that brings attributes of its own. */
KC_MUST_USE kc_status_t kci_builder_append_typed(kc_graph_builder_t *builder,
                                                 kci_draft_t *draft,
                                                 kc_error_t *error);
/* Room for a literal and a copy of its elements; the copy then belongs to the
 * node that is appended next. */
KC_MUST_USE kc_status_t kci_builder_copy_literal(kc_graph_builder_t *builder,
                                                 const kci_draft_t *draft,
                                                 kci_graph_literal_t *out_copy,
                                                 kc_error_t *error);
/* The code of a named extent (tensor/shape.h), new or known. */
KC_MUST_USE kc_status_t kci_builder_dim_name(kc_graph_builder_t *builder,
                                             const char *name,
                                             int64_t *out_code,
                                             kc_error_t *error);
/* Forgets names of extents beyond the first `count`. */
void kci_builder_drop_dim_names(kc_graph_builder_t *builder, uint32_t count);

#endif
