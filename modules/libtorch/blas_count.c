/* SPDX-License-Identifier: Apache-2.0
 *
 * Who is in a product now, and what the count was before anybody was. It is
 * shared by all runtimes of a process, as the count is.
 */
#include "blas_count.h"

#include <pthread.h>

static struct {
    pthread_mutex_t mutex;
    int users;
    int found;
} shared = {PTHREAD_MUTEX_INITIALIZER, 0, 1};

void kc_libtorch_enter_blas(const kc_libtorch_blas_t *blas)
{
    if (blas->set_num_threads == NULL) {
        return;
    }
    (void)pthread_mutex_lock(&shared.mutex);
    if (shared.users++ == 0) {
        shared.found = blas->get_num_threads();
        blas->set_num_threads(1);
    }
    (void)pthread_mutex_unlock(&shared.mutex);
}

void kc_libtorch_leave_blas(const kc_libtorch_blas_t *blas)
{
    if (blas->set_num_threads == NULL) {
        return;
    }
    (void)pthread_mutex_lock(&shared.mutex);
    if (--shared.users == 0) {
        blas->set_num_threads(shared.found);
    }
    (void)pthread_mutex_unlock(&shared.mutex);
}
