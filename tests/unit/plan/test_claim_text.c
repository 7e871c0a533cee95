/* SPDX-License-Identifier: Apache-2.0
 *
 * Compact texts of claims.
 */
#include "plan/claim_text.h"

#include "unit/contract_fixture.h"
#include "unit/plan/suites.h"

START_TEST(what_is_expected_is_what_an_aligned_capsule_says)
{
    char expected[96];
    char found[96];
    for (int32_t mode = 0; mode < KC_VJP_MODE_COUNT; mode++) {
        kc_capsule_record_t capsule =
            fixture_capsule("x", KC_OP_MATMUL, "acme", KC_DEVICE_CPU);
        fixture_set_vjp(&capsule, mode);
        for (int32_t idx = 0; idx < KC_OBLIGATION_COUNT; idx++) {
            kci_claim_format_expected(&capsule, idx, expected, sizeof expected);
            kci_claim_format(kci_capsule_obligation(&capsule, idx), found,
                             sizeof found);
            if (idx != KC_OBLIGATION_LAYOUT) {
                ck_assert_str_eq(expected, found);
            }
        }
    }
}
END_TEST

START_TEST(texts_to_the_letter)
{
    char text[96];
    kc_capsule_record_t capsule =
        fixture_capsule("x", KC_OP_MATMUL, "acme", KC_DEVICE_CPU);
    static const char *const texts[] = {
        "shapeSafety(matmul)", "layoutCompatibility(matmul, canonical-tensor)",
        "valueRefinement(matmul)", "vjpRefinement(matmul, torchlean-tape)"};
    for (int32_t idx = 0; idx < KC_OBLIGATION_COUNT; idx++) {
        kci_claim_format(kci_capsule_obligation(&capsule, idx), text,
                         sizeof text);
        ck_assert_str_eq(text, texts[idx]);
    }
    kci_claim_format_expected(&capsule, KC_OBLIGATION_LAYOUT, text,
                              sizeof text);
    ck_assert_str_eq(text, "layoutCompatibility(matmul, any)");
    fixture_set_vjp(&capsule, KC_VJP_NONE);
    kci_claim_format(&capsule.vjp, text, sizeof text);
    ck_assert_str_eq(text, "vjpUnavailable(matmul)");
}
END_TEST

START_TEST(obligations_are_the_fields)
{
    kc_capsule_record_t capsule =
        fixture_capsule("x", KC_OP_MATMUL, "acme", KC_DEVICE_CPU);
    ck_assert_ptr_eq(kci_capsule_obligation(&capsule, KC_OBLIGATION_SHAPE),
                     &capsule.shape);
    ck_assert_ptr_eq(kci_capsule_obligation(&capsule, KC_OBLIGATION_LAYOUT),
                     &capsule.layout);
    ck_assert_ptr_eq(kci_capsule_obligation(&capsule, KC_OBLIGATION_VALUE),
                     &capsule.value);
    ck_assert_ptr_eq(kci_capsule_obligation(&capsule, KC_OBLIGATION_VJP),
                     &capsule.vjp);
}
END_TEST

Suite *suite_plan_claim_text(void)
{
    Suite *suite = suite_create("plan/claim_text");
    TCase *tcase = tcase_create("all");
    tcase_add_test(tcase, what_is_expected_is_what_an_aligned_capsule_says);
    tcase_add_test(tcase, texts_to_the_letter);
    tcase_add_test(tcase, obligations_are_the_fields);
    suite_add_tcase(suite, tcase);
    return suite;
}
