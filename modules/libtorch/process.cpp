/* SPDX-License-Identifier: Apache-2.0
 *
 * Opening and closing. Everything is undone at closing but one: LibTorch
 * itself stays mapped, since it cannot be unloaded.
 */
#include "process.h"

#include <ATen/Parallel.h>
#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <new>
#include <stdexcept>

#include "entry.h"
#include "handlers.h"

namespace kc_libtorch {

namespace {

void destroy_cache(void *cache)
{
    delete static_cast<wrap_cache *>(cache);
}

char *map_page_of_this_process()
{
    size_t size = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    void *page = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) {
        throw std::bad_alloc();
    }
    /* Linux 4.14; before it a child is not told apart. */
    (void)madvise(page, size, MADV_WIPEONFORK);
    *static_cast<char *>(page) = 1;
    return static_cast<char *>(page);
}

template <typename F> F symbol(void *library, const char *name)
{
    return reinterpret_cast<F>(dlsym(library, name));
}

} // namespace

process::process() : is_own_page_(map_page_of_this_process())
{
    if (pthread_key_create(&caches_, destroy_cache) != 0) {
        (void)munmap(is_own_page_, static_cast<size_t>(sysconf(_SC_PAGESIZE)));
        throw std::bad_alloc();
    }
    find_counts();
    if (omp_get_max_threads == nullptr) {
        at::set_num_threads(1); /* a pool of ATen's has no count of a thread */
    }
}

process::~process()
{
    delete static_cast<wrap_cache *>(pthread_getspecific(caches_));
    (void)pthread_key_delete(caches_);
    (void)munmap(is_own_page_, static_cast<size_t>(sysconf(_SC_PAGESIZE)));
}

/* ATen's calls go to the OpenMP runtime that the host has for all to see, if it
 * has one, whatever ATen brings itself (a wheel's has a name of its own). The
 * libraries that ATen brings were opened locally, so they are asked for through
 * the handle of ATen's own. */
void process::find_counts()
{
    Dl_info info;
    auto address = reinterpret_cast<void *>(&at::set_num_threads);
    if (dladdr(address, &info) == 0) {
        return;
    }
    void *library = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    if (library == nullptr) {
        return;
    }
    void *openmp = dlsym(RTLD_DEFAULT, "omp_set_num_threads") != nullptr
                       ? RTLD_DEFAULT
                       : library;
    auto get = symbol<int (*)()>(openmp, "omp_get_max_threads");
    auto set = symbol<void (*)(int)>(openmp, "omp_set_num_threads");
    if (get != nullptr && set != nullptr) {
        omp_get_max_threads = get;
        omp_set_num_threads = set;
    }
    mkl_set_num_threads =
        symbol<int (*)(int)>(library, "MKL_Set_Num_Threads_Local");
    get = symbol<int (*)()>(library, "openblas_get_num_threads");
    set = symbol<void (*)(int)>(library, "openblas_set_num_threads");
    if (get != nullptr && set != nullptr) {
        blas = {get, set};
    }
    (void)dlclose(library);
}

/* ATen sets its count for a thread when the thread first asks for it, and
 * never again: it is made to ask before the first call limits the thread. */
wrap_cache &process::cache()
{
    void *found = pthread_getspecific(caches_);
    if (found != nullptr) {
        return *static_cast<wrap_cache *>(found);
    }
    {
        one_thread restored_at_the_end(*this);
        (void)at::get_num_threads();
    }
    auto *made = new wrap_cache;
    if (pthread_setspecific(caches_, made) != 0) {
        delete made;
        throw std::bad_alloc();
    }
    return *made;
}

} // namespace kc_libtorch

extern "C" kc_status_t kc_libtorch_open(const kc_host_t *, void **out_state,
                                        kc_error_t *error)
{
    kc_call_t failing = {};
    failing.error = error;
    try {
        *out_state = new kc_libtorch::process;
        return KC_OK;
    } catch (const std::bad_alloc &) {
        return kc_call_fail(&failing, KC_ERR_MEMORY,
                            "no memory for the state of LibTorch");
    } catch (const std::exception &exception) {
        return kc_call_fail(&failing, KC_ERR_BINDING, exception.what());
    } catch (...) {
        return kc_call_fail(&failing, KC_ERR_BINDING,
                            "LibTorch threw something without a text");
    }
}

extern "C" void kc_libtorch_close(void *state)
{
    delete static_cast<kc_libtorch::process *>(state);
}
