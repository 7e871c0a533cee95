/* SPDX-License-Identifier: Apache-2.0
 *
 * The services that modules get through kc_host_t, by way of the allocator,
 * the pool and the log of this host.
 */
#include "dispatch/host.h"

#include <xxhash.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"

static kci_host_t *host_of(const kc_host_t *interface)
{
    return interface->context;
}

static void *host_allocate(const kc_host_t *interface, size_t size,
                           size_t alignment)
{
    void *memory = NULL;
    if (kci_host_allocate(host_of(interface)->allocator, size, alignment,
                          &memory, NULL) != KC_OK) {
        return NULL;
    }
    return memory;
}

static void host_deallocate(const kc_host_t *interface, void *memory,
                            size_t size)
{
    kci_host_deallocate(host_of(interface)->allocator, memory, size);
}

static kc_status_t host_parallel_for(const kc_host_t *interface,
                                     kc_tile_fn tile, void *context,
                                     size_t range, size_t tile_size)
{
    return kci_thread_pool_run(host_of(interface)->pool, tile, context, range,
                               tile_size);
}

static void host_log(const kc_host_t *interface, int32_t level,
                     const char *message)
{
    if (level < KC_LOG_ERROR || level > KC_LOG_INFO) {
        level = KC_LOG_WARNING;
    }
    kci_log_write(&host_of(interface)->log, level, "%s",
                  message != NULL ? message : "");
}

static void set_interface(kci_host_t *host)
{
    host->interface = (kc_host_t){.struct_size = sizeof(kc_host_t),
                                  .abi_major = KC_ABI_MAJOR,
                                  .abi_minor = KC_ABI_MINOR,
                                  .context = host,
                                  .allocate = host_allocate,
                                  .deallocate = host_deallocate,
                                  .parallel_for = host_parallel_for,
                                  .log = host_log};
}

/* A number that was asked for is kept or refused, the default gives way. */
static kc_status_t create_pool(kci_host_t *host, uint32_t thread_count,
                               kc_error_t *error)
{
    uint32_t wanted = thread_count != 0 ? thread_count : kci_processor_count();
    host->thread_count = wanted;
    if (wanted < 2) {
        return KC_OK;
    }
    if (thread_count != 0) {
        return kci_thread_pool_create(wanted, &host->pool, error);
    }
    KC_RETURN_IF_ERROR(kci_thread_pool_create_up_to(
        wanted, &host->pool, &host->thread_count, error));
    if (host->thread_count < wanted) {
        kci_log_write(&host->log, KC_LOG_WARNING,
                      "threads: expected %u, one a processor, the system gave "
                      "%u",
                      (unsigned)wanted, (unsigned)host->thread_count);
    }
    return KC_OK;
}

kc_status_t kci_host_create(kci_host_allocator_t *allocator,
                            const kci_log_t *log, uint32_t thread_count,
                            kci_host_t **out_host, kc_error_t *error)
{
    if (thread_count > KCI_THREAD_COUNT_MAX) {
        return kci_fail(error, KC_ERR_ARGUMENT,
                        "threads: expected at most %d, found %u",
                        KCI_THREAD_COUNT_MAX, (unsigned)thread_count);
    }
    void *memory = NULL;
    KC_RETURN_IF_ERROR(kci_alloc_array(1, sizeof(kci_host_t), &memory, error));
    kci_host_t *host = memory;
    atomic_init(&host->reference_count, 1);
    host->birth_ns = kci_clock_ns();
    host->allocator = allocator;
    host->log = log != NULL ? *log : (kci_log_t){NULL, NULL};
    kc_status_t status = create_pool(host, thread_count, error);
    if (status != KC_OK) {
        kci_free(host);
        return status;
    }
    pthread_mutex_init(&host->report_mutex, NULL);
    set_interface(host);
    *out_host = host;
    return KC_OK;
}

kci_host_t *kci_host_retain(kci_host_t *host)
{
    atomic_fetch_add(&host->reference_count, 1);
    return host;
}

void kci_host_release(kci_host_t *host)
{
    if (host == NULL || atomic_fetch_sub(&host->reference_count, 1) != 1) {
        return;
    }
    kci_thread_pool_destroy(host->pool);
    pthread_mutex_destroy(&host->report_mutex);
    kci_free(host->reported);
    kci_free(host);
}

/* Two hosts differ in where they are or, one after the other, in when they
 * began; two numbers of one host in the count. */
uint64_t kci_host_next_number(kci_host_t *host)
{
    uint64_t number = 0;
    while (number == 0) {
        const uint64_t parts[] = {(uintptr_t)host, host->birth_ns,
                                  atomic_fetch_add(&host->number_count, 1)};
        number = XXH3_64bits(parts, sizeof parts);
    }
    return number;
}

static void retain_interface(const kc_host_t *interface)
{
    kci_host_retain(host_of(interface));
}

static void release_interface(const kc_host_t *interface)
{
    kci_host_release(host_of(interface));
}

kc_status_t kci_host_open_module(kci_host_t *host, kci_module_file_t *file,
                                 kc_error_t *error)
{
    KC_RETURN_IF_ERROR(
        kci_module_file_open(file, &host->interface, &host->log, error));
    kci_module_file_keep_host(file, &host->interface, retain_interface,
                              release_interface);
    return KC_OK;
}

static bool is_reported_locked(const kci_host_t *host, const void *thing)
{
    for (size_t i = 0; i < host->reported_count; i++) {
        if (host->reported[i] == thing) {
            return true;
        }
    }
    return false;
}

static void add_report_locked(kci_host_t *host, const void *thing)
{
    void *items = (void *)host->reported;
    /* Without memory for the note the report is made again: no harm. */
    if (kci_grow_array(&items, &host->reported_capacity,
                       host->reported_count + 1, sizeof *host->reported,
                       NULL) == KC_OK) {
        host->reported = (const void **)items;
        host->reported[host->reported_count++] = thing;
    }
}

bool kci_host_is_first_report(kci_host_t *host, const void *thing)
{
    pthread_mutex_lock(&host->report_mutex);
    bool is_first = !is_reported_locked(host, thing);
    if (is_first) {
        add_report_locked(host, thing);
    }
    pthread_mutex_unlock(&host->report_mutex);
    return is_first;
}
