/* SPDX-License-Identifier: Apache-2.0
 *
 * What a capsule that is a composition has to look at before it runs:
 * products cannot skip, and zero times a value that is not finite is no zero.
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

#endif
