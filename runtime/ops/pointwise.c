/* SPDX-License-Identifier: Apache-2.0
 *
 * Element by element: the result has the shape of the operands, which are
 * equal. Nothing is broadcast here.
 */
#include "ops/entries.h"

#include "ops/rule.h"

static kc_status_t infer_unary(const kci_op_request_t *request,
                               kc_attributes_t *attributes,
                               kci_tensor_type_t *out_type, kc_error_t *error)
{
    (void)attributes;
    (void)error;
    out_type->shape = kci_rule_operand(request, 0)->shape;
    return KC_OK;
}

static kc_status_t infer_gelu(const kci_op_request_t *request,
                              kc_attributes_t *attributes,
                              kci_tensor_type_t *out_type, kc_error_t *error)
{
    out_type->shape = kci_rule_operand(request, 0)->shape;
    return kci_rule_choice(request, "approximate",
                           attributes->u.gelu.approximate, KC_GELU_ERF + 1,
                           error);
}

static kc_status_t infer_binary(const kci_op_request_t *request,
                                kc_attributes_t *attributes,
                                kci_tensor_type_t *out_type, kc_error_t *error)
{
    (void)attributes;
    out_type->shape = kci_rule_operand(request, 0)->shape;
    return kci_rule_equal_shapes(request, 0, 1, error);
}

static const char *const x_names[] = {"x"};
static const char *const pair_names[] = {"a", "b"};
static const char *const safe_log_names[] = {"x", "eps"};
static const kci_operand_kind_t float_kinds[] = {KCI_OPERAND_FLOAT,
                                                 KCI_OPERAND_FLOAT};
static const kci_operand_kind_t safe_log_kinds[] = {KCI_OPERAND_FLOAT,
                                                    KCI_OPERAND_FLOAT_SCALAR};

#define UNARY(symbol, constant, text)                                          \
    const kci_op_info_t kci_op_##symbol = {                                    \
        .op = constant,                                                        \
        .input_min = 1,                                                        \
        .input_max = 1,                                                        \
        .input_names = x_names,                                                \
        .input_kinds = float_kinds,                                            \
        .requires_vjp = true,                                                  \
        .doc = text,                                                           \
        .infer = infer_unary,                                                  \
    }

#define BINARY(symbol, constant, text)                                         \
    const kci_op_info_t kci_op_##symbol = {                                    \
        .op = constant,                                                        \
        .input_min = 2,                                                        \
        .input_max = 2,                                                        \
        .input_names = pair_names,                                             \
        .input_kinds = float_kinds,                                            \
        .requires_vjp = true,                                                  \
        .doc = text,                                                           \
        .infer = infer_binary,                                                 \
    }

BINARY(add, KC_OP_ADD, "a + b");
BINARY(sub, KC_OP_SUB, "a - b");
BINARY(mul, KC_OP_MUL, "a * b");
BINARY(max, KC_OP_MAX, "the larger element; NaN if either is NaN");
BINARY(min, KC_OP_MIN, "the smaller element; NaN if either is NaN");
UNARY(abs, KC_OP_ABS, "absolute value");
UNARY(sqrt, KC_OP_SQRT, "square root; NaN below 0");
UNARY(relu, KC_OP_RELU, "x above 0, else 0; NaN stays NaN");
UNARY(sigmoid, KC_OP_SIGMOID, "1 / (1 + exp(-x))");
UNARY(tanh, KC_OP_TANH, "hyperbolic tangent");
UNARY(softplus, KC_OP_SOFTPLUS, "log(1 + exp(x))");
UNARY(exp, KC_OP_EXP, "e to the x");
UNARY(log, KC_OP_LOG, "natural logarithm; NaN below 0");
UNARY(sin, KC_OP_SIN, "sine of radians");
UNARY(cos, KC_OP_COS, "cosine of radians");
UNARY(inv, KC_OP_INV, "1 / x");

static const kci_attribute_info_t scale_attributes[] = {
    {"factor", KCI_ATTRIBUTE_NUMBER, offsetof(kc_attributes_t, u.scale.factor),
     NULL, NULL, "what every element is multiplied by"},
};

const kci_op_info_t kci_op_scale = {
    .op = KC_OP_SCALE,
    .input_min = 1,
    .input_max = 1,
    .input_names = x_names,
    .input_kinds = float_kinds,
    .attributes = scale_attributes,
    .attribute_count = 1,
    .requires_vjp = true,
    .doc = "x times a constant",
    .infer = infer_unary,
};

static const kci_attribute_info_t clamp_attributes[] = {
    {"lo", KCI_ATTRIBUTE_NUMBER, offsetof(kc_attributes_t, u.clamp.lo), NULL,
     NULL, "lower bound"},
    {"hi", KCI_ATTRIBUTE_NUMBER, offsetof(kc_attributes_t, u.clamp.hi), NULL,
     NULL, "upper bound; wins when it is below lo"},
};

const kci_op_info_t kci_op_clamp = {
    .op = KC_OP_CLAMP,
    .input_min = 1,
    .input_max = 1,
    .input_names = x_names,
    .input_kinds = float_kinds,
    .attributes = clamp_attributes,
    .attribute_count = 2,
    .requires_vjp = true,
    .doc = "min(hi, max(lo, x))",
    .infer = infer_unary,
};

static const char *const gelu_words[] = {"tanh", "none", NULL};
static const kci_attribute_info_t gelu_attributes[] = {
    {"approximate", KCI_ATTRIBUTE_WORD,
     offsetof(kc_attributes_t, u.gelu.approximate), "tanh", gelu_words,
     "the tanh form, or none: the one with erf"},
};

const kci_op_info_t kci_op_gelu = {
    .op = KC_OP_GELU,
    .input_min = 1,
    .input_max = 1,
    .input_names = x_names,
    .input_kinds = float_kinds,
    .attributes = gelu_attributes,
    .attribute_count = 1,
    .requires_vjp = true,
    .doc = "Gaussian error linear unit",
    .infer = infer_gelu,
};

/* The value of eps is a matter of the call: it must be finite and above 0. */
const kci_op_info_t kci_op_safe_log = {
    .op = KC_OP_SAFE_LOG,
    .input_min = 2,
    .input_max = 2,
    .input_names = safe_log_names,
    .input_kinds = safe_log_kinds,
    .requires_vjp = true,
    .doc = "log(softplus(x) + eps)",
    .infer = infer_unary,
};
