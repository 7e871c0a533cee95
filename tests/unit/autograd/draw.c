/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * A linear congruence, of which the upper bits are taken. */
#include "unit/autograd/draw.h"

static uint64_t next_state(uint64_t *state)
{
    *state =
        *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state;
}

double draw_number(uint64_t *state)
{
    return (double)(next_state(state) >> 11) / 4503599627370496.0 - 1.0;
}

int64_t draw_integer(uint64_t *state, int64_t low, int64_t high)
{
    return low +
           (int64_t)((next_state(state) >> 33) % (uint64_t)(high - low + 1));
}
