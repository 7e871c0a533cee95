/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Every index is worked out from coordinates; nothing is shared with the
 * rules. */
#include "unit/autograd/conv_loops.h"

#include "unit/autograd/draw.h"
#include "unit/expect.h"

static void draw_axis(conv_case_t *shape, int axis, uint64_t *state)
{
    const bool is_plain = shape->op == KC_OP_CONV_TRANSPOSE;
    int64_t *n = &shape->n[axis];
    shape->kernel[axis] = draw_integer(state, 1, 4);
    shape->stride[axis] = draw_integer(state, 1, 3);
    shape->dilation[axis] = is_plain ? 1 : draw_integer(state, 1, 4);
    shape->before[axis] = draw_integer(state, 0, 3);
    shape->after[axis] =
        is_plain ? shape->before[axis] : draw_integer(state, 0, 2);
    *n = draw_integer(state, 1, shape->axes == 1 ? 40 : 8);
    if (is_plain) {
        while ((*n - 1) * shape->stride[axis] + shape->kernel[axis] <=
               2 * shape->before[axis]) {
            (*n)++;
        }
        return;
    }
    while (*n + shape->before[axis] + shape->after[axis] <=
           shape->dilation[axis] * (shape->kernel[axis] - 1)) {
        (*n)++;
    }
}

conv_case_t conv_case_random(int32_t op, uint64_t *state)
{
    conv_case_t shape = {.op = op, .batch = {1, 1}, .groups = 1};
    shape.axes = (int)draw_integer(state, 1, 3);
    shape.batch_rank = (int)draw_integer(state, 0, 2);
    for (int i = 0; i < shape.batch_rank; i++) {
        shape.batch[i] = draw_integer(state, 1, 3);
    }
    if (op == KC_OP_CONV) {
        shape.groups = draw_integer(state, 1, 3);
    }
    shape.inputs = draw_integer(state, 1, 5);
    shape.outputs = draw_integer(state, 1, 5);
    shape.has_bias = draw_integer(state, 0, 1) == 1;
    for (int axis = 0; axis < 3; axis++) {
        shape.n[axis] = shape.kernel[axis] = shape.stride[axis] = 1;
        shape.dilation[axis] = 1;
        if (axis < shape.axes) {
            draw_axis(&shape, axis, state);
        }
    }
    return shape;
}

static int64_t product3(const int64_t *extents)
{
    return extents[0] * extents[1] * extents[2];
}

static void coordinates(int64_t index, const int64_t *extents, int64_t *out)
{
    out[2] = index % extents[2];
    out[1] = index / extents[2] % extents[1];
    out[0] = index / extents[2] / extents[1];
}

/* The cell of the larger plane that tap `tap` at place `place` meets, or -1. */
static int64_t cell_of(const conv_case_t *c, const int64_t *plane,
                       const int64_t *places, int64_t place, int64_t tap)
{
    int64_t q[3];
    int64_t k[3];
    int64_t at[3];
    coordinates(place, places, q);
    coordinates(tap, c->kernel, k);
    for (int i = 0; i < 3; i++) {
        at[i] = q[i] * c->stride[i] + k[i] * c->dilation[i] - c->before[i];
        if (at[i] < 0 || at[i] >= plane[i]) {
            return -1;
        }
    }
    return (at[0] * plane[1] + at[1]) * plane[2] + at[2];
}

/* The place from which tap `tap` meets cell `cell`, or -1. */
static int64_t place_of(const conv_case_t *c, const int64_t *plane,
                        const int64_t *places, int64_t cell, int64_t tap)
{
    int64_t i[3];
    int64_t k[3];
    int64_t q[3];
    coordinates(cell, plane, i);
    coordinates(tap, c->kernel, k);
    for (int a = 0; a < 3; a++) {
        int64_t reach = i[a] + c->before[a] - k[a] * c->dilation[a];
        if (reach < 0 || reach % c->stride[a] != 0 ||
            reach / c->stride[a] >= places[a]) {
            return -1;
        }
        q[a] = reach / c->stride[a];
    }
    return (q[0] * places[1] + q[1]) * places[2] + q[2];
}

static const float *floats(const kc_tensor_t *tensor)
{
    return kc_tensor_data(&tensor->view);
}

