/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Operands of tests. */
#include "unit/operand_fixture.h"

#include <check.h>
#include <string.h>

#include "tensor/dtype.h"
#include "tensor/shape.h"

void operand_init(operand_t *operand, int32_t dtype, int32_t rank,
                  const int64_t *dims)
{
    memset(operand, 0, sizeof *operand);
    for (int32_t axis = 0; axis < rank; axis++) {
        operand->shape[axis] = dims[axis];
    }
    kci_shape_dense_strides(rank, operand->shape, operand->strides);
    operand->view = (DLTensor){.data = operand->bytes,
                               .device = {kDLCPU, 0},
                               .ndim = rank,
                               .dtype = kci_dtype_to_dlpack(dtype),
                               .shape = operand->shape,
                               .strides = operand->strides};
    ck_assert_int_le(kc_tensor_element_count(&operand->view) *
                         (int64_t)kci_dtype_size(dtype),
                     OPERAND_BYTES);
}

void operand_floats(operand_t *operand, int32_t rank, const int64_t *dims,
                    const float *values)
{
    operand_init(operand, KC_DTYPE_F32, rank, dims);
    memcpy(operand->bytes, values,
           (size_t)kc_tensor_element_count(&operand->view) * sizeof *values);
}

float *operand_f32(operand_t *operand)
{
    return (float *)(void *)operand->bytes;
}

kc_attributes_t operand_attributes(int32_t op)
{
    kc_attributes_t attributes;
    memset(&attributes, 0, sizeof attributes);
    attributes.struct_size = sizeof attributes;
    attributes.op = op;
    return attributes;
}

kc_attributes_t operand_axis(int32_t op, int64_t axis)
{
    kc_attributes_t attributes = operand_attributes(op);
    attributes.u.axis.axis = axis;
    return attributes;
}
