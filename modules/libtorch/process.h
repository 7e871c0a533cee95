/* SPDX-License-Identifier: Apache-2.0
 *
 * What the module keeps for the process: which process it was opened in, who
 * counts threads for ATen, and each thread's wrapped tensors. During a call
 * ATen works with one thread, whatever the host has: a sum does not depend on
 * the number then, and a fork finds no threads that it would miss. A host may
 * use LibTorch itself, so no count outlives the call.
 */
#ifndef KC_LIBTORCH_PROCESS_H
#define KC_LIBTORCH_PROCESS_H

#include <pthread.h>

#include "blas_count.h"
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

    /* The calling thread's; made at its first call, outside of the guards
     * below. */
    wrap_cache &cache();

    silence *warnings()
    {
        return &silence_;
    }

    /* Of the OpenMP runtime that ATen is linked to, for the calling thread;
     * NULL where ATen uses none. */
    int (*omp_get_max_threads)() = nullptr;
    void (*omp_set_num_threads)(int) = nullptr;
    /* Of the MKL in LibTorch, for the calling thread, which goes before that
     * of OpenMP; returns what was set, 0 for nothing. NULL without MKL. */
    int (*mkl_set_num_threads)(int) = nullptr;

    /* NULL without OpenBLAS. */
    kc_libtorch_blas_t blas = {};

  private:
    void find_counts();

    char *is_own_page_ = nullptr; /* a page that a fork empties */
    pthread_key_t caches_;
    silence silence_;
};

/* The calling thread's limits are 1 while one lives. ATen changes OpenMP's at
 * its first parallel operation; what the host had is set again. */
class one_thread {
  public:
    explicit one_thread(const process &owner) : owner_(owner)
    {
        if (owner_.omp_get_max_threads != nullptr) {
            found_ = owner_.omp_get_max_threads();
            owner_.omp_set_num_threads(1);
        }
        if (owner_.mkl_set_num_threads != nullptr) {
            mkl_found_ = owner_.mkl_set_num_threads(1);
        }
    }
    ~one_thread()
    {
        if (owner_.mkl_set_num_threads != nullptr) {
            (void)owner_.mkl_set_num_threads(mkl_found_);
        }
        if (owner_.omp_get_max_threads != nullptr) {
            owner_.omp_set_num_threads(found_);
        }
    }
    one_thread(const one_thread &) = delete;
    one_thread &operator=(const one_thread &) = delete;

  private:
    const process &owner_;
    int found_ = 1;
    int mkl_found_ = 0;
};

/* The same for OpenBLAS, which few operations reach. */
class one_blas_thread {
  public:
    one_blas_thread(const process &owner, bool is_needed)
        : blas_(is_needed ? &owner.blas : nullptr)
    {
        if (blas_ != nullptr) {
            kc_libtorch_enter_blas(blas_);
        }
    }
    ~one_blas_thread()
    {
        if (blas_ != nullptr) {
            kc_libtorch_leave_blas(blas_);
        }
    }
    one_blas_thread(const one_blas_thread &) = delete;
    one_blas_thread &operator=(const one_blas_thread &) = delete;

  private:
    const kc_libtorch_blas_t *blas_;
};

} // namespace kc_libtorch

#endif
