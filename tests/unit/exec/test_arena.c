/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Layouts: no two buffers in use at once share a byte, and how small they
 * get. */
#include "exec/arena.h"

#include <stdlib.h>

#include "unit/exec/suites.h"
#include "unit/expect.h"

#define LINE ((size_t)KCI_ARENA_ALIGNMENT)

static size_t layout(kci_buffer_t *buffers, size_t count, uint32_t steps,
                     bool no_reuse)
{
    kc_error_t error = KC_ERROR_INIT;
    size_t size = 0;
    EXPECT_OK(error,
              kci_arena_layout(buffers, count, steps, no_reuse, &size, &error));
    for (size_t i = 0; i < count; i++) {
        const kci_buffer_t *a = &buffers[i];
        ck_assert_uint_eq(kci_arena_align(a->offset, a->size_bytes), a->offset);
        ck_assert_uint_le(a->offset + a->size_bytes, size);
        for (size_t k = 0; k < i; k++) {
            const kci_buffer_t *b = &buffers[k];
            bool meets = a->first <= b->last && b->first <= a->last;
            bool overlaps = a->offset < b->offset + b->size_bytes &&
                            b->offset < a->offset + a->size_bytes;
            if (overlaps && (meets || no_reuse)) {
                ck_abort_msg("buffers %zu and %zu", i, k);
            }
        }
    }
    return size;
}

START_TEST(a_chain_needs_two_places)
{
    kci_buffer_t buffers[100];
    for (uint32_t i = 0; i < 100; i++) {
        buffers[i] = (kci_buffer_t){
            .first = i, .last = i < 99 ? i + 1 : i, .size_bytes = 3 * LINE};
    }
    ck_assert_uint_eq(layout(buffers, 100, 100, false), 6 * LINE);
    ck_assert_uint_eq(layout(buffers, 100, 100, true), 300 * LINE);
}
END_TEST

START_TEST(nothing_needs_nothing)
{
    ck_assert_uint_eq(layout(NULL, 0, 0, false), 0);
    ck_assert_uint_eq(layout(NULL, 0, 5, true), 0);
}
END_TEST

/* In order of time the long buffer lands behind the short-lived one and
 * leaves a gap that is one line too small; in order of size it does not. */
START_TEST(the_smaller_of_two_layouts)
{
    kci_buffer_t buffers[] = {
        {0, 1, 2 * LINE, 0}, {1, 4, LINE, 0}, {2, 4, 3 * LINE, 0}};
    ck_assert_uint_eq(layout(buffers, 3, 5, false), 4 * LINE);
}
END_TEST

START_TEST(random_times_and_sizes)
{
    enum { COUNT = 300, STEPS = 300 };
    kci_buffer_t buffers[COUNT];
    srand((unsigned)_i);
    for (uint32_t i = 0; i < COUNT; i++) {
        uint32_t length = (uint32_t)rand() % 30;
        uint32_t last = i + length;
        buffers[i] =
            (kci_buffer_t){.first = i,
                           .last = last < STEPS ? last : STEPS - 1,
                           .size_bytes = (1 + (size_t)rand() % 50) * LINE};
    }
    size_t reused = layout(buffers, COUNT, STEPS, false);
    size_t apart = layout(buffers, COUNT, STEPS, true);
    ck_assert_uint_lt(reused, apart / 3);
}
END_TEST

START_TEST(random_sizes_of_few_bytes)
{
    enum { COUNT = 300 };
    kci_buffer_t buffers[COUNT];
    size_t bytes = 0;
    srand((unsigned)_i);
    for (uint32_t i = 0; i < COUNT; i++) {
        size_t size = 4 * (1 + (size_t)rand() % (i % 3 == 0 ? 2000 : 40));
        uint32_t last = i + (uint32_t)rand() % 30;
        buffers[i] = (kci_buffer_t){.first = i,
                                    .last = last < COUNT ? last : COUNT - 1,
                                    .size_bytes = kci_arena_size(size)};
        bytes += size;
    }
    ck_assert_uint_lt(layout(buffers, COUNT, COUNT, false), bytes / 3);
    ck_assert_uint_lt(layout(buffers, COUNT, COUNT, true), bytes + bytes / 16);
}
END_TEST

/* Very many values of one element, all of them alive at the end. */
START_TEST(tiny_values_take_what_they_have)
{
    enum { COUNT = 100000 };
    kci_buffer_t *buffers = calloc(COUNT, sizeof *buffers);
    kc_error_t error = KC_ERROR_INIT;
    size_t size = 0;
    ck_assert_ptr_nonnull(buffers);
    for (uint32_t i = 0; i < COUNT; i++) {
        buffers[i] = (kci_buffer_t){
            .first = i, .last = COUNT - 1, .size_bytes = kci_arena_size(4)};
    }
    EXPECT_OK(error,
              kci_arena_layout(buffers, COUNT, COUNT, false, &size, &error));
    ck_assert_uint_eq(size, 4 * COUNT);
    free(buffers);
}
END_TEST

START_TEST(sizes_and_their_alignment)
{
    ck_assert_uint_eq(kci_arena_size(4), 4);
    ck_assert_uint_eq(kci_arena_size(36), 36);
    ck_assert_uint_eq(kci_arena_size(68), 80);
    ck_assert_uint_eq(kci_arena_size(4100), 4160);
    ck_assert_uint_eq(kci_arena_align(5, 1), 5);
    ck_assert_uint_eq(kci_arena_align(5, 36), 8);
    ck_assert_uint_eq(kci_arena_align(5, 80), 16);
    ck_assert_uint_eq(kci_arena_align(5, 4096), 64);
}
END_TEST

START_TEST(impossible_sums_are_errors)
{
    kc_error_t error = KC_ERROR_INIT;
    size_t size = 0;
    kci_buffer_t buffers[] = {{0, 1, SIZE_MAX / 2 + 1, 0},
                              {1, 2, SIZE_MAX / 2 + 1, 0}};
    EXPECT_FAILURE(error, KC_ERR_MEMORY, "out of memory: the values",
                   kci_arena_layout(buffers, 2, 3, false, &size, &error));
}
END_TEST

Suite *suite_exec_arena(void)
{
    Suite *suite = suite_create("exec/arena");
    TCase *tcase = tcase_create("arena");
    tcase_add_test(tcase, a_chain_needs_two_places);
    tcase_add_test(tcase, nothing_needs_nothing);
    tcase_add_test(tcase, the_smaller_of_two_layouts);
    tcase_add_loop_test(tcase, random_times_and_sizes, 0, 20);
    tcase_add_loop_test(tcase, random_sizes_of_few_bytes, 0, 20);
    tcase_add_test(tcase, tiny_values_take_what_they_have);
    tcase_add_test(tcase, sizes_and_their_alignment);
    tcase_add_test(tcase, impossible_sums_are_errors);
    suite_add_tcase(suite, tcase);
    return suite;
}
