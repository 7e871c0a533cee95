/* SPDX-License-Identifier: Apache-2.0
 *
 * Convolutions, channel first. Each output is a fold of products over input
 * channels and taps in row-major order; taps in the padding are skipped, not
 * multiplied by zero. The bias is added last and is a term of the bound.
 */
#include "conform/case.h"

#include <string.h>

/* Where things are in x [lead..., channels, spatial...]. */
typedef struct geometry {
    int32_t spatial;       /* number of spatial axes */
    int32_t channel_axis;  /* of x and of the output */
    const int64_t *x;      /* spatial extents */
    const int64_t *kernel; /* likewise */
    int64_t in_channels;
    int64_t out_channels;
} geometry_t;

static geometry_t geometry_of(const kci_problem_t *problem)
{
    const kci_array_t *x = &problem->inputs[0];
    const kci_array_t *weight = &problem->inputs[1];
    bool is_transposed = problem->op == KC_OP_CONV_TRANSPOSE;
    geometry_t g = {.spatial = weight->rank - 2};
    g.channel_axis = x->rank - g.spatial - 1;
    g.x = x->shape + g.channel_axis + 1;
    g.kernel = weight->shape + 2;
    g.in_channels = x->shape[g.channel_axis];
    g.out_channels = weight->shape[is_transposed ? 1 : 0];
    return g;
}

static int64_t out_extent(const kci_problem_t *problem, const geometry_t *g,
                          int32_t i)
{
    const kc_conv_attributes_t *conv = &problem->attributes.u.conv;
    int64_t n = g->x[i];
    int64_t k = g->kernel[i];
    if (problem->op == KC_OP_CONV_TRANSPOSE) {
        return n == 0 ? 0
                      : (n - 1) * conv->stride[i] + k - 2 * conv->padding[i];
    }
    int64_t reach = conv->dilation[i] * (k - 1) + 1;
    return (n + conv->padding[i] + conv->padding_after[i] - reach) /
               conv->stride[i] +
           1;
}

/* The cell of x that meets output `q` at tap `tap`; false: none does. */
static bool meets(const kci_problem_t *problem, const geometry_t *g,
                  const int64_t *q, const int64_t *tap, int64_t *out_cell)
{
    const kc_conv_attributes_t *conv = &problem->attributes.u.conv;
    for (int32_t i = 0; i < g->spatial; i++) {
        int64_t at = q[i] * conv->stride[i] + tap[i] * conv->dilation[i] -
                     conv->padding[i];
        if (problem->op == KC_OP_CONV_TRANSPOSE) {
            at = q[i] + conv->padding[i] - tap[i];
            if (at < 0 || at % conv->stride[i] != 0) {
                return false;
            }
            at /= conv->stride[i];
        }
        if (at < 0 || at >= g->x[i]) {
            return false;
        }
        out_cell[i] = at;
    }
    return true;
}

/* Adds the products of one input channel. */
static void add_channel(const kci_problem_t *problem, const geometry_t *g,
                        const double *x, const double *weights,
                        const int64_t *q, kci_fold_t *fold)
{
    int64_t tap[KC_MAX_RANK] = {0};
    int64_t cell[KC_MAX_RANK];
    int64_t taps = kci_extent_product(g->kernel, 0, g->spatial);
    for (int64_t i = 0; i < taps; i++) {
        if (meets(problem, g, q, tap, cell)) {
            double value = x[kci_place_of(g->spatial, g->x, cell)];
            kci_fold_add(fold, kci_tracked_multiply(
                                   &problem->type, kci_tracked_exact(value),
                                   kci_tracked_exact(weights[i])));
        }
        kci_next_index(g->spatial, g->kernel, tap);
    }
}

/* Weight of output channel o and input channel c, which counts within the
 * group for conv: [out, in / groups, kernel...] or [in, out, kernel...]. */
static const double *weights_of(const kci_problem_t *problem,
                                const geometry_t *g, int64_t o, int64_t c)
{
    const kci_array_t *weight = &problem->inputs[1];
    int64_t taps = kci_extent_product(g->kernel, 0, g->spatial);
    int64_t row = problem->op == KC_OP_CONV_TRANSPOSE ? c : o;
    int64_t column = problem->op == KC_OP_CONV_TRANSPOSE ? o : c;
    return weight->values + (row * weight->shape[1] + column) * taps;
}

static kci_tracked_t output(const kci_problem_t *problem, const geometry_t *g,
                            int64_t batch, int64_t o, const int64_t *q)
{
    bool is_transposed = problem->op == KC_OP_CONV_TRANSPOSE;
    int64_t groups = is_transposed ? 1 : problem->attributes.u.conv.groups;
    int64_t width = g->in_channels / groups;
    int64_t first = o / (g->out_channels / groups) * width;
    int64_t cells = kci_extent_product(g->x, 0, g->spatial);
    kci_fold_t fold = kci_fold_begin(&problem->type);
    for (int64_t c = 0; c < width; c++) {
        const double *x = problem->inputs[0].values +
                          (batch * g->in_channels + first + c) * cells;
        add_channel(problem, g, x, weights_of(problem, g, o, c), q, &fold);
    }
    if (kci_problem_has(problem, 2)) {
        kci_fold_add(&fold, kci_tracked_exact(problem->inputs[2].values[o]));
    }
    return kci_fold_sum(&fold);
}

