/* SPDX-License-Identifier: Apache-2.0
 *
 * Operands of a kernel under test: a tensor between guard bytes, aligned to
 * its element and no more, read and written as double.
 */
#ifndef KC_TESTS_UNIT_MODULES_OPERAND_H
#define KC_TESTS_UNIT_MODULES_OPERAND_H

#include <kcapsule/tensor.h>

typedef struct operand {
    DLTensor view;
    int64_t shape[KC_MAX_RANK];
    int64_t strides[KC_MAX_RANK];
    int32_t dtype;
    size_t element_size;
    size_t count;   /* of elements of the view */
    size_t storage; /* of elements between the guards */
    unsigned char *block;
} operand_t;

/* operand_create(KC_DTYPE_F32, SHAPE(2, 3)); a scalar is (0, NULL). */
#define SHAPE(...)                                                             \
    (int32_t)(sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t)),       \
        (const int64_t[])                                                      \
    {                                                                          \
        __VA_ARGS__                                                            \
    }

/* Dense and zero; a tensor without elements has NULL data. */
operand_t *operand_create(int32_t dtype, int32_t rank, const int64_t *shape);

/* Any strides, counted in elements, over `storage` elements. */
operand_t *operand_create_strided(int32_t dtype, int32_t rank,
                                  const int64_t *shape, const int64_t *strides,
                                  size_t storage);
void operand_destroy(operand_t *operand);

/* By place in memory, which for dense operands is row-major order. */
double operand_get(const operand_t *operand, size_t idx);
void operand_set(operand_t *operand, size_t idx, double value);
void operand_fill(operand_t *operand, const double *values);

/* Writes a pattern over all elements, that no result looks like. */
void operand_spoil(operand_t *operand);

/* True as long as nobody wrote outside. */
int operand_guards_hold(const operand_t *operand);

/* `value` in the operand's type, as double: one rounding. */
double rounded(int32_t dtype, double value);

/* Equal bits, or both NaN. */
int same_bits(double a, double b);

/* Random doubles: a stream from a seed. */
uint64_t random_word(uint64_t *state);
double random_uniform(uint64_t *state, double lo, double hi);
/* Any finite size, zeros of both signs, subnormals; now and then infinite or
 * NaN if `specials`. */
double random_wild(uint64_t *state, int specials);

#endif
