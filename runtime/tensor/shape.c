/* SPDX-License-Identifier: Apache-2.0
 *
 * Shapes. The product is taken over the non-zero extents, so the rule for
 * [0, 2^63-1, 4] is the rule for [1, 2^63-1, 4]: refused.
 */
#include "tensor/shape.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/checked_size.h"
#include "base/error.h"

kc_status_t kci_shape_check(int32_t rank, const int64_t *dims, const char *what,
                            int64_t *out_count, kc_error_t *error)
{
    int64_t product = 1;
    bool is_empty = false;
    if (rank < 0 || rank > KC_MAX_RANK) {
        return kci_fail(error, KC_ERR_FORMAT,
                        "%s: expected a rank of 0 to %d, found %" PRId32, what,
                        KC_MAX_RANK, rank);
    }
    for (int32_t axis = 0; axis < rank; axis++) {
        if (dims[axis] < 0) {
            return kci_fail(error, KC_ERR_FORMAT,
                            "%s: expected an extent >= 0 on axis %" PRId32
                            ", found %" PRId64,
                            what, axis, dims[axis]);
        }
        if (dims[axis] == 0) {
            is_empty = true;
        } else if (!kci_int64_multiply(product, dims[axis], &product)) {
            return kci_fail(error, KC_ERR_FORMAT,
                            "%s: too many elements: the product of the "
                            "extents does not fit 64 bits",
                            what);
        }
    }
    *out_count = is_empty ? 0 : product;
    return KC_OK;
}

int64_t kci_shape_element_count(const kci_shape_t *shape)
{
    int64_t count = 1;
    for (int32_t axis = 0; axis < shape->rank; axis++) {
        if (shape->dims[axis] == 0) {
            return 0;
        }
        count *= shape->dims[axis];
    }
    return count;
}

bool kci_shape_equal(const kci_shape_t *a, const kci_shape_t *b)
{
    if (a->rank != b->rank) {
        return false;
    }
    for (int32_t axis = 0; axis < a->rank; axis++) {
        if (a->dims[axis] != b->dims[axis]) {
            return false;
        }
    }
    return true;
}

void kci_shape_dense_strides(int32_t rank, const int64_t *dims,
                             int64_t *out_strides)
{
    int64_t stride = 1;
    for (int32_t axis = rank - 1; axis >= 0; axis--) {
        out_strides[axis] = stride;
        stride *= dims[axis] == 0 ? 1 : dims[axis];
    }
}

/* Appends what fits and leaves the NUL; returns the new length. */
static size_t append_cut(char *out, size_t length, size_t size,
                         const char *text)
{
    size_t wanted = strlen(text);
    size_t room = size - length - 1;
    size_t added = wanted < room ? wanted : room;
    memcpy(out + length, text, added);
    out[length + added] = '\0';
    return length + added;
}

void kci_shape_format(int32_t rank, const int64_t *dims,
                      const char *const *names, char *out, size_t size)
{
    if (size == 0) {
        return;
    }
    size_t length = append_cut(out, 0, size, "[");
    for (int32_t axis = 0; axis < rank; axis++) {
        char number[24];
        const char *text = number;
        if (dims[axis] < 0 && names != NULL) {
            text = names[-1 - dims[axis]];
        } else {
            snprintf(number, sizeof number, "%" PRId64, dims[axis]);
        }
        length = append_cut(out, length, size, axis == 0 ? "" : ", ");
        length = append_cut(out, length, size, text);
    }
    (void)append_cut(out, length, size, "]");
}
