/* SPDX-License-Identifier: Apache-2.0
 *
 * The allocator of runs: counts, alignment, an application's own functions,
 * and the life of one on the heap.
 */
#include "base/host_allocator.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include "unit/base/suites.h"
#include "unit/expect.h"
#include "unit/failing_heap.h"

START_TEST(live_and_peak_are_counted)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_host_allocator_t allocator;
    void *first = NULL;
    void *second = NULL;
    kci_host_allocator_init(&allocator, NULL, NULL, NULL);
    EXPECT_OK(error, kci_host_allocate(&allocator, 100, 64, &first, &error));
    EXPECT_OK(error, kci_host_allocate(&allocator, 50, 1, &second, &error));
    ck_assert_uint_eq((uintptr_t)first % 64, 0);
    kci_host_deallocate(&allocator, first, 100);
    ck_assert_uint_eq(atomic_load(&allocator.live_bytes), 50);
    ck_assert_uint_eq(atomic_load(&allocator.peak_bytes), 150);
    ck_assert_uint_eq(atomic_load(&allocator.allocation_count), 2);
    kci_host_allocator_reset_peak(&allocator);
    ck_assert_uint_eq(atomic_load(&allocator.peak_bytes), 50);
    kci_host_deallocate(&allocator, second, 50);
    kci_host_deallocate(&allocator, NULL, 99);
    ck_assert_uint_eq(atomic_load(&allocator.live_bytes), 0);
}
END_TEST

START_TEST(no_bytes_are_a_valid_pointer)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_host_allocator_t allocator;
    void *memory = NULL;
    kci_host_allocator_init(&allocator, NULL, NULL, NULL);
    EXPECT_OK(error, kci_host_allocate(&allocator, 0, 4096, &memory, &error));
    ck_assert_ptr_nonnull(memory);
    ck_assert_uint_eq(atomic_load(&allocator.live_bytes), 0);
    kci_host_deallocate(&allocator, memory, 0);
}
END_TEST

static void *refuse(void *context, size_t size, size_t alignment)
{
    (void)size;
    (void)alignment;
    ++*(int *)context;
    return NULL;
}

START_TEST(a_refusal_counts_nothing)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_host_allocator_t allocator;
    int calls = 0;
    void *memory = NULL;
    kci_host_allocator_init(&allocator, refuse, NULL, &calls);
    EXPECT_FAILURE(error, KC_ERR_MEMORY, "out of memory: 100 bytes",
                   kci_host_allocate(&allocator, 100, 64, &memory, &error));
    EXPECT_FAILURE(
        error, KC_ERR_MEMORY, "out of memory",
        kci_host_allocate(&allocator, SIZE_MAX, 64, &memory, &error));
    ck_assert_int_eq(calls, 1);
    ck_assert_ptr_null(memory);
    ck_assert_uint_eq(atomic_load(&allocator.live_bytes), 0);
    ck_assert_uint_eq(atomic_load(&allocator.peak_bytes), 0);
    ck_assert_uint_eq(atomic_load(&allocator.allocation_count), 0);
}
END_TEST

START_TEST(an_odd_alignment_is_refused)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_host_allocator_t allocator;
    void *memory = NULL;
    kci_host_allocator_init(&allocator, NULL, NULL, NULL);
    EXPECT_FAILURE(error, KC_ERR_ARGUMENT, "power of two, found 48",
                   kci_host_allocate(&allocator, 8, 48, &memory, &error));
    EXPECT_FAILURE(error, KC_ERR_ARGUMENT, "power of two, found 0",
                   kci_host_allocate(&allocator, 8, 0, &memory, &error));
}
END_TEST

static void *allocate_oddly(void *context, size_t size, size_t alignment)
{
    (void)size;
    (void)alignment;
    return (char *)context + 1;
}

static void count_return(void *context, void *memory, size_t size)
{
    ck_assert_ptr_eq(memory, (char *)context + 1);
    ck_assert_uint_eq(size, 8);
    ++*(char *)context;
}

START_TEST(memory_at_an_odd_address_goes_back)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_host_allocator_t allocator;
    _Alignas(64) char block[64] = {0};
    void *memory = NULL;
    kci_host_allocator_init(&allocator, allocate_oddly, count_return, block);
    EXPECT_FAILURE(error, KC_ERR_MEMORY, "aligned to 64",
                   kci_host_allocate(&allocator, 8, 64, &memory, &error));
    ck_assert_int_eq(block[0], 1);
    ck_assert_ptr_null(memory);
}
END_TEST

static void *allocate_and_return(void *context)
{
    for (int i = 0; i < 1000; i++) {
        void *memory = NULL;
        if (kci_host_allocate(context, 16, 16, &memory, NULL) == KC_OK) {
            kci_host_deallocate(context, memory, 16);
        }
    }
    return NULL;
}

START_TEST(threads_lose_no_count)
{
    kci_host_allocator_t allocator;
    pthread_t threads[4];
    kci_host_allocator_init(&allocator, NULL, NULL, NULL);
    for (int i = 0; i < 4; i++) {
        ck_assert_int_eq(
            pthread_create(&threads[i], NULL, allocate_and_return, &allocator),
            0);
    }
    for (int i = 0; i < 4; i++) {
        ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
    }
    ck_assert_uint_eq(atomic_load(&allocator.live_bytes), 0);
    ck_assert_uint_eq(atomic_load(&allocator.allocation_count), 4000);
    ck_assert_uint_ge(atomic_load(&allocator.peak_bytes), 16);
    ck_assert_uint_le(atomic_load(&allocator.peak_bytes), 64);
}
END_TEST

/* Whether it was freed is for the address sanitizer to see. */
START_TEST(one_on_the_heap_lives_until_its_last_block)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_host_allocator_t *allocator = NULL;
    void *memory = NULL;
    EXPECT_OK(error,
              kci_host_allocator_create(NULL, NULL, NULL, &allocator, &error));
    EXPECT_OK(error, kci_host_allocate(allocator, 8, 8, &memory, &error));
    kci_host_allocator_release(allocator);
    kci_host_deallocate(allocator, memory, 8);
    kci_host_allocator_release(NULL);
    failing_heap_break_after(0);
    EXPECT_FAILURE(
        error, KC_ERR_MEMORY, "out of memory",
        kci_host_allocator_create(NULL, NULL, NULL, &allocator, &error));
    failing_heap_mend();
}
END_TEST

Suite *suite_base_host_allocator(void)
{
    Suite *suite = suite_create("base/host_allocator");
    TCase *tests = tcase_create("host_allocator");
    tcase_add_test(tests, live_and_peak_are_counted);
    tcase_add_test(tests, no_bytes_are_a_valid_pointer);
    tcase_add_test(tests, a_refusal_counts_nothing);
    tcase_add_test(tests, an_odd_alignment_is_refused);
    tcase_add_test(tests, memory_at_an_odd_address_goes_back);
    tcase_add_test(tests, threads_lose_no_count);
    tcase_add_test(tests, one_on_the_heap_lives_until_its_last_block);
    suite_add_tcase(suite, tests);
    return suite;
}
