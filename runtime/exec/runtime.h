/* SPDX-License-Identifier: Apache-2.0
 *
 * The runtime behind the public handle: memory, log, what the search paths
 * hold, and the one host, which is made when something is first executed, so
 * that planning starts no thread.
 */
#ifndef KC_EXEC_RUNTIME_H
#define KC_EXEC_RUNTIME_H

#include <pthread.h>
#include "dispatch/host.h"
#include "module/module_search.h"
#include "registry/profile.h"

typedef struct kc_runtime {
    _Atomic int reference_count;
    kci_host_allocator_t *allocator;
    kci_log_t log;
    uint32_t thread_count; /* of the options; 0: not said */
    kci_search_path_t module_path;
    kci_search_path_t profile_path;
    kci_module_set_t modules;
    pthread_mutex_t host_mutex;
    kci_host_t *host; /* NULL until first execution */
} kc_runtime_t;

typedef struct kci_runtime_settings {
    uint32_t thread_count;
    const char *const *module_directories;
    size_t module_directory_count;
    const char *const *profile_directories;
    size_t profile_directory_count;
    kci_allocate_fn allocate;
    kci_deallocate_fn deallocate;
    void *allocator_context;
    kci_log_t log;
} kci_runtime_settings_t;

KC_MUST_USE kc_status_t
kci_runtime_create(const kci_runtime_settings_t *settings,
                   kc_runtime_t **out_runtime, kc_error_t *error);
kc_runtime_t *kci_runtime_retain(kc_runtime_t *runtime);
void kci_runtime_release(kc_runtime_t *runtime); /* accepts NULL */

/* Where profiles look for modules and for each other. */
kci_profile_source_t kci_runtime_profile_source(const kc_runtime_t *runtime);

/* The host. Its thread count is that of the options, else `thread_count`
 * (a profile's wish, 0: none) of whoever comes first, else one a processor. */
KC_MUST_USE kc_status_t kci_runtime_host(kc_runtime_t *runtime,
                                         uint32_t thread_count,
                                         kci_host_t **out_host,
                                         kc_error_t *error);

#endif
