/* SPDX-License-Identifier: Apache-2.0
 *
 * The operands of a matrix product, in both element types.
 */
#ifndef KC_REFERENCE_PRODUCT_H
#define KC_REFERENCE_PRODUCT_H

#include <stddef.h>

#include "float32.h"
#include "product_operands_typed.h"
#include "float64.h"
#include "product_operands_typed.h"

#endif
