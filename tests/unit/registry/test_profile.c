/* SPDX-License-Identifier: Apache-2.0
 *
 * Profiles as values: other policies, other modules, replacement by name.
 */
#include "registry/profile.h"

#include <string.h>
#include "unit/contract_fixture.h"
#include "unit/expect.h"
#include "unit/registry/suites.h"

static kc_capsule_module_t *one_capsule(const char *module, const char *name)
{
    kc_capsule_record_t record =
        fixture_capsule(name, KC_OP_RELU, "acme", KC_DEVICE_CPU);
    return fixture_module(module, &record, 1);
}

static kc_profile_t *profile_abc(void)
{
    kc_capsule_module_t *modules[] = {one_capsule("a", "old.a"),
                                      one_capsule("b", "old.b"),
                                      one_capsule("c", "old.c")};
    kc_policy_t policy = fixture_policy(KC_DEVICE_CPU);
    return fixture_profile(&policy, modules, 3);
}

START_TEST(another_policy_is_another_profile)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_profile_t *profile = profile_abc();
    kc_policy_t policy = profile->policy;
    policy.device = KC_DEVICE_CUDA;
    policy.preference = KC_PREFERENCE_ONLY;
    strcpy(policy.provider, "other");
    kc_profile_t *changed = NULL;
    EXPECT_OK(error,
              kci_profile_with_policy(profile, &policy, &changed, &error));
    ck_assert_int_eq(profile->policy.device, KC_DEVICE_CPU);
    ck_assert_int_eq(changed->policy.device, KC_DEVICE_CUDA);
    ck_assert_str_eq(changed->name, "fixture");
    ck_assert_uint_eq(changed->provider_count, profile->provider_count);
    ck_assert_uint_eq(changed->device_bits, profile->device_bits);
    kci_profile_release(profile);
    ck_assert_str_eq(changed->entries[2].capsule->name, "old.c");
    kci_profile_release(changed);
}
END_TEST

START_TEST(a_policy_that_is_none_is_refused)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_profile_t *profile = profile_abc();
    kc_policy_t policy = profile->policy;
    policy.device = 99;
    kc_profile_t *changed = NULL;
    EXPECT_FAILURE(error, KC_ERR_ARGUMENT, "device 99",
                   kci_profile_with_policy(profile, &policy, &changed, &error));
    ck_assert_ptr_null(changed);
    kci_profile_release(profile);
}
END_TEST

START_TEST(a_policy_has_one_spelling)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_profile_t *profile = profile_abc();
    kc_policy_t policy = profile->policy;
    memset(policy.provider, 'x', sizeof policy.provider);
    kc_profile_t *changed = NULL;
    EXPECT_OK(error,
              kci_profile_with_policy(profile, &policy, &changed, &error));
    ck_assert_mem_eq(&changed->policy, &profile->policy,
                     sizeof profile->policy);
    kci_profile_release(profile);
    kci_profile_release(changed);
}
END_TEST

START_TEST(new_modules_go_first_and_replace_by_name)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_profile_t *profile = profile_abc();
    kc_capsule_module_t *modules[] = {one_capsule("x", "new.x"),
                                      one_capsule("b", "new.b")};
    kc_profile_t *changed = NULL;
    EXPECT_OK(error,
              kci_profile_with_modules(profile, modules, 2, &changed, &error));
    kci_capsule_module_release(modules[0]);
    kci_capsule_module_release(modules[1]);
    static const char *const names[] = {"new.x", "new.b", "old.a", "old.c"};
    ck_assert_uint_eq(changed->module_count, 4);
    for (size_t idx = 0; idx < 4; idx++) {
        ck_assert_str_eq(changed->entries[idx].capsule->name, names[idx]);
    }
    ck_assert_uint_eq(profile->module_count, 3);
    ck_assert_mem_eq(&changed->policy, &profile->policy,
                     sizeof profile->policy);
    ck_assert_uint_eq(changed->provider_count, profile->provider_count);
    kci_profile_release(profile);
    kci_profile_release(changed);
}
END_TEST

START_TEST(two_new_modules_of_one_name_are_refused)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_profile_t *profile = profile_abc();
    kc_capsule_module_t *modules[] = {one_capsule("libtorch", "x"),
                                      one_capsule("libtorch", "y")};
    kc_profile_t *changed = NULL;
    EXPECT_FAILURE(
        error, KC_ERR_DUPLICATE, "",
        kci_profile_with_modules(profile, modules, 2, &changed, &error));
    ck_assert_str_eq(error.message,
                     "duplicate backend capsule module `libtorch`");
    ck_assert_ptr_null(changed);
    EXPECT_OK(error,
              kci_profile_with_modules(profile, modules, 1, &changed, &error));
    kci_profile_release(changed);
    kci_capsule_module_release(modules[0]);
    kci_capsule_module_release(modules[1]);
    kci_profile_release(profile);
    kci_profile_release(NULL);
}
END_TEST

Suite *suite_registry_profile(void)
{
    Suite *suite = suite_create("registry/profile");
    TCase *tcase = tcase_create("all");
    tcase_add_test(tcase, another_policy_is_another_profile);
    tcase_add_test(tcase, a_policy_that_is_none_is_refused);
    tcase_add_test(tcase, a_policy_has_one_spelling);
    tcase_add_test(tcase, new_modules_go_first_and_replace_by_name);
    tcase_add_test(tcase, two_new_modules_of_one_name_are_refused);
    suite_add_tcase(suite, tcase);
    return suite;
}
