/* SPDX-License-Identifier: Apache-2.0
 *
 * Everything that one instruction set has. Included once for each, by a file
 * that says which.
 */
#include "conv_panel_tile.h"
#include "panel.h"
#include "vectors.h"

#include "float32.h"
#include "product_typed.h"
#include "float64.h"
#include "product_typed.h"

#define VECTORS_TABLE                                                          \
    {                                                                          \
        .product_f32 = product_f32, .product_f64 = product_f64,                \
        .conv_tile = tile                                                      \
    }
