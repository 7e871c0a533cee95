/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of all kinds of nodes, in the order of the specification.
 */
#include "graph/kinds.h"

#include <assert.h>
#include <string.h>

#include "graph/kind_attributes.h"

#define NO_KERNEL(label, role, parents)                                        \
    {                                                                          \
        label, role, -1, parents, parents, KCI_LOWERING_NONE, NULL             \
    }
#define OPERATION(label, op, least, most)                                      \
    {                                                                          \
        label, KCI_ROLE_OPERATION, op, least, most, KCI_LOWERING_NONE, NULL    \
    }
#define SPECIAL(label, op, least, most, read)                                  \
    {                                                                          \
        label, KCI_ROLE_OPERATION, op, least, most, KCI_LOWERING_NONE, read    \
    }

static const kci_kind_t kinds[] = {
    NO_KERNEL("input", KCI_ROLE_INPUT, 0),
    NO_KERNEL("const", KCI_ROLE_CONST, 0),
    NO_KERNEL("detach", KCI_ROLE_DETACH, 1),
    OPERATION("permute", KC_OP_PERMUTE, 1, 1),
    SPECIAL("transpose", KC_OP_PERMUTE, 1, 1, kci_read_transpose),
    SPECIAL("reshape", KC_OP_RESHAPE, 1, 1, kci_read_target_shape),
    SPECIAL("flatten", KC_OP_RESHAPE, 1, 1, kci_read_flatten),
    SPECIAL("broadcast_to", KC_OP_BROADCAST, 1, 1, kci_read_target_shape),
    OPERATION("concat", KC_OP_CONCAT, 2, KC_MAX_INPUTS),
    OPERATION("slice", KC_OP_SLICE, 1, 1),
    OPERATION("gather", KC_OP_GATHER, 2, 2),
    OPERATION("scatter_add", KC_OP_SCATTER_ADD, 3, 3),
    OPERATION("add", KC_OP_ADD, 2, 2),
    OPERATION("sub", KC_OP_SUB, 2, 2),
    OPERATION("mul_elem", KC_OP_MUL, 2, 2),
    OPERATION("max_elem", KC_OP_MAX, 2, 2),
    OPERATION("min_elem", KC_OP_MIN, 2, 2),
    OPERATION("scale", KC_OP_SCALE, 1, 1),
    OPERATION("clamp", KC_OP_CLAMP, 1, 1),
    OPERATION("abs", KC_OP_ABS, 1, 1),
    OPERATION("sqrt", KC_OP_SQRT, 1, 1),
    OPERATION("inv", KC_OP_INV, 1, 1),
    OPERATION("relu", KC_OP_RELU, 1, 1),
    OPERATION("sigmoid", KC_OP_SIGMOID, 1, 1),
    OPERATION("tanh", KC_OP_TANH, 1, 1),
    OPERATION("softplus", KC_OP_SOFTPLUS, 1, 1),
    OPERATION("exp", KC_OP_EXP, 1, 1),
    OPERATION("log", KC_OP_LOG, 1, 1),
    OPERATION("sin", KC_OP_SIN, 1, 1),
    OPERATION("cos", KC_OP_COS, 1, 1),
    OPERATION("gelu", KC_OP_GELU, 1, 1),
    OPERATION("safe_log", KC_OP_SAFE_LOG, 2, 2),
    OPERATION("softmax", KC_OP_SOFTMAX, 1, 1),
    OPERATION("log_softmax", KC_OP_LOG_SOFTMAX, 1, 1),
    OPERATION("hard_masked_softmax", KC_OP_HARD_MASKED_SOFTMAX, 2, 2),
    OPERATION("reduce_sum", KC_OP_REDUCE_SUM, 1, 1),
    OPERATION("reduce_mean", KC_OP_REDUCE_MEAN, 1, 1),
    {"sum", KCI_ROLE_OPERATION, KC_OP_REDUCE_SUM, 1, 1, KCI_LOWERING_FLAT_INPUT,
     kci_read_sum},
    OPERATION("matmul", KC_OP_MATMUL, 2, 2),
    OPERATION("linear", KC_OP_LINEAR, 2, 3),
    OPERATION("mse_loss", KC_OP_MSE_LOSS, 2, 2),
    OPERATION("layernorm", KC_OP_LAYER_NORM, 1, 3),
    SPECIAL("batch_norm_eval", KC_OP_BATCH_NORM, 5, 5,
            kci_read_batch_norm_eval),
    SPECIAL("batch_norm", KC_OP_BATCH_NORM, 3, 3, kci_read_batch_norm),
    OPERATION("conv", KC_OP_CONV, 2, 3),
    OPERATION("conv_transpose", KC_OP_CONV_TRANSPOSE, 2, 3),
    OPERATION("max_pool", KC_OP_MAX_POOL, 1, 1),
    OPERATION("avg_pool", KC_OP_AVG_POOL, 1, 1),
    OPERATION("smooth_max_pool", KC_OP_SMOOTH_MAX_POOL, 1, 1),
    OPERATION("fft_fno", KC_OP_FFT_FNO, 1, 3),
    OPERATION("selective_scan", KC_OP_SELECTIVE_SCAN, 4, 4),
    OPERATION("scaled_dot_product_attention",
              KC_OP_SCALED_DOT_PRODUCT_ATTENTION, 3, 4),
    SPECIAL("rand_uniform", KC_OP_RAND_UNIFORM, 0, 0, kci_read_random),
    SPECIAL("bernoulli_mask", KC_OP_BERNOULLI_MASK, 1, 1, kci_read_random),
};

const kci_kind_t *kci_kind(int32_t index)
{
    assert(index >= 0 && index < kci_kind_count());
    return &kinds[index];
}

int32_t kci_kind_count(void)
{
    return (int32_t)(sizeof kinds / sizeof *kinds);
}

int32_t kci_kind_find(const char *label)
{
    for (int32_t i = 0; i < kci_kind_count(); i++) {
        if (strcmp(kinds[i].label, label) == 0) {
            return i;
        }
    }
    return -1;
}
