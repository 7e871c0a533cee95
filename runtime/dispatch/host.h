/* SPDX-License-Identifier: Apache-2.0
 *
 * The host as modules see it: the allocator that counts, one thread pool for
 * all of them, and the log. Shareable between threads; sessions, executors
 * and whoever opens modules keep it alive.
 */
#ifndef KC_DISPATCH_HOST_H
#define KC_DISPATCH_HOST_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <kcapsule/host.h>
#include "base/host_allocator.h"
#include "base/log.h"
#include "dispatch/thread_pool.h"
#include "module/module_file.h"

typedef struct kci_host {
    kc_host_t interface; /* its context is this struct */
    _Atomic int reference_count;
    kci_host_allocator_t *allocator; /* borrowed, outlives the host */
    kci_log_t log;
    kci_thread_pool_t *pool; /* NULL: everything runs on the caller */
    uint32_t thread_count;
    uint64_t birth_ns; /* of kci_clock_ns */
    _Atomic uint64_t number_count;
    /* Things that were reported in the log once (kci_host_is_first_report). */
    pthread_mutex_t report_mutex;
    const void **reported;
    size_t reported_count;
    size_t reported_capacity;
} kci_host_t;

/* `thread_count` 0 means one a processor this process may run on, or as many
 * as the system gives, which is then logged; another number is met or an
 * error. */
KC_MUST_USE kc_status_t kci_host_create(kci_host_allocator_t *allocator,
                                        const kci_log_t *log,
                                        uint32_t thread_count,
                                        kci_host_t **out_host,
                                        kc_error_t *error);
kci_host_t *kci_host_retain(kci_host_t *host);
void kci_host_release(kci_host_t *host); /* accepts NULL */

/* Whether this is the first report about `thing` (an address, never read).
 * From any thread. */
bool kci_host_is_first_report(kci_host_t *host, const void *thing);

/* A number, never 0, that nothing else of this process has: who holds one
 * can be told from who holds another. */
uint64_t kci_host_next_number(kci_host_t *host);

/* Opens the module of a file unless it is open, and lets the file keep this
 * host alive, because the module may hold on to it until it is closed. */
KC_MUST_USE kc_status_t kci_host_open_module(kci_host_t *host,
                                             kci_module_file_t *file,
                                             kc_error_t *error);

#endif
