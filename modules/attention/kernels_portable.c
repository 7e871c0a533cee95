/* SPDX-License-Identifier: Apache-2.0
 *
 * The loops with the vectors that every processor of the build has, and two
 * roundings a product.
 */
#include <string.h>

#include "kernels.h"

#define VECTOR_SIZE    16
#define VECTORS_MAX    2
#define ROWS_MAX       6
#define FUSED(a, b, c) ((a) * (b) + (c))

#include "kernels_table.h"

const kc_attention_kernels_t kc_attention_kernels_portable =
    KERNELS_TABLE("portable");
