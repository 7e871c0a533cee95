/* SPDX-License-Identifier: Apache-2.0
 *
 * How LibTorch behaves in a process that is not its own: what it throws comes
 * back as a status, and what belongs to the host is as before. The first
 * report is of a C++ exception that ended the host, the second of a first
 * call that halved the host's OpenMP threads.
 */
#include <dlfcn.h>
#include <fenv.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit/modules/libtorch_call.h"
#include "unit/modules/module_file.h"
#include "unit/modules/tcases.h"
#include "unit/modules/test_host.h"

/* Large enough for ATen to cut it up where it may. */
#define LARGE 100000

static trial_t sum_of(int64_t n)
{
    trial_t trial;
    trial_init(&trial, KC_OP_REDUCE_SUM);
    trial_add(&trial, operand_create(KC_DTYPE_F32, SHAPE(n)));
    trial_set_output(&trial, operand_create(KC_DTYPE_F32, 0, NULL));
    for (size_t i = 0; i < trial.inputs[0]->count; i++) {
        operand_set(trial.inputs[0], i, 1);
    }
    return trial;
}

static trial_t product_of(int64_t m, int64_t k, int64_t other_k, int64_t n)
{
    trial_t trial;
    trial_init(&trial, KC_OP_MATMUL);
    trial_add(&trial, operand_create(KC_DTYPE_F32, SHAPE(m, k)));
    trial_add(&trial, operand_create(KC_DTYPE_F32, SHAPE(other_k, n)));
    trial_set_output(&trial, operand_create(KC_DTYPE_F32, SHAPE(m, n)));
    return trial;
}

static void run_right(const libtorch_t *libtorch)
{
    trial_t sum = sum_of(LARGE);
    trial_t product = product_of(200, 200, 200, 200);
    ck_assert_int_eq(libtorch_forward(libtorch, &sum), KC_OK);
    ck_assert(operand_get(sum.output, 0) == LARGE);
    ck_assert_int_eq(libtorch_forward(libtorch, &product), KC_OK);
    trial_clear(&product);
    trial_clear(&sum);
}

/* `trial` fails with `status`, its message says `part`, and the next call is
 * none the worse. */
static void check_failure(const libtorch_t *libtorch, trial_t *trial,
                          kc_status_t status, const char *part)
{
    ck_assert_int_eq(libtorch_forward(libtorch, trial), status);
    ck_assert_int_eq(trial->error.status, status);
    ck_assert_ptr_null(strchr(trial->error.message, '\n'));
    ck_assert_msg(strstr(trial->error.message, part) != NULL, "no `%s` in: %s",
                  part, trial->error.message);
    run_right(libtorch);
}

START_TEST(what_is_thrown_becomes_a_status)
{
    libtorch_t libtorch;
    if (!libtorch_open(&libtorch)) {
        return;
    }
    trial_t product = product_of(2, 3, 4, 5);
    check_failure(&libtorch, &product, KC_ERR_KERNEL, "2x3 and 4x5");
    trial_clear(&product);

    /* No host would let this through: 2^42 elements behind 4. Its copy in
     * double is more than there is. */
    trial_t gelu;
    trial_init(&gelu, KC_OP_GELU);
    trial_add(&gelu, operand_create(KC_DTYPE_F32, SHAPE(4)));
    trial_set_output(&gelu, operand_create(KC_DTYPE_F32, SHAPE(4)));
    gelu.inputs[0]->view.shape[0] = INT64_C(1) << 42;
    check_failure(&libtorch, &gelu, KC_ERR_KERNEL, "memory");
    trial_clear(&gelu);

    trial_t inverse;
    trial_init(&inverse, KC_OP_INV);
    trial_add(&inverse, operand_create(KC_DTYPE_F32, SHAPE(4)));
    trial_set_output(&inverse, operand_create(KC_DTYPE_I32, SHAPE(4)));
    check_failure(&libtorch, &inverse, KC_ERR_KERNEL, "can't be cast");
    trial_clear(&inverse);
    libtorch_close(&libtorch);
}
END_TEST

