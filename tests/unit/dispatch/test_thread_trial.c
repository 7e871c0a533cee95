/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * A system that gives fewer threads than asked for: known before the library
 * of the pool would wait for the missing ones. */
#include "dispatch/thread_trial.h"

#include <stdbool.h>
#include <sys/resource.h>
#include <unistd.h>

#include "dispatch/host.h"
#include "unit/address_space.h"
#include "unit/dispatch/suites.h"
#include "unit/expect.h"

/* Nobody else's, so that its processes are counted from one. */
#define LONELY_USER 64321

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HAS_THREADS_OF_ITS_OWN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HAS_THREADS_OF_ITS_OWN 1
#endif
#endif
#ifndef HAS_THREADS_OF_ITS_OWN
#define HAS_THREADS_OF_ITS_OWN 0
#endif

/* False where that cannot be arranged: the limit does not bind root, and
 * sanitizers start threads when a process ends. */
static bool limit_processes(rlim_t count)
{
    struct rlimit limit = {count, count};
    if (HAS_THREADS_OF_ITS_OWN) {
        return false;
    }
    ck_assert_int_eq(setrlimit(RLIMIT_NPROC, &limit), 0);
    return geteuid() != 0 || setuid(LONELY_USER) == 0;
}

static void expect_pool(uint32_t thread_count, const char *failure)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_thread_pool_t *pool = NULL;
    kc_status_t status = kci_thread_pool_create(thread_count, &pool, &error);
    if (failure == NULL) {
        EXPECT_OK(error, status);
    } else {
        EXPECT_FAILURE(error, KC_ERR_MEMORY, failure, status);
        ck_assert_ptr_null(pool);
    }
    kci_thread_pool_destroy(pool);
}

START_TEST(threads_are_counted)
{
    ck_assert_uint_eq(kci_thread_trial(0), 0);
    ck_assert_uint_eq(kci_thread_trial(3), 3);
}
END_TEST

START_TEST(no_thread_besides_the_callers)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_thread_pool_t *pool = NULL;
    uint32_t count = 0;
    if (!limit_processes(1)) {
        return;
    }
    expect_pool(3, "thread pool: expected 3 threads, the system gave 1");
    EXPECT_OK(error, kci_thread_pool_create_up_to(8, &pool, &count, &error));
    ck_assert_uint_eq(count, 1);
    ck_assert_ptr_null(pool);
}
END_TEST

START_TEST(the_default_gives_way_and_a_wish_does_not)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_host_allocator_t allocator;
    kci_host_t *host = NULL;
    kci_host_allocator_init(&allocator, NULL, NULL, NULL);
    if (!limit_processes(1)) {
        return;
    }
    EXPECT_FAILURE(error, KC_ERR_MEMORY, "the system gave 1",
                   kci_host_create(&allocator, NULL, 2, &host, &error));
    EXPECT_OK(error, kci_host_create(&allocator, NULL, 0, &host, &error));
    ck_assert_uint_eq(host->thread_count, 1);
    ck_assert_ptr_null(host->pool);
    kci_host_release(host);
}
END_TEST

/* Also that the places of the trial are free when the pool is made. */
START_TEST(exactly_as_many_as_the_limit)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_thread_pool_t *pool = NULL;
    uint32_t count = 0;
    if (geteuid() != 0 || !limit_processes(3)) {
        return;
    }
    expect_pool(4, "expected 4 threads, the system gave 3");
    for (int i = 0; i < 50; i++) {
        EXPECT_OK(error,
                  kci_thread_pool_create_up_to(4, &pool, &count, &error));
        ck_assert_uint_eq(count, 3);
        ck_assert_ptr_nonnull(pool);
        ck_assert_uint_eq(kci_thread_trial(1), 0);
        kci_thread_pool_destroy(pool);
        /* What destroy joined may be counted for a moment. */
        for (int wait = 0; wait < 1000 && kci_thread_trial(2) < 2; wait++) {
            usleep(1000);
        }
    }
    expect_pool(3, NULL);
}
END_TEST

START_TEST(stacks_that_find_no_address)
{
    if (HAS_THREADS_OF_ITS_OWN) {
        return;
    }
    address_space_limit();
    expect_pool(KCI_THREAD_COUNT_MAX, "expected 1024 threads, the system gave");
    expect_pool(2, NULL);
}
END_TEST

Suite *suite_dispatch_thread_trial(void)
{
    Suite *suite = suite_create("dispatch/thread_trial");
    TCase *tcase = tcase_create("thread_trial");
    tcase_set_timeout(tcase, 20);
    tcase_add_test(tcase, threads_are_counted);
    tcase_add_test(tcase, no_thread_besides_the_callers);
    tcase_add_test(tcase, the_default_gives_way_and_a_wish_does_not);
    tcase_add_test(tcase, exactly_as_many_as_the_limit);
    tcase_add_test(tcase, stacks_that_find_no_address);
    suite_add_tcase(suite, tcase);
    return suite;
}
