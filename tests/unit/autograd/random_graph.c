/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * The draw, and operations of any shape. */
#include "unit/autograd/random_graph.h"

#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "unit/expect.h"

/* Steele, Lea, Flood 2014. */
static uint64_t next_bits(random_graph_t *graph)
{
    uint64_t z = graph->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

int64_t random_integer(random_graph_t *graph, int64_t low, int64_t high)
{
    return low + (int64_t)(next_bits(graph) % (uint64_t)(high - low + 1));
}

kci_shape_t random_shape(int32_t rank, const int64_t *dims)
{
    kci_shape_t shape = {.rank = rank};
    for (int32_t axis = 0; axis < rank; axis++) {
        shape.dims[axis] = dims[axis];
    }
    return shape;
}

static uint32_t add_node(random_graph_t *graph, kci_node_spec_t *spec,
                         int32_t dtype, const kci_shape_t *shape)
{
    kc_error_t error = KC_ERROR_INIT;
    uint32_t id = 0;
    spec->dtype = dtype;
    spec->rank = shape->rank;
    spec->dims = shape->dims;
    EXPECT_OK(error, kci_graph_builder_add(graph->builder, spec, &id, &error));
    ck_assert_uint_lt(id, RANDOM_NODES_MAX);
    graph->shapes[id] = *shape;
    graph->node_count = id + 1;
    if (dtype == graph->dtype) {
        graph->floats[graph->float_count++] = id;
    }
    return id;
}

uint32_t random_leaf(random_graph_t *graph, const char *name, int32_t dtype,
                     const kci_shape_t *shape)
{
    char text[64];
    bool is_input = random_integer(graph, 0, 1) != 0;
    snprintf(text, sizeof text, "%s_%u", name, (unsigned)graph->node_count);
    kci_node_spec_t spec = {.kind = is_input ? "input" : "const",
                            .name = text,
                            .is_trainable = !is_input && dtype == graph->dtype};
    return add_node(graph, &spec, dtype, shape);
}

uint32_t random_like(random_graph_t *graph, const kci_shape_t *shape)
{
    for (int attempt = 0; attempt < 4; attempt++) {
        uint32_t value = graph->floats[random_integer(
            graph, 0, (int64_t)graph->float_count - 1)];
        if (kci_shape_equal(&graph->shapes[value], shape)) {
            return value;
        }
    }
    return random_leaf(graph, "leaf", graph->dtype, shape);
}

void random_apply(random_graph_t *graph, const char *kind,
                  const uint32_t *parents, uint32_t parent_count,
                  const kci_shape_t *shape, const char *attributes, ...)
{
    kc_error_t error = KC_ERROR_INIT;
    json_t *json = NULL;
    char text[256];
    if (attributes != NULL) {
        va_list arguments;
        va_start(arguments, attributes);
        vsnprintf(text, sizeof text, attributes, arguments);
        va_end(arguments);
        EXPECT_OK(error, kci_json_parse(text, strlen(text), "attributes", &json,
                                        &error));
    }
    kci_node_spec_t spec = {.kind = kind,
                            .parents = parents,
                            .parent_count = parent_count,
                            .attributes = json};
    add_node(graph, &spec, graph->dtype, shape);
    json_decref(json);
}

static void draw_unary(random_graph_t *graph, uint32_t x)
{
    static const char *const kinds[] = {"abs",     "sqrt", "inv",      "relu",
                                        "sigmoid", "tanh", "softplus", "exp",
                                        "log",     "sin",  "cos",      "gelu"};
    random_apply(graph, kinds[random_integer(graph, 0, 11)], &x, 1,
                 &graph->shapes[x], NULL);
}

static void draw_with_numbers(random_graph_t *graph, uint32_t x)
{
    const kci_shape_t *shape = &graph->shapes[x];
    switch (random_integer(graph, 0, 3)) {
    case 0:
        random_apply(graph, "scale", &x, 1, shape, "{\"factor\": -0.75}");
        return;
    case 1:
        random_apply(graph, "clamp", &x, 1, shape, "{\"lo\": -1, \"hi\": 0.5}");
        return;
    case 2:
        random_apply(graph, "gelu", &x, 1, shape,
                     "{\"approximate\": \"none\"}");
        return;
    default: {
        kci_shape_t scalar = {0};
        uint32_t eps = random_leaf(graph, "eps", graph->dtype, &scalar);
        random_apply(graph, "safe_log", (const uint32_t[]){x, eps}, 2, shape,
                     NULL);
        return;
    }
    }
}

static void draw_binary(random_graph_t *graph, uint32_t x)
{
    static const char *const kinds[] = {"add", "sub", "mul_elem", "max_elem",
                                        "min_elem"};
    uint32_t parents[] = {x, random_integer(graph, 0, 4) == 0
                                 ? x
                                 : random_like(graph, &graph->shapes[x])};
    if (random_integer(graph, 0, 1) != 0) {
        uint32_t first = parents[0];
        parents[0] = parents[1];
        parents[1] = first;
    }
    int64_t choice = random_integer(graph, 0, 5);
    kci_shape_t scalar = {0};
    random_apply(graph, choice == 5 ? "mse_loss" : kinds[choice], parents, 2,
                 choice == 5 ? &scalar : &graph->shapes[x], NULL);
}

static void draw_sum(random_graph_t *graph, uint32_t x)
{
    kci_shape_t scalar = {0};
    random_apply(graph, "sum", &x, 1, &scalar, NULL);
}

static void draw_detach(random_graph_t *graph, uint32_t x)
{
    random_apply(graph, "detach", &x, 1, &graph->shapes[x], NULL);
}

static void draw_along_axis(random_graph_t *graph, uint32_t x)
{
    static const char *const kinds[] = {"softmax", "log_softmax", "reduce_sum",
                                        "reduce_mean"};
    kci_shape_t shape = graph->shapes[x];
    if (shape.rank == 0) {
        return;
    }
    int64_t choice = random_integer(graph, 0, 3);
    int32_t axis = (int32_t)random_integer(graph, 0, shape.rank - 1);
    if (choice >= 2) {
        for (int32_t i = axis; i + 1 < shape.rank; i++) {
            shape.dims[i] = shape.dims[i + 1];
        }
        shape.rank--;
    }
    random_apply(graph, kinds[choice], &x, 1, &shape, "{\"axis\": %d}", axis);
}

static void draw_masked(random_graph_t *graph, uint32_t x)
{
    kci_shape_t shape = graph->shapes[x];
    uint32_t mask = random_leaf(graph, "mask", KC_DTYPE_BOOL, &shape);
    random_apply(graph, "hard_masked_softmax", (const uint32_t[]){x, mask}, 2,
                 &shape, NULL);
}

static void draw_random_source(random_graph_t *graph, uint32_t x)
{
    kci_shape_t scalar = {0};
    if (graph->dtype != KC_DTYPE_F32) {
        return;
    }
    if (random_integer(graph, 0, 1) != 0) {
        random_apply(graph, "rand_uniform", NULL, 0, &graph->shapes[x],
                     "{\"seed\": 7}");
        return;
    }
    uint32_t keep = random_leaf(graph, "var", graph->dtype, &scalar);
    random_apply(graph, "bernoulli_mask", &keep, 1, &graph->shapes[x],
                 "{\"seed\": 8}");
}

static const random_draw_fn draws[] = {
    draw_unary,      draw_unary,  draw_with_numbers, draw_binary,
    draw_binary,     draw_binary, draw_sum,          draw_detach,
    draw_along_axis, draw_masked, draw_random_source};
#define DRAW_COUNT ((int64_t)(sizeof draws / sizeof *draws))

static void draw_operation(random_graph_t *graph)
{
    /* Small values are kept small: nothing grows from what is large. */
    uint32_t x =
        graph
            ->floats[random_integer(graph, 0, (int64_t)graph->float_count - 1)];
    if (kci_shape_element_count(&graph->shapes[x]) > 4096) {
        return;
    }
    int64_t choice = random_integer(
        graph, 0,
        DRAW_COUNT + (int64_t)(random_layout_count + random_spatial_count) - 1);
    if (choice < DRAW_COUNT) {
        draws[choice](graph, x);
        return;
    }
    size_t rest = (size_t)(choice - DRAW_COUNT);
    if (rest < random_layout_count) {
        random_layout[rest](graph, x);
    } else {
        random_spatial[rest - random_layout_count](graph, x);
    }
}

static void draw_leaves(random_graph_t *graph)
{
    int64_t count = random_integer(graph, 1, 4);
    for (int64_t i = 0; i < count; i++) {
        kci_shape_t shape = {.rank = (int32_t)random_integer(graph, 0, 4)};
        for (int32_t axis = 0; axis < shape.rank; axis++) {
            shape.dims[axis] =
                random_integer(graph, 0, 15) == 0
                    ? 0
                    : random_integer(graph, 1,
                                     axis + 2 < shape.rank ? 3
                                                           : graph->extent_max);
        }
        random_leaf(graph, "leaf", graph->dtype, &shape);
    }
}

static void choose_outputs(random_graph_t *graph)
{
    kc_error_t error = KC_ERROR_INIT;
    char name[16];
    int64_t count = random_integer(graph, 1, 4);
    for (int64_t i = 0; i < count; i++) {
        int64_t place =
            i == 0 ? (int64_t)graph->float_count - 1
                   : random_integer(graph, 0, (int64_t)graph->float_count - 1);
        snprintf(name, sizeof name, "y%d", (int)i);
        EXPECT_OK(error,
                  kci_graph_builder_output(graph->builder, name,
                                           graph->floats[place], &error));
    }
}

kc_graph_t *random_graph(uint64_t seed)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_graph_t *finished = NULL;
    static random_graph_t graph;
    memset(&graph, 0, sizeof graph);
    graph.state = seed;
    graph.dtype =
        random_integer(&graph, 0, 3) == 0 ? KC_DTYPE_F64 : KC_DTYPE_F32;
    graph.extent_max = random_integer(&graph, 0, 3) == 0 ? 24 : 4;
    EXPECT_OK(error,
              kci_graph_builder_create("random", &graph.builder, &error));
    draw_leaves(&graph);
    uint32_t leaf_count = graph.node_count;
    int64_t target = random_integer(&graph, 5, 30);
    for (int64_t i = 0; i < 4 * target && graph.node_count < 200 &&
                        graph.node_count < leaf_count + 2 * target;
         i++) {
        draw_operation(&graph);
    }
    choose_outputs(&graph);
    EXPECT_OK(error,
              kci_graph_builder_finish(graph.builder, &finished, &error));
    return finished;
}
