/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * malloc and its relatives, counted and handed on to glibc. */
#include "unit/exec/heap_counter.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||     \
    __has_feature(memory_sanitizer)
#define HAS_OTHER_HEAP 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) ||           \
    !defined(__GLIBC__)
#define HAS_OTHER_HEAP 1
#endif

#ifdef HAS_OTHER_HEAP

bool heap_counter_works(void)
{
    return false;
}

unsigned long long heap_counter_value(void)
{
    return 0;
}

#else

#define DEFAULT_VISIBILITY __attribute__((visibility("default")))

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static _Atomic unsigned long long allocation_count;

bool heap_counter_works(void)
{
    unsigned long long before = allocation_count;
    void *volatile memory = malloc(1); /* or the compiler leaves it out */
    free(memory);
    return allocation_count > before;
}

unsigned long long heap_counter_value(void)
{
    return allocation_count;
}

DEFAULT_VISIBILITY void *malloc(size_t size)
{
    allocation_count++;
    return __libc_malloc(size);
}

DEFAULT_VISIBILITY void *calloc(size_t count, size_t size)
{
    allocation_count++;
    return __libc_calloc(count, size);
}

DEFAULT_VISIBILITY void *realloc(void *memory, size_t size)
{
    allocation_count++;
    return __libc_realloc(memory, size);
}

DEFAULT_VISIBILITY void *aligned_alloc(size_t alignment, size_t size)
{
    allocation_count++;
    return __libc_memalign(alignment, size);
}

DEFAULT_VISIBILITY int posix_memalign(void **out_memory, size_t alignment,
                                      size_t size)
{
    allocation_count++;
    void *memory = __libc_memalign(alignment, size);
    if (memory == NULL) {
        return ENOMEM;
    }
    *out_memory = memory;
    return 0;
}

#endif
