/* SPDX-License-Identifier: Apache-2.0
 *
 * Threads on trial: all wait until the last one was made, so that the limits
 * of the system meet the whole number. Addresses are held back meanwhile for
 * what the pool needs besides the stacks.
 */
#include "dispatch/thread_trial.h"

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/alloc.h"

#define RESERVE_BYTES ((size_t)1 << 20)
/* Seen to be needed: a handful. */
#define GONE_ATTEMPTS 100000

typedef struct trial_thread {
    pthread_t thread;
    pid_t id;
    pthread_mutex_t *gate; /* shut until all threads were made */
} trial_thread_t;

static void *wait_at_gate(void *context)
{
    trial_thread_t *self = context;
    self->id = (pid_t)syscall(SYS_gettid);
    pthread_mutex_lock(self->gate);
    pthread_mutex_unlock(self->gate);
    return NULL;
}

static bool make_thread(trial_thread_t *thread, pthread_mutex_t *gate)
{
    thread->gate = gate;
    return pthread_create(&thread->thread, NULL, wait_at_gate, thread) == 0;
}

/* The system counts a joined thread until it forgets its number. */
static void end_thread(const trial_thread_t *thread)
{
    if (pthread_join(thread->thread, NULL) != 0) {
        return;
    }
    for (int i = 0;
         i < GONE_ATTEMPTS && syscall(SYS_tgkill, getpid(), thread->id, 0) == 0;
         i++) {
        (void)sched_yield();
    }
}

static uint32_t try_threads(trial_thread_t *threads, uint32_t wanted)
{
    pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
    uint32_t made = 0;
    pthread_mutex_lock(&gate);
    while (made < wanted && make_thread(&threads[made], &gate)) {
        made++;
    }
    pthread_mutex_unlock(&gate);
    for (uint32_t i = 0; i < made; i++) {
        end_thread(&threads[i]);
    }
    pthread_mutex_destroy(&gate);
    return made;
}

uint32_t kci_thread_trial(uint32_t wanted)
{
    void *threads = NULL;
    uint32_t made = 0;
    void *reserve = mmap(NULL, RESERVE_BYTES, PROT_NONE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (reserve == MAP_FAILED) {
        return 0;
    }
    if (kci_alloc_array(wanted, sizeof(trial_thread_t), &threads, NULL) ==
        KC_OK) {
        made = try_threads(threads, wanted);
    }
    kci_free(threads);
    (void)munmap(reserve, RESERVE_BYTES);
    return made;
}