START_TEST(what_would_end_the_process_is_refused_before)
{
    libtorch_t libtorch;
    if (!libtorch_open(&libtorch)) {
        return;
    }
    trial_t sum = sum_of(4);
    sum.inputs[0]->view.strides[0] = -1;
    check_failure(&libtorch, &sum, KC_ERR_TENSOR, "negative");
    sum.inputs[0]->view.strides[0] = 1;
    sum.inputs[0]->view.dtype.bits = 16;
    check_failure(&libtorch, &sum, KC_ERR_TENSOR, "element type");
    sum.inputs[0]->view.dtype.bits = 32;
    sum.inputs[0]->view.data = NULL;
    check_failure(&libtorch, &sum, KC_ERR_TENSOR, "NULL");
    trial_clear(&sum);
    libtorch_close(&libtorch);
}
END_TEST

/* Tensors are kept from call to call: each has the strides of its own call. */
START_TEST(a_kept_tensor_has_the_strides_of_the_call)
{
    libtorch_t libtorch;
    if (!libtorch_open(&libtorch)) {
        return;
    }
    trial_t trial;
    trial_init(&trial, KC_OP_ABS);
    trial_add(&trial, operand_create(KC_DTYPE_F32, SHAPE(2, 3)));
    trial_set_output(&trial, operand_create(KC_DTYPE_F32, SHAPE(2, 3)));
    operand_fill(trial.inputs[0], VALUES(-1, 2, 3, 4, 5, -6));
    int64_t *strides = trial.inputs[0]->view.strides;
    trial_t product = product_of(1, 2, 2, 3);
    operand_fill(product.inputs[0], VALUES(1, 10));
    operand_fill(product.inputs[1], VALUES(1, 2, 3, 4, 5, 6));
    for (int round = 0; round < 2; round++) {
        libtorch_expect(&libtorch, &trial, VALUES(1, 2, 3, 4, 5, 6));
        strides[0] = 1;
        strides[1] = 2;
        libtorch_expect(&libtorch, &trial, VALUES(1, 3, 5, 2, 4, 6));
        libtorch_expect(&libtorch, &product, VALUES(41, 52, 63));
        strides[0] = 3;
        strides[1] = 1;
    }
    trial_clear(&product);
    trial_clear(&trial);
    libtorch_close(&libtorch);
}
END_TEST

/* The OpenMP runtime that LibTorch is linked to, before it is loaded. */
typedef struct openmp {
    int (*get)(void);
    void (*set)(int);
} openmp_t;

static bool find_openmp(openmp_t *openmp)
{
    void *library = dlopen("libgomp.so.1", RTLD_NOW | RTLD_GLOBAL);
    if (library == NULL) {
        return false;
    }
    *(void **)&openmp->get = dlsym(library, "omp_get_max_threads");
    *(void **)&openmp->set = dlsym(library, "omp_set_num_threads");
    return openmp->get != NULL && openmp->set != NULL;
}

START_TEST(the_hosts_openmp_threads_are_as_before)
{
    openmp_t openmp;
    libtorch_t libtorch;
    if (!find_openmp(&openmp)) {
        printf("# skipped: no libgomp.so.1\n");
        return;
    }
    openmp.set(5);
    ck_assert_int_eq(openmp.get(), 5);
    module_file_load("libtorch");
    ck_assert_int_eq(openmp.get(), 5);
    if (!libtorch_open(&libtorch)) {
        return;
    }
    ck_assert_int_eq(openmp.get(), 5);
    run_right(&libtorch);
    ck_assert_int_eq(openmp.get(), 5);
    trial_t product = product_of(2, 3, 4, 5);
    check_failure(&libtorch, &product, KC_ERR_KERNEL, "2x3 and 4x5");
    trial_clear(&product);
    ck_assert_int_eq(openmp.get(), 5);
    libtorch_close(&libtorch);
    ck_assert_int_eq(openmp.get(), 5);
}
END_TEST

/* What C can see of the floating-point state: rounding, and that numbers
 * below the normal ones are numbers. */
static void check_floating_point(void)
{
    volatile float tiny = 0x1p-149F;
    ck_assert_int_eq(fegetround(), FE_UPWARD);
    ck_assert(tiny != 0);
    ck_assert(tiny * 2 == 0x1p-148F);
    ck_assert(0x1p-126F * 0.5F != 0);
}

