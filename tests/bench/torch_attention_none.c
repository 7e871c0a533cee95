/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * A build without LibTorch: there is nothing to compare with. */
#include "bench/torch_attention.h"

#include <stddef.h>

void torch_attention_begin(void)
{
}

torch_attention_t *torch_attention_create(int64_t heads, int64_t n,
                                          int64_t width,
                                          const float *const x[4])
{
    (void)heads;
    (void)n;
    (void)width;
    (void)x;
    return NULL;
}

void torch_attention_destroy(torch_attention_t *task)
{
    (void)task;
}

#define NOTHING(name)                                                          \
    int name(torch_attention_t *task, int iterations)                          \
    {                                                                          \
        (void)task;                                                            \
        (void)iterations;                                                      \
        return 0;                                                              \
    }

NOTHING(torch_attention_products)
NOTHING(torch_attention_whole)
NOTHING(torch_attention_products_back)
NOTHING(torch_attention_products_autograd)
NOTHING(torch_attention_whole_autograd)

void torch_attention_results(const torch_attention_t *task, float *y,
                             float *const gradients[3])
{
    (void)task;
    (void)y;
    (void)gradients;
}
