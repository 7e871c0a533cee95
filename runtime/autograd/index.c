/* SPDX-License-Identifier: Apache-2.0
 *
 * Composed rules of gather and scatter_add, each of which is the other's
 * rule, ops.md 7.5. Contributions to one slice are added in the order of the
 * indices; indices have no cotangent.
 */
#include "autograd/rules.h"

/* Without an index, and where slices are empty, nothing is added to zeros. */
static void compose_gather(kci_composition_t *into,
                           const kci_rule_terms_t *terms,
                           kci_term_t *cotangents)
{
    if (!terms->wanted[0]) {
        return;
    }
    if (kci_shape_element_count(&terms->output_type->shape) == 0) {
        cotangents[0] = KCI_NO_TERM;
        return;
    }
    kci_term_t zeros = kci_compose_fill(into, terms->input_types[0], 0);
    cotangents[0] =
        kci_compose_scatter_add(into, zeros, terms->inputs[1], terms->cotangent,
                                terms->attributes->u.axis.axis);
}

static void compose_scatter_add(kci_composition_t *into,
                                const kci_rule_terms_t *terms,
                                kci_term_t *cotangents)
{
    if (terms->wanted[0]) {
        cotangents[0] = terms->cotangent;
    }
    if (terms->wanted[2]) {
        cotangents[2] =
            kci_compose_gather(into, terms->cotangent, terms->inputs[1],
                               terms->attributes->u.axis.axis);
    }
}

const kci_rule_t kci_rule_gather = {compose_gather, NULL, NULL};
const kci_rule_t kci_rule_scatter_add = {compose_scatter_add, NULL, NULL};
