/* SPDX-License-Identifier: Apache-2.0
 *
 * The allocator of everything a run touches: tensors, workspaces, buffers of
 * executors. It counts what is live, so a run can be held to its promise.
 */
#ifndef KC_BASE_HOST_ALLOCATOR_H
#define KC_BASE_HOST_ALLOCATOR_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <kcapsule/status.h>

typedef void *(*kci_allocate_fn)(void *context, size_t size, size_t alignment);
typedef void (*kci_deallocate_fn)(void *context, void *memory, size_t size);

/* Shareable between threads. One made by kci_host_allocator_create lives
 * until its owner released it and its last block was given back, so a tensor
 * may outlive the runtime; one initialised in place must outlive its blocks. */
typedef struct kci_host_allocator {
    kci_allocate_fn allocate;
    kci_deallocate_fn deallocate;
    void *context;
    _Atomic size_t live_bytes;
    _Atomic size_t peak_bytes;
    _Atomic unsigned long long allocation_count;
    _Atomic size_t holder_count; /* the owner and every live block */
    bool is_on_heap;
} kci_host_allocator_t;

/* NULL functions: the system's aligned allocator. */
void kci_host_allocator_init(kci_host_allocator_t *allocator,
                             kci_allocate_fn allocate,
                             kci_deallocate_fn deallocate, void *context);
KC_MUST_USE kc_status_t kci_host_allocator_create(
    kci_allocate_fn allocate, kci_deallocate_fn deallocate, void *context,
    kci_host_allocator_t **out_allocator, kc_error_t *error);
void kci_host_allocator_release(kci_host_allocator_t *allocator);
/* Not zeroed. Size 0 gives a non-NULL pointer. `alignment` a power of two. */
KC_MUST_USE kc_status_t kci_host_allocate(kci_host_allocator_t *allocator,
                                          size_t size, size_t alignment,
                                          void **out_memory, kc_error_t *error);
void kci_host_deallocate(kci_host_allocator_t *allocator, void *memory,
                         size_t size); /* accepts NULL */
/* The peak starts again from what is live now. */
void kci_host_allocator_reset_peak(kci_host_allocator_t *allocator);

#endif
