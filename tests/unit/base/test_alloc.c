/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory of descriptions: overflow, zeroing, growth and a heap that fails.
 */
#include "base/alloc.h"

#include <stdint.h>
#include "unit/base/suites.h"
#include "unit/expect.h"
#include "unit/failing_heap.h"

START_TEST(an_array_is_zeroed)
{
    kc_error_t error = KC_ERROR_INIT;
    void *items = NULL;
    EXPECT_OK(error, kci_alloc_array(100, 7, &items, &error));
    for (int i = 0; i < 700; i++) {
        ck_assert_int_eq(((unsigned char *)items)[i], 0);
    }
    kci_free(items);
}
END_TEST

START_TEST(no_items_are_a_valid_pointer)
{
    kc_error_t error = KC_ERROR_INIT;
    void *items = NULL;
    EXPECT_OK(error, kci_alloc_array(0, 8, &items, &error));
    ck_assert_ptr_nonnull(items);
    kci_free(items);
    EXPECT_OK(error, kci_alloc_array(8, 0, &items, &error));
    ck_assert_ptr_nonnull(items);
    kci_free(items);
    kci_free(NULL);
}
END_TEST

START_TEST(a_size_that_overflows_is_refused)
{
    kc_error_t error = KC_ERROR_INIT;
    void *items = NULL;
    EXPECT_FAILURE(error, KC_ERR_MEMORY, "out of memory",
                   kci_alloc_array(SIZE_MAX / 2, 3, &items, &error));
    EXPECT_FAILURE(error, KC_ERR_MEMORY, "out of memory",
                   kci_alloc_array(SIZE_MAX, 1, &items, &error));
    ck_assert_ptr_null(items);
}
END_TEST

START_TEST(growth_keeps_items_and_zeroes_new_ones)
{
    kc_error_t error = KC_ERROR_INIT;
    int *items = NULL;
    size_t capacity = 0;
    for (int i = 0; i < 1000; i++) {
        void *memory = items;
        size_t before = capacity;
        EXPECT_OK(error, kci_grow_array(&memory, &capacity, (size_t)i + 1,
                                        sizeof *items, &error));
        ck_assert(capacity == before || capacity >= 2 * before);
        items = memory;
        ck_assert_int_eq(items[i], 0);
        items[i] = i;
    }
    for (int i = 0; i < 1000; i++) {
        ck_assert_int_eq(items[i], i);
    }
    kci_free(items);
}
END_TEST

START_TEST(failed_growth_changes_nothing)
{
    kc_error_t error = KC_ERROR_INIT;
    void *items = NULL;
    size_t capacity = 0;
    EXPECT_OK(error, kci_grow_array(&items, &capacity, 3, 8, &error));
    void *items_before = items;
    size_t capacity_before = capacity;
    EXPECT_FAILURE(error, KC_ERR_MEMORY, "out of memory",
                   kci_grow_array(&items, &capacity, SIZE_MAX / 4, 8, &error));
    failing_heap_break_after(0);
    EXPECT_FAILURE(error, KC_ERR_MEMORY, "out of memory",
                   kci_grow_array(&items, &capacity, 100, 8, &error));
    failing_heap_mend();
    ck_assert_ptr_eq(items, items_before);
    ck_assert_uint_eq(capacity, capacity_before);
    kci_free(items);
}
END_TEST

START_TEST(a_string_is_copied)
{
    kc_error_t error = KC_ERROR_INIT;
    char *copy = NULL;
    EXPECT_OK(error, kci_copy_string("attention", &copy, &error));
    ck_assert_str_eq(copy, "attention");
    kci_free(copy);
    copy = NULL;
    failing_heap_break_after(0);
    EXPECT_FAILURE(error, KC_ERR_MEMORY, "out of memory",
                   kci_copy_string("attention", &copy, &error));
    failing_heap_mend();
    ck_assert_ptr_null(copy);
}
END_TEST

Suite *suite_base_alloc(void)
{
    Suite *suite = suite_create("base/alloc");
    TCase *tests = tcase_create("alloc");
    tcase_add_test(tests, an_array_is_zeroed);
    tcase_add_test(tests, no_items_are_a_valid_pointer);
    tcase_add_test(tests, a_size_that_overflows_is_refused);
    tcase_add_test(tests, growth_keeps_items_and_zeroes_new_ones);
    tcase_add_test(tests, failed_growth_changes_nothing);
    tcase_add_test(tests, a_string_is_copied);
    suite_add_tcase(suite, tests);
    return suite;
}
