/* SPDX-License-Identifier: Apache-2.0
 *
 * Compositions that stand for an operation take what that operation takes:
 * its own rule in the catalogue judges the operands, with its own words.
 */
#ifndef KC_COMPOSE_OPERAND_CHECK_H
#define KC_COMPOSE_OPERAND_CHECK_H

#include "compose/composition.h"

#define KCI_CHECKED_OPERANDS_MAX 4

/* Whether the composition can go on: nothing has failed, and the operation
 * would take these operands. */
bool kci_compose_takes(kci_composition_t *composition, int32_t op,
                       const kc_attributes_t *attributes,
                       const kci_term_t *operands, size_t count);

#endif
