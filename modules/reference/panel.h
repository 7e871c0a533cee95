/* SPDX-License-Identifier: Apache-2.0
 *
 * Sizes of the panels that products are computed by, and the two instances of
 * their inner loop. The vector size follows the instruction set compiled for
 * and never shows in the result.
 */
#ifndef KC_REFERENCE_PANEL_H
#define KC_REFERENCE_PANEL_H

#include <string.h>

#include "tile.h"

#if defined(KC_REFERENCE_VECTOR_SIZE) /* chosen by the including file */
#elif defined(__AVX512F__)
#define KC_REFERENCE_VECTOR_SIZE 64
#elif defined(__AVX__)
#define KC_REFERENCE_VECTOR_SIZE 32
#else
#define KC_REFERENCE_VECTOR_SIZE 16
#endif

/* Terms of one panel of B, which so fits the first-level cache. */
#define KC_REFERENCE_DEPTH 128

/* Columns of a panel of the current element type: two vectors. */
#define COLUMNS (2 * KC_REFERENCE_VECTOR_SIZE / sizeof(REAL))

#include "float32.h"
#include "panel_typed.h"
#include "float64.h"
#include "panel_typed.h"

#endif
