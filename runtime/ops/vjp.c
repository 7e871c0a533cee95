/* SPDX-License-Identifier: Apache-2.0
 *
 * The one list of derivative rules as planning sees them. Rules that select
 * (abs, clamp, max, min, relu, hard_masked_softmax) are the runtime's,
 * because no operation of the catalogue selects; so are those whose sums have
 * a written order that no composition has (conv, conv_transpose, the pools),
 * gelu, because no operation is erf, and selective_scan, whose composition
 * would grow with its length.
 */
#include "ops/vjp.h"

#include <assert.h>
#include <string.h>

#define B(name) KCI_OP_BIT(KC_OP_##name)

#define EVERY_INPUT UINT32_MAX

/* Row sums that come back to their axis. */
#define ALONG_AXIS (B(RESHAPE) | B(REDUCE_SUM) | B(BROADCAST))
#define NORMALISED                                                             \
    (ALONG_AXIS | B(REDUCE_MEAN) | B(SUB) | B(MUL) | B(ADD) | B(SQRT) | B(INV))
#define ATTENTION_FORWARD                                                      \
    (B(RESHAPE) | B(PERMUTE) | B(MATMUL) | B(SCALE) | B(SOFTMAX) |             \
     B(HARD_MASKED_SOFTMAX) | B(BROADCAST) | B(CONCAT) | B(GATHER))

#define COMPOSED(inputs, saved_inputs, saved_outputs, inner_ops)               \
    {                                                                          \
        KCI_VJP_RULE_COMPOSED, inputs, saved_inputs, saved_outputs, inner_ops  \
    }
#define RUNTIME(inputs, saved_inputs, saved_outputs)                           \
    {                                                                          \
        KCI_VJP_RULE_RUNTIME, inputs, saved_inputs, saved_outputs, 0           \
    }

