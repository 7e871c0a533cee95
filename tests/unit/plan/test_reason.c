/* SPDX-License-Identifier: Apache-2.0
 *
 * Reason codes as text.
 */
#include "plan/reason.h"

#include "unit/plan/suites.h"

START_TEST(every_reason_has_its_own_label_and_words)
{
    for (int32_t reason = 0; reason < KC_REASON_COUNT; reason++) {
        ck_assert_str_ne(kci_reason_label(reason), "unknown");
        ck_assert_str_ne(kci_reason_words(reason), "unknown");
        for (int32_t other = 0; other < reason; other++) {
            ck_assert_str_ne(kci_reason_label(reason), kci_reason_label(other));
            ck_assert_str_ne(kci_reason_words(reason), kci_reason_words(other));
        }
    }
}
END_TEST

START_TEST(known_texts)
{
    ck_assert_str_eq(kci_reason_label(KC_REASON_SELECTED), "selected");
    ck_assert_str_eq(kci_reason_label(KC_REASON_NOT_PREFERRED),
                     "not_preferred");
    ck_assert_str_eq(kci_reason_words(KC_REASON_LIMIT_ELEMENTS),
                     "too many elements");
    ck_assert_str_eq(kci_reason_label(-1), "unknown");
    ck_assert_str_eq(kci_reason_words(KC_REASON_COUNT), "unknown");
}
END_TEST

Suite *suite_plan_reason(void)
{
    Suite *suite = suite_create("plan/reason");
    TCase *tcase = tcase_create("all");
    tcase_add_test(tcase, every_reason_has_its_own_label_and_words);
    tcase_add_test(tcase, known_texts);
    suite_add_tcase(suite, tcase);
    return suite;
}
