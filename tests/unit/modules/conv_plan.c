/* SPDX-License-Identifier: Apache-2.0
 *
 * The written sums of convolutions, as loops over coordinates that know
 * nothing of rows, blocks or panels.
 */
#include "unit/modules/conv_plan.h"

#include <stdlib.h>
#include <string.h>

#include "unit/modules/oracle.h"

static int64_t out_extent(const conv_plan_t *plan, int32_t op, int32_t axis)
{
    int64_t n = plan->in[axis];
    if (op == KC_OP_CONV_TRANSPOSE) {
        return n == 0 ? 0
                      : (n - 1) * plan->stride[axis] + plan->kernel[axis] -
                            2 * plan->padding[axis];
    }
    n += plan->padding[axis] + plan->padding_after[axis] -
         plan->dilation[axis] * (plan->kernel[axis] - 1) - 1;
    return n < 0 ? -1 : n / plan->stride[axis] + 1;
}

static size_t product(const int64_t *extents, int32_t count)
{
    size_t result = 1;
    for (int32_t i = 0; i < count; i++) {
        result *= (size_t)extents[i];
    }
    return result;
}

static void unravel(size_t idx, const int64_t *extents, int32_t count,
                    int64_t *at)
{
    for (int32_t i = count; i-- > 0;) {
        at[i] = (int64_t)(idx % (size_t)extents[i]);
        idx /= (size_t)extents[i];
    }
}

/* The cell of x that tap `tap` reads for place `place` of the result, -1 for
 * none. */
static int64_t cell_of(const conv_plan_t *plan, int32_t op,
                       const int64_t *place, const int64_t *tap)
{
    int64_t cell = 0;
    for (int32_t i = 0; i < plan->axes; i++) {
        int64_t at;
        if (op == KC_OP_CONV) {
            at = place[i] * plan->stride[i] + tap[i] * plan->dilation[i] -
                 plan->padding[i];
        } else {
            at = place[i] + plan->padding[i] - tap[i];
            if (at < 0 || at % plan->stride[i] != 0) {
                return -1;
            }
            at /= plan->stride[i];
        }
        if (at < 0 || at >= plan->in[i]) {
            return -1;
        }
        cell = cell * plan->in[i] + at;
    }
    return cell;
}

/* One element: sample `b`, output channel `o`, place `place`. */
static double oracle_sum(const conv_plan_t *plan, const trial_t *trial,
                         size_t b, size_t o, const int64_t *place)
{
    const operand_t *x = trial->inputs[0];
    const operand_t *w = trial->inputs[1];
    const size_t taps = product(plan->kernel, plan->axes);
    const size_t inputs = (size_t)plan->inputs;
    const size_t first = o / (size_t)plan->outputs * inputs;
    double sum = 0;
    for (size_t ic = 0; ic < inputs; ic++) {
        for (size_t k = 0; k < taps; k++) {
            int64_t tap[CONV_AXES_MAX];
            unravel(k, plan->kernel, plan->axes, tap);
            int64_t cell = cell_of(plan, trial->op, place, tap);
            size_t row = trial->op == KC_OP_CONV
                             ? o * inputs + ic
                             : ic * (size_t)plan->outputs + o;
            if (cell < 0) {
                continue;
            }
            size_t plane = b * (size_t)plan->groups * inputs + first + ic;
            double term = operand_get(x, plane * product(plan->in, plan->axes) +
                                             (size_t)cell) *
                          operand_get(w, row * taps + k);
            sum = rounded(x->dtype, sum + rounded(x->dtype, term));
        }
    }
    return sum;
}

static double *oracle(const conv_plan_t *plan, const trial_t *trial)
{
    const operand_t *y = trial->output;
    const operand_t *bias = trial->inputs[2];
    const size_t channels = (size_t)(plan->groups * plan->outputs);
    const int64_t *out = y->shape + y->view.ndim - plan->axes;
    const size_t places = product(out, plan->axes);
    double *expected = new_doubles(y->count);
    for (size_t i = 0; i < y->count; i++) {
        size_t o = i / places % channels;
        int64_t place[CONV_AXES_MAX];
        unravel(i % places, out, plan->axes, place);
        expected[i] = oracle_sum(plan, trial, i / places / channels, o, place);
        if (bias != NULL) {
            expected[i] = rounded(y->dtype, expected[i] + operand_get(bias, o));
        }
    }
    return expected;
}

/* Shape [lead.., channels, extents...] with `leads` leading axes, the last of
 * which has the whole product. */
static operand_t *new_planes(int32_t dtype, int32_t leads, int64_t lead,
                             int64_t channels, int32_t axes,
                             const int64_t *extents)
{
    int64_t shape[KC_MAX_RANK];
    int32_t rank = 0;
    for (int32_t i = 0; i < leads; i++) {
        shape[rank++] = i + 1 == leads ? lead : 1;
    }
    shape[rank++] = channels;
    memcpy(shape + rank, extents, (size_t)axes * sizeof *extents);
    return operand_create(dtype, rank + axes, shape);
}

