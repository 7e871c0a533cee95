/* SPDX-License-Identifier: Apache-2.0
 *
 * Environment variables: empty is unset, and a process with more power than
 * its user believes none.
 */
#include "config/environment.h"

#include <stdlib.h>
#include <unistd.h>
#include "unit/config/suites.h"

#define NAME       "KCAPSULE_TEST_VARIABLE"
#define OTHER_USER 65534

START_TEST(empty_is_unset)
{
    unsetenv(NAME);
    ck_assert_ptr_null(kci_environment_get(NAME));
    setenv(NAME, "", 1);
    ck_assert_ptr_null(kci_environment_get(NAME));
    setenv(NAME, "value", 1);
    ck_assert_str_eq(kci_environment_get(NAME), "value");
}
END_TEST

/* What a set-user-id program looks like; only root can look like one. */
START_TEST(a_privileged_process_believes_nothing)
{
    ck_assert(!kci_process_is_privileged());
    if (geteuid() != 0) {
        return;
    }
    setenv(NAME, "value", 1);
    ck_assert_int_eq(setresuid(OTHER_USER, 0, 0), 0);
    ck_assert(kci_process_is_privileged());
    ck_assert_ptr_null(kci_environment_get(NAME));
    ck_assert_int_eq(setresuid(0, 0, 0), 0);
    ck_assert(!kci_process_is_privileged());
    ck_assert_int_eq(setresgid(OTHER_USER, 0, 0), 0);
    ck_assert(kci_process_is_privileged());
}
END_TEST

Suite *suite_config_environment(void)
{
    Suite *suite = suite_create("config/environment");
    TCase *tests = tcase_create("environment");
    tcase_add_test(tests, empty_is_unset);
    tcase_add_test(tests, a_privileged_process_believes_nothing);
    suite_add_tcase(suite, tests);
    return suite;
}
