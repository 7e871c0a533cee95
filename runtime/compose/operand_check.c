/* SPDX-License-Identifier: Apache-2.0
 *
 * Asks the catalogue's rule of an operation about the terms of a
 * composition. Only its verdict is of use: no step is made.
 */
#include "compose/operand_check.h"

#include <assert.h>

bool kci_compose_takes(kci_composition_t *composition, int32_t op,
                       const kc_attributes_t *attributes,
                       const kci_term_t *operands, size_t count)
{
    const kci_tensor_type_t *types[KCI_CHECKED_OPERANDS_MAX] = {NULL};
    kc_attributes_t resolved = {.struct_size = sizeof resolved, .op = op};
    kci_tensor_type_t result;
    assert(count <= KCI_CHECKED_OPERANDS_MAX);
    if (composition->status != KC_OK) {
        return false;
    }
    if (attributes != NULL) {
        resolved = *attributes;
    }
    for (size_t i = 0; i < count; i++) {
        types[i] = kci_term_type(composition, operands[i]);
    }
    kci_op_request_t request = {
        .op = op, .input_count = count, .inputs = types};
    composition->status =
        kci_op_infer(&request, &resolved, &result, &composition->error);
    return composition->status == KC_OK;
}