/* Extents of the spatial axes of the result, 1 where there are none. */
static void output_extents(const conv_trial_t *trial, int64_t *out)
{
    const DLTensor *y = &trial->output->view;
    for (int i = 0; i < 3; i++) {
        out[i] = i < trial->shape.axes
                     ? y->shape[y->ndim - trial->shape.axes + i]
                     : 1;
    }
}

/* One element of the derivative of conv by x. */
static float conv_x(const conv_trial_t *trial, int64_t sample, int64_t channel,
                    int64_t cell)
{
    const conv_case_t *c = &trial->shape;
    const float *g = floats(trial->cotangent);
    const float *w = floats(trial->operands.inputs[1]);
    int64_t out[3];
    int64_t taps = product3(c->kernel);
    int64_t group = channel / c->inputs;
    float sum = 0;
    output_extents(trial, out);
    for (int64_t o = group * c->outputs; o < (group + 1) * c->outputs; o++) {
        for (int64_t tap = 0; tap < taps; tap++) {
            int64_t q = place_of(c, c->n, out, cell, tap);
            if (q >= 0) {
                float term =
                    g[(sample * c->groups * c->outputs + o) * product3(out) +
                      q] *
                    w[(o * c->inputs + channel % c->inputs) * taps + tap];
                sum = sum + term;
            }
        }
    }
    return sum;
}

static float conv_weight(const conv_trial_t *trial, int64_t o, int64_t channel,
                         int64_t tap)
{
    const conv_case_t *c = &trial->shape;
    const float *g = floats(trial->cotangent);
    const float *x = floats(trial->operands.inputs[0]);
    int64_t out[3];
    float sum = 0;
    output_extents(trial, out);
    for (int64_t sample = 0; sample < c->batch[0] * c->batch[1]; sample++) {
        for (int64_t q = 0; q < product3(out); q++) {
            int64_t cell = cell_of(c, c->n, out, q, tap);
            if (cell >= 0) {
                int64_t plane = sample * c->groups * c->inputs +
                                o / c->outputs * c->inputs + channel;
                float term =
                    x[plane * product3(c->n) + cell] *
                    g[(sample * c->groups * c->outputs + o) * product3(out) +
                      q];
                sum = sum + term;
            }
        }
    }
    return sum;
}

static float transpose_x(const conv_trial_t *trial, int64_t sample,
                         int64_t channel, int64_t cell)
{
    const conv_case_t *c = &trial->shape;
    const float *g = floats(trial->cotangent);
    const float *w = floats(trial->operands.inputs[1]);
    int64_t out[3];
    int64_t taps = product3(c->kernel);
    float sum = 0;
    output_extents(trial, out);
    for (int64_t o = 0; o < c->outputs; o++) {
        for (int64_t tap = 0; tap < taps; tap++) {
            int64_t at = cell_of(c, out, c->n, cell, tap);
            if (at >= 0) {
                float term = g[(sample * c->outputs + o) * product3(out) + at] *
                             w[(channel * c->outputs + o) * taps + tap];
                sum = sum + term;
            }
        }
    }
    return sum;
}

/* `channel` of x, `o` of the result. */
static float transpose_weight(const conv_trial_t *trial, int64_t channel,
                              int64_t o, int64_t tap)
{
    const conv_case_t *c = &trial->shape;
    const float *g = floats(trial->cotangent);
    const float *x = floats(trial->operands.inputs[0]);
    int64_t out[3];
    float sum = 0;
    output_extents(trial, out);
    for (int64_t sample = 0; sample < c->batch[0] * c->batch[1]; sample++) {
        for (int64_t i = 0; i < product3(c->n); i++) {
            int64_t at = cell_of(c, out, c->n, i, tap);
            if (at >= 0) {
                float term =
                    x[(sample * c->inputs + channel) * product3(c->n) + i] *
                    g[(sample * c->outputs + o) * product3(out) + at];
                sum = sum + term;
            }
        }
    }
    return sum;
}

static float bias(const conv_trial_t *trial, int64_t o)
{
    const conv_case_t *c = &trial->shape;
    const float *g = floats(trial->cotangent);
    int64_t out[3];
    float sum = 0;
    output_extents(trial, out);
    for (int64_t sample = 0; sample < c->batch[0] * c->batch[1]; sample++) {
        for (int64_t q = 0; q < product3(out); q++) {
            sum = sum +
                  g[(sample * c->groups * c->outputs + o) * product3(out) + q];
        }
    }
    return sum;
}

