/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Opens OpenBLAS. Stays open until the process ends, as its threads do. */
#include "bench/blas.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/* Values of the CBLAS interface. */
#define ROW_MAJOR    101
#define NO_TRANSPOSE 111

typedef void (*set_threads_fn)(int count);
typedef const char *(*text_fn)(void);

/* ISO C has no cast from an object pointer to a function pointer. */
static void find(void *library, const char *name, void *out_function)
{
    void *symbol = dlsym(library, name);
    memcpy(out_function, &symbol, sizeof symbol);
}

void blas_open(blas_t *blas)
{
    set_threads_fn set_threads = NULL;
    text_fn core = NULL;
    void *library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
    blas->sgemm = NULL;
    if (library != NULL) {
        find(library, "cblas_sgemm", &blas->sgemm);
        find(library, "openblas_set_num_threads", &set_threads);
        find(library, "openblas_get_corename", &core);
    }
    if (blas->sgemm == NULL || set_threads == NULL) {
        blas->sgemm = NULL;
        puts("OpenBLAS not found: no ratio");
        return;
    }
    set_threads(1);
    printf("OpenBLAS: core %s, 1 thread\n", core == NULL ? "unknown" : core());
}

void blas_product(const blas_t *blas, size_t m, size_t n, size_t p,
                  const float *a, const float *b, float *c)
{
    blas->sgemm(ROW_MAJOR, NO_TRANSPOSE, NO_TRANSPOSE, (int)m, (int)p, (int)n,
                1, a, (int)n, b, (int)p, 0, c, (int)p);
}
