/* SPDX-License-Identifier: Apache-2.0
 *
 * pthreadpool, wrapped: used raw it hangs when nested and in a forked child,
 * has no way to report failure, and lets each worker keep floating-point
 * modes of its own.
 */
#include "dispatch/thread_pool.h"

#include <pthread.h>
#include <pthreadpool.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/error.h"
#include "dispatch/thread_trial.h"
#include "module/fp_guard.h"

struct kci_thread_pool {
    pthreadpool_t threads;
    pthread_mutex_t mutex; /* held while the pool works */
    pid_t process;         /* the threads exist in this process only */
    uint32_t flags;        /* of every call of the library */
};

/* One call of kci_thread_pool_run. */
typedef struct pool_job {
    kc_tile_fn tile;
    void *context;
    kci_fp_guard_t words; /* the caller's */
    /* The library orders memory between caller and tiles, but not in a way
     * that a thread checker sees; these two say it again. */
    _Atomic size_t begun;
    _Atomic size_t ended;
    pthread_mutex_t mutex; /* guards what follows */
    size_t failed_start;   /* smallest first item of a failed tile */
    kc_status_t status;
} pool_job_t;

/* Set while a thread is inside of a tile. A property of the thread, not of
 * the program: a kernel deep below finds out here that it is nested. */
static _Thread_local bool is_in_tile;

uint32_t kci_processor_count(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) {
        int count = CPU_COUNT(&set);
        return count > 0 ? (uint32_t)count : 1;
    }
    /* More processors than cpu_set_t holds. */
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    if (online < 1) {
        return 1;
    }
    return online > KCI_THREAD_COUNT_MAX ? KCI_THREAD_COUNT_MAX
                                         : (uint32_t)online;
}

/* Workers take no signals: those belong to the application's threads. Gives
 * fewer threads, down to one and no pool, if the system does. */
static pthreadpool_t create_threads(uint32_t thread_count, bool is_exact,
                                    uint32_t *out_count)
{
    sigset_t all;
    sigset_t previous;
    pthreadpool_t threads = NULL;
    sigfillset(&all);
    *out_count = 1;
    if (pthread_sigmask(SIG_SETMASK, &all, &previous) != 0) {
        return NULL;
    }
    *out_count += kci_thread_trial(thread_count - 1);
    if (*out_count > 1 && (!is_exact || *out_count == thread_count)) {
        threads = pthreadpool_create(*out_count);
        *out_count = threads == NULL ? 1 : *out_count;
    }
    (void)pthread_sigmask(SIG_SETMASK, &previous, NULL);
    return threads;
}

static kc_status_t check_count(uint32_t thread_count, kc_error_t *error)
{
    if (thread_count < 2 || thread_count > KCI_THREAD_COUNT_MAX) {
        return kci_fail(error, KC_ERR_ARGUMENT,
                        "thread pool: expected 2 to %d threads, found %u",
                        KCI_THREAD_COUNT_MAX, (unsigned)thread_count);
    }
    return KC_OK;
}

static kc_status_t create_pool(uint32_t thread_count, bool is_exact,
                               kci_thread_pool_t **out_pool,
                               uint32_t *out_count, kc_error_t *error)
{
    void *memory = NULL;
    KC_RETURN_IF_ERROR(check_count(thread_count, error));
    KC_RETURN_IF_ERROR(
        kci_alloc_array(1, sizeof(kci_thread_pool_t), &memory, error));
    kci_thread_pool_t *pool = memory;
    pool->threads = create_threads(thread_count, is_exact, out_count);
    if (pool->threads == NULL) {
        kci_free(pool);
        *out_pool = NULL;
        return KC_OK;
    }
    pthread_mutex_init(&pool->mutex, NULL);
    pool->process = getpid();
    /* Workers that spin between calls help only on processors of their own. */
    pool->flags =
        *out_count > kci_processor_count() ? PTHREADPOOL_FLAG_YIELD_WORKERS : 0;
    *out_pool = pool;
    return KC_OK;
}

