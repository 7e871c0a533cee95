/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Operations that ask for certain shapes: products, normalisation, windows,
 * attention. */
#include "unit/autograd/random_graph.h"

#include "unit/operand_fixture.h"

static uint32_t vector(random_graph_t *graph, const char *name, int64_t extent)
{
    kci_shape_t shape = random_shape(1, &extent);
    return random_leaf(graph, name, graph->dtype, &shape);
}

static void draw_matmul(random_graph_t *graph, uint32_t x)
{
    kci_shape_t shape = graph->shapes[x];
    if (shape.rank < 2) {
        return;
    }
    kci_shape_t other = shape;
    other.dims[shape.rank - 2] = shape.dims[shape.rank - 1];
    other.dims[shape.rank - 1] = random_integer(graph, 1, graph->extent_max);
    shape.dims[shape.rank - 1] = other.dims[shape.rank - 1];
    uint32_t b = random_like(graph, &other);
    random_apply(graph, "matmul", (const uint32_t[]){x, b}, 2, &shape, NULL);
}

static void draw_linear(random_graph_t *graph, uint32_t x)
{
    kci_shape_t shape = graph->shapes[x];
    if (shape.rank < 1) {
        return;
    }
    int64_t out = random_integer(graph, 1, graph->extent_max);
    kci_shape_t weight = random_shape(2, DIMS(out, shape.dims[shape.rank - 1]));
    uint32_t parents[3] = {x, random_like(graph, &weight), 0};
    uint32_t count = (uint32_t)random_integer(graph, 2, 3);
    if (count == 3) {
        parents[2] = vector(graph, "bias", out);
    }
    shape.dims[shape.rank - 1] = out;
    random_apply(graph, "linear", parents, count, &shape, NULL);
}

static void draw_layer_norm(random_graph_t *graph, uint32_t x)
{
    kci_shape_t shape = graph->shapes[x];
    if (shape.rank < 1 || kci_shape_element_count(&shape) == 0) {
        return;
    }
    int32_t axis = (int32_t)random_integer(graph, 0, shape.rank - 1);
    kci_shape_t suffix = random_shape(shape.rank - axis, shape.dims + axis);
    uint32_t parents[3] = {x, 0, 0};
    uint32_t count = random_integer(graph, 0, 1) != 0 ? 3 : 1;
    if (count == 3) {
        parents[1] = random_like(graph, &suffix);
        parents[2] = random_like(graph, &suffix);
    }
    random_apply(graph, "layernorm", parents, count, &shape, "{\"axis\": %d}",
                 axis);
}

static void draw_batch_norm(random_graph_t *graph, uint32_t x)
{
    kci_shape_t shape = graph->shapes[x];
    if (shape.rank < 2 || kci_shape_element_count(&shape) == 0) {
        return;
    }
    int64_t channels = shape.dims[1];
    uint32_t gamma = vector(graph, "gamma", channels);
    uint32_t beta = vector(graph, "beta", channels);
    if (random_integer(graph, 0, 1) != 0) {
        uint32_t mean = vector(graph, "mean", channels);
        uint32_t variance = vector(graph, "var", channels);
        random_apply(graph, "batch_norm_eval",
                     (const uint32_t[]){x, gamma, beta, mean, variance}, 5,
                     &shape, "{\"channel_axis\": 1}");
        return;
    }
    random_apply(graph, "batch_norm", (const uint32_t[]){x, gamma, beta}, 3,
                 &shape, "{\"mode\": \"%s\", \"channel_axis\": 1}",
                 random_integer(graph, 0, 1) != 0 ? "sample" : "batch");
}

/* One spatial axis, kernel 2 or 3 where it fits. */
static bool window_of(random_graph_t *graph, uint32_t x, int64_t *out_kernel)
{
    const kci_shape_t *shape = &graph->shapes[x];
    if (shape->rank < 2 || shape->rank > 3 ||
        kci_shape_element_count(shape) == 0 ||
        shape->dims[shape->rank - 1] < 2) {
        return false;
    }
    int64_t extent = shape->dims[shape->rank - 1];
    *out_kernel = random_integer(graph, 1, extent < 3 ? extent : 3);
    return true;
}

/* x, the weight, and perhaps a bias for `out` channels. How many. */
static uint32_t draw_parents(random_graph_t *graph, uint32_t x,
                             const kci_shape_t *weight, int64_t out,
                             uint32_t *parents)
{
    parents[0] = x;
    parents[1] = random_like(graph, weight);
    uint32_t count = (uint32_t)random_integer(graph, 2, 3);
    if (count == 3) {
        parents[2] = vector(graph, "bias", out);
    }
    return count;
}

