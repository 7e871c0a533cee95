/* SPDX-License-Identifier: Apache-2.0
 *
 * Counts of threads that LibTorch and its BLAS keep for all of a process: a
 * host that uses them itself finds them as they were, and they show in no
 * result.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "unit/modules/libtorch_call.h"
#include "unit/modules/module_file.h"
#include "unit/modules/tcases.h"

static trial_t product_of(int64_t m, int64_t k, int64_t other_k, int64_t n)
{
    trial_t trial;
    trial_init(&trial, KC_OP_MATMUL);
    trial_add(&trial, operand_create(KC_DTYPE_F32, SHAPE(m, k)));
    trial_add(&trial, operand_create(KC_DTYPE_F32, SHAPE(other_k, n)));
    trial_set_output(&trial, operand_create(KC_DTYPE_F32, SHAPE(m, n)));
    return trial;
}

/* What a host that uses LibTorch itself would call. */
typedef struct counts {
    int (*get_aten)(void);
    void (*set_aten)(int);
    int (*get_blas)(void); /* OpenBLAS: may be NULL, as may the next */
    void (*set_blas)(int);
    int blas; /* what it was set to: builds without threads stay at 1 */
} counts_t;

/* Needs the mapped module. */
static bool find_counts(counts_t *counts)
{
    void *library = dlopen("libtorch_cpu.so.1.13", RTLD_NOW | RTLD_NOLOAD);
    if (library == NULL) {
        library = dlopen("libtorch_cpu.so", RTLD_NOW | RTLD_NOLOAD);
    }
    if (library == NULL) {
        return false;
    }
    *(void **)&counts->get_aten = dlsym(library, "_ZN2at15get_num_threadsEv");
    *(void **)&counts->set_aten = dlsym(library, "_ZN2at15set_num_threadsEi");
    *(void **)&counts->get_blas = dlsym(library, "openblas_get_num_threads");
    *(void **)&counts->set_blas = dlsym(library, "openblas_set_num_threads");
    return counts->get_aten != NULL && counts->set_aten != NULL;
}

static void *ask_aten(void *context)
{
    const counts_t *counts = context;
    return (void *)(intptr_t)counts->get_aten();
}

static void expect_counts(counts_t *counts, int expected)
{
    pthread_t thread;
    void *found = NULL;
    ck_assert_int_eq(counts->get_aten(), expected);
    ck_assert_int_eq(pthread_create(&thread, NULL, ask_aten, counts), 0);
    ck_assert_int_eq(pthread_join(thread, &found), 0);
    ck_assert_int_eq((intptr_t)found, expected);
    if (counts->set_blas != NULL) {
        ck_assert_int_eq(counts->get_blas(), counts->blas);
    }
}

static void *multiply_often(void *context)
{
    for (int i = 0; i < 40; i++) {
        trial_t product = product_of(30, 30, 30, 30);
        if (libtorch_forward(context, &product) != KC_OK) {
            return context;
        }
        trial_clear(&product);
    }
    return NULL;
}

/* The host's own products, also in threads that it starts later, have as many
 * threads as before. */
START_TEST(the_threads_of_a_host_that_uses_libtorch_are_as_before)
{
    libtorch_t libtorch[2];
    counts_t counts;
    pthread_t threads[4];
    module_file_load("libtorch");
    if (!find_counts(&counts)) {
        printf("# skipped: no LibTorch is mapped\n");
        return;
    }
    if (counts.set_blas != NULL) {
        counts.set_blas(2);
        counts.blas = counts.get_blas();
    }
    counts.set_aten(3);
    ck_assert(libtorch_open(&libtorch[0]) && libtorch_open(&libtorch[1]));
    expect_counts(&counts, 3);
    trial_t product = product_of(200, 200, 200, 200);
    ck_assert_int_eq(libtorch_forward(&libtorch[0], &product), KC_OK);
    trial_clear(&product);
    expect_counts(&counts, 3);
    product = product_of(2, 3, 4, 5);
    ck_assert_int_eq(libtorch_forward(&libtorch[0], &product), KC_ERR_KERNEL);
    trial_clear(&product);
    expect_counts(&counts, 3);
    for (int i = 0; i < 4; i++) {
        ck_assert_int_eq(
            pthread_create(&threads[i], NULL, multiply_often, &libtorch[i % 2]),
            0);
    }
    for (int i = 0; i < 4; i++) {
        void *failed = NULL;
        ck_assert_int_eq(pthread_join(threads[i], &failed), 0);
        ck_assert_ptr_null(failed);
    }
    expect_counts(&counts, 3);
    libtorch_close(&libtorch[0]);
    libtorch_close(&libtorch[1]);
    expect_counts(&counts, 3);
}
END_TEST

/* A product of these extents has other bits by two threads of OpenBLAS. */
START_TEST(the_hosts_threads_change_no_bit)
{
    libtorch_t libtorch;
    counts_t counts;
    uint64_t state = 71;
    module_file_load("libtorch");
    if (!find_counts(&counts) || counts.set_blas == NULL) {
        printf("# skipped: no OpenBLAS behind LibTorch\n");
        return;
    }
    ck_assert(libtorch_open(&libtorch));
    trial_t product = product_of(257, 1031, 1031, 129);
    trial_fill_uniform(product.inputs[0], &state, -1, 1);
    trial_fill_uniform(product.inputs[1], &state, -1, 1);
    double *by_one = calloc(product.output->count, sizeof *by_one);
    ck_assert_ptr_nonnull(by_one);
    for (int threads = 1; threads < 5; threads++) {
        counts.set_blas(threads);
        ck_assert_int_eq(libtorch_forward(&libtorch, &product), KC_OK);
        for (size_t i = 0; i < product.output->count; i++) {
            const double found = operand_get(product.output, i);
            by_one[i] = threads == 1 ? found : by_one[i];
            ck_assert_msg(same_bits(found, by_one[i]),
                          "%d threads, element %zu: expected %a, found %a",
                          threads, i, by_one[i], found);
        }
    }
    free(by_one);
    trial_clear(&product);
    libtorch_close(&libtorch);
}
END_TEST

TCase *tcase_libtorch_threads(void)
{
    TCase *tcase = tcase_create("libtorch_threads");
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase,
                   the_threads_of_a_host_that_uses_libtorch_are_as_before);
    tcase_add_test(tcase, the_hosts_threads_change_no_bit);
    return tcase;
}
