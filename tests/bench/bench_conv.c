/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * conv through the session against OpenBLAS' product of the same shape, which
 * leaves out the gathering of cells. */
#include <stdio.h>
#include <stdlib.h>

#include "bench/product_task.h"

#define CHANNELS 64
#define SIDE     56
#define TAPS     9

int main(void)
{
    static product_task_t task;
    static const product_case_t shapes = {
        .name = "64x56x56 -> 64, 3x3",
        .op = KC_OP_CONV,
        .inputs = {{3, {CHANNELS, SIDE, SIDE}},
                   {4, {CHANNELS, CHANNELS, 3, 3}}},
        .output = {3, {CHANNELS, SIDE, SIDE}},
        .attributes = {.struct_size = sizeof shapes.attributes,
                       .op = KC_OP_CONV,
                       .u.conv = {.spatial_rank = 2,
                                  .stride = {1, 1},
                                  .padding = {1, 1},
                                  .padding_after = {1, 1},
                                  .dilation = {1, 1},
                                  .groups = 1}},
        .m = CHANNELS,
        .n = CHANNELS * TAPS,
        .p = SIDE * SIDE,
        .iterations = 1};
    puts("== bench_conv");
    if (!product_task_begin(&task) || !product_task_run(&task, &shapes)) {
        return EXIT_FAILURE;
    }
    product_task_end(&task);
    return EXIT_SUCCESS;
}
