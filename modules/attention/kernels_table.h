/* SPDX-License-Identifier: Apache-2.0
 *
 * Everything that one instruction set has. Included once for each, by a file
 * that says how long vectors are and how they multiply and add.
 */
#include "vector.h"
#include "vector_product.h"
#include "vector_tile.h"
#include "vector_softmax.h"
#include "vector_forward.h"
#include "vector_backward.h"

#define KERNELS_TABLE(label)                                                   \
    {                                                                          \
        .name = (label), .lanes = LANES, .forward = forward_block,             \
        .backward = backward_head, .forward_scratch = forward_scratch,         \
        .backward_scratch = backward_scratch                                   \
    }
