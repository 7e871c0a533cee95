/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Words of instruction sets on the machine that runs the test. */
#include <string.h>

#include "dispatch/bind.h"
#include "unit/dispatch/suites.h"
#include "unit/expect.h"

START_TEST(no_words_are_no_demand)
{
    kc_error_t error = KC_ERROR_INIT;
    EXPECT_OK(error, kci_cpu_check_features("", &error));
    EXPECT_OK(error, kci_cpu_check_features(" , ", &error));
}
END_TEST

START_TEST(unknown_words_are_named)
{
    kc_error_t error = KC_ERROR_INIT;
    EXPECT_FAILURE(error, KC_ERR_BINDING, "unknown requirement quantum",
                   kci_cpu_check_features("quantum", &error));
    EXPECT_FAILURE(error, KC_ERR_BINDING, "unknown requirement AVX2",
                   kci_cpu_check_features("AVX2", &error));
    EXPECT_FAILURE(error, KC_ERR_BINDING, "unknown requirement avx22",
                   kci_cpu_check_features("avx22", &error));
}
END_TEST

#if defined(__x86_64__)
START_TEST(every_x86_64_machine_has_sse2)
{
    kc_error_t error = KC_ERROR_INIT;
    EXPECT_OK(error, kci_cpu_check_features("sse2", &error));
    EXPECT_OK(error, kci_cpu_check_features(" sse2,sse2 ", &error));
    EXPECT_FAILURE(error, KC_ERR_BINDING, "unknown requirement quantum",
                   kci_cpu_check_features("sse2, quantum", &error));
}
END_TEST

START_TEST(known_words_are_there_or_named_as_lacking)
{
    const char *const words[] = {"avx", "avx2", "fma", "avx512f", "avx512pf"};
    kc_error_t error = KC_ERROR_INIT;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        char expected[64];
        snprintf(expected, sizeof expected, "needs %s, machine lacks %s",
                 words[i], words[i]);
        if (kci_cpu_check_features(words[i], &error) != KC_OK) {
            ck_assert_str_eq(error.message, expected);
        }
    }
    /* Of two processors ever made, both gone. */
    if (kci_cpu_check_features("avx512pf", &error) != KC_OK) {
        EXPECT_FAILURE(error, KC_ERR_BINDING, "machine lacks avx512pf",
                       kci_cpu_check_features("sse2,avx512pf", &error));
    }
}
END_TEST
#endif

Suite *suite_dispatch_cpu_features(void)
{
    Suite *suite = suite_create("dispatch/cpu_features");
    TCase *tcase = tcase_create("cpu_features");
    tcase_add_test(tcase, no_words_are_no_demand);
    tcase_add_test(tcase, unknown_words_are_named);
#if defined(__x86_64__)
    tcase_add_test(tcase, every_x86_64_machine_has_sse2);
    tcase_add_test(tcase, known_words_are_there_or_named_as_lacking);
#endif
    suite_add_tcase(suite, tcase);
    return suite;
}
