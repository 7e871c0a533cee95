/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Operations that move elements: layout and indices. */
#include <stdio.h>
#include <string.h>

#include "unit/autograd/random_graph.h"
#include "unit/operand_fixture.h"

static void draw_transpose(random_graph_t *graph, uint32_t x)
{
    kci_shape_t shape = graph->shapes[x];
    if (shape.rank < 2) {
        return;
    }
    int32_t a = (int32_t)random_integer(graph, 0, shape.rank - 1);
    int32_t b = (int32_t)random_integer(graph, 0, shape.rank - 1);
    int64_t extent = shape.dims[a];
    if (a == b) {
        return;
    }
    shape.dims[a] = shape.dims[b];
    shape.dims[b] = extent;
    random_apply(graph, "transpose", &x, 1, &shape, "{\"axes\": [%d, %d]}", a,
                 b);
}

/* The axes one further, the last one first. */
static void draw_permute(random_graph_t *graph, uint32_t x)
{
    kci_shape_t shape = graph->shapes[x];
    char text[64] = "";
    for (int32_t axis = 0; axis < shape.rank; axis++) {
        int32_t from = axis == 0 ? shape.rank - 1 : axis - 1;
        shape.dims[axis] = graph->shapes[x].dims[from];
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%d",
                 axis == 0 ? "" : ", ", from);
    }
    random_apply(graph, "permute", &x, 1, &shape, "{\"perm\": [%s]}", text);
}

static void draw_reshape(random_graph_t *graph, uint32_t x)
{
    int64_t count = kci_shape_element_count(&graph->shapes[x]);
    kci_shape_t flat = random_shape(1, &count);
    kci_shape_t column = random_shape(2, DIMS(count, 1));
    if (random_integer(graph, 0, 1) != 0) {
        random_apply(graph, "flatten", &x, 1, &flat, NULL);
    } else {
        random_apply(graph, "reshape", &x, 1, &column, NULL);
    }
}

static void draw_broadcast(random_graph_t *graph, uint32_t x)
{
    kci_shape_t shape = graph->shapes[x];
    if (shape.rank >= 4) {
        return;
    }
    for (int32_t axis = shape.rank; axis > 0; axis--) {
        int64_t extent = shape.dims[axis - 1];
        shape.dims[axis] = extent == 1 ? random_integer(graph, 1, 3) : extent;
    }
    shape.dims[0] = random_integer(graph, 1, 3);
    shape.rank++;
    random_apply(graph, "broadcast_to", &x, 1, &shape, NULL);
}

static void draw_concat(random_graph_t *graph, uint32_t x)
{
    kci_shape_t shape = graph->shapes[x];
    uint32_t parents[4] = {x};
    uint32_t count = (uint32_t)random_integer(graph, 2, 4);
    if (shape.rank == 0) {
        return;
    }
    int32_t axis = (int32_t)random_integer(graph, 0, shape.rank - 1);
    for (uint32_t k = 1; k < count; k++) {
        kci_shape_t piece = graph->shapes[x];
        piece.dims[axis] = random_integer(graph, 0, 2) == 0
                               ? random_integer(graph, 0, 3)
                               : piece.dims[axis];
        parents[k] = random_like(graph, &piece);
        shape.dims[axis] += piece.dims[axis];
    }
    random_apply(graph, "concat", parents, count, &shape, "{\"axis\": %d}",
                 axis);
}

static void draw_slice(random_graph_t *graph, uint32_t x)
{
    kci_shape_t shape = graph->shapes[x];
    if (shape.rank == 0) {
        return;
    }
    int32_t axis = (int32_t)random_integer(graph, 0, shape.rank - 1);
    int64_t start = random_integer(graph, 0, shape.dims[axis]);
    int64_t length = random_integer(graph, 0, shape.dims[axis] - start);
    shape.dims[axis] = length;
    random_apply(graph, "slice", &x, 1, &shape,
                 "{\"axis\": %d, \"start\": %d, \"length\": %d}", axis,
                 (int)start, (int)length);
}

static void draw_indexed(random_graph_t *graph, uint32_t x)
{
    char name[32];
    kci_shape_t shape = graph->shapes[x];
    if (shape.rank == 0) {
        return;
    }
    int32_t axis = (int32_t)random_integer(graph, 0, shape.rank - 1);
    int64_t count =
        shape.dims[axis] == 0 ? 0 : random_integer(graph, 0, shape.dims[axis]);
    kci_shape_t indices = random_shape(1, &count);
    snprintf(name, sizeof name, "idx%d", (int)shape.dims[axis]);
    uint32_t index = random_leaf(
        graph, name,
        random_integer(graph, 0, 1) != 0 ? KC_DTYPE_I64 : KC_DTYPE_I32,
        &indices);
    shape.dims[axis] = count;
    if (random_integer(graph, 0, 1) != 0) {
        random_apply(graph, "gather", (const uint32_t[]){x, index}, 2, &shape,
                     "{\"axis\": %d}", axis);
        return;
    }
    uint32_t source = random_like(graph, &shape);
    random_apply(graph, "scatter_add", (const uint32_t[]){x, index, source}, 3,
                 &graph->shapes[x], "{\"axis\": %d}", axis);
}

const random_draw_fn random_layout[] = {
    draw_transpose, draw_permute, draw_reshape, draw_broadcast,
    draw_concat,    draw_slice,   draw_indexed};
const size_t random_layout_count = sizeof random_layout / sizeof *random_layout;
