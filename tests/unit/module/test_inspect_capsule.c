/* SPDX-License-Identifier: Apache-2.0
 *
 * Each field of a capsule record outside of its range, for a module of this
 * minor version and of a newer one.
 */
#include "module/inspect_records.h"

#include "unit/module/contract_record.h"
#include "unit/module/suites.h"
#include "unit/expect.h"

typedef struct broken {
    size_t offset;
    int32_t value;
    const char *text;
} broken_t;

#define AT(field) offsetof(kc_capsule_record_t, field)

/* Refused from a module of any minor version. */
static const broken_t always[] = {
    {AT(op), -1, "op: expected an operation"},
    {AT(op), 65536, "found unknown operation 65536"},
    {AT(device), KC_DEVICE_COUNT, "device: expected 0 to 8, found 9"},
    {AT(device), -1, "device"},
    {AT(trust), 2, "trust: expected 0 to 1, found 2"},
    {AT(vjp_mode), 3, "vjp_mode"},
    {AT(supports_forward), 2, "supports_forward"},
    {AT(numerics.reduction), 3, "numerics.reduction"},
    {AT(numerics.rounding), 2, "numerics.rounding"},
    {AT(numerics.subnormals), 3, "numerics.subnormals"},
    {AT(numerics.contraction), -5, "numerics.contraction"},
    {AT(numerics.accumulation), 3, "numerics.accumulation"},
    {AT(numerics.reduced_precision), 3, "numerics.reduced_precision"},
    {AT(limits.mask_polarity), 3, "limits.mask_polarity"},
    {AT(limits.index_bits), 16, "expected 0, 32 or 64, found 16"},
    {AT(limits.input_count_max), 65, "limits.input_count_max"},
    {AT(shape.claim), 5, "shape: claim: expected 0 to 4, found 5"},
    {AT(layout.mode), 3, "layout: mode: expected 0 to 2, found 3"},
    {AT(value.mode), 1, "value: mode: expected 0 to 0, found 1"},
    {AT(vjp.mode), 3, "vjp: mode"},
    {AT(vjp.evidence), 4, "vjp: evidence"},
    {AT(value.op), -1, "value: op"},
};

/* Refused unless the module is of a newer minor version. */
static const broken_t only_now[] = {
    {AT(op), KC_OP_COUNT, "op: expected an operation of 0 to 46"},
    {AT(shape.op), KC_OP_COUNT, "shape: op"},
    {AT(flags), 2, "flags: expected bits out of 0x1, found 0x2"},
    {AT(saved_outputs), 16, "saved_outputs"},
    {AT(numerics.invariance), 128, "numerics.invariance"},
    {AT(limits.dtypes), 32, "limits.dtypes"},
    {AT(limits.ranks), 1 << 17, "limits.ranks"},
    {AT(limits.layouts), 8, "limits.layouts"},
};

static kc_capsule_record_t broken_record(const broken_t *broken)
{
    kc_capsule_record_t capsule = contract_record();
    memcpy((char *)&capsule + broken->offset, &broken->value,
           sizeof broken->value);
    return capsule;
}

static void expect_broken(const broken_t *broken, bool is_newer_minor)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_capsule_record_t capsule = broken_record(broken);
    EXPECT_FAILURE(error, KC_ERR_MODULE, broken->text,
                   kci_capsule_check(&capsule, 3, is_newer_minor, &error));
    ck_assert_msg(strncmp(error.message, "capsule `acme.relu`: ", 21) == 0,
                  "%s", error.message);
}

START_TEST(a_right_record_is_accepted)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_capsule_record_t capsule = contract_record();
    capsule.flags = KC_CAPSULE_NO_HANDLER;
    capsule.limits.ranks = 1u << KC_MAX_RANK;
    capsule.limits.index_bits = 32;
    EXPECT_OK(error, kci_capsule_check(&capsule, 0, false, &error));
    EXPECT_OK(error, kci_capsule_check(&capsule, 0, true, &error));
}
END_TEST

START_TEST(a_value_out_of_range_is_refused)
{
    expect_broken(&always[_i], false);
    expect_broken(&always[_i], true);
}
END_TEST

START_TEST(a_newer_minor_version_may_have_more)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_capsule_record_t capsule = broken_record(&only_now[_i]);
    expect_broken(&only_now[_i], false);
    EXPECT_OK(error, kci_capsule_check(&capsule, 0, true, &error));
}
END_TEST

START_TEST(evidence_has_a_name)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_capsule_record_t capsule = contract_record();
    capsule.value.source[0] = 0;
    EXPECT_FAILURE(error, KC_ERR_MODULE,
                   "value: source: expected the name of the testSuite",
                   kci_capsule_check(&capsule, 0, false, &error));
    capsule.value.evidence = KC_EVIDENCE_NOT_APPLICABLE;
    EXPECT_OK(error, kci_capsule_check(&capsule, 0, false, &error));
}
END_TEST

START_TEST(a_capsule_without_a_usable_name_is_counted)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_capsule_record_t capsule = contract_record();
    strcpy(capsule.name, "two words");
    EXPECT_FAILURE(error, KC_ERR_MODULE, "capsule record 7: name: expected",
                   kci_capsule_check(&capsule, 7, false, &error));
    memset(capsule.name, 'x', sizeof capsule.name);
    EXPECT_FAILURE(error, KC_ERR_MODULE, "capsule record 7: name: expected",
                   kci_capsule_check(&capsule, 7, false, &error));
}
END_TEST

START_TEST(a_provider_is_a_label)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_capsule_record_t capsule = contract_record();
    strcpy(capsule.provider, "Acme");
    EXPECT_FAILURE(error, KC_ERR_MODULE,
                   "provider: expected [a-z][a-z0-9_.-]*, found `Acme`",
                   kci_capsule_check(&capsule, 0, false, &error));
    strcpy(capsule.provider, "");
    EXPECT_FAILURE(error, KC_ERR_MODULE, "provider",
                   kci_capsule_check(&capsule, 0, true, &error));
}
END_TEST

Suite *suite_module_inspect_capsule(void)
{
    Suite *suite = suite_create("module/inspect_capsule");
    TCase *tests = tcase_create("inspect_capsule");
    tcase_add_test(tests, a_right_record_is_accepted);
    tcase_add_loop_test(tests, a_value_out_of_range_is_refused, 0,
                        (int)(sizeof always / sizeof *always));
    tcase_add_loop_test(tests, a_newer_minor_version_may_have_more, 0,
                        (int)(sizeof only_now / sizeof *only_now));
    tcase_add_test(tests, evidence_has_a_name);
    tcase_add_test(tests, a_capsule_without_a_usable_name_is_counted);
    tcase_add_test(tests, a_provider_is_a_label);
    suite_add_tcase(suite, tests);
    return suite;
}
