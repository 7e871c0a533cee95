/* SPDX-License-Identifier: Apache-2.0
 *
 * The monotonic clock: it goes on, and its unit is the nanosecond.
 */
#include "base/clock.h"

#include <time.h>
#include "unit/base/suites.h"

START_TEST(time_goes_on)
{
    struct timespec pause = {0, 2000000};
    uint64_t before = kci_clock_ns();
    ck_assert_int_eq(nanosleep(&pause, NULL), 0);
    uint64_t passed = kci_clock_ns() - before;
    ck_assert_uint_ge(passed, 2000000);
    ck_assert_uint_lt(passed, UINT64_C(60000000000));
}
END_TEST

Suite *suite_base_clock(void)
{
    Suite *suite = suite_create("base/clock");
    TCase *tests = tcase_create("clock");
    tcase_add_test(tests, time_goes_on);
    suite_add_tcase(suite, tests);
    return suite;
}
