/* SPDX-License-Identifier: Apache-2.0
 *
 * Creation and release of the runtime. Searching for modules reads files and
 * runs nothing of them.
 */
#include "exec/runtime.h"

#include "base/alloc.h"
#include "base/error.h"

static kc_status_t search_everything(kc_runtime_t *runtime,
                                     const kci_runtime_settings_t *settings,
                                     kc_error_t *error)
{
    KC_RETURN_IF_ERROR(kci_module_search_path(
        settings->module_directories, settings->module_directory_count,
        &runtime->log, &runtime->module_path, error));
    KC_RETURN_IF_ERROR(kci_profile_search_path(
        settings->profile_directories, settings->profile_directory_count,
        &runtime->log, &runtime->profile_path, error));
    return kci_module_search(&runtime->module_path, &runtime->log,
                             &runtime->modules, error);
}

kc_status_t kci_runtime_create(const kci_runtime_settings_t *settings,
                               kc_runtime_t **out_runtime, kc_error_t *error)
{
    void *memory = NULL;
    KC_RETURN_IF_ERROR(
        kci_alloc_array(1, sizeof(kc_runtime_t), &memory, error));
    kc_runtime_t *runtime = memory;
    atomic_init(&runtime->reference_count, 1);
    runtime->log = settings->log;
    runtime->thread_count = settings->thread_count;
    pthread_mutex_init(&runtime->host_mutex, NULL);

    kc_status_t status = kci_host_allocator_create(
        settings->allocate, settings->deallocate, settings->allocator_context,
        &runtime->allocator, error);
    if (status == KC_OK) {
        status = search_everything(runtime, settings, error);
    }
    if (status != KC_OK) {
        kci_runtime_release(runtime);
        return status;
    }
    *out_runtime = runtime;
    return KC_OK;
}

kc_runtime_t *kci_runtime_retain(kc_runtime_t *runtime)
{
    atomic_fetch_add(&runtime->reference_count, 1);
    return runtime;
}

void kci_runtime_release(kc_runtime_t *runtime)
{
    if (runtime == NULL ||
        atomic_fetch_sub(&runtime->reference_count, 1) != 1) {
        return;
    }
    kci_module_set_release(&runtime->modules);
    kci_search_path_release(&runtime->module_path);
    kci_search_path_release(&runtime->profile_path);
    kci_host_release(runtime->host);
    kci_host_allocator_release(runtime->allocator);
    pthread_mutex_destroy(&runtime->host_mutex);
    kci_free(runtime);
}

kci_profile_source_t kci_runtime_profile_source(const kc_runtime_t *runtime)
{
    return (kci_profile_source_t){.modules = &runtime->modules,
                                  .profile_path = &runtime->profile_path,
                                  .log = &runtime->log};
}

kc_status_t kci_runtime_host(kc_runtime_t *runtime, uint32_t thread_count,
                             kci_host_t **out_host, kc_error_t *error)
{
    kc_status_t status = KC_OK;
    pthread_mutex_lock(&runtime->host_mutex);
    if (runtime->host == NULL) {
        uint32_t wish =
            runtime->thread_count != 0 ? runtime->thread_count : thread_count;
        status = kci_host_create(runtime->allocator, &runtime->log, wish,
                                 &runtime->host, error);
    }
    if (status == KC_OK) {
        *out_host = runtime->host;
    }
    pthread_mutex_unlock(&runtime->host_mutex);
    return status;
}
