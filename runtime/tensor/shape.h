/* SPDX-License-Identifier: Apache-2.0
 *
 * Shapes. Extents are >= 0 and the product of the non-zero extents fits
 * int64_t (so nothing overflows on the way to a zero). In graphs that are
 * not bound yet a leading extent may be a name, coded as a negative number.
 */
#ifndef KC_TENSOR_SHAPE_H
#define KC_TENSOR_SHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <kcapsule/status.h>

typedef struct kci_shape {
    int32_t rank;
    int64_t dims[KC_MAX_RANK];
} kci_shape_t;

/* Checks rank and extents; writes the element count (0 with a zero extent).
 * `what` names the thing in the error. Refuses negative extents. */
KC_MUST_USE kc_status_t kci_shape_check(int32_t rank, const int64_t *dims,
                                        const char *what, int64_t *out_count,
                                        kc_error_t *error);
/* Of a checked shape. */
int64_t kci_shape_element_count(const kci_shape_t *shape);
bool kci_shape_equal(const kci_shape_t *a, const kci_shape_t *b);
/* Row-major strides in elements of a checked shape; zero extents count as 1
 * so that nothing is negative or overflows. */
void kci_shape_dense_strides(int32_t rank, const int64_t *dims,
                             int64_t *out_strides);

/* Longest text of a shape with 16 extents, names included. */
#define KCI_SHAPE_TEXT_SIZE 512
/* "[4, 8]"; a negative extent is a name from `names` (index -1 - extent),
 * printed bare: "[N, 64]". `names` may be NULL when there are none. */
void kci_shape_format(int32_t rank, const int64_t *dims,
                      const char *const *names, char *out, size_t size);

#endif
