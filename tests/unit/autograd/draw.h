/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Seeded numbers, one after the other; the seed is the first state. */
#ifndef KC_TESTS_UNIT_AUTOGRAD_DRAW_H
#define KC_TESTS_UNIT_AUTOGRAD_DRAW_H

#include <stdint.h>

/* In [-1, 1). */
double draw_number(uint64_t *state);
/* From `low` to `high`, both met. */
int64_t draw_integer(uint64_t *state, int64_t low, int64_t high);

#endif
