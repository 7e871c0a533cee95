/* SPDX-License-Identifier: Apache-2.0
 *
 * Policies as values and as text.
 */
#include "registry/policy.h"

#include <string.h>
#include "unit/expect.h"
#include "unit/registry/suites.h"

static const struct {
    const char *text;
    int32_t preference;
    const char *provider;
} preferences[] = {
    {"auto", KC_PREFERENCE_AUTO, ""},
    {"prefer:acme", KC_PREFERENCE_PREFER, "acme"},
    {"only:custom-chip", KC_PREFERENCE_ONLY, "custom-chip"},
    {"only:a.b_c-1", KC_PREFERENCE_ONLY, "a.b_c-1"},
};

START_TEST(preferences_go_there_and_back)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_policy_t policy;
    char text[128];
    kci_policy_init(&policy);
    EXPECT_OK(error, kci_policy_parse_preference("only:longer_than_the_next",
                                                 &policy, &error));
    EXPECT_OK(error, kci_policy_parse_preference(preferences[_i].text, &policy,
                                                 &error));
    ck_assert_int_eq(policy.preference, preferences[_i].preference);
    ck_assert_str_eq(policy.provider, preferences[_i].provider);
    kci_policy_format_preference(&policy, text, sizeof text);
    ck_assert_str_eq(text, preferences[_i].text);
}
END_TEST

static const char *const bad_preferences[] = {
    "",
    "Auto",
    "prefer",
    "prefer:",
    "only:",
    "only:A",
    "prefer:a b",
    " auto",
    "auto ",
    "acme",
    "require:a",
    "only:1chip",
    "prefer: acme",
    "only:a,b",
    "only:a123456789a123456789a123456789a123456789a123456789a123456789abcd",
};

START_TEST(a_bad_preference_leaves_the_policy_alone)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_policy_t policy;
    kci_policy_init(&policy);
    EXPECT_OK(error, kci_policy_parse_preference("only:acme", &policy, &error));
    kc_policy_t before = policy;
    EXPECT_FAILURE(
        error, KC_ERR_CONFIG, "expected",
        kci_policy_parse_preference(bad_preferences[_i], &policy, &error));
    ck_assert_mem_eq(&policy, &before, sizeof policy);
}
END_TEST

START_TEST(assurances_go_there_and_back)
{
    static const char *const labels[] = {"checked", "external", "attested"};
    static const int32_t external[] = {0, 1, 0};
    static const int32_t receipts[] = {0, 0, 1};
    kc_error_t error = KC_ERROR_INIT;
    kc_policy_t policy;
    kci_policy_init(&policy);
    ck_assert_str_eq(kci_policy_assurance_label(&policy), "checked");
    EXPECT_OK(error, kci_policy_parse_assurance(labels[_i], &policy, &error));
    ck_assert_int_eq(policy.allow_trusted_external, external[_i]);
    ck_assert_int_eq(policy.require_receipts, receipts[_i]);
    ck_assert_str_eq(kci_policy_assurance_label(&policy), labels[_i]);
}
END_TEST

START_TEST(a_bad_assurance_never_means_trust)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_policy_t policy;
    kci_policy_init(&policy);
    EXPECT_FAILURE(error, KC_ERR_CONFIG,
                   "assurance `extern`: expected checked, external or attested",
                   kci_policy_parse_assurance("extern", &policy, &error));
    ck_assert_int_eq(policy.allow_trusted_external, 0);
}
END_TEST

START_TEST(values_outside_of_their_vocabulary_are_refused)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_policy_t good;
    kci_policy_init(&good);
    EXPECT_OK(error, kci_policy_check(&good, &error));
    kc_policy_t policies[] = {good, good, good, good, good, good, good};
    policies[0].struct_size = 4;
    policies[1].device = KC_DEVICE_COUNT;
    policies[2].preference = 3;
    policies[3].vjp_mode = -1;
    policies[4].allow_trusted_external = 2;
    policies[5].require_receipts = -1;
    policies[6].preference = KC_PREFERENCE_ONLY;
    for (size_t idx = 0; idx < sizeof policies / sizeof *policies; idx++) {
        EXPECT_FAILURE(error, KC_ERR_ARGUMENT,
                       "policy: ", kci_policy_check(&policies[idx], &error));
    }
    policies[6].provider[0] = 'a';
    EXPECT_OK(error, kci_policy_check(&policies[6], &error));
    memset(policies[6].provider, 'a', sizeof policies[6].provider);
    EXPECT_FAILURE(error, KC_ERR_ARGUMENT, "label",
                   kci_policy_check(&policies[6], &error));
}
END_TEST

Suite *suite_registry_policy(void)
{
    Suite *suite = suite_create("registry/policy");
    TCase *tcase = tcase_create("all");
    tcase_add_loop_test(tcase, preferences_go_there_and_back, 0,
                        sizeof preferences / sizeof *preferences);
    tcase_add_loop_test(tcase, a_bad_preference_leaves_the_policy_alone, 0,
                        sizeof bad_preferences / sizeof *bad_preferences);
    tcase_add_loop_test(tcase, assurances_go_there_and_back, 0, 3);
    tcase_add_test(tcase, a_bad_assurance_never_means_trust);
    tcase_add_test(tcase, values_outside_of_their_vocabulary_are_refused);
    suite_add_tcase(suite, tcase);
    return suite;
}
