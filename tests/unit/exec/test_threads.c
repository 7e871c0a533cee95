/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Many threads over one host and one profile (F53), and results that do not
 * depend on the number of threads (F54). */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "unit/built_modules.h"
#include "unit/exec/graph_fixture.h"
#include "unit/exec/suites.h"
#include "unit/expect.h"

#define THREADS 16
#define ROUNDS  1000

typedef struct shared {
    host_fixture_t host;
    kc_profile_t *profile;
    pthread_barrier_t barrier;
    atomic_bool is_done;
} shared_t;

/* Lists the built modules again and again while the others work. */
typedef struct lister {
    shared_t *shared;
    kc_status_t status;
    size_t round_count;
    size_t file_count; /* of the last listing */
} lister_t;

typedef struct worker {
    shared_t *shared;
    kc_error_t error;
    kc_status_t status;
    int wrong_count;
} worker_t;

/* No assertion of the test library: those are for its own thread. */
static kc_status_t run_round(kc_session_t *session, worker_t *worker)
{
    operand_t x;
    operand_t y;
    operand_floats(&x, 1, DIMS(3), FLOATS(-1, 2, 3));
    operand_init(&y, KC_DTYPE_F32, 1, DIMS(3));
    const DLTensor *inputs[] = {&x.view, &x.view};
    kc_status_t status = kci_session_run(session, KC_OP_RELU, NULL, inputs, 1,
                                         &y.view, &worker->error);
    worker->wrong_count += operand_f32(&y)[1] != 2;
    if (status == KC_OK) {
        status = kci_session_run(session, KC_OP_ADD, NULL, inputs, 2, &y.view,
                                 &worker->error);
        worker->wrong_count += operand_f32(&y)[2] != 6;
    }
    return status;
}

static void *work(void *context)
{
    worker_t *worker = context;
    shared_t *shared = worker->shared;
    worker->error = (kc_error_t)KC_ERROR_INIT;
    pthread_barrier_wait(&shared->barrier);
    for (int round = 0; round < ROUNDS && worker->status == KC_OK; round++) {
        kc_session_t *session = NULL;
        worker->status = kci_session_create(shared->host.host, shared->profile,
                                            false, &session, &worker->error);
        if (worker->status == KC_OK) {
            worker->status = run_round(session, worker);
        }
        kci_session_destroy(session);
    }
    return NULL;
}

static kc_status_t list_once(lister_t *lister)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_search_path_t path;
    kci_module_set_t set;
    kc_status_t status = kci_module_search_path(NULL, 0, NULL, &path, &error);
    if (status != KC_OK) {
        return status;
    }
    status = kci_module_search(&path, NULL, &set, &error);
    if (status == KC_OK) {
        lister->file_count = set.file_count;
        kci_module_set_release(&set);
    }
    kci_search_path_release(&path);
    return status;
}

static void *list(void *context)
{
    lister_t *lister = context;
    while (lister->status == KC_OK && !atomic_load(&lister->shared->is_done)) {
        lister->status = list_once(lister);
        lister->round_count++;
    }
    return NULL;
}

START_TEST(sixteen_threads_share_a_module_with_a_slow_start)
{
    shared_t shared;
    lister_t lister = {.shared = &shared};
    pthread_t listing;
    pthread_t threads[THREADS];
    worker_t workers[THREADS];
    built_mark_begin();
    host_fixture_begin(&shared.host, 2);
    shared.profile = built_profile_with("slow_init", "acme");
    ck_assert_int_eq(pthread_barrier_init(&shared.barrier, NULL, THREADS), 0);
    atomic_init(&shared.is_done, false);
    alarm(50);
    ck_assert_int_eq(pthread_create(&listing, NULL, list, &lister), 0);
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (worker_t){.shared = &shared};
        ck_assert_int_eq(pthread_create(&threads[i], NULL, work, &workers[i]),
                         0);
    }
    for (int i = 0; i < THREADS; i++) {
        ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
        ck_assert_msg(workers[i].status == KC_OK, "%s",
                      workers[i].error.message);
        ck_assert_int_eq(workers[i].wrong_count, 0);
    }
    atomic_store(&shared.is_done, true);
    ck_assert_int_eq(pthread_join(listing, NULL), 0);
    alarm(0);
    ck_assert_int_eq(lister.status, KC_OK);
    ck_assert_uint_gt(lister.round_count, 0);
    ck_assert_uint_eq(lister.file_count, 4);
    pthread_barrier_destroy(&shared.barrier);
    ck_assert_str_eq(built_mark(), "open\n");
    kci_profile_release(shared.profile);
    host_fixture_end(&shared.host);
}
END_TEST

