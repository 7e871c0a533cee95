/* SPDX-License-Identifier: Apache-2.0
 *
 * A host allocator that refuses after so many requests.
 */
#include "unit/tensor/counting_allocator.h"

#include <check.h>
#include <stdlib.h>

static void *allocate(void *context, size_t size, size_t alignment)
{
    counting_allocator_t *allocator = context;
    void *memory = NULL;
    if (size > allocator->largest) {
        allocator->largest = size;
    }
    if (allocator->granted == 0) {
        return NULL;
    }
    if (allocator->granted > 0) {
        allocator->granted--;
    }
    alignment = alignment < sizeof(void *) ? sizeof(void *) : alignment;
    return posix_memalign(&memory, alignment, size) == 0 ? memory : NULL;
}

static void deallocate(void *context, void *memory, size_t size)
{
    (void)context;
    (void)size;
    free(memory);
}

void counting_allocator_init(counting_allocator_t *allocator, int granted)
{
    kci_host_allocator_init(&allocator->host, allocate, deallocate, allocator);
    allocator->granted = granted;
    allocator->largest = 0;
}

void counting_allocator_expect_empty(const counting_allocator_t *allocator)
{
    ck_assert_uint_eq(atomic_load(&allocator->host.live_bytes), 0);
}