kc_status_t kci_oracle_conv(kci_problem_t *problem, kc_error_t *error)
{
    geometry_t g = geometry_of(problem);
    int64_t shape[KC_MAX_RANK];
    int64_t index[KC_MAX_RANK] = {0};
    memcpy(shape, problem->inputs[0].shape, sizeof shape);
    shape[g.channel_axis] = g.out_channels;
    for (int32_t i = 0; i < g.spatial; i++) {
        shape[g.channel_axis + 1 + i] = out_extent(problem, &g, i);
    }
    kc_status_t status =
        kci_problem_shape(problem, problem->inputs[0].rank, shape, error);
    for (int64_t i = 0; status == KC_OK && i < problem->count; i++) {
        int64_t batch = kci_place_of(g.channel_axis, shape, index);
        kci_expect(problem, i,
                   output(problem, &g, batch, index[g.channel_axis],
                          index + g.channel_axis + 1));
        kci_next_index(problem->rank, shape, index);
    }
    return status;
}

static void draw_axis(kci_case_t *trial, int32_t i, int64_t *kernel,
                      int64_t *extent)
{
    kci_draw_t *draw = &trial->draw;
    kc_conv_attributes_t *conv = &trial->attributes.u.conv;
    bool is_line = conv->spatial_rank == 1;
    *kernel = kci_draw_integer(draw, 1, is_line ? 5 : 3);
    *extent = kci_draw_extent(draw, is_line ? kci_case_budget(trial, 65) : 8);
    conv->stride[i] = kci_draw_integer(draw, 1, 3);
    if (trial->op == KC_OP_CONV_TRANSPOSE) {
        /* What padding takes off must leave something. */
        int64_t all = (*extent - 1) * conv->stride[i] + *kernel;
        int64_t most = (all - 1) / 2;
        conv->padding[i] = kci_draw_integer(draw, 0, most < 2 ? most : 2);
        conv->padding_after[i] = conv->padding[i];
        conv->dilation[i] = 1;
        return;
    }
    conv->padding[i] = kci_draw_integer(draw, 0, 3);
    conv->padding_after[i] = kci_draw_integer(draw, 0, 3);
    conv->dilation[i] = kci_draw_integer(draw, 1, 3);
    int64_t reach = conv->dilation[i] * (*kernel - 1) + 1;
    int64_t least = reach - conv->padding[i] - conv->padding_after[i];
    *extent = *extent < least ? least : *extent;
}

static void draw_channels(kci_case_t *trial, int64_t *in, int64_t *out,
                          int64_t *weight)
{
    kci_draw_t *draw = &trial->draw;
    kc_conv_attributes_t *conv = &trial->attributes.u.conv;
    bool is_transposed = trial->op == KC_OP_CONV_TRANSPOSE;
    conv->groups = is_transposed ? 1 : kci_draw_integer(draw, 1, 3);
    int64_t width = kci_draw_integer(draw, kci_draw_chance(draw, 5) ? 0 : 1, 4);
    int64_t height =
        kci_draw_integer(draw, kci_draw_chance(draw, 5) ? 0 : 1, 4);
    *in = width * conv->groups;
    *out = height * conv->groups;
    weight[0] = is_transposed ? *in : *out;
    weight[1] = is_transposed ? *out : width;
}

void kci_draw_conv(kci_case_t *trial)
{
    kci_draw_t *draw = &trial->draw;
    kc_conv_attributes_t *conv = &trial->attributes.u.conv;
    int32_t spatial = (int32_t)kci_draw_integer(draw, 1, 3);
    int32_t lead = (int32_t)kci_draw_integer(draw, 0, 2);
    int64_t shape[KC_MAX_RANK];
    int64_t weight[KC_MAX_RANK];
    int64_t out = 0;
    conv->spatial_rank = spatial;
    kci_draw_extents(draw, lead, trial->is_large ? 12 : 3, shape);
    kci_case_emptiness(trial, lead, shape);
    draw_channels(trial, &shape[lead], &out, weight);
    for (int32_t i = 0; i < spatial; i++) {
        draw_axis(trial, i, &weight[2 + i], &shape[lead + 1 + i]);
    }
    kci_case_add(trial, trial->dtype, lead + 1 + spatial, shape,
                 KCI_FILL_VALUES);
    kci_case_add(trial, trial->dtype, 2 + spatial, weight, KCI_FILL_VALUES);
    if (kci_draw_chance(draw, 70)) {
        kci_case_add(trial, trial->dtype, 1, &out, KCI_FILL_VALUES);
    }
}
