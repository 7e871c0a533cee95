/* SPDX-License-Identifier: Apache-2.0
 *
 * Sizes of the matrix product and its two instances. The vector size follows
 * the instruction set compiled for and never shows in the result.
 */
#ifndef KC_REFERENCE_PRODUCT_H
#define KC_REFERENCE_PRODUCT_H

#include <string.h>

#include "tile.h"

#if defined(__AVX512F__)
#define KC_REFERENCE_VECTOR_SIZE 64
#elif defined(__AVX__)
#define KC_REFERENCE_VECTOR_SIZE 32
#else
#define KC_REFERENCE_VECTOR_SIZE 16
#endif

/* Terms of one panel of B, which so fits the first-level cache. */
#define KC_REFERENCE_DEPTH 128

#include "float32.h"
#include "product_typed.h"
#include "float64.h"
#include "product_typed.h"

#endif
