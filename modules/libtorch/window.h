/* SPDX-License-Identifier: Apache-2.0
 *
 * A window that slides over the spatial axes of a plane, for the loops that
 * stand where ATen's convention is another: which cell each tap meets at each
 * place, in row-major order.
 */
#ifndef KC_LIBTORCH_WINDOW_H
#define KC_LIBTORCH_WINDOW_H

#include <cstdint>

#include <kcapsule/vocabulary.h>

namespace kc_libtorch {

/* `in` are the extents of the plane, `out` the places. */
struct window {
    int32_t axes;
    int64_t in[KC_MAX_RANK];
    int64_t out[KC_MAX_RANK];
    int64_t kernel[KC_MAX_RANK];
    int64_t stride[KC_MAX_RANK];
    int64_t dilation[KC_MAX_RANK];
    int64_t padding[KC_MAX_RANK];
};

inline int64_t product(const int64_t *extents, int32_t count)
{
    int64_t result = 1;
    for (int32_t i = 0; i < count; i++) {
        result *= extents[i];
    }
    return result;
}

/* The next index in row-major order; false after the last. */
inline bool advance(const int64_t *extents, int32_t count, int64_t *index)
{
    for (int32_t axis = count; axis-- > 0;) {
        if (++index[axis] < extents[axis]) {
            return true;
        }
        index[axis] = 0;
    }
    return false;
}

/* The cell of the plane that tap `tap` meets at place `place`, -1 where that
 * lies in the padding. */
inline int64_t cell_of(const window &w, const int64_t *place,
                       const int64_t *tap)
{
    int64_t cell = 0;
    for (int32_t axis = 0; axis < w.axes; axis++) {
        const int64_t at = place[axis] * w.stride[axis] +
                           tap[axis] * w.dilation[axis] - w.padding[axis];
        if (at < 0 || at >= w.in[axis]) {
            return -1;
        }
        cell = cell * w.in[axis] + at;
    }
    return cell;
}

/* visit(tap, cell) for each tap at `place`; the cell is -1 in the padding. */
template <class visit_t>
inline void for_each_tap(const window &w, const int64_t *place, visit_t visit)
{
    int64_t tap[KC_MAX_RANK] = {0};
    int64_t count = 0;
    do {
        visit(count++, cell_of(w, place, tap));
    } while (advance(w.kernel, w.axes, tap));
}

/* visit(q, place) for each place; needs at least one. */
template <class visit_t>
inline void for_each_place(const window &w, visit_t visit)
{
    int64_t place[KC_MAX_RANK] = {0};
    int64_t count = 0;
    do {
        visit(count++, static_cast<const int64_t *>(place));
    } while (advance(w.out, w.axes, place));
}

} // namespace kc_libtorch

#endif
