/* SPDX-License-Identifier: Apache-2.0
 *
 * Named guards, and what is granted to whom.
 */
#include "audit/guards.h"

#include <string.h>
#include "audit/audit.h"
#include "unit/audit/suites.h"
#include "unit/contract_fixture.h"
#include "unit/expect.h"

START_TEST(the_guards_are_those_of_the_gate_and_the_planner)
{
    static const char *const names[] = {
        "dispatch.shape",         "dispatch.dtype",  "dispatch.device",
        "dispatch.layout",        "dispatch.alias",  "dispatch.index_range",
        "dispatch.element_count", "planner.vjp_mode"};
    ck_assert_uint_eq(kci_guard_count(), 8);
    for (size_t idx = 0; idx < 8; idx++) {
        ck_assert_str_eq(kci_guard_name(idx), names[idx]);
        ck_assert(kci_guard_is_known(names[idx]));
    }
    ck_assert(!kci_guard_is_known("dispatch.everything"));
    ck_assert(!kci_guard_is_known(""));
}
END_TEST

static kc_capsule_module_t *module_of(const kc_capsule_record_t *capsule,
                                      uint32_t flags)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_capsule_module_t *module = NULL;
    kci_module_file_t *file =
        fixture_file("/fixture/acme.so", "acme", capsule, 1, NULL);
    file->record.flags = flags;
    EXPECT_OK(error, kci_capsule_module_from_file(file, &module, &error));
    kci_module_file_release(file);
    return module;
}

START_TEST(a_named_guard_before_a_handler_is_granted)
{
    kc_capsule_record_t capsule =
        fixture_capsule("x", KC_OP_RELU, "acme", KC_DEVICE_CPU);
    strcpy(capsule.layout.source, "acme checks");
    kc_capsule_module_t *module = module_of(&capsule, 0);
    const kc_capsule_record_t *found = module->capsules;
    ck_assert_int_eq(kci_grant(module, found, KC_OBLIGATION_SHAPE),
                     KCI_GRANT_GUARD);
    ck_assert_int_eq(kci_grant(module, found, KC_OBLIGATION_LAYOUT),
                     KCI_GRANT_NONE);
    ck_assert_int_eq(kci_grant(module, found, KC_OBLIGATION_VALUE),
                     KCI_GRANT_NONE);
    kci_capsule_module_release(module);
}
END_TEST

START_TEST(the_name_of_a_guard_is_no_guard_as_a_suite)
{
    kc_capsule_record_t capsule =
        fixture_capsule("x", KC_OP_RELU, "acme", KC_DEVICE_CPU);
    strcpy(capsule.value.source, "dispatch.shape");
    kc_capsule_module_t *module = module_of(&capsule, 0);
    ck_assert_int_eq(kci_grant(module, module->capsules, KC_OBLIGATION_VALUE),
                     KCI_GRANT_NONE);
    kci_capsule_module_release(module);
}
END_TEST

START_TEST(nothing_is_granted_without_a_handler)
{
    kc_capsule_record_t capsule =
        fixture_capsule("x", KC_OP_RELU, "acme", KC_DEVICE_CPU);
    kc_capsule_module_t *memory = fixture_module("acme", &capsule, 1);
    kc_capsule_module_t *contracts =
        module_of(&capsule, KC_MODULE_CONTRACTS_ONLY);
    capsule.flags = KC_CAPSULE_NO_HANDLER;
    kc_capsule_module_t *partial = module_of(&capsule, 0);
    kc_capsule_module_t *const modules[] = {memory, contracts, partial};
    for (size_t idx = 0; idx < 3; idx++) {
        ck_assert_int_eq(kci_grant(modules[idx], modules[idx]->capsules,
                                   KC_OBLIGATION_SHAPE),
                         KCI_GRANT_NONE);
        kci_capsule_module_release(modules[idx]);
    }
}
END_TEST

/* A composition runs in the host: its file has no handler for it, and need
 * not have one. */
START_TEST(the_host_has_the_handler_of_a_composition)
{
    kc_capsule_record_t capsule = fixture_capsule(
        "x", KC_OP_SCALED_DOT_PRODUCT_ATTENTION, "torchlean", KC_DEVICE_CUDA);
    capsule.flags = KC_CAPSULE_NO_HANDLER;
    kc_capsule_module_t *module = module_of(&capsule, KC_MODULE_CONTRACTS_ONLY);
    ck_assert(kci_capsule_has_handler(module, module->capsules));
    ck_assert_int_eq(kci_grant(module, module->capsules, KC_OBLIGATION_SHAPE),
                     KCI_GRANT_GUARD);
    kci_capsule_module_release(module);
    capsule.op = KC_OP_RELU;
    module = module_of(&capsule, KC_MODULE_CONTRACTS_ONLY);
    ck_assert(!kci_capsule_has_handler(module, module->capsules));
    kci_capsule_module_release(module);
}
END_TEST

Suite *suite_audit_guards(void)
{
    Suite *suite = suite_create("audit/guards");
    TCase *tcase = tcase_create("all");
    tcase_add_test(tcase, the_guards_are_those_of_the_gate_and_the_planner);
    tcase_add_test(tcase, a_named_guard_before_a_handler_is_granted);
    tcase_add_test(tcase, the_name_of_a_guard_is_no_guard_as_a_suite);
    tcase_add_test(tcase, nothing_is_granted_without_a_handler);
    tcase_add_test(tcase, the_host_has_the_handler_of_a_composition);
    suite_add_tcase(suite, tcase);
    return suite;
}