/* Element `at` of the derivative by input `input`. */
static float expected_element(const conv_trial_t *trial, int input, int64_t at)
{
    const conv_case_t *c = &trial->shape;
    const bool is_conv = c->op == KC_OP_CONV;
    const int64_t cells = product3(c->n);
    const int64_t taps = product3(c->kernel);
    const int64_t second = is_conv ? c->inputs : c->outputs;
    if (input == 0) {
        int64_t plane = at / cells;
        int64_t channels = c->groups * c->inputs;
        return (is_conv ? conv_x : transpose_x)(trial, plane / channels,
                                                plane % channels, at % cells);
    }
    if (input == 1) {
        return (is_conv ? conv_weight : transpose_weight)(
            trial, at / taps / second, at / taps % second, at % taps);
    }
    return bias(trial, at);
}

static kc_tensor_t *operand(rule_fixture_t *fixture, const conv_case_t *c,
                            int32_t dtype, int input, uint64_t seed)
{
    int64_t dims[KC_MAX_RANK];
    int32_t rank = 0;
    if (input == 0) {
        for (int i = 0; i < c->batch_rank; i++) {
            dims[rank++] = c->batch[i];
        }
        dims[rank++] = c->groups * c->inputs;
    } else {
        const bool is_conv = c->op == KC_OP_CONV;
        dims[rank++] =
            is_conv || input == 2 ? c->groups * c->outputs : c->inputs;
        if (input == 1) {
            dims[rank++] = is_conv ? c->inputs : c->outputs;
        }
    }
    for (int i = 0; i < c->axes && input < 2; i++) {
        dims[rank++] = input == 0 ? c->n[i] : c->kernel[i];
    }
    return rule_random(fixture, dtype, rank, dims, seed);
}

void conv_trial_begin(rule_fixture_t *fixture, const conv_case_t *shape,
                      int32_t dtype, uint64_t seed, conv_trial_t *trial)
{
    *trial = (conv_trial_t){.shape = *shape};
    kc_conv_attributes_t *conv = &trial->attributes.u.conv;
    trial->attributes.struct_size = sizeof trial->attributes;
    trial->attributes.op = shape->op;
    conv->spatial_rank = shape->axes;
    conv->groups = shape->groups;
    for (int i = 0; i < shape->axes; i++) {
        conv->stride[i] = shape->stride[i];
        conv->padding[i] = shape->before[i];
        conv->padding_after[i] = shape->after[i];
        conv->dilation[i] = shape->dilation[i];
    }
    trial->operands = (rule_operands_t){.op = shape->op,
                                        .attributes = &trial->attributes,
                                        .input_count = shape->has_bias ? 3 : 2};
    for (int i = 0; i < (int)trial->operands.input_count; i++) {
        trial->operands.inputs[i] =
            operand(fixture, shape, dtype, i, seed + (uint64_t)i);
    }
    trial->output = rule_forward(fixture, &trial->operands);
    trial->cotangent =
        rule_random(fixture, dtype, trial->output->view.ndim,
                    trial->output->view.shape, seed + UINT64_C(77));
}

void conv_trial_check(rule_fixture_t *fixture, conv_trial_t *trial)
{
    const bool wanted[] = {true, true, trial->operands.input_count == 3};
    rule_vjp(fixture, RULE_RUNTIME, &trial->operands, trial->output,
             trial->cotangent, wanted, trial->found);
    for (int input = 0; input < (int)trial->operands.input_count; input++) {
        kc_tensor_t *found = trial->found[input];
        kc_tensor_t *expected = rule_tensor(
            fixture, KC_DTYPE_F32, found->view.ndim, found->view.shape, NULL);
        float *to = kc_tensor_data(&expected->view);
        for (int64_t i = 0; i < kc_tensor_element_count(&found->view); i++) {
            to[i] = expected_element(trial, input, i);
        }
        rule_check_bits(found, expected);
        kci_tensor_release(expected);
    }
}

void conv_trial_end(conv_trial_t *trial)
{
    for (int i = 0; i < 3; i++) {
        kci_tensor_release(trial->operands.inputs[i]);
        kci_tensor_release(trial->found[i]);
    }
    kci_tensor_release(trial->output);
    kci_tensor_release(trial->cotangent);
}
