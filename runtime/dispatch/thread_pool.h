/* SPDX-License-Identifier: Apache-2.0
 *
 * The one pool of threads, behind a wrapper that makes it safe to lend: who
 * runs a tile is never fixed, what the tiles are is.
 */
#ifndef KC_DISPATCH_THREAD_POOL_H
#define KC_DISPATCH_THREAD_POOL_H

#include <stddef.h>
#include <stdint.h>
#include <kcapsule/host.h>

#define KCI_THREAD_COUNT_MAX 1024

typedef struct kci_thread_pool kci_thread_pool_t;

/* Processors this process may run on, at least 1. */
uint32_t kci_processor_count(void);

/* `thread_count` is 2 to KCI_THREAD_COUNT_MAX, the caller's included. An
 * error when the system gives fewer. */
KC_MUST_USE kc_status_t kci_thread_pool_create(uint32_t thread_count,
                                               kci_thread_pool_t **out_pool,
                                               kc_error_t *error);
/* The same with as many threads as the system gives, `*out_count` of them;
 * `*out_pool` is NULL when the caller's is the only one. */
KC_MUST_USE kc_status_t kci_thread_pool_create_up_to(
    uint32_t thread_count, kci_thread_pool_t **out_pool, uint32_t *out_count,
    kc_error_t *error);
void kci_thread_pool_destroy(kci_thread_pool_t *pool); /* accepts NULL */

/* Runs `tile` over [0, range) in pieces of `tile_size` items (0: one piece),
 * the last one shorter; the partition depends on nothing else. Each tile
 * sees the floating-point control words of the caller. Runs on the caller
 * alone when `pool` is NULL, when called from within a tile, in a child
 * after fork, and when another thread uses the pool. Returns the first
 * failure in order of items; tiles behind a failure may be left out. */
kc_status_t kci_thread_pool_run(kci_thread_pool_t *pool, kc_tile_fn tile,
                                void *context, size_t range, size_t tile_size);

#endif
