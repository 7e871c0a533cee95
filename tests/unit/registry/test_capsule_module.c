/* SPDX-License-Identifier: Apache-2.0
 *
 * Capsule modules from memory and from judged files.
 */
#include "registry/capsule_module.h"

#include <string.h>
#include "unit/contract_fixture.h"
#include "unit/expect.h"
#include "unit/registry/suites.h"

static kc_capsule_record_t relu(void)
{
    return fixture_capsule("acme.relu", KC_OP_RELU, "acme", KC_DEVICE_CPU);
}

START_TEST(records_are_copied)
{
    kc_capsule_record_t record = relu();
    kc_capsule_module_t *module = fixture_module("acme", &record, 1);
    memset(&record, 0xff, sizeof record);
    ck_assert_str_eq(module->name, "acme");
    ck_assert_uint_eq(module->capsule_count, 1);
    ck_assert_str_eq(module->capsules[0].name, "acme.relu");
    ck_assert_ptr_null(module->file);
    kci_capsule_module_release(kci_capsule_module_retain(module));
    ck_assert_str_eq(module->capsules[0].provider, "acme");
    kci_capsule_module_release(module);
}
END_TEST

START_TEST(a_module_may_have_no_capsules)
{
    kc_capsule_module_t *module = fixture_module("empty", NULL, 0);
    ck_assert_uint_eq(module->capsule_count, 0);
    kci_capsule_module_release(module);
    kci_capsule_module_release(NULL);
}
END_TEST

static const char *const bad_names[] = {
    "",
    "Acme",
    "a-b",
    "a.b",
    "1a",
    "a b",
    "a123456789a123456789a123456789a123456789a123456789a123456789abcd"};

START_TEST(names_have_one_form)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_capsule_module_t *module = NULL;
    EXPECT_FAILURE(error, KC_ERR_ARGUMENT, "[a-z][a-z0-9_]*",
                   kci_capsule_module_from_records(bad_names[_i], NULL, 0,
                                                   &module, &error));
    EXPECT_FAILURE(
        error, KC_ERR_ARGUMENT, "[a-z][a-z0-9_]*",
        kci_capsule_module_from_records(NULL, NULL, 0, &module, &error));
    ck_assert_ptr_null(module);
}
END_TEST

static void break_size(kc_capsule_record_t *record)
{
    record->struct_size = 12;
}
static void break_name(kc_capsule_record_t *record)
{
    memset(record->name, 'x', sizeof record->name);
}
static void empty_name(kc_capsule_record_t *record)
{
    record->name[0] = '\0';
}
static void break_provider(kc_capsule_record_t *record)
{
    record->provider[0] = 'A';
}
static void open_provider(kc_capsule_record_t *record)
{
    memset(record->provider, 'x', sizeof record->provider);
}
static void open_summary(kc_capsule_record_t *record)
{
    memset(record->vjp.summary, 'x', sizeof record->vjp.summary);
}
static void open_source(kc_capsule_record_t *record)
{
    memset(record->shape.source, 'x', sizeof record->shape.source);
}
static void open_order(kc_capsule_record_t *record)
{
    memset(record->numerics.order, 'x', sizeof record->numerics.order);
}
static void open_words(kc_capsule_record_t *record)
{
    memset(record->limits.instruction_set, 'x',
           sizeof record->limits.instruction_set);
}
static void break_op(kc_capsule_record_t *record)
{
    record->op = KC_OP_COUNT;
}
static void break_device(kc_capsule_record_t *record)
{
    record->device = -1;
}
static void break_trust(kc_capsule_record_t *record)
{
    record->trust = KC_TRUST_COUNT;
}
static void break_vjp(kc_capsule_record_t *record)
{
    record->vjp_mode = 9;
}
static void break_forward(kc_capsule_record_t *record)
{
    record->supports_forward = 2;
}
static void break_reduction(kc_capsule_record_t *record)
{
    record->numerics.reduction = -5;
}
static void break_claim(kc_capsule_record_t *record)
{
    record->layout.claim = KC_CLAIM_COUNT;
}
static void break_evidence(kc_capsule_record_t *record)
{
    record->value.evidence = KC_EVIDENCE_COUNT;
}

static const struct {
    void (*damage)(kc_capsule_record_t *record);
    const char *words;
} damages[] = {
    {break_size, "bytes, found 12"},   {break_name, "a name that ends"},
    {empty_name, "a name that ends"},  {break_provider, "provider label"},
    {open_provider, "provider label"}, {open_summary, "acme.relu"},
    {open_source, "acme.relu"},        {open_order, "acme.relu"},
    {open_words, "acme.relu"},         {break_op, "acme.relu"},
    {break_device, "acme.relu"},       {break_trust, "acme.relu"},
    {break_vjp, "acme.relu"},          {break_forward, "acme.relu"},
    {break_reduction, "acme.relu"},    {break_claim, "acme.relu"},
    {break_evidence, "acme.relu"},
};

START_TEST(a_damaged_record_is_refused)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_capsule_module_t *module = NULL;
    kc_capsule_record_t records[2] = {relu(), relu()};
    damages[_i].damage(&records[1]);
    EXPECT_FAILURE(
        error, KC_ERR_FORMAT, damages[_i].words,
        kci_capsule_module_from_records("acme", records, 2, &module, &error));
    ck_assert_ptr_null(module);
}
END_TEST

START_TEST(a_misfiled_claim_is_not_damage)
{
    kc_capsule_record_t record = relu();
    record.shape = record.value;
    kc_capsule_module_t *module = fixture_module("reference", &record, 1);
    kci_capsule_module_release(module);
}
END_TEST

START_TEST(a_file_lends_its_capsules)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_capsule_record_t record = relu();
    kci_module_file_t *file =
        fixture_file("/fixture/acme.so", "acme", &record, 1, NULL);
    kc_capsule_module_t *module = NULL;
    EXPECT_OK(error, kci_capsule_module_from_file(file, &module, &error));
    kci_module_file_release(file);
    ck_assert_ptr_eq(module->file, file);
    ck_assert_str_eq(module->name, "acme");
    ck_assert_ptr_eq(module->capsules, file->capsules);
    kci_capsule_module_release(module);
}
END_TEST

START_TEST(a_refused_file_is_an_error_with_its_verdict)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_module_file_t *file = fixture_file("/fixture/bad.so", "", NULL, 0,
                                           "/fixture/bad.so: major 9 is not 1");
    kc_capsule_module_t *module = NULL;
    EXPECT_FAILURE(error, KC_ERR_MODULE,
                   "module file is refused: /fixture/bad.so: major 9 is not 1",
                   kci_capsule_module_from_file(file, &module, &error));
    ck_assert_ptr_null(module);
    kci_module_file_release(file);
}
END_TEST

Suite *suite_registry_capsule_module(void)
{
    Suite *suite = suite_create("registry/capsule_module");
    TCase *tcase = tcase_create("all");
    tcase_add_test(tcase, records_are_copied);
    tcase_add_test(tcase, a_module_may_have_no_capsules);
    tcase_add_loop_test(tcase, names_have_one_form, 0,
                        sizeof bad_names / sizeof *bad_names);
    tcase_add_loop_test(tcase, a_damaged_record_is_refused, 0,
                        sizeof damages / sizeof *damages);
    tcase_add_test(tcase, a_misfiled_claim_is_not_damage);
    tcase_add_test(tcase, a_file_lends_its_capsules);
    tcase_add_test(tcase, a_refused_file_is_an_error_with_its_verdict);
    suite_add_tcase(suite, tcase);
    return suite;
}
