/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of operations.
 */
#include "conform/family.h"

#include <kcapsule/vocabulary.h>

#define FAMILY(name, with_functions)                                           \
    static const kci_family_t family_##name = {                                \
        kci_oracle_##name, kci_draw_##name, with_functions};
/* Of the pools only one has functions. */
static const kci_family_t family_smooth_pool = {kci_oracle_pool, kci_draw_pool,
                                                true};

FAMILY(random, false)
FAMILY(pointwise, true)
FAMILY(softmax, true)
FAMILY(reduce, false)
FAMILY(layout, false)
FAMILY(index, false)
FAMILY(matmul, false)
FAMILY(norm, false)
FAMILY(conv, false)
FAMILY(pool, false)
FAMILY(spectral, true)
FAMILY(scan, false)
FAMILY(attention, true)

static const kci_family_t *const families[KC_OP_COUNT] = {
    [KC_OP_RAND_UNIFORM] = &family_random,
    [KC_OP_BERNOULLI_MASK] = &family_random,
    [KC_OP_ADD] = &family_pointwise,
    [KC_OP_SUB] = &family_pointwise,
    [KC_OP_MUL] = &family_pointwise,
    [KC_OP_SCALE] = &family_pointwise,
    [KC_OP_ABS] = &family_pointwise,
    [KC_OP_SQRT] = &family_pointwise,
    [KC_OP_CLAMP] = &family_pointwise,
    [KC_OP_MAX] = &family_pointwise,
    [KC_OP_MIN] = &family_pointwise,
    [KC_OP_RELU] = &family_pointwise,
    [KC_OP_GELU] = &family_pointwise,
    [KC_OP_SIGMOID] = &family_pointwise,
    [KC_OP_TANH] = &family_pointwise,
    [KC_OP_SOFTPLUS] = &family_pointwise,
    [KC_OP_EXP] = &family_pointwise,
    [KC_OP_LOG] = &family_pointwise,
    [KC_OP_SIN] = &family_pointwise,
    [KC_OP_COS] = &family_pointwise,
    [KC_OP_INV] = &family_pointwise,
    [KC_OP_SAFE_LOG] = &family_pointwise,
    [KC_OP_LOG_SOFTMAX] = &family_softmax,
    [KC_OP_SOFTMAX] = &family_softmax,
    [KC_OP_HARD_MASKED_SOFTMAX] = &family_softmax,
    [KC_OP_REDUCE_SUM] = &family_reduce,
    [KC_OP_REDUCE_MEAN] = &family_reduce,
    [KC_OP_RESHAPE] = &family_layout,
    [KC_OP_PERMUTE] = &family_layout,
    [KC_OP_BROADCAST] = &family_layout,
    [KC_OP_CONCAT] = &family_layout,
    [KC_OP_SLICE] = &family_layout,
    [KC_OP_GATHER] = &family_index,
    [KC_OP_SCATTER_ADD] = &family_index,
    [KC_OP_MATMUL] = &family_matmul,
    [KC_OP_LINEAR] = &family_matmul,
    [KC_OP_MSE_LOSS] = &family_matmul,
    [KC_OP_LAYER_NORM] = &family_norm,
    [KC_OP_BATCH_NORM] = &family_norm,
    [KC_OP_CONV] = &family_conv,
    [KC_OP_CONV_TRANSPOSE] = &family_conv,
    [KC_OP_MAX_POOL] = &family_pool,
    [KC_OP_SMOOTH_MAX_POOL] = &family_smooth_pool,
    [KC_OP_AVG_POOL] = &family_pool,
    [KC_OP_FFT_FNO] = &family_spectral,
    [KC_OP_SELECTIVE_SCAN] = &family_scan,
    [KC_OP_SCALED_DOT_PRODUCT_ATTENTION] = &family_attention,
};

const kci_family_t *kci_family_of(int32_t op)
{
    return families[op];
}
