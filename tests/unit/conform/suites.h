/* SPDX-License-Identifier: Apache-2.0
 *
 * The suites of the conform layer.
 */
#ifndef KC_TESTS_UNIT_CONFORM_SUITES_H
#define KC_TESTS_UNIT_CONFORM_SUITES_H

#include <check.h>

#define CONFORM_SUITES(X)                                                      \
    X(tracked)                                                                 \
    X(array)                                                                   \
    X(oracle)                                                                  \
    X(family)                                                                  \
    X(random)                                                                  \
    X(pointwise)                                                               \
    X(softmax)                                                                 \
    X(reduce)                                                                  \
    X(layout)                                                                  \
    X(index)                                                                   \
    X(matmul)                                                                  \
    X(norm)                                                                    \
    X(conv)                                                                    \
    X(pool)                                                                    \
    X(spectral)                                                                \
    X(scan)                                                                    \
    X(attention)                                                               \
    X(draw)                                                                    \
    X(guarded)                                                                 \
    X(case)                                                                    \
    X(compare)                                                                 \
    X(describe)                                                                \
    X(conform)                                                                 \
    X(sensitivity)                                                             \
    X(smooth)                                                                  \
    X(difference)                                                              \
    X(gradient_case)                                                           \
    X(gradient_run)                                                            \
    X(allowance)                                                               \
    X(gradient)                                                                \
    X(gradient_sensitivity)                                                    \
    X(kink_table)                                                              \
    X(kink)                                                                    \
    X(blocked)

#define DECLARE_SUITE(file) Suite *suite_conform_##file(void);
CONFORM_SUITES(DECLARE_SUITE)

/* Defines the suite of a file from a list of tests. */
#define CONFORM_SUITE(file, ...)                                               \
    Suite *suite_conform_##file(void)                                          \
    {                                                                          \
        const TTest *const tests[] = {__VA_ARGS__};                            \
        Suite *suite = suite_create("conform." #file);                         \
        TCase *tcase = tcase_create(#file);                                    \
        for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {            \
            tcase_add_test(tcase, tests[i]);                                   \
        }                                                                      \
        suite_add_tcase(suite, tcase);                                         \
        return suite;                                                          \
    }

#endif
