/* SPDX-License-Identifier: Apache-2.0
 *
 * What makes a registry invalid, which of several mistakes is named, and to
 * the letter how.
 */
#include "unit/contract_fixture.h"

#include <string.h>
#include "unit/expect.h"
#include "unit/registry/suites.h"

static kc_capsule_record_t relu(const char *name)
{
    return fixture_capsule(name, KC_OP_RELU, "acme", KC_DEVICE_CPU);
}

static kc_profile_t *profile_of(kc_capsule_module_t **modules, size_t count)
{
    kc_policy_t policy = fixture_policy(KC_DEVICE_CPU);
    return fixture_profile(&policy, modules, count);
}

START_TEST(a_duplicate_module_comes_before_a_duplicate_capsule)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_capsule_record_t record = relu("same");
    kc_capsule_module_t *modules[] = {
        fixture_module("a", &record, 1), fixture_module("b", &record, 1),
        fixture_module("libtorch", NULL, 0), fixture_module("b", NULL, 0),
        fixture_module("libtorch", NULL, 0)};
    kc_profile_t *profile = profile_of(modules, 5);
    EXPECT_FAILURE(error, KC_ERR_DUPLICATE, "",
                   kci_profile_validate(profile, &error));
    ck_assert_str_eq(error.message, "duplicate backend capsule module `b`");
    kci_profile_release(profile);
}
END_TEST

START_TEST(a_duplicate_identity_names_capsule_and_modules)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_capsule_record_t first[] = {relu("z"), relu("a")};
    kc_capsule_record_t second[] = {relu("z"), relu("a")};
    kc_capsule_module_t *modules[] = {fixture_module("one", first, 2),
                                      fixture_module("two", second, 2)};
    kc_profile_t *profile = profile_of(modules, 2);
    EXPECT_FAILURE(error, KC_ERR_DUPLICATE,
                   "duplicate kernel capsule `z` for op relu, provider acme, "
                   "device cpu: modules `one` (in memory) and `two` (in "
                   "memory)",
                   kci_profile_validate(profile, &error));
    kci_profile_release(profile);
}
END_TEST

START_TEST(files_are_named_too)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_capsule_record_t record = relu("x");
    kc_capsule_module_t *modules[2] = {NULL, NULL};
    static const char *const paths[] = {"/fixture/a.so", "/fixture/b.so"};
    static const char *const names[] = {"a", "b"};
    for (size_t idx = 0; idx < 2; idx++) {
        kci_module_file_t *file =
            fixture_file(paths[idx], names[idx], &record, 1, NULL);
        EXPECT_OK(error,
                  kci_capsule_module_from_file(file, &modules[idx], &error));
        kci_module_file_release(file);
    }
    kc_profile_t *profile = profile_of(modules, 2);
    EXPECT_FAILURE(error, KC_ERR_DUPLICATE,
                   "`a` (/fixture/a.so) and `b` (/fixture/b.so)",
                   kci_profile_validate(profile, &error));
    kci_profile_release(profile);
}
END_TEST

START_TEST(identity_is_name_op_provider_and_device)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_capsule_record_t records[] = {relu("x"), relu("y"), relu("x"), relu("x"),
                                     relu("x")};
    records[2] = fixture_capsule("x", KC_OP_ADD, "acme", KC_DEVICE_CPU);
    records[3] = fixture_capsule("x", KC_OP_RELU, "other", KC_DEVICE_CPU);
    records[4] = fixture_capsule("x", KC_OP_RELU, "acme", KC_DEVICE_CUDA);
    kc_policy_t policy = fixture_policy(KC_DEVICE_CPU);
    kc_profile_t *profile = fixture_profile_of(&policy, records, 5);
    EXPECT_OK(error, kci_profile_validate(profile, &error));
    kci_profile_release(profile);
}
END_TEST

START_TEST(a_label_that_nobody_knows_is_an_error)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_capsule_record_t record = relu("x");
    kc_policy_t policy = fixture_policy(KC_DEVICE_CPU);
    policy.preference = KC_PREFERENCE_PREFER;
    strcpy(policy.provider, "acne");
    kc_profile_t *profile = fixture_profile_of(&policy, &record, 1);
    EXPECT_FAILURE(error, KC_ERR_CONFIG,
                   "provider label `acne` in the policy is neither well known "
                   "nor offered by any module",
                   kci_profile_validate(profile, &error));
    kci_profile_release(profile);
}
END_TEST

START_TEST(a_label_may_be_offered_found_or_well_known)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_capsule_record_t record = relu("x");
    kc_capsule_module_t *module = fixture_module("m", &record, 1);
    static kci_provider_t available[] = {"acme", "neuron", "seen"};
    static kci_provider_t found[] = {"seen"};
    kci_profile_parts_t parts = {.name = "p",
                                 .source = "memory",
                                 .policy = fixture_policy(KC_DEVICE_CPU),
                                 .providers = available,
                                 .provider_count = 3,
                                 .found_providers = found,
                                 .found_provider_count = 1,
                                 .modules = &module,
                                 .module_count = 1};
    kc_profile_t *profile = NULL;
    EXPECT_OK(error, kci_profile_create(&parts, &profile, &error));
    EXPECT_OK(error, kci_profile_validate(profile, &error));
    kci_profile_release(profile);
    parts.found_provider_count = 0;
    EXPECT_OK(error, kci_profile_create(&parts, &profile, &error));
    EXPECT_FAILURE(error, KC_ERR_CONFIG, "`seen` in the availability",
                   kci_profile_validate(profile, &error));
    kci_profile_release(profile);
    kci_capsule_module_release(module);
}
END_TEST

Suite *suite_registry_validate(void)
{
    Suite *suite = suite_create("registry/validate");
    TCase *tcase = tcase_create("all");
    tcase_add_test(tcase, a_duplicate_module_comes_before_a_duplicate_capsule);
    tcase_add_test(tcase, a_duplicate_identity_names_capsule_and_modules);
    tcase_add_test(tcase, files_are_named_too);
    tcase_add_test(tcase, identity_is_name_op_provider_and_device);
    tcase_add_test(tcase, a_label_that_nobody_knows_is_an_error);
    tcase_add_test(tcase, a_label_may_be_offered_found_or_well_known);
    suite_add_tcase(suite, tcase);
    return suite;
}
