/* SPDX-License-Identifier: Apache-2.0
 *
 * What the module keeps for the process: which process it was opened in, the
 * OpenMP runtime that ATen uses, and each thread's wrapped tensors. ATen works
 * with one thread, whatever the host has: a sum does not depend on the number
 * then, and a fork finds no threads that it would miss.
 */
#ifndef KC_LIBTORCH_PROCESS_H
#define KC_LIBTORCH_PROCESS_H

#include <pthread.h>

#include "version.h"
#include "wrap.h"

namespace kc_libtorch {

class process {
  public:
    process();
    ~process();
    process(const process &) = delete;
    process &operator=(const process &) = delete;

    /* False in a child that was forked after opening. */
    bool is_own() const
    {
        return *is_own_page_ != 0;
    }

    /* The calling thread's; made at its first call. */
    wrap_cache &cache();

    silence *warnings()
    {
        return &silence_;
    }

    /* Of the OpenMP runtime that ATen is linked to, for the calling thread;
     * NULL where ATen uses none. */
    int (*omp_get_max_threads)() = nullptr;
    void (*omp_set_num_threads)(int) = nullptr;

  private:
    void find_openmp();
    void limit_threads();

    char *is_own_page_ = nullptr; /* a page that a fork empties */
    pthread_key_t caches_;
    silence silence_;
};

/* The calling thread's OpenMP limit is 1 while one lives. ATen changes it at
 * its first parallel operation, and what the host had is set again. */
class one_thread {
  public:
    explicit one_thread(const process &owner) : owner_(owner)
    {
        if (owner_.omp_get_max_threads != nullptr) {
            found_ = owner_.omp_get_max_threads();
            owner_.omp_set_num_threads(1);
        }
    }
    ~one_thread()
    {
        if (owner_.omp_get_max_threads != nullptr) {
            owner_.omp_set_num_threads(found_);
        }
    }
    one_thread(const one_thread &) = delete;
    one_thread &operator=(const one_thread &) = delete;

  private:
    const process &owner_;
    int found_ = 1;
};

} // namespace kc_libtorch

#endif
