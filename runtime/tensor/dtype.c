/* SPDX-License-Identifier: Apache-2.0
 *
 * Element types: one row each. Anything that is not a kc_dtype_t has size 0
 * and no DLPack type.
 */
#include "tensor/dtype.h"

typedef struct dtype_row {
    uint8_t code;
    uint8_t bits;
} dtype_row_t;

static const dtype_row_t dtype_rows[KC_DTYPE_COUNT] = {
    [KC_DTYPE_F32] = {kDLFloat, 32},       [KC_DTYPE_F64] = {kDLFloat, 64},
    [KC_DTYPE_BOOL] = {KC_DLPACK_BOOL, 8}, [KC_DTYPE_I32] = {kDLInt, 32},
    [KC_DTYPE_I64] = {kDLInt, 64},
};

static dtype_row_t row_of(int32_t dtype)
{
    if (dtype < 0 || dtype >= KC_DTYPE_COUNT) {
        return (dtype_row_t){0, 0};
    }
    return dtype_rows[dtype];
}

size_t kci_dtype_size(int32_t dtype)
{
    return row_of(dtype).bits / 8;
}

DLDataType kci_dtype_to_dlpack(int32_t dtype)
{
    dtype_row_t row = row_of(dtype);
    return (DLDataType){.code = row.code, .bits = row.bits, .lanes = 1};
}
