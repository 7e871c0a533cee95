/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * The services a module gets: memory that is counted, the pool, the log. */
#include "dispatch/host.h"

#include <stdatomic.h>
#include <string.h>

#include "unit/dispatch/suites.h"
#include "unit/expect.h"
#include "unit/handler_fixture.h"

START_TEST(memory_is_counted_and_aligned)
{
    host_fixture_t fixture;
    host_fixture_begin(&fixture, 1);
    const kc_host_t *host = &fixture.host->interface;
    void *memory = host->allocate(host, 100, 256);
    ck_assert_ptr_nonnull(memory);
    ck_assert_uint_eq((uintptr_t)memory % 256, 0);
    ck_assert_uint_eq(atomic_load(&fixture.allocator.live_bytes), 100);
    host->deallocate(host, memory, 100);
    ck_assert_ptr_null(host->allocate(host, SIZE_MAX / 2, 64));
    ck_assert_ptr_null(host->allocate(host, 8, 3));
    host_fixture_end(&fixture);
}
END_TEST

static kc_status_t add_items(void *context, size_t start, size_t count)
{
    _Atomic size_t *sum = context;
    (void)start;
    *sum += count;
    return KC_OK;
}

START_TEST(the_pool_is_lent)
{
    host_fixture_t fixture;
    _Atomic size_t sum = 0;
    host_fixture_begin(&fixture, (uint32_t)_i);
    const kc_host_t *host = &fixture.host->interface;
    ck_assert_int_eq(host->parallel_for(host, add_items, &sum, 1000, 7), KC_OK);
    ck_assert_uint_eq(sum, 1000);
    ck_assert(fixture.host->thread_count >= 1);
    ck_assert((fixture.host->pool == NULL) ==
              (fixture.host->thread_count == 1));
    host_fixture_end(&fixture);
}
END_TEST

START_TEST(log_lines_are_lines_of_a_known_level)
{
    host_fixture_t fixture;
    host_fixture_begin(&fixture, 1);
    const kc_host_t *host = &fixture.host->interface;
    host->log(host, KC_LOG_INFO, "100% sure\nsecond line");
    ck_assert_int_eq(fixture.log_level, KC_LOG_INFO);
    ck_assert_ptr_null(strchr(fixture.log_line, '\n'));
    ck_assert_ptr_nonnull(strstr(fixture.log_line, "100% sure"));
    host->log(host, 77, NULL);
    ck_assert_int_eq(fixture.log_level, KC_LOG_WARNING);
    host_fixture_end(&fixture);
}
END_TEST

START_TEST(a_thing_is_reported_once)
{
    host_fixture_t fixture;
    int things[40];
    host_fixture_begin(&fixture, 1);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 40; i++) {
            ck_assert(kci_host_is_first_report(fixture.host, &things[i]) ==
                      (round == 0));
        }
    }
    host_fixture_end(&fixture);
}
END_TEST

START_TEST(numbers_are_never_given_twice)
{
    enum { HOSTS = 4, NUMBERS = 50 };
    host_fixture_t fixtures[HOSTS];
    uint64_t numbers[HOSTS * NUMBERS];
    for (int i = 0; i < HOSTS; i++) {
        host_fixture_begin(&fixtures[i], 1);
        for (int k = 0; k < NUMBERS; k++) {
            numbers[i * NUMBERS + k] = kci_host_next_number(fixtures[i].host);
        }
    }
    for (int i = 0; i < HOSTS * NUMBERS; i++) {
        ck_assert_uint_ne(numbers[i], 0);
        for (int k = 0; k < i; k++) {
            ck_assert_uint_ne(numbers[i], numbers[k]);
        }
    }
    for (int i = 0; i < HOSTS; i++) {
        host_fixture_end(&fixtures[i]);
    }
}
END_TEST

START_TEST(created_and_kept)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_host_allocator_t allocator;
    kci_host_t *host = NULL;
    kci_host_allocator_init(&allocator, NULL, NULL, NULL);
    EXPECT_FAILURE(error, KC_ERR_ARGUMENT, "expected at most 1024",
                   kci_host_create(&allocator, NULL, 5000, &host, &error));
    ck_assert_ptr_null(host);
    EXPECT_OK(error, kci_host_create(&allocator, NULL, 0, &host, &error));
    ck_assert_uint_eq(host->thread_count, kci_processor_count());
    ck_assert_ptr_eq(kci_host_retain(host), host);
    kci_host_release(host);
    host->interface.log(&host->interface, KC_LOG_ERROR, "to nobody");
    kci_host_release(host);
    kci_host_release(NULL);
}
END_TEST

Suite *suite_dispatch_host(void)
{
    Suite *suite = suite_create("dispatch/host");
    TCase *tcase = tcase_create("host");
    tcase_add_test(tcase, memory_is_counted_and_aligned);
    tcase_add_loop_test(tcase, the_pool_is_lent, 0, 4);
    tcase_add_test(tcase, log_lines_are_lines_of_a_known_level);
    tcase_add_test(tcase, a_thing_is_reported_once);
    tcase_add_test(tcase, numbers_are_never_given_twice);
    tcase_add_test(tcase, created_and_kept);
    suite_add_tcase(suite, tcase);
    return suite;
}
