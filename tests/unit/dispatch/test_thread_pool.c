/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * The wrapped pool: what the tiles are, and every way in which the library
 * below would hang or let states leak. */
#include "dispatch/thread_pool.h"

#include <fenv.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "module/fp_guard.h"
#include "unit/dispatch/suites.h"
#include "unit/expect.h"

#define RANGE 950

typedef struct tiles {
    _Atomic int visits[RANGE];
    _Atomic size_t starts[RANGE];
    _Atomic int count;
} tiles_t;

static kci_thread_pool_t *pool_of(uint32_t thread_count)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_thread_pool_t *pool = NULL;
    if (thread_count > 1) {
        EXPECT_OK(error, kci_thread_pool_create(thread_count, &pool, &error));
    }
    return pool;
}

static kc_status_t visit(void *context, size_t start, size_t count)
{
    tiles_t *tiles = context;
    for (size_t i = start; i < start + count; i++) {
        tiles->visits[i]++;
    }
    tiles->starts[start] = count;
    tiles->count++;
    return KC_OK;
}

START_TEST(tiles_depend_on_range_and_tile_only)
{
    const uint32_t thread_counts[] = {1, 2, 7};
    kci_thread_pool_t *pool = pool_of(thread_counts[_i]);
    tiles_t tiles = {0};
    ck_assert_int_eq(kci_thread_pool_run(pool, visit, &tiles, RANGE, 100),
                     KC_OK);
    ck_assert_int_eq(tiles.count, 10);
    for (size_t i = 0; i < RANGE; i++) {
        ck_assert_int_eq(tiles.visits[i], 1);
        ck_assert_uint_eq(tiles.starts[i],
                          i % 100 != 0 ? 0 : (i == 900 ? 50 : 100));
    }
    kci_thread_pool_destroy(pool);
}
END_TEST

START_TEST(nothing_and_one_tile)
{
    kci_thread_pool_t *pool = pool_of(2);
    tiles_t tiles = {0};
    ck_assert_int_eq(kci_thread_pool_run(pool, visit, &tiles, 0, 8), KC_OK);
    ck_assert_int_eq(tiles.count, 0);
    ck_assert_int_eq(kci_thread_pool_run(pool, visit, &tiles, 9, 0), KC_OK);
    ck_assert_int_eq(tiles.count, 1);
    ck_assert_uint_eq(tiles.starts[0], 9);
    kci_thread_pool_destroy(pool);
}
END_TEST

typedef struct nested {
    kci_thread_pool_t *pool;
    _Atomic int items;
} nested_t;

static kc_status_t inner_tile(void *context, size_t start, size_t count)
{
    nested_t *nested = context;
    (void)start;
    nested->items += (int)count;
    return KC_OK;
}

static kc_status_t outer_tile(void *context, size_t start, size_t count)
{
    nested_t *nested = context;
    (void)start;
    (void)count;
    return kci_thread_pool_run(nested->pool, inner_tile, nested, 64, 4);
}

START_TEST(nested_use_ends)
{
    nested_t nested = {.pool = pool_of(2)};
    alarm(20);
    ck_assert_int_eq(
        kci_thread_pool_run(nested.pool, outer_tile, &nested, 8, 1), KC_OK);
    alarm(0);
    ck_assert_int_eq(nested.items, 8 * 64);
    kci_thread_pool_destroy(nested.pool);
}
END_TEST

static void *run_from_thread(void *context)
{
    nested_t *nested = context;
    ck_assert_int_eq(
        kci_thread_pool_run(nested->pool, inner_tile, nested, 64, 4), KC_OK);
    return NULL;
}

/* While this tile waits, another thread finds the pool busy. */
static kc_status_t waiting_tile(void *context, size_t start, size_t count)
{
    (void)count;
    if (start == 0) {
        pthread_t thread;
        ck_assert_int_eq(
            pthread_create(&thread, NULL, run_from_thread, context), 0);
        ck_assert_int_eq(pthread_join(thread, NULL), 0);
    }
    return KC_OK;
}

START_TEST(busy_pool_means_serial)
{
    nested_t nested = {.pool = pool_of(2)};
    alarm(20);
    ck_assert_int_eq(
        kci_thread_pool_run(nested.pool, waiting_tile, &nested, 2, 1), KC_OK);
    alarm(0);
    ck_assert_int_eq(nested.items, 64);
    kci_thread_pool_destroy(nested.pool);
}
END_TEST

