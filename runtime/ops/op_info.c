/* SPDX-License-Identifier: Apache-2.0
 *
 * The one table of all operations, in the order of the vocabulary.
 */
#include "ops/op_info.h"

#include <assert.h>

#include "ops/entries.h"

static const kci_op_info_t *const entries[] = {
    [KC_OP_RAND_UNIFORM] = &kci_op_rand_uniform,
    [KC_OP_BERNOULLI_MASK] = &kci_op_bernoulli_mask,
    [KC_OP_ADD] = &kci_op_add,
    [KC_OP_SUB] = &kci_op_sub,
    [KC_OP_MUL] = &kci_op_mul,
    [KC_OP_SCALE] = &kci_op_scale,
    [KC_OP_ABS] = &kci_op_abs,
    [KC_OP_SQRT] = &kci_op_sqrt,
    [KC_OP_CLAMP] = &kci_op_clamp,
    [KC_OP_MAX] = &kci_op_max,
    [KC_OP_MIN] = &kci_op_min,
    [KC_OP_RELU] = &kci_op_relu,
    [KC_OP_GELU] = &kci_op_gelu,
    [KC_OP_SIGMOID] = &kci_op_sigmoid,
    [KC_OP_TANH] = &kci_op_tanh,
    [KC_OP_SOFTPLUS] = &kci_op_softplus,
    [KC_OP_EXP] = &kci_op_exp,
    [KC_OP_LOG] = &kci_op_log,
    [KC_OP_SIN] = &kci_op_sin,
    [KC_OP_COS] = &kci_op_cos,
    [KC_OP_INV] = &kci_op_inv,
    [KC_OP_SAFE_LOG] = &kci_op_safe_log,
    [KC_OP_LOG_SOFTMAX] = &kci_op_log_softmax,
    [KC_OP_SOFTMAX] = &kci_op_softmax,
    [KC_OP_HARD_MASKED_SOFTMAX] = &kci_op_hard_masked_softmax,
    [KC_OP_REDUCE_SUM] = &kci_op_reduce_sum,
    [KC_OP_REDUCE_MEAN] = &kci_op_reduce_mean,
    [KC_OP_RESHAPE] = &kci_op_reshape,
    [KC_OP_PERMUTE] = &kci_op_permute,
    [KC_OP_BROADCAST] = &kci_op_broadcast,
    [KC_OP_CONCAT] = &kci_op_concat,
    [KC_OP_SLICE] = &kci_op_slice,
    [KC_OP_GATHER] = &kci_op_gather,
    [KC_OP_SCATTER_ADD] = &kci_op_scatter_add,
    [KC_OP_MATMUL] = &kci_op_matmul,
    [KC_OP_LINEAR] = &kci_op_linear,
    [KC_OP_MSE_LOSS] = &kci_op_mse_loss,
    [KC_OP_LAYER_NORM] = &kci_op_layer_norm,
    [KC_OP_BATCH_NORM] = &kci_op_batch_norm,
    [KC_OP_CONV] = &kci_op_conv,
    [KC_OP_CONV_TRANSPOSE] = &kci_op_conv_transpose,
    [KC_OP_MAX_POOL] = &kci_op_max_pool,
    [KC_OP_SMOOTH_MAX_POOL] = &kci_op_smooth_max_pool,
    [KC_OP_AVG_POOL] = &kci_op_avg_pool,
    [KC_OP_FFT_FNO] = &kci_op_fft_fno,
    [KC_OP_SELECTIVE_SCAN] = &kci_op_selective_scan,
    [KC_OP_SCALED_DOT_PRODUCT_ATTENTION] = &kci_op_scaled_dot_product_attention,
};

_Static_assert(sizeof entries / sizeof *entries == KC_OP_COUNT,
               "one entry an operation");

const kci_op_info_t *kci_op_info(int32_t op)
{
    assert(op >= 0 && op < KC_OP_COUNT);
    return entries[op];
}

const char *kci_operand_kind_dtypes(kci_operand_kind_t kind)
{
    switch (kind) {
    case KCI_OPERAND_MASK:
        return "bool";
    case KCI_OPERAND_INDICES:
        return "i32 or i64";
    case KCI_OPERAND_ANY:
        return "f32, f64, bool, i32 or i64";
    default:
        return "f32 or f64";
    }
}

bool kci_op_has_attributes(int32_t op)
{
    return kci_op_info(op)->attribute_count > 0 ||
           op == KC_OP_HARD_MASKED_SOFTMAX;
}
