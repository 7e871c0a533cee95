/* SPDX-License-Identifier: Apache-2.0
 *
 * Rules of the normalised exponentials, ops.md 7.4: composed of row sums that
 * come back to their axis, but for hard_masked_softmax, which skips what is
 * blocked and so is the runtime's.
 */
#include "autograd/rules.h"

#include "autograd/rule_tiles.h"

/* Of a scalar the result is a constant and its cotangent exact zero. */
static bool is_constant(const kci_rule_terms_t *terms)
{
    return terms->output_type->shape.rank == 0;
}

/* y (g - sum of g y) */
static void compose_softmax(kci_composition_t *into,
                            const kci_rule_terms_t *terms,
                            kci_term_t *cotangents)
{
    if (!terms->wanted[0] || is_constant(terms)) {
        return;
    }
    kci_term_t product =
        kci_compose_binary(into, KC_OP_MUL, terms->cotangent, terms->output);
    kci_term_t sum =
        kci_compose_sum_back(into, product, terms->attributes->u.axis.axis);
    kci_term_t rest =
        kci_compose_binary(into, KC_OP_SUB, terms->cotangent, sum);
    cotangents[0] = kci_compose_binary(into, KC_OP_MUL, terms->output, rest);
}

/* g - exp(y) sum of g */
static void compose_log_softmax(kci_composition_t *into,
                                const kci_rule_terms_t *terms,
                                kci_term_t *cotangents)
{
    if (!terms->wanted[0] || is_constant(terms)) {
        return;
    }
    kci_term_t sum = kci_compose_sum_back(into, terms->cotangent,
                                          terms->attributes->u.axis.axis);
    kci_term_t share = kci_compose_binary(
        into, KC_OP_MUL, kci_compose_unary(into, KC_OP_EXP, terms->output),
        sum);
    cotangents[0] =
        kci_compose_binary(into, KC_OP_SUB, terms->cotangent, share);
}

#include "autograd/float32.h"
#include "autograd/softmax_typed.h"
#include "autograd/float64.h"
#include "autograd/softmax_typed.h"

/* Work of one element: two products, two sums. */
#define ELEMENT_WORK 4

typedef struct context {
    bool is_f64;
    size_t n; /* elements of a row */
    const void *y;
    const void *g;
    const uint8_t *allowed;
    void *out;
} context_t;

static kc_status_t tile(void *opaque, size_t start, size_t count)
{
    const context_t *context = opaque;
    for (size_t row = start; row < start + count; row++) {
        size_t first = row * context->n;
        const uint8_t *allowed = context->allowed + first;
        if (context->is_f64) {
            masked_row_f64(context->y, context->g, allowed, context->out, first,
                           context->n);
        } else {
            masked_row_f32(context->y, context->g, allowed, context->out, first,
                           context->n);
        }
    }
    return KC_OK;
}

/* A scalar is one row of one element. */
static kc_status_t run_masked(const kc_call_t *call)
{
    const DLTensor *g = call->cotangents_out[0];
    const DLTensor *out = call->cotangents_in[0];
    size_t count = (size_t)kc_tensor_element_count(g);
    if (out == NULL || count == 0) {
        return KC_OK;
    }
    context_t context = {.is_f64 = kci_is_f64(g),
                         .n = g->ndim == 0 ? 1 : (size_t)g->shape[g->ndim - 1],
                         .y = kc_tensor_data(call->outputs[0]),
                         .g = kc_tensor_data(g),
                         .allowed = kc_tensor_data(call->inputs[1]),
                         .out = kc_tensor_data(out)};
    return kci_rule_for(call, tile, &context, count / context.n,
                        context.n * ELEMENT_WORK);
}

const kci_rule_t kci_rule_log_softmax = {compose_log_softmax, NULL, NULL};
const kci_rule_t kci_rule_softmax = {compose_softmax, NULL, NULL};
const kci_rule_t kci_rule_hard_masked_softmax = {NULL, run_masked, NULL};
