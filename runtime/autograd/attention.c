/* SPDX-License-Identifier: Apache-2.0
 *
 * The composed rule of attention, ops.md 7.11: the weights are made again from
 * q and k, never saved, and differentiated as the softmax they are. Products
 * cannot skip, so where something is blocked operands and cotangent have to be
 * finite, and their products too: exec/composed_operands.h looks at them
 * before the rule runs. Nothing in the catalogue could select instead: what
 * takes a mask gives weights, and all else passes NaN on.
 */
#include "autograd/rules.h"

#include "autograd/attention_rows.h"
#include "compose/compositions.h"

enum { Q, K, V, MASK };

static kci_term_t product(kci_composition_t *into, kci_term_t a, kci_term_t b)
{
    return kci_compose_binary(into, KC_OP_MATMUL, a, b);
}

/* scale * a (dA - sum of dA a), with dA = g vT */
static kci_term_t cotangent_of_scores(kci_composition_t *into,
                                      const kci_rule_terms_t *terms,
                                      kci_term_t weights)
{
    const int64_t last = terms->output_type->shape.rank - 1;
    kci_term_t of_weights = product(
        into, terms->cotangent, kci_compose_transpose(into, terms->inputs[V]));
    kci_term_t sum = kci_compose_sum_back(
        into, kci_compose_binary(into, KC_OP_MUL, of_weights, weights), last);
    kci_term_t rest = kci_compose_binary(into, KC_OP_SUB, of_weights, sum);
    return kci_compose_scale(into,
                             kci_compose_binary(into, KC_OP_MUL, weights, rest),
                             terms->attributes->u.attention.scale);
}

static void compose_attention(kci_composition_t *into,
                              const kci_rule_terms_t *terms,
                              kci_term_t *cotangents)
{
    const bool *wanted = terms->wanted;
    const kci_term_t *inputs = terms->inputs;
    if (!wanted[Q] && !wanted[K] && !wanted[V]) {
        return;
    }
    kci_term_t mask = terms->input_count > MASK ? inputs[MASK] : KCI_NO_TERM;
    kci_term_t weights = kci_compose_attention_weights(
        into, terms->attributes, inputs[Q], inputs[K], mask);
    if (wanted[V]) {
        cotangents[V] = product(into, kci_compose_transpose(into, weights),
                                terms->cotangent);
    }
    if (!wanted[Q] && !wanted[K]) {
        return;
    }
    kci_term_t scores = cotangent_of_scores(into, terms, weights);
    if (wanted[Q]) {
        cotangents[Q] = product(into, scores, inputs[K]);
    }
    if (wanted[K]) {
        cotangents[K] =
            product(into, kci_compose_transpose(into, scores), inputs[Q]);
    }
}

const kci_rule_t kci_rule_attention = {compose_attention, kci_attention_rows,
                                       kci_attention_rows_workspace};
