/* SPDX-License-Identifier: Apache-2.0
 *
 * The four rules of an aligned contract, each broken in each way.
 */
#include "unit/module/mock_fixture.h"
#include "unit/module/suites.h"
#include "unit/module/contract_record.h"
#include "unit/expect.h"

static void expect_misaligned(const kc_capsule_record_t *capsule,
                              int32_t obligation)
{
    int32_t found = -1;
    ck_assert(!kci_capsule_is_aligned(capsule, &found));
    ck_assert_int_eq(found, obligation);
    ck_assert(!kci_capsule_is_aligned(capsule, NULL));
}

START_TEST(a_right_contract_is_aligned)
{
    kc_capsule_record_t capsule = contract_record();
    int32_t untouched = 77;
    ck_assert(kci_capsule_is_aligned(&capsule, &untouched));
    ck_assert_int_eq(untouched, 77);
    for (int32_t layout = 0; layout < KC_LAYOUT_COUNT; layout++) {
        capsule.layout.mode = layout;
        ck_assert(kci_capsule_is_aligned(&capsule, NULL));
    }
}
END_TEST

START_TEST(each_field_makes_its_own_claim)
{
    kc_contract_descriptor_t *fields[KC_OBLIGATION_COUNT];
    for (int32_t field = 0; field < KC_OBLIGATION_COUNT; field++) {
        for (int32_t claim = 0; claim < KC_CLAIM_COUNT; claim++) {
            kc_capsule_record_t capsule = contract_record();
            fields[0] = &capsule.shape;
            fields[1] = &capsule.layout;
            fields[2] = &capsule.value;
            fields[3] = &capsule.vjp;
            if (fields[field]->claim != claim) {
                fields[field]->claim = claim;
                expect_misaligned(&capsule, field);
            }
        }
    }
}
END_TEST

START_TEST(each_claim_is_about_the_operation)
{
    kc_capsule_record_t capsule = contract_record();
    capsule.shape.op = KC_OP_ABS;
    expect_misaligned(&capsule, KC_OBLIGATION_SHAPE);
    capsule = contract_record();
    capsule.layout.op = KC_OP_ABS;
    expect_misaligned(&capsule, KC_OBLIGATION_LAYOUT);
    capsule = contract_record();
    capsule.value.op = KC_OP_ABS;
    expect_misaligned(&capsule, KC_OBLIGATION_VALUE);
    capsule = contract_record();
    capsule.vjp.op = KC_OP_ABS;
    expect_misaligned(&capsule, KC_OBLIGATION_VJP);
    capsule.shape.op = KC_OP_ABS; /* the first one is said */
    expect_misaligned(&capsule, KC_OBLIGATION_SHAPE);
}
END_TEST

START_TEST(the_vjp_claim_goes_with_the_mode)
{
    for (int32_t mode = 0; mode < KC_VJP_MODE_COUNT; mode++) {
        for (int32_t claimed = 0; claimed < KC_VJP_MODE_COUNT; claimed++) {
            kc_capsule_record_t capsule = contract_record();
            capsule.vjp_mode = mode;
            capsule.vjp.claim = KC_CLAIM_VJP_REFINEMENT;
            capsule.vjp.mode = claimed;
            ck_assert_int_eq(kci_capsule_is_aligned(&capsule, NULL),
                             mode == claimed && mode != KC_VJP_NONE);
            capsule.vjp.claim = KC_CLAIM_VJP_UNAVAILABLE;
            ck_assert_int_eq(kci_capsule_is_aligned(&capsule, NULL),
                             mode == KC_VJP_NONE);
        }
    }
}
END_TEST

START_TEST(the_misfiled_example_is_accepted_and_misaligned)
{
    kci_module_file_t *file = inspect_mock("misaligned");
    ck_assert_int_eq(file->verdict.status, KC_OK);
    ck_assert_str_eq(file->record.name, "reference");
    ck_assert_uint_eq(file->capsule_count, 1);
    expect_misaligned(&file->capsules[0], KC_OBLIGATION_SHAPE);
    kci_module_file_release(file);
}
END_TEST

Suite *suite_module_alignment(void)
{
    Suite *suite = suite_create("module/alignment");
    TCase *tests = tcase_create("alignment");
    tcase_add_test(tests, a_right_contract_is_aligned);
    tcase_add_test(tests, each_field_makes_its_own_claim);
    tcase_add_test(tests, each_claim_is_about_the_operation);
    tcase_add_test(tests, the_vjp_claim_goes_with_the_mode);
    tcase_add_test(tests, the_misfiled_example_is_accepted_and_misaligned);
    suite_add_tcase(suite, tests);
    return suite;
}
