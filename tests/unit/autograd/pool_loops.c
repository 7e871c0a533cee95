/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Every index is worked out from coordinates; nothing is shared with the
 * rules. */
#include "unit/autograd/pool_loops.h"

#include <math.h>

#include "unit/autograd/draw.h"
#include "unit/expect.h"

/* No window of the tests has more cells. */
#define CELLS_MAX 512

kc_attributes_t pool_attributes(int32_t op, int64_t axes, int64_t kernel,
                                int64_t stride, int64_t padding)
{
    kc_attributes_t attributes = {
        .struct_size = sizeof attributes,
        .op = op,
        .u.pool = {.spatial_rank = axes,
                   .beta = op == KC_OP_SMOOTH_MAX_POOL ? 1 : 0}};
    for (int64_t i = 0; i < axes; i++) {
        attributes.u.pool.kernel[i] = kernel;
        attributes.u.pool.stride[i] = stride;
        attributes.u.pool.padding[i] = padding;
    }
    return attributes;
}

void pool_trial_begin(rule_fixture_t *fixture,
                      const kc_attributes_t *attributes, kc_tensor_t *x,
                      uint64_t seed, pool_trial_t *trial)
{
    *trial = (pool_trial_t){.attributes = *attributes};
    trial->operands = (rule_operands_t){.op = attributes->op,
                                        .attributes = &trial->attributes,
                                        .inputs = {x},
                                        .input_count = 1};
    trial->output = rule_forward(fixture, &trial->operands);
    trial->cotangent =
        rule_random(fixture, kc_tensor_dtype(&x->view),
                    trial->output->view.ndim, trial->output->view.shape, seed);
}

void pool_trial_random(rule_fixture_t *fixture, int32_t op, int32_t dtype,
                       uint64_t seed, pool_trial_t *trial)
{
    uint64_t state = seed;
    const int64_t axes = draw_integer(&state, 1, 3);
    const int32_t leading = (int32_t)draw_integer(&state, 0, 2);
    kc_attributes_t attributes = pool_attributes(op, axes, 1, 1, 0);
    kc_pool_attributes_t *pool = &attributes.u.pool;
    int64_t dims[KC_MAX_RANK];
    for (int32_t i = 0; i < leading; i++) {
        dims[i] = draw_integer(&state, 1, 3);
    }
    for (int64_t i = 0; i < axes; i++) {
        pool->kernel[i] = draw_integer(&state, 1, 4);
        pool->stride[i] = draw_integer(&state, 1, 3);
        pool->padding[i] = draw_integer(&state, 0, pool->kernel[i] / 2);
        dims[leading + i] =
            draw_integer(&state, pool->kernel[i], axes == 1 ? 150 : 9);
    }
    if (op == KC_OP_SMOOTH_MAX_POOL) {
        pool->beta =
            (double)draw_integer(&state, 1, 6) * (seed % 2 == 0 ? 0.7 : -0.7);
    }
    kc_tensor_t *x =
        rule_random(fixture, dtype, leading + (int32_t)axes, dims, seed + 1);
    pool_trial_begin(fixture, &attributes, x, seed + 2, trial);
}

/* Spatial axes of a tensor, with extent 1 for those that are not there. */
static void extents_of(const pool_trial_t *trial, const kc_tensor_t *tensor,
                       int64_t *out)
{
    const int64_t axes = trial->attributes.u.pool.spatial_rank;
    for (int64_t i = 0; i < 3; i++) {
        out[i] =
            i < axes ? tensor->view.shape[tensor->view.ndim - axes + i] : 1;
    }
}

/* Cells of the window of one place, in row-major order; -1 in the padding.
 * Returns their number. */
static int window_cells(const pool_trial_t *trial, int64_t place,
                        int64_t *cells)
{
    const kc_pool_attributes_t *pool = &trial->attributes.u.pool;
    int64_t in[3];
    int64_t out[3];
    int64_t kernel[3] = {1, 1, 1};
    int64_t at[3];
    int64_t first[3] = {0, 0, 0};
    int count = 0;
    extents_of(trial, trial->operands.inputs[0], in);
    extents_of(trial, trial->output, out);
    const int64_t q[3] = {place / out[2] / out[1], place / out[2] % out[1],
                          place % out[2]};
    for (int64_t i = 0; i < pool->spatial_rank; i++) {
        kernel[i] = pool->kernel[i];
        first[i] = q[i] * pool->stride[i] - pool->padding[i];
    }
    for (at[0] = first[0]; at[0] < first[0] + kernel[0]; at[0]++) {
        for (at[1] = first[1]; at[1] < first[1] + kernel[1]; at[1]++) {
            for (at[2] = first[2]; at[2] < first[2] + kernel[2]; at[2]++) {
                bool is_inside = true;
                for (int i = 0; i < 3; i++) {
                    is_inside = is_inside && at[i] >= 0 && at[i] < in[i];
                }
                ck_assert_int_lt(count, CELLS_MAX);
                cells[count++] =
                    is_inside ? (at[0] * in[1] + at[1]) * in[2] + at[2] : -1;
            }
        }
    }
    return count;
}