kc_status_t kci_thread_pool_create(uint32_t thread_count,
                                   kci_thread_pool_t **out_pool,
                                   kc_error_t *error)
{
    kci_thread_pool_t *pool = NULL;
    uint32_t count = 0;
    KC_RETURN_IF_ERROR(create_pool(thread_count, true, &pool, &count, error));
    if (pool == NULL) {
        return kci_fail(error, KC_ERR_MEMORY,
                        "thread pool: expected %u threads, the system gave %u",
                        (unsigned)thread_count, (unsigned)count);
    }
    *out_pool = pool;
    return KC_OK;
}

kc_status_t kci_thread_pool_create_up_to(uint32_t thread_count,
                                         kci_thread_pool_t **out_pool,
                                         uint32_t *out_count, kc_error_t *error)
{
    return create_pool(thread_count, false, out_pool, out_count, error);
}

void kci_thread_pool_destroy(kci_thread_pool_t *pool)
{
    if (pool == NULL) {
        return;
    }
    /* In a forked child the threads to be joined do not exist. */
    if (pool->process == getpid()) {
        pthreadpool_destroy(pool->threads);
        pthread_mutex_destroy(&pool->mutex);
    }
    kci_free(pool);
}

static kc_status_t run_tile(const pool_job_t *job, size_t start, size_t count)
{
    bool was_in_tile = is_in_tile;
    kci_fp_guard_t own_words = kci_fp_guard_begin();
    is_in_tile = true;
    (void)kci_fp_guard_end(&job->words);
    kc_status_t status = job->tile(job->context, start, count);
    (void)kci_fp_guard_end(&own_words);
    is_in_tile = was_in_tile;
    return status;
}

static void keep_failure(pool_job_t *job, size_t start, kc_status_t status)
{
    pthread_mutex_lock(&job->mutex);
    if (job->status == KC_OK || start < job->failed_start) {
        job->failed_start = start;
        job->status = status;
    }
    pthread_mutex_unlock(&job->mutex);
}

static void run_pooled_tile(void *context, size_t start, size_t count)
{
    pool_job_t *job = context;
    (void)atomic_load_explicit(&job->begun, memory_order_acquire);
    kc_status_t status = run_tile(job, start, count);
    if (status != KC_OK) {
        keep_failure(job, start, status);
    }
    (void)atomic_fetch_add_explicit(&job->ended, 1, memory_order_release);
}

static kc_status_t run_serial(const pool_job_t *job, size_t range,
                              size_t tile_size)
{
    for (size_t start = 0; start < range;) {
        size_t left = range - start;
        size_t count = left < tile_size ? left : tile_size;
        kc_status_t status = run_tile(job, start, count);
        if (status != KC_OK) {
            return status;
        }
        start += count;
    }
    return KC_OK;
}

static bool begin_pool(kci_thread_pool_t *pool, size_t range, size_t tile_size)
{
    return pool != NULL && !is_in_tile && range > tile_size &&
           pool->process == getpid() &&
           pthread_mutex_trylock(&pool->mutex) == 0;
}

kc_status_t kci_thread_pool_run(kci_thread_pool_t *pool, kc_tile_fn tile,
                                void *context, size_t range, size_t tile_size)
{
    pool_job_t job = {
        .tile = tile, .context = context, .words = kci_fp_guard_begin()};
    if (tile_size == 0) {
        tile_size = range;
    }
    if (!begin_pool(pool, range, tile_size)) {
        return run_serial(&job, range, tile_size);
    }
    pthread_mutex_init(&job.mutex, NULL);
    atomic_store_explicit(&job.begun, 1, memory_order_release);
    pthreadpool_parallelize_1d_tile_1d(pool->threads, run_pooled_tile, &job,
                                       range, tile_size, pool->flags);
    (void)atomic_load_explicit(&job.ended, memory_order_acquire);
    pthread_mutex_unlock(&pool->mutex);
    pthread_mutex_destroy(&job.mutex);
    return job.status;
}
