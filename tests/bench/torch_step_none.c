/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * A build without LibTorch: there is nothing to compare with. */
#include "bench/torch_step.h"

#include <stddef.h>

torch_step_t *torch_step_create(const torch_values_t *values)
{
    (void)values;
    return NULL;
}

void torch_step_destroy(torch_step_t *step)
{
    (void)step;
}

int torch_step_run(torch_step_t *step, int iterations)
{
    (void)step;
    (void)iterations;
    return 0;
}

void torch_step_gradients(const torch_step_t *step, float *out)
{
    (void)step;
    (void)out;
}
