/* SPDX-License-Identifier: Apache-2.0
 *
 * Products of a composed rule that leave the type although their factors are
 * finite: the weight of a blocked pair is zero, and zero times infinity is
 * none.
 */
#ifndef KC_EXEC_COMPOSED_PRODUCTS_H
#define KC_EXEC_COMPOSED_PRODUCTS_H

#include <kcapsule/attributes.h>
#include "dispatch/operands.h"

/* Of the rule of attention on the cpu. Of a query for which a key is blocked,
 * the rule multiplies zero weights by the products of its cotangent with all
 * values, and by their mean under its weights, which are numbers while the
 * scores it may see are. These products must stay below a quarter of the
 * largest number in every order of summation, else KC_ERR_TENSOR names query
 * and key. All factors are finite; other queries may overflow. Takes one pass
 * over the operands unless one of them holds very large numbers. */
KC_MUST_USE kc_status_t kci_check_composed_products(
    const kci_operands_t *operands, const DLTensor *cotangent,
    const kc_attributes_t *attributes, kc_error_t *error);

#endif
