/* SPDX-License-Identifier: Apache-2.0
 *
 * The flattened catalogue: order, availability, the index by operation.
 */
#include "unit/contract_fixture.h"

#include <stdlib.h>
#include <string.h>
#include "base/error.h"
#include "unit/expect.h"
#include "unit/registry/suites.h"

START_TEST(order_is_that_of_modules_and_records)
{
    kc_capsule_record_t first[] = {
        fixture_capsule("a.relu", KC_OP_RELU, "acme", KC_DEVICE_CPU),
        fixture_capsule("a.add", KC_OP_ADD, "acme", KC_DEVICE_CPU)};
    kc_capsule_record_t second[] = {
        fixture_capsule("b.add", KC_OP_ADD, "other", KC_DEVICE_CPU),
        fixture_capsule("b.relu", KC_OP_RELU, "other", KC_DEVICE_CPU)};
    kc_capsule_module_t *modules[] = {fixture_module("a", first, 2),
                                      fixture_module("b", second, 2)};
    kc_policy_t policy = fixture_policy(KC_DEVICE_CPU);
    kc_profile_t *profile = fixture_profile(&policy, modules, 2);
    static const char *const names[] = {"a.relu", "a.add", "b.add", "b.relu"};
    ck_assert_uint_eq(profile->entry_count, 4);
    for (size_t idx = 0; idx < 4; idx++) {
        ck_assert_str_eq(profile->entries[idx].capsule->name, names[idx]);
    }
    const uint32_t *relus = profile->by_op + profile->op_start[KC_OP_RELU];
    ck_assert_uint_eq(
        profile->op_start[KC_OP_RELU + 1] - profile->op_start[KC_OP_RELU], 2);
    ck_assert_uint_eq(relus[0], 0);
    ck_assert_uint_eq(relus[1], 3);
    ck_assert_ptr_eq(profile->entries[3].module, profile->modules[1]);
    kci_profile_release(profile);
}
END_TEST

START_TEST(availability_and_alignment_are_known_beforehand)
{
    kc_capsule_record_t records[] = {
        fixture_capsule("x", KC_OP_RELU, "acme", KC_DEVICE_CPU),
        fixture_capsule("y", KC_OP_RELU, "stranger", KC_DEVICE_CPU),
        fixture_capsule("z", KC_OP_RELU, "acme", KC_DEVICE_TPU)};
    records[1].shape.claim = KC_CLAIM_VALUE_REFINEMENT;
    kc_policy_t policy = fixture_policy(KC_DEVICE_CPU);
    kc_profile_t *profile = fixture_profile_of(&policy, records, 3);
    ck_assert(profile->entries[0].is_device_available);
    ck_assert(profile->entries[0].is_provider_available);
    ck_assert(profile->entries[0].is_aligned);
    ck_assert(!profile->entries[1].is_provider_available);
    ck_assert(!profile->entries[1].is_aligned);
    ck_assert(!profile->entries[2].is_device_available);
    kci_profile_release(profile);
}
END_TEST

START_TEST(an_operation_of_a_newer_interface_is_listed_but_not_indexed)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_capsule_record_t records[] = {
        fixture_capsule("x", KC_OP_RELU, "acme", KC_DEVICE_CPU),
        fixture_capsule("y", KC_OP_RELU, "acme", KC_DEVICE_CPU)};
    records[0].op = KC_OP_COUNT + 3;
    records[1].op = -2;
    kci_module_file_t *file =
        fixture_file("/fixture/new.so", "new", records, 2, NULL);
    kc_capsule_module_t *module = NULL;
    EXPECT_OK(error, kci_capsule_module_from_file(file, &module, &error));
    kci_module_file_release(file);
    kc_policy_t policy = fixture_policy(KC_DEVICE_CPU);
    kc_profile_t *profile = fixture_profile(&policy, &module, 1);
    ck_assert_uint_eq(profile->entry_count, 2);
    ck_assert_uint_eq(profile->op_start[KC_OP_COUNT], 0);
    EXPECT_OK(error, kci_profile_validate(profile, &error));
    kci_profile_release(profile);
}
END_TEST

START_TEST(more_capsules_than_a_plan_can_name_are_refused)
{
    size_t count = UINT16_MAX;
    kc_capsule_record_t *records = malloc(count * sizeof *records);
    ck_assert_ptr_nonnull(records);
    for (size_t idx = 0; idx < count; idx++) {
        records[idx] = fixture_capsule("x", KC_OP_RELU, "acme", KC_DEVICE_CPU);
    }
    kc_capsule_module_t *module = fixture_module("many", records, count);
    kci_profile_parts_t parts = {.name = "many",
                                 .source = "memory",
                                 .policy = fixture_policy(KC_DEVICE_CPU),
                                 .modules = &module,
                                 .module_count = 1};
    kc_error_t error = KC_ERROR_INIT;
    kc_profile_t *profile = NULL;
    EXPECT_FAILURE(error, KC_ERR_ARGUMENT, "module `many`",
                   kci_profile_create(&parts, &profile, &error));
    ck_assert_ptr_null(profile);
    kci_capsule_module_release(module);
    free(records);
}
END_TEST

Suite *suite_registry_catalogue(void)
{
    Suite *suite = suite_create("registry/catalogue");
    TCase *tcase = tcase_create("all");
    tcase_add_test(tcase, order_is_that_of_modules_and_records);
    tcase_add_test(tcase, availability_and_alignment_are_known_beforehand);
    tcase_add_test(tcase,
                   an_operation_of_a_newer_interface_is_listed_but_not_indexed);
    tcase_add_test(tcase, more_capsules_than_a_plan_can_name_are_refused);
    suite_add_tcase(suite, tcase);
    return suite;
}
