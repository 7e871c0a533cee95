/* SPDX-License-Identifier: Apache-2.0
 *
 * The allocator of everything a run touches. Counters change after memory
 * was granted and before it is given back, so `live` never runs ahead.
 */
#include "base/host_allocator.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/error.h"

static void *system_allocate(void *context, size_t size, size_t alignment)
{
    (void)context;
    void *memory = NULL;
    if (alignment < sizeof(void *)) {
        alignment = sizeof(void *);
    }
    return posix_memalign(&memory, alignment, size) == 0 ? memory : NULL;
}

static void system_deallocate(void *context, void *memory, size_t size)
{
    (void)context;
    (void)size;
    free(memory);
}

void kci_host_allocator_init(kci_host_allocator_t *allocator,
                             kci_allocate_fn allocate,
                             kci_deallocate_fn deallocate, void *context)
{
    allocator->allocate = allocate != NULL ? allocate : system_allocate;
    allocator->deallocate = deallocate != NULL ? deallocate : system_deallocate;
    allocator->context = context;
    atomic_init(&allocator->live_bytes, 0);
    atomic_init(&allocator->peak_bytes, 0);
    atomic_init(&allocator->allocation_count, 0);
    atomic_init(&allocator->holder_count, 1);
    allocator->is_on_heap = false;
}

kc_status_t kci_host_allocator_create(kci_allocate_fn allocate,
                                      kci_deallocate_fn deallocate,
                                      void *context,
                                      kci_host_allocator_t **out_allocator,
                                      kc_error_t *error)
{
    void *memory = NULL;
    KC_RETURN_IF_ERROR(
        kci_alloc_array(1, sizeof(kci_host_allocator_t), &memory, error));
    kci_host_allocator_t *allocator = memory;
    kci_host_allocator_init(allocator, allocate, deallocate, context);
    allocator->is_on_heap = true;
    *out_allocator = allocator;
    return KC_OK;
}

static void drop_holder(kci_host_allocator_t *allocator)
{
    if (atomic_fetch_sub(&allocator->holder_count, 1) == 1 &&
        allocator->is_on_heap) {
        kci_free(allocator);
    }
}

void kci_host_allocator_release(kci_host_allocator_t *allocator)
{
    if (allocator != NULL) {
        drop_holder(allocator);
    }
}

static void count_allocation(kci_host_allocator_t *allocator, size_t size)
{
    size_t live = atomic_fetch_add(&allocator->live_bytes, size) + size;
    size_t peak = atomic_load(&allocator->peak_bytes);
    while (live > peak &&
           !atomic_compare_exchange_weak(&allocator->peak_bytes, &peak, live)) {
    }
    atomic_fetch_add(&allocator->allocation_count, 1);
    atomic_fetch_add(&allocator->holder_count, 1);
}

/* What is asked of the functions below: never nothing. */
static size_t granted_size(size_t size)
{
    return size == 0 ? 1 : size;
}

kc_status_t kci_host_allocate(kci_host_allocator_t *allocator, size_t size,
                              size_t alignment, void **out_memory,
                              kc_error_t *error)
{
    if (alignment == 0 || (alignment & (alignment - 1)) != 0) {
        return kci_fail(error, KC_ERR_ARGUMENT,
                        "expected an alignment that is a power of two, "
                        "found %zu",
                        alignment);
    }
    void *memory = NULL;
    if (size <= PTRDIFF_MAX) {
        memory = allocator->allocate(allocator->context, granted_size(size),
                                     alignment);
    }
    if (memory == NULL) {
        return kci_fail(error, KC_ERR_MEMORY, "out of memory: %zu bytes", size);
    }
    if ((uintptr_t)memory % alignment != 0) {
        allocator->deallocate(allocator->context, memory, granted_size(size));
        return kci_fail(error, KC_ERR_MEMORY,
                        "expected memory aligned to %zu bytes from the "
                        "application's allocator",
                        alignment);
    }
    count_allocation(allocator, size);
    *out_memory = memory;
    return KC_OK;
}

void kci_host_deallocate(kci_host_allocator_t *allocator, void *memory,
                         size_t size)
{
    if (memory == NULL) {
        return;
    }
    atomic_fetch_sub(&allocator->live_bytes, size);
    allocator->deallocate(allocator->context, memory, granted_size(size));
    drop_holder(allocator);
}

void kci_host_allocator_reset_peak(kci_host_allocator_t *allocator)
{
    atomic_store(&allocator->peak_bytes, atomic_load(&allocator->live_bytes));
}
