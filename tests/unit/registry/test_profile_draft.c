/* SPDX-License-Identifier: Apache-2.0
 *
 * Drafts: lists change as a whole or not at all.
 */
#include "registry/profile_draft.h"

#include <string.h>
#include "unit/expect.h"
#include "unit/registry/suites.h"

static kci_profile_draft_t begin(void)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_profile_draft_t draft;
    memset(&draft, 0, sizeof draft);
    EXPECT_OK(error,
              kci_profile_draft_begin(
                  &draft, kci_maintained_profile_find("checked_cuda"), &error));
    return draft;
}

START_TEST(begins_as_a_maintained_profile)
{
    kci_profile_draft_t draft = begin();
    ck_assert_str_eq(draft.name, "checked_cuda");
    ck_assert_int_eq(draft.policy.device, KC_DEVICE_CUDA);
    ck_assert_uint_eq(draft.provider_count, 3);
    ck_assert_str_eq(draft.providers[2], "native_cuda");
    ck_assert_uint_eq(draft.module_count, 3);
    ck_assert_str_eq(draft.modules[0].name, "attention");
    ck_assert_ptr_null(draft.modules[0].origin.file);
    kci_profile_draft_release(&draft);
}
END_TEST

START_TEST(providers_are_replaced)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_profile_draft_t draft = begin();
    const char *const labels[] = {"acme", "torchlean"};
    EXPECT_OK(error,
              kci_profile_draft_set_providers(&draft, labels, 2, &error));
    const char *const twice[] = {"a", "b", "a"};
    EXPECT_FAILURE(error, KC_ERR_CONFIG, "`a` is given twice",
                   kci_profile_draft_set_providers(&draft, twice, 3, &error));
    const char *const bad[] = {"a", "B"};
    EXPECT_FAILURE(error, KC_ERR_CONFIG, "label `B`",
                   kci_profile_draft_set_providers(&draft, bad, 2, &error));
    ck_assert_uint_eq(draft.provider_count, 2);
    ck_assert_str_eq(draft.providers[0], "acme");
    kci_profile_draft_release(&draft);
}
END_TEST

START_TEST(modules_are_prepended_and_replaced_by_name)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_profile_draft_t draft = begin();
    const char *const names[] = {"acme", "reference"};
    kci_origin_t origin = {"x.ini", 7};
    EXPECT_OK(error,
              kci_profile_draft_prepend(&draft, names, 2, origin, &error));
    static const char *const expected[] = {"acme", "reference", "attention",
                                           "native_cuda"};
    ck_assert_uint_eq(draft.module_count, 4);
    for (size_t idx = 0; idx < 4; idx++) {
        ck_assert_str_eq(draft.modules[idx].name, expected[idx]);
        ck_assert_int_eq(draft.modules[idx].origin.line, idx < 2 ? 7 : 0);
    }
    const char *const twice[] = {"acme", "acme"};
    EXPECT_FAILURE(error, KC_ERR_CONFIG,
                   "duplicate backend capsule module `acme`",
                   kci_profile_draft_prepend(&draft, twice, 2, origin, &error));
    ck_assert_uint_eq(draft.module_count, 4);
    kci_profile_draft_release(&draft);
}
END_TEST

START_TEST(names_of_profiles)
{
    ck_assert(kci_is_profile_name("acme_cpu"));
    ck_assert(kci_is_profile_name("a"));
    ck_assert(!kci_is_profile_name(""));
    ck_assert(!kci_is_profile_name("Acme"));
    ck_assert(!kci_is_profile_name("a/b"));
    ck_assert(!kci_is_profile_name("../a"));
}
END_TEST

Suite *suite_registry_profile_draft(void)
{
    Suite *suite = suite_create("registry/profile_draft");
    TCase *tcase = tcase_create("all");
    tcase_add_test(tcase, begins_as_a_maintained_profile);
    tcase_add_test(tcase, providers_are_replaced);
    tcase_add_test(tcase, modules_are_prepended_and_replaced_by_name);
    tcase_add_test(tcase, names_of_profiles);
    suite_add_tcase(suite, tcase);
    return suite;
}
