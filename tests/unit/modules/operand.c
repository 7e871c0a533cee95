/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory of operands under test. The first element lies one element after a
 * 64-byte boundary, so that a kernel which relies on more alignment fails.
 */
#include "unit/modules/operand.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define GUARD_SIZE 64
#define GUARD_BYTE 0xa5

static const DLDataType types[KC_DTYPE_COUNT] = {
    [KC_DTYPE_F32] = {kDLFloat, 32, 1},
    [KC_DTYPE_F64] = {kDLFloat, 64, 1},
    [KC_DTYPE_BOOL] = {KC_DLPACK_BOOL, 8, 1},
    [KC_DTYPE_I32] = {kDLInt, 32, 1},
    [KC_DTYPE_I64] = {kDLInt, 64, 1}};

static unsigned char *first_byte(const operand_t *operand)
{
    return operand->block + GUARD_SIZE + operand->element_size;
}

static size_t front_size(const operand_t *operand)
{
    return GUARD_SIZE + operand->element_size;
}

operand_t *operand_create_strided(int32_t dtype, int32_t rank,
                                  const int64_t *shape, const int64_t *strides,
                                  size_t storage)
{
    operand_t *operand = calloc(1, sizeof *operand);
    size_t size;
    ck_assert_ptr_nonnull(operand);
    operand->dtype = dtype;
    operand->element_size = types[dtype].bits / 8u;
    operand->storage = storage;
    for (int32_t i = 0; i < rank; i++) {
        operand->shape[i] = shape[i];
        operand->strides[i] = strides[i];
    }
    size = front_size(operand) + storage * operand->element_size + GUARD_SIZE;
    operand->block = aligned_alloc(64, (size + 63) / 64 * 64);
    ck_assert_ptr_nonnull(operand->block);
    memset(operand->block, GUARD_BYTE, size);
    memset(first_byte(operand), 0, storage * operand->element_size);
    operand->view = (DLTensor){.device = {kDLCPU, 0},
                               .ndim = rank,
                               .dtype = types[dtype],
                               .shape = operand->shape,
                               .strides = operand->strides};
    operand->count = (size_t)kc_tensor_element_count(&operand->view);
    /* The offset has to be looked at as well. */
    operand->view.data = operand->count == 0 ? NULL : operand->block;
    operand->view.byte_offset = front_size(operand);
    return operand;
}

operand_t *operand_create(int32_t dtype, int32_t rank, const int64_t *shape)
{
    int64_t strides[KC_MAX_RANK];
    int64_t count = 1;
    for (int32_t i = rank; i-- > 0;) {
        strides[i] = count;
        count *= shape[i];
    }
    return operand_create_strided(dtype, rank, shape, strides, (size_t)count);
}

void operand_destroy(operand_t *operand)
{
    if (operand != NULL) {
        free(operand->block);
        free(operand);
    }
}

double operand_get(const operand_t *operand, size_t idx)
{
    const unsigned char *from =
        first_byte(operand) + idx * operand->element_size;
    float f32;
    double f64;
    int32_t i32;
    int64_t i64;
    switch (operand->dtype) {
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

void operand_set(operand_t *operand, size_t idx, double value)
{
    unsigned char *to = first_byte(operand) + idx * operand->element_size;
    float f32 = (float)value;
    int32_t i32;
    int64_t i64;
    switch (operand->dtype) {
    case KC_DTYPE_F32:
        memcpy(to, &f32, sizeof f32);
        break;
    case KC_DTYPE_F64:
        memcpy(to, &value, sizeof value);
        break;
    case KC_DTYPE_I32:
        i32 = (int32_t)value;
        memcpy(to, &i32, sizeof i32);
        break;
    case KC_DTYPE_I64:
        i64 = (int64_t)value;
        memcpy(to, &i64, sizeof i64);
        break;
    default:
        *to = value != 0;
    }
}

void operand_fill(operand_t *operand, const double *values)
{
    for (size_t i = 0; i < operand->storage; i++) {
        operand_set(operand, i, values[i]);
    }
}

void operand_spoil(operand_t *operand)
{
    memset(first_byte(operand), 0x5c, operand->storage * operand->element_size);
}

int operand_guards_hold(const operand_t *operand)
{
    const unsigned char *after =
        first_byte(operand) + operand->storage * operand->element_size;
    for (size_t i = 0; i < front_size(operand); i++) {
        if (operand->block[i] != GUARD_BYTE) {
            return 0;
        }
    }
    for (size_t i = 0; i < GUARD_SIZE; i++) {
        if (after[i] != GUARD_BYTE) {
            return 0;
        }
    }
    return 1;
}

double rounded(int32_t dtype, double value)
{
    return dtype == KC_DTYPE_F32 ? (double)(float)value : value;
}

int same_bits(double a, double b)
{
    return isnan(a) ? isnan(b) : memcmp(&a, &b, sizeof a) == 0;
}

uint64_t random_word(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

double random_uniform(uint64_t *state, double lo, double hi)
{
    return lo + (hi - lo) * (double)(random_word(state) >> 11) * 0x1p-53;
}

double random_wild(uint64_t *state, int specials)
{
    const double special[] = {INFINITY, -INFINITY, NAN};
    uint64_t kind = random_word(state) % 64;
    if (kind < 3 && specials) {
        return special[kind];
    }
    if (kind < 8) {
        return kind % 2 == 0 ? 0.0 : -0.0;
    }
    /* 2^-149 is the least float32; products reach below and above. */
    return ldexp(random_uniform(state, -1, 1),
                 (int)(random_word(state) % 180) - 140);
}
