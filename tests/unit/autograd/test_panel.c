/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * The panel loops of every width that this machine has: the bits of two
 * roundings a term in order, and nothing written beyond. */
#include "autograd/panel.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "unit/autograd/draw.h"
#include "unit/autograd/suites.h"

#define ROWS_MAX  21
#define DEPTH_MAX 37
#define A_ROW     (DEPTH_MAX + 3)
#define GUARD     (-7)

#define DEFINE_CHECK(type, suffix)                                             \
    static void check_##suffix(const kci_panel_loops_t *loops, size_t rows,    \
                               size_t depth, uint64_t seed)                    \
    {                                                                          \
        enum { COLUMNS = KCI_PANEL_BYTES / sizeof(type) };                     \
        type a[ROWS_MAX * A_ROW];                                              \
        type b[DEPTH_MAX * COLUMNS];                                           \
        type found[(ROWS_MAX + 1) * COLUMNS];                                  \
        type expected[(ROWS_MAX + 1) * COLUMNS];                               \
        for (size_t i = 0; i < sizeof a / sizeof *a; i++) {                    \
            a[i] = (type)draw_number(&seed);                                   \
        }                                                                      \
        for (size_t i = 0; i < sizeof b / sizeof *b; i++) {                    \
            b[i] = (type)draw_number(&seed);                                   \
        }                                                                      \
        for (size_t i = 0; i < sizeof found / sizeof *found; i++) {            \
            found[i] = i < rows * COLUMNS ? (type)draw_number(&seed) : GUARD;  \
        }                                                                      \
        memcpy(expected, found, sizeof found);                                 \
        for (size_t i = 0; i < rows * COLUMNS; i++) {                          \
            for (size_t k = 0; k < depth; k++) {                               \
                type term =                                                    \
                    a[i / COLUMNS * A_ROW + k] * b[k * COLUMNS + i % COLUMNS]; \
                expected[i] = expected[i] + term;                              \
            }                                                                  \
        }                                                                      \
        loops->add_##suffix(rows, depth, a, A_ROW, b, found);                  \
        ck_assert_msg(memcmp(found, expected, sizeof found) == 0,              \
                      "%zu rows of %zu terms", rows, depth);                   \
    }

DEFINE_CHECK(float, f32)
DEFINE_CHECK(double, f64)

START_TEST(has_the_bits_of_the_written_order)
{
    const kci_panel_loops_t *loops = kci_panel_loops_of((size_t)16 << _i);
    if (loops == NULL) {
        return; /* this machine has no such vectors */
    }
    for (size_t rows = 0; rows <= ROWS_MAX; rows++) {
        for (size_t depth = 0; depth <= DEPTH_MAX; depth += 1 + depth / 3) {
            check_f32(loops, rows, depth, rows * 100 + depth);
            check_f64(loops, rows, depth, rows * 100 + depth);
        }
    }
}
END_TEST

START_TEST(there_is_a_widest)
{
    const kci_panel_loops_t *widest = kci_panel_loops();
    ck_assert_ptr_nonnull(kci_panel_loops_of(16));
    ck_assert_ptr_null(kci_panel_loops_of(8));
    for (size_t bytes = 64; bytes >= 16; bytes /= 2) {
        if (kci_panel_loops_of(bytes) != NULL) {
            ck_assert_ptr_eq(widest, kci_panel_loops_of(bytes));
            return;
        }
    }
}
END_TEST

Suite *suite_autograd_panel(void)
{
    Suite *suite = suite_create("autograd/panel");
    TCase *tcase = tcase_create("loops");
    tcase_add_loop_test(tcase, has_the_bits_of_the_written_order, 0, 3);
    tcase_add_test(tcase, there_is_a_widest);
    suite_add_tcase(suite, tcase);
    return suite;
}