/* Inputs with a cotangent, saved inputs, saved outputs, inner operations. */
static const kci_vjp_info_t infos[KC_OP_COUNT] = {
    [KC_OP_RAND_UNIFORM] = {KCI_VJP_RULE_NONE, 0, 0, 0, 0},
    [KC_OP_BERNOULLI_MASK] = {KCI_VJP_RULE_NONE, 0, 0, 0, 0},
    [KC_OP_ADD] = COMPOSED(3, 0, 0, 0),
    [KC_OP_SUB] = COMPOSED(3, 0, 0, B(SCALE)),
    [KC_OP_MUL] = COMPOSED(3, 3, 0, B(MUL)),
    [KC_OP_SCALE] = COMPOSED(1, 0, 0, B(SCALE)),
    [KC_OP_ABS] = RUNTIME(1, 1, 0),
    [KC_OP_SQRT] = COMPOSED(1, 0, 1, B(ABS) | B(SCALE) | B(INV) | B(MUL)),
    [KC_OP_CLAMP] = RUNTIME(1, 1, 0),
    [KC_OP_MAX] = RUNTIME(3, 3, 0),
    [KC_OP_MIN] = RUNTIME(3, 3, 0),
    [KC_OP_RELU] = RUNTIME(1, 1, 0),
    [KC_OP_GELU] = RUNTIME(1, 1, 0),
    [KC_OP_SIGMOID] = COMPOSED(1, 0, 1, B(BROADCAST) | B(SUB) | B(MUL)),
    [KC_OP_TANH] = COMPOSED(1, 0, 1, B(BROADCAST) | B(SUB) | B(MUL)),
    [KC_OP_SOFTPLUS] = COMPOSED(1, 1, 0, B(SIGMOID) | B(MUL)),
    [KC_OP_EXP] = COMPOSED(1, 0, 1, B(MUL)),
    [KC_OP_LOG] = COMPOSED(1, 1, 0, B(INV) | B(MUL)),
    [KC_OP_SIN] = COMPOSED(1, 1, 0, B(COS) | B(MUL)),
    [KC_OP_COS] = COMPOSED(1, 1, 0, B(SIN) | B(SCALE) | B(MUL)),
    [KC_OP_INV] = COMPOSED(1, 0, 1, B(MUL) | B(SCALE)),
    [KC_OP_SAFE_LOG] = COMPOSED(1, 3, 0,
                                B(SIGMOID) | B(SOFTPLUS) | B(BROADCAST) |
                                    B(ADD) | B(INV) | B(MUL)),
    [KC_OP_LOG_SOFTMAX] =
        COMPOSED(1, 0, 1, ALONG_AXIS | B(EXP) | B(MUL) | B(SUB)),
    [KC_OP_SOFTMAX] = COMPOSED(1, 0, 1, ALONG_AXIS | B(MUL) | B(SUB)),
    [KC_OP_HARD_MASKED_SOFTMAX] = RUNTIME(1, 2, 1),
    [KC_OP_REDUCE_SUM] = COMPOSED(1, 0, 0, B(RESHAPE) | B(BROADCAST)),
    [KC_OP_REDUCE_MEAN] =
        COMPOSED(1, 0, 0, B(RESHAPE) | B(BROADCAST) | B(SCALE)),
    [KC_OP_RESHAPE] = COMPOSED(1, 0, 0, B(RESHAPE)),
    [KC_OP_PERMUTE] = COMPOSED(1, 0, 0, B(PERMUTE)),
    [KC_OP_BROADCAST] = COMPOSED(1, 0, 0, B(REDUCE_SUM) | B(RESHAPE)),
    [KC_OP_CONCAT] = COMPOSED(EVERY_INPUT, 0, 0, B(SLICE)),
    [KC_OP_SLICE] = COMPOSED(1, 0, 0, B(BROADCAST) | B(CONCAT)),
    [KC_OP_GATHER] = COMPOSED(1, 2, 0, B(BROADCAST) | B(SCATTER_ADD)),
    [KC_OP_SCATTER_ADD] = COMPOSED(5, 2, 0, B(GATHER)),
    [KC_OP_MATMUL] = COMPOSED(3, 3, 0, B(PERMUTE) | B(MATMUL)),
    [KC_OP_LINEAR] =
        COMPOSED(7, 3, 0, B(RESHAPE) | B(PERMUTE) | B(MATMUL) | B(REDUCE_SUM)),
    [KC_OP_MSE_LOSS] =
        COMPOSED(3, 3, 0, B(SUB) | B(SCALE) | B(BROADCAST) | B(MUL)),
    [KC_OP_LAYER_NORM] = COMPOSED(7, 3, 0, NORMALISED),
    [KC_OP_BATCH_NORM] = COMPOSED(7, 27, 0, NORMALISED | B(PERMUTE) | B(RELU)),
    [KC_OP_CONV] = RUNTIME(7, 3, 0),
    [KC_OP_CONV_TRANSPOSE] = RUNTIME(7, 3, 0),
    [KC_OP_MAX_POOL] = RUNTIME(1, 1, 0),
    [KC_OP_SMOOTH_MAX_POOL] = RUNTIME(1, 1, 0),
    [KC_OP_AVG_POOL] = RUNTIME(1, 0, 0),
    [KC_OP_FFT_FNO] = COMPOSED(7, 7, 0,
                               B(RESHAPE) | B(PERMUTE) | B(MATMUL) | B(ADD) |
                                   B(SUB) | B(SLICE) | B(CONCAT) |
                                   B(BROADCAST)),
    [KC_OP_SELECTIVE_SCAN] = RUNTIME(15, 15, 1),
    [KC_OP_SCALED_DOT_PRODUCT_ATTENTION] = {KCI_VJP_RULE_EITHER, 7, 15, 0,
                                            ATTENTION_FORWARD | ALONG_AXIS |
                                                B(MUL) | B(SUB)},
};

const kci_vjp_info_t *kci_vjp_info(int32_t op)
{
    assert(op >= 0 && op < KC_OP_COUNT);
    return &infos[op];
}

bool kci_vjp_is_composed(int32_t op, const char *provider, int32_t device)
{
    kci_vjp_rule_t rule = kci_vjp_info(op)->rule;
    return rule == KCI_VJP_RULE_COMPOSED ||
           (rule == KCI_VJP_RULE_EITHER &&
            (device != KC_DEVICE_CPU || kci_is_composition(provider)));
}

bool kci_vjp_runs_on(int32_t op, const char *provider, int32_t device)
{
    return kci_vjp_is_composed(op, provider, device) ||
           (kci_vjp_info(op)->rule != KCI_VJP_RULE_NONE &&
            device == KC_DEVICE_CPU);
}

bool kci_is_composition(const char *provider)
{
    return strcmp(provider, KCI_COMPOSITION_PROVIDER) == 0;
}

uint64_t kci_composition_inner_ops(int32_t op)
{
    return op == KC_OP_SCALED_DOT_PRODUCT_ATTENTION ? ATTENTION_FORWARD : 0;
}
