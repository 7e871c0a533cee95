/* SPDX-License-Identifier: Apache-2.0
 *
 * Composed rules of operations that work element by element: the cotangent
 * times the slope, ops.md 7.2 and 7.3. A product with an infinite slope is
 * what it is, 0 * inf = NaN; rules that select are in pointwise_select.c.
 */
#include "autograd/rules.h"

typedef kci_composition_t *into_t;

static kci_term_t times(into_t into, kci_term_t a, kci_term_t b)
{
    return kci_compose_binary(into, KC_OP_MUL, a, b);
}

static kci_term_t apply(into_t into, int32_t op, kci_term_t x)
{
    return kci_compose_unary(into, op, x);
}

/* Exact, the sign of zeros and NaN apart. */
static kci_term_t negative(into_t into, kci_term_t x)
{
    return kci_compose_scale(into, x, -1);
}

/* 1 - x */
static kci_term_t complement(into_t into, const kci_rule_terms_t *terms,
                             kci_term_t x)
{
    kci_term_t one = kci_compose_fill(into, terms->output_type, 1);
    return kci_compose_binary(into, KC_OP_SUB, one, x);
}

static void compose_add(into_t into, const kci_rule_terms_t *terms,
                        kci_term_t *cotangents)
{
    (void)into;
    for (size_t i = 0; i < 2; i++) {
        if (terms->wanted[i]) {
            cotangents[i] = terms->cotangent;
        }
    }
}

static void compose_sub(into_t into, const kci_rule_terms_t *terms,
                        kci_term_t *cotangents)
{
    if (terms->wanted[0]) {
        cotangents[0] = terms->cotangent;
    }
    if (terms->wanted[1]) {
        cotangents[1] = negative(into, terms->cotangent);
    }
}

static void compose_mul(into_t into, const kci_rule_terms_t *terms,
                        kci_term_t *cotangents)
{
    for (size_t i = 0; i < 2; i++) {
        if (terms->wanted[i]) {
            cotangents[i] = times(into, terms->cotangent, terms->inputs[1 - i]);
        }
    }
}

static void compose_scale(into_t into, const kci_rule_terms_t *terms,
                          kci_term_t *cotangents)
{
    if (terms->wanted[0]) {
        cotangents[0] = kci_compose_scale(into, terms->cotangent,
                                          terms->attributes->u.scale.factor);
    }
}

/* 1 / (2 |y|): of y = -0 the slope is +inf as well. */
static kci_term_t sqrt_slope(into_t into, const kci_rule_terms_t *terms)
{
    kci_term_t size = apply(into, KC_OP_ABS, terms->output);
    return apply(into, KC_OP_INV, kci_compose_scale(into, size, 2));
}

/* s (1 - s) */
static kci_term_t sigmoid_slope(into_t into, const kci_rule_terms_t *terms)
{
    return times(into, terms->output, complement(into, terms, terms->output));
}

/* 1 - y y */
static kci_term_t tanh_slope(into_t into, const kci_rule_terms_t *terms)
{
    return complement(into, terms, times(into, terms->output, terms->output));
}

static kci_term_t softplus_slope(into_t into, const kci_rule_terms_t *terms)
{
    return apply(into, KC_OP_SIGMOID, terms->inputs[0]);
}

static kci_term_t exp_slope(into_t into, const kci_rule_terms_t *terms)
{
    (void)into;
    return terms->output;
}

static kci_term_t log_slope(into_t into, const kci_rule_terms_t *terms)
{
    return apply(into, KC_OP_INV, terms->inputs[0]);
}

static kci_term_t sin_slope(into_t into, const kci_rule_terms_t *terms)
{
    return apply(into, KC_OP_COS, terms->inputs[0]);
}

static kci_term_t cos_slope(into_t into, const kci_rule_terms_t *terms)
{
    return negative(into, apply(into, KC_OP_SIN, terms->inputs[0]));
}

/* -(y y) */
static kci_term_t inv_slope(into_t into, const kci_rule_terms_t *terms)
{
    return negative(into, times(into, terms->output, terms->output));
}

/* sigmoid(x) / (softplus(x) + eps); eps itself has no cotangent. */
static kci_term_t safe_log_slope(into_t into, const kci_rule_terms_t *terms)
{
    kci_term_t eps = kci_compose_broadcast(into, terms->inputs[1],
                                           &terms->output_type->shape);
    kci_term_t base = apply(into, KC_OP_SOFTPLUS, terms->inputs[0]);
    kci_term_t whole = kci_compose_binary(into, KC_OP_ADD, base, eps);
    return times(into, apply(into, KC_OP_SIGMOID, terms->inputs[0]),
                 apply(into, KC_OP_INV, whole));
}

#define RULE(name)                                                             \
    const kci_rule_t kci_rule_##name = {compose_##name, NULL, NULL};

/* g times the slope of the one operand that has a cotangent */
#define SLOPE_RULE(name)                                                       \
    static void compose_##name(into_t into, const kci_rule_terms_t *terms,     \
                               kci_term_t *cotangents)                         \
    {                                                                          \
        if (terms->wanted[0]) {                                                \
            cotangents[0] =                                                    \
                times(into, terms->cotangent, name##_slope(into, terms));      \
        }                                                                      \
    }                                                                          \
    RULE(name)

RULE(add)
RULE(sub)
RULE(mul)
RULE(scale)
SLOPE_RULE(sqrt)
SLOPE_RULE(sigmoid)
SLOPE_RULE(tanh)
SLOPE_RULE(softplus)
SLOPE_RULE(exp)
SLOPE_RULE(log)
SLOPE_RULE(sin)
SLOPE_RULE(cos)
SLOPE_RULE(inv)
SLOPE_RULE(safe_log)
