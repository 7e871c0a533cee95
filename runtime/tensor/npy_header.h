/* SPDX-License-Identifier: Apache-2.0
 *
 * The header text of an npy file: a Python dictionary with the keys descr,
 * fortran_order and shape. Spacing, quotes and the order of the keys are
 * free; everything else is as numpy writes it.
 */
#ifndef KC_TENSOR_NPY_HEADER_H
#define KC_TENSOR_NPY_HEADER_H

#include <stdbool.h>
#include "tensor/shape.h"

typedef struct kci_npy_header {
    int32_t dtype;
    bool is_column_order;
    kci_shape_t shape; /* checked */
} kci_npy_header_t;

/* The descr of an element type, "<f4". */
const char *kci_npy_descr(int32_t dtype);
/* `offset` is where the text begins in the file, for errors. */
KC_MUST_USE kc_status_t kci_npy_header_parse(const char *text, size_t length,
                                             size_t offset, const char *name,
                                             kci_npy_header_t *out_header,
                                             kc_error_t *error);

#endif
