/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs tiles on real threads in an unfriendly order. A kernel that lets a sum
 * cross tiles, or shares scratch between them, shows it here.
 */
#include "unit/modules/test_host.h"

#include <check.h>
#include <pthread.h>
#include <string.h>

#define THREADS_MAX 16

typedef struct work {
    pthread_mutex_t mutex;
    kc_tile_fn tile;
    void *context;
    size_t range;
    size_t tile_size;
    size_t tiles_left;
    kc_status_t status;
} work_t;

static kc_status_t run_tile(const work_t *work, size_t idx)
{
    size_t start = idx * work->tile_size;
    size_t rest = work->range - start;
    return work->tile(work->context, start,
                      rest < work->tile_size ? rest : work->tile_size);
}

static void *run_tiles(void *opaque)
{
    work_t *work = opaque;
    for (;;) {
        size_t idx;
        kc_status_t status;
        pthread_mutex_lock(&work->mutex);
        idx = work->tiles_left;
        work->tiles_left -= idx > 0;
        pthread_mutex_unlock(&work->mutex);
        if (idx == 0) {
            return NULL;
        }
        status = run_tile(work, idx - 1);
        if (status != KC_OK) {
            pthread_mutex_lock(&work->mutex);
            work->status = status;
            pthread_mutex_unlock(&work->mutex);
        }
    }
}

static kc_status_t parallel_for(const kc_host_t *interface, kc_tile_fn tile,
                                void *context, size_t range, size_t tile_size)
{
    const test_host_t *host = interface->context;
    pthread_t threads[THREADS_MAX];
    size_t tiles = range / tile_size + (range % tile_size != 0);
    work_t work = {PTHREAD_MUTEX_INITIALIZER,
                   tile,
                   context,
                   range,
                   tile_size,
                   tiles,
                   KC_OK};
    if (host->thread_count == 0) {
        for (size_t i = 0; i < tiles && work.status == KC_OK; i++) {
            work.status = run_tile(&work, i);
        }
        return work.status;
    }
    ck_assert_uint_le(host->thread_count, THREADS_MAX);
    for (size_t i = 0; i < host->thread_count; i++) {
        ck_assert_int_eq(pthread_create(&threads[i], NULL, run_tiles, &work),
                         0);
    }
    for (size_t i = 0; i < host->thread_count; i++) {
        pthread_join(threads[i], NULL);
    }
    return work.status;
}

const kc_host_t *test_host_init(test_host_t *host, size_t thread_count)
{
    memset(host, 0, sizeof *host);
    host->thread_count = thread_count;
    host->interface.struct_size = sizeof host->interface;
    host->interface.abi_major = KC_ABI_MAJOR;
    host->interface.abi_minor = KC_ABI_MINOR;
    host->interface.context = host;
    host->interface.parallel_for = parallel_for;
    return &host->interface;
}
