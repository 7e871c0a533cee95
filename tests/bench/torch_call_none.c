/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * A build without LibTorch: there is nothing to call. */
#include "bench/torch_call.h"

#include <stddef.h>

torch_call_t *torch_call_create(float *a, float *b, float *y, int is_matmul)
{
    (void)a;
    (void)b;
    (void)y;
    (void)is_matmul;
    return NULL;
}

void torch_call_destroy(torch_call_t *call)
{
    (void)call;
}

int torch_call_run(torch_call_t *call, int iterations)
{
    (void)call;
    (void)iterations;
    return 0;
}
