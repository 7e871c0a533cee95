/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Small operands with memory of their own, to be bent by a test. */
#ifndef KC_TESTS_UNIT_OPERAND_FIXTURE_H
#define KC_TESTS_UNIT_OPERAND_FIXTURE_H

#include <stdbool.h>
#include <kcapsule/attributes.h>
#include <kcapsule/tensor.h>

#define OPERAND_BYTES 4096

typedef struct operand {
    DLTensor view;
    int64_t shape[KC_MAX_RANK];
    int64_t strides[KC_MAX_RANK];
    _Alignas(64) unsigned char bytes[OPERAND_BYTES];
} operand_t;

/* Dense, zeroed. `operand` must not move afterwards. */
void operand_init(operand_t *operand, int32_t dtype, int32_t rank,
                  const int64_t *dims);
/* f32 with these values; the shape must have as many elements. */
void operand_floats(operand_t *operand, int32_t rank, const int64_t *dims,
                    const float *values);
float *operand_f32(operand_t *operand);
/* Only the head: for operations without attributes. */
kc_attributes_t operand_attributes(int32_t op);
kc_attributes_t operand_axis(int32_t op, int64_t axis);

#define DIMS(...)   ((const int64_t[]){__VA_ARGS__})
#define FLOATS(...) ((const float[]){__VA_ARGS__})

#endif
