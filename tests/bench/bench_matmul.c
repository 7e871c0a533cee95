/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * matmul through the session against OpenBLAS, from large to tiny. The bar is
 * 0.35 of OpenBLAS' speed at 512. */
#include <stdio.h>
#include <stdlib.h>

#include "bench/product_task.h"

static int run(product_task_t *task, const char *name, size_t m, size_t n,
               size_t p, int iterations)
{
    const int64_t rows = (int64_t)m;
    const int64_t depth = (int64_t)n;
    const int64_t columns = (int64_t)p;
    const product_case_t shapes = {
        .name = name,
        .op = KC_OP_MATMUL,
        .inputs = {{2, {rows, depth}}, {2, {depth, columns}}},
        .output = {2, {rows, columns}},
        .attributes = {.struct_size = sizeof shapes.attributes,
                       .op = KC_OP_MATMUL},
        .m = m,
        .n = n,
        .p = p,
        .iterations = iterations};
    return product_task_run(task, &shapes);
}

int main(void)
{
    static product_task_t task;
    puts("== bench_matmul");
    if (!product_task_begin(&task) ||
        !run(&task, "512x512x512", 512, 512, 512, 1) ||
        !run(&task, "64x64x64", 64, 64, 64, 100) ||
        !run(&task, "1x1024x1024", 1, 1024, 1024, 10) ||
        !run(&task, "4x4x4", 4, 4, 4, 1000)) {
        return EXIT_FAILURE;
    }
    product_task_end(&task);
    return EXIT_SUCCESS;
}
