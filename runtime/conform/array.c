/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads views of any strides into dense arrays of double.
 */
#include "conform/array.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *kci_conform_allocate(int64_t count, size_t size)
{
    return calloc(count > 0 ? (size_t)count : 1, size);
}

kc_status_t kci_conform_no_memory(kc_error_t *error)
{
    if (error != NULL) {
        error->status = KC_ERR_MEMORY;
        snprintf(error->message, sizeof error->message,
                 "conform: expected memory for a case, found none");
    }
    return KC_ERR_MEMORY;
}

int64_t kci_extent_product(const int64_t *shape, int64_t first, int64_t last)
{
    int64_t product = 1;
    for (int64_t axis = first; axis < last; axis++) {
        product *= shape[axis];
    }
    return product;
}

bool kci_next_index(int32_t rank, const int64_t *shape, int64_t *index)
{
    for (int32_t axis = rank - 1; axis >= 0; axis--) {
        if (++index[axis] < shape[axis]) {
            return true;
        }
        index[axis] = 0;
    }
    return false;
}

int64_t kci_place_of(int32_t rank, const int64_t *shape, const int64_t *index)
{
    int64_t place = 0;
    for (int32_t axis = 0; axis < rank; axis++) {
        place = place * shape[axis] + index[axis];
    }
    return place;
}

double kci_element_as_double(int32_t dtype, const unsigned char *from)
{
    float f32;
    double f64;
    int32_t i32;
    int64_t i64;
    switch (dtype) {
    case KC_DTYPE_F32:
        memcpy(&f32, from, sizeof f32);
        return (double)f32;
    case KC_DTYPE_F64:
        memcpy(&f64, from, sizeof f64);
        return f64;
    case KC_DTYPE_I32:
        memcpy(&i32, from, sizeof i32);
        return i32;
    case KC_DTYPE_I64:
        memcpy(&i64, from, sizeof i64);
        return (double)i64;
    default:
        return *from;
    }
}

static void read_elements(const DLTensor *view, kci_array_t *array)
{
    const unsigned char *base = kc_tensor_data(view);
    int64_t size = view->dtype.bits / 8;
    int64_t index[KC_MAX_RANK] = {0};
    for (int64_t i = 0; i < array->count; i++) {
        int64_t offset = i; /* without strides: dense */
        if (view->strides != NULL) {
            offset = 0;
            for (int32_t axis = 0; axis < array->rank; axis++) {
                offset += index[axis] * view->strides[axis];
            }
        }
        double value =
            kci_element_as_double(array->dtype, base + offset * size);
        bool is_bool = array->dtype == KC_DTYPE_BOOL;
        array->values[i] = is_bool ? value != 0 : value;
        kci_next_index(array->rank, array->shape, index);
    }
}

kc_status_t kci_array_read(const DLTensor *view, kci_array_t *out_array,
                           kc_error_t *error)
{
    kci_array_t array = {.rank = -1};
    if (view != NULL) {
        array.dtype = kc_tensor_dtype(view);
        array.rank = view->ndim;
        for (int32_t axis = 0; axis < view->ndim; axis++) {
            array.shape[axis] = view->shape[axis];
        }
        array.count = kc_tensor_element_count(view);
        array.values = kci_conform_allocate(array.count, sizeof(double));
        if (array.values == NULL) {
            return kci_conform_no_memory(error);
        }
        read_elements(view, &array);
    }
    *out_array = array;
    return KC_OK;
}

void kci_array_release(kci_array_t *array)
{
    free(array->values);
    array->values = NULL;
}
