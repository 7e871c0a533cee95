/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Graphs that are a function of a seed: 5 to 30 operations over all kinds
 * that have a gradient on the cpu, with shared operands, unused nodes,
 * detached values and empty tensors among them. */
#ifndef KC_TESTS_UNIT_AUTOGRAD_RANDOM_GRAPH_H
#define KC_TESTS_UNIT_AUTOGRAD_RANDOM_GRAPH_H

#include <stdarg.h>

#include "graph/builder.h"

kc_graph_t *random_graph(uint64_t seed);

#define RANDOM_NODES_MAX 256

/* For the files that draw. A value is the id of a node. */
typedef struct random_graph {
    kc_graph_builder_t *builder;
    uint64_t state;
    int32_t dtype;
    int64_t extent_max;
    kci_shape_t shapes[RANDOM_NODES_MAX]; /* by id */
    uint32_t floats[RANDOM_NODES_MAX];    /* values to draw from */
    uint32_t float_count;
    uint32_t node_count;
} random_graph_t;

/* low <= result <= high */
int64_t random_integer(random_graph_t *graph, int64_t low, int64_t high);
/* A new input or const of that name; `dtype` is the graph's for floats. */
uint32_t random_leaf(random_graph_t *graph, const char *name, int32_t dtype,
                     const kci_shape_t *shape);
/* A value of the graph of this shape, or a new leaf. */
uint32_t random_like(random_graph_t *graph, const kci_shape_t *shape);
/* Adds an operation; `attributes` is a format of a JSON object, NULL: none. */
void random_apply(random_graph_t *graph, const char *kind,
                  const uint32_t *parents, uint32_t parent_count,
                  const kci_shape_t *shape, const char *attributes, ...)
    KC_PRINTF(6, 7);
/* A shape from its extents. */
kci_shape_t random_shape(int32_t rank, const int64_t *dims);

/* One operation on `x`; nothing when it does not fit its shape. */
typedef void (*random_draw_fn)(random_graph_t *graph, uint32_t x);
extern const random_draw_fn random_layout[];
extern const size_t random_layout_count;
extern const random_draw_fn random_spatial[];
extern const size_t random_spatial_count;

#endif
