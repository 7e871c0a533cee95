/* SPDX-License-Identifier: Apache-2.0
 *
 * Which composition is the forward of an operation, for capsules of the
 * provider torchlean. What it may be made of: ops/vjp.h.
 */
#include "compose/compositions.h"

#include <assert.h>

typedef kci_term_t (*compose_fn)(kci_composition_t *composition,
                                 const kc_attributes_t *attributes,
                                 const kci_term_t *operands, size_t count);

static const compose_fn forwards[KC_OP_COUNT] = {
    [KC_OP_SCALED_DOT_PRODUCT_ATTENTION] = kci_compose_attention,
};

kci_term_t kci_compose_forward(kci_composition_t *composition, int32_t op,
                               const kc_attributes_t *attributes,
                               const kci_term_t *operands, size_t count)
{
    assert(op >= 0 && op < KC_OP_COUNT && forwards[op] != NULL);
    return forwards[op](composition, attributes, operands, count);
}
