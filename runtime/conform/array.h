/* SPDX-License-Identifier: Apache-2.0
 *
 * Operands as the oracles see them: every element as double, dense, in
 * row-major order, however the view lay in memory.
 */
#ifndef KC_CONFORM_ARRAY_H
#define KC_CONFORM_ARRAY_H

#include <stdbool.h>
#include <kcapsule/status.h>
#include <kcapsule/tensor.h>

typedef struct kci_array {
    int32_t dtype;
    int32_t rank; /* -1: the optional operand is absent */
    int64_t shape[KC_MAX_RANK];
    int64_t count;
    double *values; /* owned */
} kci_array_t;

/* Integers beyond 2^53 would lose digits: cases do not have them. Bytes of
 * bool other than 0 are 1. */
KC_MUST_USE kc_status_t kci_array_read(const DLTensor *view,
                                       kci_array_t *out_array,
                                       kc_error_t *error);
void kci_array_release(kci_array_t *array);
/* One element as it lies in memory; a bool byte is not made 0 or 1. */
double kci_element_as_double(int32_t dtype, const unsigned char *from);

/* Product of the extents of the axes first .. last-1. */
int64_t kci_extent_product(const int64_t *shape, int64_t first, int64_t last);
/* The next index in row-major order; false after the last one. All extents
 * are above 0. */
bool kci_next_index(int32_t rank, const int64_t *shape, int64_t *index);
/* Row-major place of an index. */
int64_t kci_place_of(int32_t rank, const int64_t *shape, const int64_t *index);

/* Status KC_ERR_MEMORY with its line. */
KC_MUST_USE kc_status_t kci_conform_no_memory(kc_error_t *error);
/* calloc of count * size, at least one byte; NULL without memory. */
void *kci_conform_allocate(int64_t count, size_t size);

#endif