static void set_attributes(trial_t *trial, const conv_plan_t *plan)
{
    kc_conv_attributes_t *conv = &trial->attributes.u.conv;
    conv->spatial_rank = plan->axes;
    conv->groups = plan->groups;
    for (int32_t i = 0; i < plan->axes; i++) {
        conv->stride[i] = plan->stride[i];
        conv->dilation[i] = plan->dilation[i];
        conv->padding[i] = plan->padding[i];
        conv->padding_after[i] = plan->padding_after[i];
    }
}

void conv_plan_begin(trial_t *trial, const conv_plan_t *plan, int32_t op,
                     int32_t dtype, int32_t leads, int has_bias)
{
    const int32_t axes = plan->axes;
    const int64_t inputs = plan->groups * plan->inputs;
    const int64_t outputs = plan->groups * plan->outputs;
    int64_t out[CONV_AXES_MAX];
    trial_init(trial, op);
    set_attributes(trial, plan);
    for (int32_t i = 0; i < axes; i++) {
        out[i] = out_extent(plan, op, i);
        ck_assert_int_ge(out[i], 0);
    }
    trial_add(trial,
              new_planes(dtype, leads, plan->lead, inputs, axes, plan->in));
    trial_add(
        trial,
        op == KC_OP_CONV
            ? new_planes(dtype, 1, outputs, plan->inputs, axes, plan->kernel)
            : new_planes(dtype, 1, inputs, outputs, axes, plan->kernel));
    trial_add(trial, has_bias ? operand_create(dtype, SHAPE(outputs)) : NULL);
    trial_set_output(trial,
                     new_planes(dtype, leads, plan->lead, outputs, axes, out));
}

static void fill(operand_t *operand, uint64_t *state, int kind)
{
    if (kind == CONV_UNIFORM) {
        trial_fill_uniform(operand, state, -2, 2);
    } else {
        trial_fill_wild(operand, state, kind == CONV_SPECIAL);
    }
}

void conv_plan_check(const conv_plan_t *plan, int32_t op, int32_t dtype,
                     int kind, uint64_t seed)
{
    trial_t trial;
    uint64_t state = seed;
    double *expected;
    int32_t leads =
        plan->lead == 1 ? (int32_t)(seed % 3) : 1 + (int32_t)(seed % 2);
    conv_plan_begin(&trial, plan, op, dtype, leads, kind != CONV_WILD);
    trial.seed = seed;
    for (size_t i = 0; i < 3; i++) {
        if (trial.inputs[i] != NULL) { /* special weights take another way */
            fill(trial.inputs[i], &state,
                 kind == CONV_SPECIAL && i == 1 && seed % 2 == 0 ? CONV_WILD
                                                                 : kind);
        }
    }
    expected = oracle(plan, &trial);
    trial_expect(&trial, expected);
    free(expected);
    trial_clear(&trial);
}

void conv_plan_expect(const conv_plan_t *plan, int32_t op, int32_t dtype,
                      const double *x, const double *w, const double *bias,
                      const double *expected)
{
    trial_t trial;
    conv_plan_begin(&trial, plan, op, dtype, 0, bias != NULL);
    operand_fill(trial.inputs[0], x);
    operand_fill(trial.inputs[1], w);
    if (bias != NULL) {
        operand_fill(trial.inputs[2], bias);
    }
    trial_expect(&trial, expected);
    trial_clear(&trial);
}

conv_plan_t conv_plan_line(int64_t inputs, int64_t outputs, int64_t n,
                           int64_t kernel, int64_t stride, int64_t padding)
{
    conv_plan_t plan = {1,        1,        inputs, outputs,   1,        {n},
                        {kernel}, {stride}, {1},    {padding}, {padding}};
    return plan;
}

static int64_t draw(uint64_t *state, int64_t lo, int64_t hi)
{
    return lo + (int64_t)(random_word(state) % (uint64_t)(hi - lo + 1));
}

conv_plan_t conv_plan_random(uint64_t *state, int32_t op)
{
    const int64_t outputs[] = {1, 2, 4, 7, 8, 13};
    conv_plan_t plan = {.lead = draw(state, 1, 2),
                        .groups = op == KC_OP_CONV ? draw(state, 1, 3) : 1,
                        .inputs = draw(state, 1, 4),
                        .outputs = outputs[draw(state, 0, 5)],
                        .axes = (int32_t)draw(state, 1, CONV_AXES_MAX)};
    for (int32_t i = 0; i < plan.axes; i++) {
        do {
            plan.in[i] = draw(state, 1, plan.axes == 1 ? 90 : 9);
            plan.kernel[i] = draw(state, 1, 4);
            plan.stride[i] = draw(state, 1, 3);
            plan.dilation[i] = op == KC_OP_CONV ? draw(state, 1, 3) : 1;
            plan.padding[i] = draw(state, 0, 3);
            plan.padding_after[i] =
                op == KC_OP_CONV ? draw(state, 0, 3) : plan.padding[i];
        } while (out_extent(&plan, op, i) < 1);
    }
    return plan;
}
