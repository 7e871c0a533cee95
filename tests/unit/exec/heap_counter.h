/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Counts every allocation of the process, whoever makes it: the program's
 * own malloc comes before that of libc for all its libraries and modules. */
#ifndef KC_TESTS_UNIT_EXEC_HEAP_COUNTER_H
#define KC_TESTS_UNIT_EXEC_HEAP_COUNTER_H

#include <stdbool.h>

/* False where it cannot be done: another libc, or a sanitizer's heap. */
bool heap_counter_works(void);
/* Allocations and reallocations so far; frees are not counted. */
unsigned long long heap_counter_value(void);

#endif