static void draw_conv(random_graph_t *graph, uint32_t x)
{
    int64_t kernel = 0;
    kci_shape_t shape = graph->shapes[x];
    if (!window_of(graph, x, &kernel)) {
        return;
    }
    int64_t stride = random_integer(graph, 1, 2);
    int64_t padding = random_integer(graph, 0, 1);
    int64_t out = random_integer(graph, 1, 3);
    const kci_shape_t weight =
        random_shape(3, DIMS(out, shape.dims[shape.rank - 2], kernel));
    uint32_t parents[3];
    uint32_t count = draw_parents(graph, x, &weight, out, parents);
    int64_t *extent = &shape.dims[shape.rank - 1];
    *extent = (*extent + 2 * padding - kernel) / stride + 1;
    shape.dims[shape.rank - 2] = out;
    random_apply(graph, "conv", parents, count, &shape,
                 "{\"stride\": %d, \"padding\": %d}", (int)stride,
                 (int)padding);
}

static void draw_conv_transpose(random_graph_t *graph, uint32_t x)
{
    int64_t kernel = 0;
    kci_shape_t shape = graph->shapes[x];
    if (!window_of(graph, x, &kernel)) {
        return;
    }
    int64_t stride = random_integer(graph, 1, 2);
    int64_t out = random_integer(graph, 1, 3);
    const kci_shape_t weight =
        random_shape(3, DIMS(shape.dims[shape.rank - 2], out, kernel));
    uint32_t parents[3];
    uint32_t count = draw_parents(graph, x, &weight, out, parents);
    int64_t *extent = &shape.dims[shape.rank - 1];
    *extent = (*extent - 1) * stride + kernel;
    shape.dims[shape.rank - 2] = out;
    random_apply(graph, "conv_transpose", parents, count, &shape,
                 "{\"stride\": %d}", (int)stride);
}

static void draw_pool(random_graph_t *graph, uint32_t x)
{
    static const char *const kinds[] = {"max_pool", "avg_pool",
                                        "smooth_max_pool"};
    int64_t kernel = 0;
    kci_shape_t shape = graph->shapes[x];
    if (!window_of(graph, x, &kernel)) {
        return;
    }
    int64_t padding = random_integer(graph, 0, kernel / 2);
    int64_t stride = random_integer(graph, 1, 2);
    int64_t choice = random_integer(graph, 0, 2);
    int64_t *extent = &shape.dims[shape.rank - 1];
    *extent = (*extent + 2 * padding - kernel) / stride + 1;
    random_apply(graph, kinds[choice], &x, 1, &shape,
                 "{\"kernel\": [%d], \"stride\": %d, \"padding\": %d%s}",
                 (int)kernel, (int)stride, (int)padding,
                 choice == 2 ? ", \"beta\": 1.5" : "");
}

static void draw_attention(random_graph_t *graph, uint32_t x)
{
    kci_shape_t query = graph->shapes[x];
    if (query.rank < 2 || kci_shape_element_count(&query) == 0) {
        return;
    }
    int32_t row = query.rank - 2;
    kci_shape_t key = query;
    key.dims[row] = random_integer(graph, 1, graph->extent_max);
    kci_shape_t value = key;
    value.dims[row + 1] = random_integer(graph, 1, 3);
    kci_shape_t mask = random_shape(2, DIMS(query.dims[row], key.dims[row]));
    kci_shape_t result = query;
    result.dims[row + 1] = value.dims[row + 1];
    uint32_t parents[4] = {x, random_like(graph, &key),
                           random_like(graph, &value), 0};
    uint32_t count = (uint32_t)random_integer(graph, 3, 4);
    if (count == 4) {
        parents[3] = random_leaf(graph, "mask", KC_DTYPE_BOOL, &mask);
    }
    random_apply(graph, "scaled_dot_product_attention", parents, count, &result,
                 "{\"causal\": %s}",
                 random_integer(graph, 0, 2) == 0 ? "true" : "false");
}

const random_draw_fn random_spatial[] = {
    draw_matmul,     draw_matmul, draw_linear,     draw_linear,
    draw_layer_norm, draw_conv,   draw_batch_norm, draw_conv_transpose,
    draw_pool,       draw_pool,   draw_attention};
const size_t random_spatial_count =
    sizeof random_spatial / sizeof *random_spatial;
