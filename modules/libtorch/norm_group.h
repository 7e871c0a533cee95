/* SPDX-License-Identifier: Apache-2.0
 *
 * The elements that share statistics, and how sums over them are added up:
 * in sixteen strands, or sixteen groups side by side where a group is a
 * column, so that a compiler can use vectors without reordering anything.
 */
#ifndef KC_LIBTORCH_NORM_GROUP_H
#define KC_LIBTORCH_NORM_GROUP_H

#include <cmath>
#include <cstdint>

namespace kc_libtorch {

constexpr int64_t norm_strands = 16;

/* x as [outer, channels, inner]. A group is one run of `inner` elements, or
 * the runs of one channel in all of `outer`. layer_norm has one channel. */
struct norm_plan {
    int64_t outer;
    int64_t channels;
    int64_t inner;
    bool is_joint;      /* over all of outer */
    bool is_by_element; /* gamma and beta: an entry an element of a group */
    double eps;

    int64_t groups() const
    {
        return is_joint ? channels : outer * channels;
    }
    int64_t runs() const
    {
        return is_joint ? outer : 1;
    }
    int64_t count() const
    {
        return runs() * inner;
    }
    bool is_columns() const
    {
        return is_joint && inner == 1;
    }
    int64_t width(int64_t group) const
    {
        const int64_t left = groups() - group;
        const int64_t most = is_columns() ? norm_strands : 1;
        return left < most ? left : most;
    }
};

/* The sum of f(0) .. f(n - 1). */
template <typename real, typename function>
inline real norm_run_sum(int64_t n, function f)
{
    real strands[norm_strands] = {};
    real sum = 0;
    int64_t i = 0;
    for (; i + norm_strands <= n; i += norm_strands) {
        for (int64_t s = 0; s < norm_strands; s++) {
            strands[s] += f(i + s);
        }
    }
    for (; i < n; i++) {
        sum += f(i);
    }
    for (int64_t half = norm_strands / 2; half > 0; half /= 2) {
        for (int64_t s = 0; s < half; s++) {
            strands[s] += strands[s + half];
        }
    }
    return strands[0] + sum;
}

/* The next loop carries nothing from one element to another: what it writes is
 * apart from what it reads, or the same element. */
#if defined(__clang__)
#define KC_LIBTORCH_APART                                                      \
    _Pragma("clang loop vectorize(assume_safety) interleave(disable)")
#elif defined(__GNUC__)
#define KC_LIBTORCH_APART _Pragma("GCC ivdep")
#else
#define KC_LIBTORCH_APART
#endif

/* f(0) .. f(n - 1), which are apart. */
template <typename function> inline void norm_spread(int64_t n, function f)
{
    int64_t i = 0;
    for (; i + norm_strands <= n; i += norm_strands) {
        KC_LIBTORCH_APART
        for (int64_t s = 0; s < norm_strands; s++) {
            f(i + s);
        }
    }
    for (; i < n; i++) {
        f(i);
    }
}

/* f(i, j, k) of each element: its place in x, its group as group + j, and
 * its place k in the run. */
template <typename function>
inline void norm_visit(const norm_plan &plan, int64_t group, int64_t width,
                       function f)
{
    if (plan.is_columns()) {
        for (int64_t o = 0; o < plan.outer; o++) {
            const int64_t first = o * plan.channels + group;
            norm_spread(width, [&](int64_t j) { f(first + j, j, int64_t(0)); });
        }
        return;
    }
    for (int64_t run = 0; run < plan.runs(); run++) {
        const int64_t first = (run * plan.channels + group) * plan.inner;
        norm_spread(plan.inner,
                    [&](int64_t k) { f(first + k, int64_t(0), k); });
    }
}

/* Sums of f over each of `width` groups. */
template <typename real, typename function>
inline void norm_sums(const norm_plan &plan, int64_t group, int64_t width,
                      real *sums, function f)
{
    for (int64_t j = 0; j < width; j++) {
        sums[j] = 0;
    }
    if (plan.is_columns()) {
        norm_visit(plan, group, width, [&](int64_t i, int64_t j, int64_t k) {
            sums[j] += f(i, j, k);
        });
        return;
    }
    for (int64_t run = 0; run < plan.runs(); run++) {
        const int64_t first = (run * plan.channels + group) * plan.inner;
        sums[0] += norm_run_sum<real>(
            plan.inner, [&](int64_t k) { return f(first + k, int64_t(0), k); });
    }
}

/* Mean and s = sqrt(variance + eps) of up to norm_strands groups. */
template <typename real> struct norm_statistics {
    real mean[norm_strands];
    real deviation[norm_strands];

    /* From x, centred once. */
    void measure(const norm_plan &plan, const real *x, int64_t group,
                 int64_t width)
    {
        const real count = static_cast<real>(plan.count());
        norm_sums(plan, group, width, mean,
                  [&](int64_t i, int64_t, int64_t) { return x[i]; });
        for (int64_t j = 0; j < width; j++) {
            mean[j] /= count;
        }
        norm_sums(plan, group, width, deviation,
                  [&](int64_t i, int64_t j, int64_t) {
                      const real d = x[i] - mean[j];
                      return d * d;
                  });
        for (int64_t j = 0; j < width; j++) {
            deviation[j] =
                std::sqrt(deviation[j] / count + static_cast<real>(plan.eps));
        }
    }

    /* What is stored; a variance below 0 counts as 0. */
    void load(const norm_plan &plan, const real *stored_mean,
              const real *stored_variance, int64_t group, int64_t width)
    {
        for (int64_t j = 0; j < width; j++) {
            const real variance = stored_variance[group + j];
            mean[j] = stored_mean[group + j];
            deviation[j] = std::sqrt((variance < 0 ? real(0) : variance) +
                                     static_cast<real>(plan.eps));
        }
    }
};

} // namespace kc_libtorch

#endif
