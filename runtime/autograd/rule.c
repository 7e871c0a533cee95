/* SPDX-License-Identifier: Apache-2.0
 *
 * The one table of derivative rules, in the order of the vocabulary.
 */
#include "autograd/rules.h"

#include <assert.h>

static const kci_rule_t no_rule = {NULL, NULL, NULL};

static const kci_rule_t *const rules[KC_OP_COUNT] = {
    [KC_OP_RAND_UNIFORM] = &no_rule,
    [KC_OP_BERNOULLI_MASK] = &no_rule,
    [KC_OP_ADD] = &kci_rule_add,
    [KC_OP_SUB] = &kci_rule_sub,
    [KC_OP_MUL] = &kci_rule_mul,
    [KC_OP_SCALE] = &kci_rule_scale,
    [KC_OP_ABS] = &kci_rule_abs,
    [KC_OP_SQRT] = &kci_rule_sqrt,
    [KC_OP_CLAMP] = &kci_rule_clamp,
    [KC_OP_MAX] = &kci_rule_max,
    [KC_OP_MIN] = &kci_rule_min,
    [KC_OP_RELU] = &kci_rule_relu,
    [KC_OP_GELU] = &kci_rule_gelu,
    [KC_OP_SIGMOID] = &kci_rule_sigmoid,
    [KC_OP_TANH] = &kci_rule_tanh,
    [KC_OP_SOFTPLUS] = &kci_rule_softplus,
    [KC_OP_EXP] = &kci_rule_exp,
    [KC_OP_LOG] = &kci_rule_log,
    [KC_OP_SIN] = &kci_rule_sin,
    [KC_OP_COS] = &kci_rule_cos,
    [KC_OP_INV] = &kci_rule_inv,
    [KC_OP_SAFE_LOG] = &kci_rule_safe_log,
    [KC_OP_LOG_SOFTMAX] = &kci_rule_log_softmax,
    [KC_OP_SOFTMAX] = &kci_rule_softmax,
    [KC_OP_HARD_MASKED_SOFTMAX] = &kci_rule_hard_masked_softmax,
    [KC_OP_REDUCE_SUM] = &kci_rule_reduce_sum,
    [KC_OP_REDUCE_MEAN] = &kci_rule_reduce_mean,
    [KC_OP_RESHAPE] = &kci_rule_reshape,
    [KC_OP_PERMUTE] = &kci_rule_permute,
    [KC_OP_BROADCAST] = &kci_rule_broadcast,
    [KC_OP_CONCAT] = &kci_rule_concat,
    [KC_OP_SLICE] = &kci_rule_slice,
    [KC_OP_GATHER] = &kci_rule_gather,
    [KC_OP_SCATTER_ADD] = &kci_rule_scatter_add,
    [KC_OP_MATMUL] = &kci_rule_matmul,
    [KC_OP_LINEAR] = &kci_rule_linear,
    [KC_OP_MSE_LOSS] = &kci_rule_mse_loss,
    [KC_OP_LAYER_NORM] = &kci_rule_layer_norm,
    [KC_OP_BATCH_NORM] = &kci_rule_batch_norm,
    [KC_OP_CONV] = &kci_rule_conv,
    [KC_OP_CONV_TRANSPOSE] = &kci_rule_conv_transpose,
    [KC_OP_MAX_POOL] = &kci_rule_max_pool,
    [KC_OP_SMOOTH_MAX_POOL] = &kci_rule_smooth_max_pool,
    [KC_OP_AVG_POOL] = &kci_rule_avg_pool,
    [KC_OP_FFT_FNO] = &kci_rule_fft_fno,
    [KC_OP_SELECTIVE_SCAN] = &kci_rule_selective_scan,
    [KC_OP_SCALED_DOT_PRODUCT_ATTENTION] = &kci_rule_attention,
};

const kci_rule_t *kci_rule(int32_t op)
{
    assert(op >= 0 && op < KC_OP_COUNT);
    return rules[op];
}