static kc_status_t fail_from_30(void *context, size_t start, size_t count)
{
    (void)context;
    (void)count;
    return start >= 30 ? (kc_status_t)start : KC_OK;
}

START_TEST(first_failure_in_order_is_returned)
{
    const uint32_t thread_counts[] = {1, 2, 7};
    kci_thread_pool_t *pool = pool_of(thread_counts[_i]);
    for (int round = 0; round < 50; round++) {
        ck_assert_int_eq(kci_thread_pool_run(pool, fail_from_30, NULL, 100, 10),
                         30);
    }
    kci_thread_pool_destroy(pool);
}
END_TEST

typedef struct rounding {
    int expected;
    _Atomic int wrong;
} rounding_t;

static kc_status_t check_rounding(void *context, size_t start, size_t count)
{
    rounding_t *rounding = context;
    (void)start;
    (void)count;
    if (fegetround() != rounding->expected) {
        rounding->wrong++;
    }
    fesetround(FE_DOWNWARD);
    return KC_OK;
}

START_TEST(tiles_see_the_callers_floating_point_mode)
{
    kci_thread_pool_t *pool = pool_of(2);
    const int modes[] = {FE_UPWARD, FE_TONEAREST, FE_TOWARDZERO};
    for (int i = 0; i < 3; i++) {
        rounding_t rounding = {.expected = modes[i]};
        fesetround(modes[i]);
        ck_assert_int_eq(
            kci_thread_pool_run(pool, check_rounding, &rounding, 64, 1), KC_OK);
        ck_assert_int_eq(rounding.wrong, 0);
        ck_assert_int_eq(fegetround(), modes[i]);
    }
    fesetround(FE_TONEAREST);
    kci_thread_pool_destroy(pool);
}
END_TEST

START_TEST(serial_after_fork)
{
    kci_thread_pool_t *pool = pool_of(2);
    tiles_t tiles = {0};
    ck_assert_int_eq(kci_thread_pool_run(pool, visit, &tiles, RANGE, 10),
                     KC_OK);
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        tiles_t own = {0};
        alarm(20);
        kc_status_t status = kci_thread_pool_run(pool, visit, &own, RANGE, 10);
        kci_thread_pool_destroy(pool);
        _exit(status == KC_OK && own.count == 95 ? 0 : 1);
    }
    int result = 0;
    ck_assert_int_eq(waitpid(child, &result, 0), child);
    ck_assert_int_eq(result, 0);
    ck_assert_int_eq(kci_thread_pool_run(pool, visit, &tiles, RANGE, 10),
                     KC_OK);
    kci_thread_pool_destroy(pool);
}
END_TEST

START_TEST(silly_thread_counts_are_refused)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_thread_pool_t *pool = NULL;
    EXPECT_FAILURE(error, KC_ERR_ARGUMENT, "found 1",
                   kci_thread_pool_create(1, &pool, &error));
    EXPECT_FAILURE(error, KC_ERR_ARGUMENT, "found 4000000000",
                   kci_thread_pool_create(4000000000u, &pool, &error));
    ck_assert_ptr_null(pool);
    kci_thread_pool_destroy(NULL);
    ck_assert_uint_ge(kci_processor_count(), 1);
}
END_TEST

Suite *suite_dispatch_thread_pool(void)
{
    Suite *suite = suite_create("dispatch/thread_pool");
    TCase *tcase = tcase_create("thread_pool");
    tcase_add_loop_test(tcase, tiles_depend_on_range_and_tile_only, 0, 3);
    tcase_add_test(tcase, nothing_and_one_tile);
    tcase_add_test(tcase, nested_use_ends);
    tcase_add_test(tcase, busy_pool_means_serial);
    tcase_add_loop_test(tcase, first_failure_in_order_is_returned, 0, 3);
    tcase_add_test(tcase, tiles_see_the_callers_floating_point_mode);
    tcase_add_test(tcase, serial_after_fork);
    tcase_add_test(tcase, silly_thread_counts_are_refused);
    suite_add_tcase(suite, tcase);
    return suite;
}
