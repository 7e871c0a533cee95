/* SPDX-License-Identifier: Apache-2.0
 *
 * The matrix product, in both element types.
 */
#ifndef KC_REFERENCE_PRODUCT_H
#define KC_REFERENCE_PRODUCT_H

#include "panel.h"

#include "float32.h"
#include "product_typed.h"
#include "float64.h"
#include "product_typed.h"

#endif
