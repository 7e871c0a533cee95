/* SPDX-License-Identifier: Apache-2.0
 *
 * The larger and the smaller of two numbers: NaN if either is, and of two
 * zeros +0 is the larger one. ATen's may be either of them.
 */
#ifndef KC_LIBTORCH_EXTREMUM_H
#define KC_LIBTORCH_EXTREMUM_H

#include <cmath>

namespace kc_libtorch {

template <typename T> T larger(T a, T b)
{
    if (std::isnan(a) || std::isnan(b)) {
        return a + b;
    }
    if (a == b) {
        return std::signbit(a) ? b : a;
    }
    return a > b ? a : b;
}

template <typename T> T smaller(T a, T b)
{
    if (std::isnan(a) || std::isnan(b)) {
        return a + b;
    }
    if (a == b) {
        return std::signbit(a) ? a : b;
    }
    return a < b ? a : b;
}

} // namespace kc_libtorch

#endif