/* The first NaN, else the first of the largest. */
static void return_max(const float *x, const int64_t *cells, int count, float g,
                       float *dx)
{
    int64_t winner = -1;
    for (int i = 0; i < count; i++) {
        if (cells[i] >= 0 && isnan(x[cells[i]])) {
            dx[cells[i]] = dx[cells[i]] + g;
            return;
        }
    }
    for (int i = 0; i < count; i++) {
        if (cells[i] >= 0 && (winner < 0 || x[cells[i]] > x[winner])) {
            winner = cells[i];
        }
    }
    dx[winner] = dx[winner] + g;
}

static void return_average(const int64_t *cells, int count, float g, float *dx)
{
    const float term = g / (float)count;
    for (int i = 0; i < count; i++) {
        if (cells[i] >= 0) {
            dx[cells[i]] = dx[cells[i]] + term;
        }
    }
}

static void return_smooth(const float *x, const int64_t *cells, int count,
                          float beta, float g, float *dx)
{
    float exponentials[CELLS_MAX];
    float pivot = cells[0] < 0 ? 0 : x[cells[0]];
    float sum = 0;
    for (int i = 0; i < count; i++) {
        float cell = cells[i] < 0 ? 0 : x[cells[i]];
        if (beta > 0 ? cell > pivot : cell < pivot) {
            pivot = cell;
        }
    }
    for (int i = 0; i < count; i++) {
        float distance = (cells[i] < 0 ? 0 : x[cells[i]]) - pivot;
        float scaled = beta * distance;
        exponentials[i] = (float)exp((double)scaled);
        sum = sum + exponentials[i];
    }
    for (int i = 0; i < count; i++) {
        if (cells[i] >= 0) {
            float weight = exponentials[i] / sum;
            float term = g * weight;
            dx[cells[i]] = dx[cells[i]] + term;
        }
    }
}

static kc_tensor_t *expected_of(rule_fixture_t *fixture,
                                const pool_trial_t *trial)
{
    const DLTensor *view = &trial->operands.inputs[0]->view;
    kc_tensor_t *expected =
        rule_tensor(fixture, KC_DTYPE_F32, view->ndim, view->shape, NULL);
    const float *x = kc_tensor_data(view);
    const float *g = kc_tensor_data(&trial->cotangent->view);
    float *dx = kc_tensor_data(&expected->view);
    int64_t in[3];
    int64_t out[3];
    extents_of(trial, trial->operands.inputs[0], in);
    extents_of(trial, trial->output, out);
    const int64_t places = out[0] * out[1] * out[2];
    const int64_t plane = in[0] * in[1] * in[2];
    for (int64_t i = 0; i < kc_tensor_element_count(&trial->cotangent->view);
         i++) {
        int64_t cells[CELLS_MAX];
        const int count = window_cells(trial, i % places, cells);
        const float *from = x + i / places * plane;
        float *to = dx + i / places * plane;
        if (trial->operands.op == KC_OP_MAX_POOL) {
            return_max(from, cells, count, g[i], to);
        } else if (trial->operands.op == KC_OP_AVG_POOL) {
            return_average(cells, count, g[i], to);
        } else {
            return_smooth(from, cells, count,
                          (float)trial->attributes.u.pool.beta, g[i], to);
        }
    }
    return expected;
}

void pool_trial_check(rule_fixture_t *fixture, pool_trial_t *trial)
{
    const bool wanted[] = {true};
    kc_tensor_t *expected = expected_of(fixture, trial);
    rule_vjp(fixture, RULE_RUNTIME, &trial->operands, trial->output,
             trial->cotangent, wanted, &trial->found);
    rule_check_bits(trial->found, expected);
    kci_tensor_release(expected);
}

void pool_trial_end(pool_trial_t *trial)
{
    kci_tensor_release(trial->operands.inputs[0]);
    kci_tensor_release(trial->output);
    kci_tensor_release(trial->cotangent);
    kci_tensor_release(trial->found);
}
