/* SPDX-License-Identifier: Apache-2.0
 *
 * One entry of "nodes" into the builder: keys, JSON types and ranges. What
 * the values mean is checked by the builder.
 */
#ifndef KC_GRAPH_PARSE_NODE_H
#define KC_GRAPH_PARSE_NODE_H

#include "graph/builder.h"

/* Shared by all nodes of a file. */
typedef struct kci_node_reader {
    kc_graph_builder_t *builder;
    const char *source; /* as errors print it */
    uint32_t *parents;  /* owned scratch */
    size_t parent_capacity;
} kci_node_reader_t;

KC_MUST_USE kc_status_t kci_parse_node(kci_node_reader_t *reader,
                                       uint32_t index, const json_t *object,
                                       kc_error_t *error);

#endif
