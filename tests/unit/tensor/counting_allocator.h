/* SPDX-License-Identifier: Apache-2.0
 *
 * A host allocator that refuses after so many requests, and at the end says
 * whether everything came back.
 */
#ifndef KC_TESTS_UNIT_TENSOR_COUNTING_ALLOCATOR_H
#define KC_TESTS_UNIT_TENSOR_COUNTING_ALLOCATOR_H

#include "base/host_allocator.h"

/* `granted` requests are served, the rest refused; -1: all are served. */
typedef struct counting_allocator {
    kci_host_allocator_t host;
    int granted;
    size_t largest; /* request that was made, served or not */
} counting_allocator_t;

void counting_allocator_init(counting_allocator_t *allocator, int granted);
/* Nothing is live any more. */
void counting_allocator_expect_empty(const counting_allocator_t *allocator);

#endif