START_TEST(the_hosts_floating_point_state_is_as_before)
{
    libtorch_t libtorch;
    ck_assert_int_eq(fesetround(FE_UPWARD), 0);
    if (libtorch_open(&libtorch)) {
        check_floating_point();
        run_right(&libtorch);
        check_floating_point();
        libtorch_close(&libtorch);
    }
    check_floating_point();
    ck_assert_int_eq(fesetround(FE_TONEAREST), 0);
}
END_TEST

/* c10::GradMode::is_enabled, of the copy that the module brought. */
START_TEST(the_hosts_grad_mode_is_as_before)
{
    libtorch_t libtorch;
    bool (*is_enabled)(void) = NULL;
    if (!libtorch_open(&libtorch)) {
        return;
    }
    void *library = dlopen("libc10.so.1.13", RTLD_NOW | RTLD_NOLOAD);
    if (library == NULL) {
        library = dlopen("libc10.so", RTLD_NOW | RTLD_NOLOAD);
    }
    if (library != NULL) {
        *(void **)&is_enabled =
            dlsym(library, "_ZN3c108GradMode10is_enabledEv");
    }
    if (is_enabled == NULL) {
        printf("# skipped: no c10::GradMode\n");
    } else {
        ck_assert(is_enabled());
        run_right(&libtorch);
        ck_assert(is_enabled());
    }
    libtorch_close(&libtorch);
}
END_TEST

START_TEST(a_child_forked_since_is_told)
{
    libtorch_t libtorch;
    int state = 0;
    if (!libtorch_open(&libtorch)) {
        return;
    }
    run_right(&libtorch);
    pid_t child = fork();
    if (child == 0) {
        trial_t sum = sum_of(4);
        kc_status_t status = libtorch_forward(&libtorch, &sum);
        _exit(status == KC_ERR_KERNEL &&
                      strstr(sum.error.message, "forked") != NULL
                  ? 0
                  : 1);
    }
    ck_assert_int_gt(child, 0);
    ck_assert_int_eq(waitpid(child, &state, 0), child);
    ck_assert(WIFEXITED(state) && WEXITSTATUS(state) == 0);
    run_right(&libtorch);
    libtorch_close(&libtorch);
}
END_TEST

static void *run_often(void *context)
{
    for (int i = 0; i < 20; i++) {
        trial_t sum = sum_of(1000 + i);
        if (libtorch_forward(context, &sum) != KC_OK ||
            operand_get(sum.output, 0) != 1000 + i) {
            return context;
        }
        trial_clear(&sum);
    }
    return NULL;
}

START_TEST(threads_have_tensors_of_their_own)
{
    pthread_t threads[4];
    libtorch_t libtorch;
    if (!libtorch_open(&libtorch)) {
        return;
    }
    for (int i = 0; i < 4; i++) {
        ck_assert_int_eq(
            pthread_create(&threads[i], NULL, run_often, &libtorch), 0);
    }
    for (int i = 0; i < 4; i++) {
        void *failed = NULL;
        ck_assert_int_eq(pthread_join(threads[i], &failed), 0);
        ck_assert_ptr_null(failed);
    }
    libtorch_close(&libtorch);
}
END_TEST

START_TEST(closed_it_can_be_opened_again)
{
    libtorch_t libtorch;
    for (int i = 0; i < 2 && libtorch_open(&libtorch); i++) {
        run_right(&libtorch);
        libtorch_close(&libtorch);
    }
}
END_TEST

TCase *tcase_libtorch_manners(void)
{
    TCase *tcase = tcase_create("libtorch_manners");
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, what_is_thrown_becomes_a_status);
    tcase_add_test(tcase, what_would_end_the_process_is_refused_before);
    tcase_add_test(tcase, a_kept_tensor_has_the_strides_of_the_call);
    tcase_add_test(tcase, the_hosts_openmp_threads_are_as_before);
    tcase_add_test(tcase, the_hosts_floating_point_state_is_as_before);
    tcase_add_test(tcase, the_hosts_grad_mode_is_as_before);
    tcase_add_test(tcase, a_child_forked_since_is_told);
    tcase_add_test(tcase, threads_have_tensors_of_their_own);
    tcase_add_test(tcase, closed_it_can_be_opened_again);
    return tcase;
}