/* Wide in exponent and of both signs, the same for every run. */
static void fill(float *values, int64_t count)
{
    uint32_t state = 12345;
    for (int64_t i = 0; i < count; i++) {
        state = state * 1664525u + 1013904223u;
        float unit = (float)(state >> 8) / 16777216.0f;
        float scale = (i % 7 == 0) ? 1e6f : (i % 5 == 0 ? 1e-6f : 1.0f);
        values[i] = (unit - 0.5f) * scale;
    }
}

#define ROWS    1000
#define COLUMNS 500

typedef struct result {
    unsigned char *bytes;
    size_t size;
} result_t;

static void apply_one(kc_session_t *session, int32_t op, int64_t axis,
                      const DLTensor *const *inputs, size_t count,
                      result_t *out)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_tensor_t *tensor = NULL;
    kc_attributes_t attributes = operand_axis(op, axis);
    EXPECT_OK(error, kci_session_apply(session, op, &attributes, inputs, count,
                                       &tensor, &error));
    out->size = (size_t)kc_tensor_element_count(&tensor->view) * sizeof(float);
    out->bytes = malloc(out->size);
    ck_assert_ptr_nonnull(out->bytes);
    memcpy(out->bytes, kc_tensor_data(&tensor->view), out->size);
    kci_tensor_release(tensor);
}

#define RESULTS 5
static void compute(uint32_t thread_count, result_t *results)
{
    host_fixture_t host;
    kc_error_t error = KC_ERROR_INIT;
    kc_session_t *session = NULL;
    kc_tensor_t *a = NULL;
    kc_tensor_t *b = NULL;
    host_fixture_begin(&host, thread_count);
    kc_profile_t *profile = built_checked_cpu();
    EXPECT_OK(error,
              kci_session_create(host.host, profile, false, &session, &error));
    EXPECT_OK(error, kci_tensor_create(&host.allocator, KC_DTYPE_F32, 2,
                                       DIMS(ROWS, COLUMNS), &a, &error));
    EXPECT_OK(error, kci_tensor_create(&host.allocator, KC_DTYPE_F32, 2,
                                       DIMS(COLUMNS, 64), &b, &error));
    fill(tensor_f32(a), ROWS * COLUMNS);
    fill(tensor_f32(b), COLUMNS * 64);
    const DLTensor *inputs[] = {&a->view, &b->view};
    const DLTensor *pair[] = {&a->view, &a->view};
    apply_one(session, KC_OP_MATMUL, 0, inputs, 2, &results[0]);
    apply_one(session, KC_OP_REDUCE_SUM, 1, inputs, 1, &results[1]);
    apply_one(session, KC_OP_REDUCE_MEAN, 0, inputs, 1, &results[2]);
    apply_one(session, KC_OP_SOFTMAX, 1, inputs, 1, &results[3]);
    apply_one(session, KC_OP_MSE_LOSS, 0, pair, 2, &results[4]);
    kci_tensor_release(a);
    kci_tensor_release(b);
    kci_session_destroy(session);
    kci_profile_release(profile);
    host_fixture_end(&host);
}

START_TEST(bits_do_not_depend_on_threads)
{
    const uint32_t thread_counts[] = {2, 7, 16};
    result_t expected[RESULTS];
    compute(1, expected);
    for (int round = 0; round < 3; round++) {
        result_t found[RESULTS];
        compute(thread_counts[round], found);
        for (int i = 0; i < RESULTS; i++) {
            ck_assert_uint_eq(found[i].size, expected[i].size);
            ck_assert_int_eq(
                memcmp(found[i].bytes, expected[i].bytes, found[i].size), 0);
            free(found[i].bytes);
        }
    }
    for (int i = 0; i < RESULTS; i++) {
        free(expected[i].bytes);
    }
}
END_TEST

Suite *suite_exec_threads(void)
{
    Suite *suite = suite_create("exec/threads");
    TCase *tcase = tcase_create("threads");
    tcase_add_test(tcase, sixteen_threads_share_a_module_with_a_slow_start);
    tcase_add_test(tcase, bits_do_not_depend_on_threads);
    suite_add_tcase(suite, tcase);
    return suite;
}
