/* SPDX-License-Identifier: Apache-2.0
 *
 * Composed rules of the reductions of one axis: the cotangent, for the mean
 * times 1/n, in every place along that axis, ops.md 7.5.
 */
#include "autograd/rules.h"

/* Back to the shape of the input, the axis with extent 1 in between. */
static kci_term_t spread(kci_composition_t *into, const kci_rule_terms_t *terms,
                         kci_term_t x)
{
    kci_shape_t whole = terms->input_types[0]->shape;
    kci_shape_t thin = whole;
    thin.dims[terms->attributes->u.axis.axis] = 1;
    return kci_compose_broadcast(into, kci_compose_reshape(into, x, &thin),
                                 &whole);
}

static void compose_sum(kci_composition_t *into, const kci_rule_terms_t *terms,
                        kci_term_t *cotangents)
{
    if (terms->wanted[0]) {
        cotangents[0] = spread(into, terms, terms->cotangent);
    }
}

/* Of no elements there is nothing to spread, and no 1/n. */
static void compose_mean(kci_composition_t *into, const kci_rule_terms_t *terms,
                         kci_term_t *cotangents)
{
    int64_t n =
        terms->input_types[0]->shape.dims[terms->attributes->u.axis.axis];
    if (!terms->wanted[0]) {
        return;
    }
    cotangents[0] =
        n == 0
            ? KCI_NO_TERM
            : spread(into, terms,
                     kci_compose_scale(into, terms->cotangent, 1 / (double)n));
}

const kci_rule_t kci_rule_reduce_sum = {compose_sum, NULL, NULL};
const kci_rule_t kci_rule_reduce_mean = {compose_mean, NULL, NULL};
