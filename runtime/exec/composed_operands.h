/* SPDX-License-Identifier: Apache-2.0
 *
 * What a capsule that is a composition, and its derivative rule, have to look
 * at before they run: products cannot skip, and zero times a value that is
 * not finite is no zero.
 */
#ifndef KC_EXEC_COMPOSED_OPERANDS_H
#define KC_EXEC_COMPOSED_OPERANDS_H

#include <kcapsule/attributes.h>
#include "dispatch/operands.h"

/* Of attention: where mask or causal order blocks something, k and v must be
 * finite, else a blocked value would reach the output. KC_ERR_TENSOR names
 * operation and operand. Operands have passed the guards; of other operations
 * and devices than the cpu nothing is asked. */
KC_MUST_USE kc_status_t kci_check_composed_operands(
    const kci_operands_t *operands, const kc_attributes_t *attributes,
    kc_error_t *error);

/* Whether the composed rule of the operation has operands to be looked at. */
bool kci_composed_rule_is_checked(int32_t op);
/* Of the composed rule of attention, likewise: q and the cotangent of the
 * output must be finite too; k and v were looked at in the forward. Products
 * that leave the type are refused as well (composed_products.h).
 * `operands->inputs` are those that ops/vjp.h saves; the output is not read. */
KC_MUST_USE kc_status_t kci_check_composed_rule(
    const kci_operands_t *operands, const DLTensor *cotangent,
    const kc_attributes_t *attributes, kc_error_t *error);

#endif
