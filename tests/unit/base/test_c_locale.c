/* SPDX-License-Identifier: Apache-2.0
 *
 * The C locale for the calling thread: on inside, the application's after.
 */
#include "base/c_locale.h"

#include <stdlib.h>
#include "unit/base/suites.h"
#include "unit/comma_locale.h"

START_TEST(the_previous_locale_comes_back)
{
    scratch_t scratch = scratch_make();
    bool has_comma = comma_locale_begin(&scratch);
    locale_t before = uselocale((locale_t)0);
    kci_c_locale_t scope = kci_c_locale_begin();
    ck_assert_double_eq(strtod("0.5", NULL), 0.5);
    ck_assert(!comma_locale_is_on());
    kci_c_locale_end(scope);
    ck_assert_int_eq(comma_locale_is_on(), has_comma);
    ck_assert(uselocale((locale_t)0) == before);
    comma_locale_end();
    scratch_remove(&scratch);
}
END_TEST

START_TEST(scopes_nest)
{
    locale_t before = uselocale((locale_t)0);
    kci_c_locale_t outer = kci_c_locale_begin();
    kci_c_locale_t inner = kci_c_locale_begin();
    kci_c_locale_end(inner);
    ck_assert_double_eq(strtod("0.5", NULL), 0.5);
    kci_c_locale_end(outer);
    ck_assert(uselocale((locale_t)0) == before);
}
END_TEST

Suite *suite_base_c_locale(void)
{
    Suite *suite = suite_create("base/c_locale");
    TCase *tests = tcase_create("c_locale");
    tcase_add_test(tests, the_previous_locale_comes_back);
    tcase_add_test(tests, scopes_nest);
    suite_add_tcase(suite, tests);
    return suite;
}
