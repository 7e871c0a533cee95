/* SPDX-License-Identifier: Apache-2.0
 *
 * layer_norm and batch_norm in loops of this module. ATen computes x a + b,
 * which is off where the mean is large and not beta where a group is
 * constant, and its batch norm divides by zero where nothing is in a batch.
 */
#include "entry.h"
#include "norm_group.h"

namespace kc_libtorch {

namespace {

/* What is read and written; NULL where it is absent or not wanted. */
template <typename real> struct places {
    const real *x;
    const real *gamma;
    const real *beta;
    const real *mean; /* stored; NULL: measured */
    const real *variance;
    real *y;
    const real *g;
    real *dx;
    real *dgamma;
    real *dbeta;
};

template <typename real>
void find_statistics(const norm_plan &plan, const places<real> &at,
                     int64_t group, int64_t width, norm_statistics<real> *out)
{
    if (at.mean != nullptr) {
        out->load(plan, at.mean, at.variance, group, width);
    } else {
        out->measure(plan, at.x, group, width);
    }
}

/* Gamma or beta where each element of a group has an entry. */
template <typename real> struct entry_of_element {
    const real *values;
    real operator()(int64_t, int64_t k) const
    {
        return values[k];
    }
};

/* The same where a group has one, or none and `absent` stands for it. */
template <typename real> struct entry_of_group {
    real values[norm_strands];
    real operator()(int64_t j, int64_t) const
    {
        return values[j];
    }
};

template <typename real>
entry_of_group<real> entries(const norm_plan &plan, const real *parameter,
                             real absent, int64_t group, int64_t width)
{
    entry_of_group<real> found = {};
    for (int64_t j = 0; j < width; j++) {
        found.values[j] = parameter == nullptr
                              ? absent
                              : parameter[group % plan.channels + j];
    }
    return found;
}

template <typename real, typename entry>
void write_groups(const norm_plan &plan, const places<real> &at, int64_t group,
                  int64_t width, const norm_statistics<real> &of, entry gamma,
                  entry beta)
{
    const real *const x = at.x;
    real *const y = at.y;
    norm_visit(plan, group, width, [&](int64_t i, int64_t j, int64_t k) {
        y[i] = (x[i] - of.mean[j]) / of.deviation[j] * gamma(j, k) + beta(j, k);
    });
}

template <typename real>
void normalise(const norm_plan &plan, const places<real> &at)
{
    norm_statistics<real> of = {};
    int64_t width = 0;
    for (int64_t group = 0; group < plan.groups(); group += width) {
        width = plan.width(group);
        find_statistics(plan, at, group, width, &of);
        if (plan.is_by_element && at.gamma != nullptr) {
            write_groups(plan, at, group, width, of,
                         entry_of_element<real>{at.gamma},
                         entry_of_element<real>{at.beta});
        } else {
            write_groups(plan, at, group, width, of,
                         entries(plan, at.gamma, real(1), group, width),
                         entries(plan, at.beta, real(0), group, width));
        }
    }
}

/* dx = (h - mean(h) - x' mean(h x')) / s with h = g gamma and x' = d / s;
 * where the statistics are stored, h / s. */
template <typename real, typename entry>
void write_slopes(const norm_plan &plan, const places<real> &at, int64_t group,
                  int64_t width, const norm_statistics<real> &of, entry gamma)
{
    const real *const x = at.x;
    const real *const g = at.g;
    const real count = static_cast<real>(plan.count());
    real h[norm_strands] = {}; /* their means */
    real hx[norm_strands] = {};
    real *const dx = at.dx;
    if (at.mean == nullptr) {
        norm_sums(plan, group, width, h, [&](int64_t i, int64_t j, int64_t k) {
            return g[i] * gamma(j, k);
        });
        norm_sums(plan, group, width, hx, [&](int64_t i, int64_t j, int64_t k) {
            return g[i] * gamma(j, k) * ((x[i] - of.mean[j]) / of.deviation[j]);
        });
        for (int64_t j = 0; j < width; j++) {
            h[j] /= count;
            hx[j] /= count;
        }
        norm_visit(plan, group, width, [&](int64_t i, int64_t j, int64_t k) {
            const real unit = (x[i] - of.mean[j]) / of.deviation[j];
            dx[i] =
                (g[i] * gamma(j, k) - h[j] - unit * hx[j]) / of.deviation[j];
        });
        return;
    }
    norm_visit(plan, group, width, [&](int64_t i, int64_t j, int64_t k) {
        dx[i] = g[i] * gamma(j, k) / of.deviation[j];
    });
}

template <typename real>
void add_to_elements(const norm_plan &plan, const places<real> &at,
                     int64_t group, const norm_statistics<real> &of)
{
    const real *const x = at.x;
    const real *const g = at.g;
    real *const dgamma = at.dgamma;
    real *const dbeta = at.dbeta;
    if (dgamma != nullptr) {
        norm_visit(plan, group, 1, [&](int64_t i, int64_t, int64_t k) {
            dgamma[k] += g[i] * ((x[i] - of.mean[0]) / of.deviation[0]);
        });
    }
    if (dbeta != nullptr) {
        norm_visit(plan, group, 1,
                   [&](int64_t i, int64_t, int64_t k) { dbeta[k] += g[i]; });
    }
}

template <typename real>
void add_to_channels(const norm_plan &plan, const places<real> &at,
                     int64_t group, int64_t width,
                     const norm_statistics<real> &of)
{
    const real *const x = at.x;
    const real *const g = at.g;
    const int64_t channel = group % plan.channels;
    real sums[norm_strands] = {};
    if (at.dgamma != nullptr) {
        norm_sums(plan, group, width, sums, [&](int64_t i, int64_t j, int64_t) {
            return g[i] * ((x[i] - of.mean[j]) / of.deviation[j]);
        });
        for (int64_t j = 0; j < width; j++) {
            at.dgamma[channel + j] += sums[j];
        }
    }
    if (at.dbeta != nullptr) {
        norm_sums(plan, group, width, sums,
                  [&](int64_t i, int64_t, int64_t) { return g[i]; });
        for (int64_t j = 0; j < width; j++) {
            at.dbeta[channel + j] += sums[j];
        }
    }
}

template <typename real> void clear(const norm_plan &plan, real *sums)
{
    const int64_t count = plan.is_by_element ? plan.inner : plan.channels;
    for (int64_t i = 0; sums != nullptr && i < count; i++) {
        sums[i] = 0;
    }
}

template <typename real>
void differentiate(const norm_plan &plan, const places<real> &at)
{
    norm_statistics<real> of = {};
    int64_t width = 0;
    clear(plan, at.dgamma);
    clear(plan, at.dbeta);
    for (int64_t group = 0; group < plan.groups(); group += width) {
        width = plan.width(group);
        if (at.dx != nullptr || at.dgamma != nullptr) {
            find_statistics(plan, at, group, width, &of);
        }
        if (at.dx != nullptr && plan.is_by_element && at.gamma != nullptr) {
            write_slopes(plan, at, group, width, of,
                         entry_of_element<real>{at.gamma});
        } else if (at.dx != nullptr) {
            write_slopes(plan, at, group, width, of,
                         entries(plan, at.gamma, real(1), group, width));
        }
        if (plan.is_by_element) {
            add_to_elements(plan, at, group, of);
        } else {
            add_to_channels(plan, at, group, width, of);
        }
    }
}

int64_t extent(const DLTensor &view, int64_t first, int64_t end)
{
    int64_t product = 1;
    for (int64_t axis = first; axis < end; axis++) {
        product *= view.shape[axis];
    }
    return product;
}

/* A row is the axes from `axis` on. */
norm_plan layer_plan(const call &operands, const DLTensor &x)
{
    const kc_layer_norm_attributes_t &norm = operands.attributes().layer_norm;
    norm_plan plan = {};
    plan.outer = extent(x, 0, norm.axis);
    plan.channels = 1;
    plan.inner = extent(x, norm.axis, x.ndim);
    plan.is_by_element = true;
    plan.eps = norm.eps;
    return plan;
}

/* A sample's statistics are by outer place and channel; stored ones are
 * walked like those of the batch. */
norm_plan batch_plan(const call &operands, const DLTensor &x)
{
    const kc_batch_norm_attributes_t &norm = operands.attributes().batch_norm;
    norm_plan plan = {};
    plan.outer = extent(x, 0, norm.channel_axis);
    plan.channels = x.shape[norm.channel_axis];
    plan.inner = extent(x, norm.channel_axis + 1, x.ndim);
    plan.is_joint = norm.mode != KC_BATCH_NORM_SAMPLE;
    plan.eps = norm.eps;
    return plan;
}

template <typename real> const real *input(const call &operands, size_t index)
{
    return operands.has_input(index)
               ? elements<real>(operands.input_view(index))
               : nullptr;
}

template <typename real> real *gradient(const call &operands, size_t index)
{
    return operands.wants(index) ? writable<real>(operands.gradient_view(index))
                                 : nullptr;
}

template <typename real> places<real> inputs_of(const call &operands)
{
    places<real> at = {};
    at.x = input<real>(operands, 0);
    at.gamma = input<real>(operands, 1);
    at.beta = input<real>(operands, 2);
    at.mean = input<real>(operands, 3);
    at.variance = input<real>(operands, 4);
    return at;
}

void forward(const call &operands, const norm_plan &plan)
{
    by_type(operands.output_view(), [&](auto zero) {
        using real = decltype(zero);
        places<real> at = inputs_of<real>(operands);
        at.y = writable<real>(operands.output_view());
        normalise(plan, at);
    });
}

void backward(const call &operands, const norm_plan &plan)
{
    by_type(operands.cotangent_view(), [&](auto zero) {
        using real = decltype(zero);
        places<real> at = inputs_of<real>(operands);
        at.g = elements<real>(operands.cotangent_view());
        at.dx = gradient<real>(operands, 0);
        at.dgamma = gradient<real>(operands, 1);
        at.dbeta = gradient<real>(operands, 2);
        differentiate(plan, at);
    });
}

} // namespace

void layer_norm_forward(call &operands)
{
    forward(operands, layer_plan(operands, operands.output_view()));
}

void layer_norm_vjp(call &operands)
{
    backward(operands, layer_plan(operands, operands.cotangent_view()));
}

void batch_norm_forward(call &operands)
{
    forward(operands, batch_plan(operands, operands.output_view()));
}

void batch_norm_vjp(call &operands)
{
    backward(operands, batch_plan(operands, operands.cotangent_view()));
}

} // namespace kc_libtorch
