/* SPDX-License-Identifier: Apache-2.0
 *
 * Graphs from texts, for tests: the nodes are given, the rest of the file is
 * put around them.
 */
#ifndef KC_TESTS_UNIT_GRAPH_TEXTS_H
#define KC_TESTS_UNIT_GRAPH_TEXTS_H

#include "graph/builder.h"

/* Nodes as JSON objects separated by commas, without ids: "@" stands for the
 * next id, as in "{@, \"op\": ...}". No outputs. */
kc_status_t parse_nodes(const char *nodes, kc_graph_t **out_graph,
                        kc_error_t *error);
kc_graph_t *graph_of(const char *nodes);
/* A whole file. */
kc_status_t parse_text(const char *text, kc_graph_t **out_graph,
                       kc_error_t *error);
/* PATH below the source folder. */
kc_graph_t *graph_of_file(const char *path);
/* Fails unless the nodes are refused with KC_ERR_GRAPH and these words. */
void expect_refused(const char *nodes, const char *words);
void expect_format_error(const char *nodes, const char *words);

/* Common beginnings. */
#define INPUT_X(shape)                                                         \
    "{@, \"op\": \"input\", \"name\": \"x\", \"shape\": " shape "}"
#define NODE(op, parents, shape)                                               \
    ", {@, \"op\": \"" op "\", \"parents\": " parents ", \"shape\": " shape "}"
#define NODE_WITH(op, parents, shape, attrs)                                   \
    ", {@, \"op\": \"" op "\", \"parents\": " parents ", \"shape\": " shape    \
    ", \"attrs\": " attrs "}"

#endif
