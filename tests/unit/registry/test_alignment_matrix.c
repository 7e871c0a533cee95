/* SPDX-License-Identifier: Apache-2.0
 *
 * The alignment matrix: every field with every claim, about the right and a
 * wrong operation, with every mode, for every VJP mode of the capsule.
 */
#include "unit/contract_fixture.h"

#include "plan/claim_text.h"
#include "unit/registry/suites.h"

/* Restated from the specification, not from the code. */
static bool is_right_claim(const kc_capsule_record_t *capsule, int32_t field,
                           int32_t claim, int32_t mode)
{
    switch (field) {
    case KC_OBLIGATION_SHAPE:
        return claim == KC_CLAIM_SHAPE_SAFETY;
    case KC_OBLIGATION_LAYOUT:
        return claim == KC_CLAIM_LAYOUT_COMPATIBILITY;
    case KC_OBLIGATION_VALUE:
        return claim == KC_CLAIM_VALUE_REFINEMENT;
    default:
        break;
    }
    if (capsule->vjp_mode == KC_VJP_NONE) {
        return claim == KC_CLAIM_VJP_UNAVAILABLE;
    }
    return claim == KC_CLAIM_VJP_REFINEMENT && mode == capsule->vjp_mode;
}

static kc_contract_descriptor_t *field_of(kc_capsule_record_t *capsule,
                                          int32_t field)
{
    kc_contract_descriptor_t *fields[] = {&capsule->shape, &capsule->layout,
                                          &capsule->value, &capsule->vjp};
    return fields[field];
}

/* All three modes are both a layout and a VJP mode. */
static void check_claim(int32_t vjp_mode, int32_t field, int32_t claim,
                        bool is_same_op, int32_t mode)
{
    kc_capsule_record_t capsule =
        fixture_capsule("x", KC_OP_MATMUL, "reference", KC_DEVICE_CPU);
    fixture_set_vjp(&capsule, vjp_mode);
    kc_contract_descriptor_t *descriptor = field_of(&capsule, field);
    descriptor->claim = claim;
    descriptor->op = is_same_op ? KC_OP_MATMUL : KC_OP_RELU;
    descriptor->mode = mode;
    int32_t wrong = -1;
    bool expected = is_same_op && is_right_claim(&capsule, field, claim, mode);
    ck_assert_msg(kci_capsule_is_aligned(&capsule, &wrong) == expected,
                  "vjp mode %d, field %d, claim %d, same op %d, mode %d",
                  vjp_mode, field, claim, is_same_op, mode);
    ck_assert(kci_capsule_is_aligned(&capsule, NULL) == expected);
    ck_assert_int_eq(wrong, expected ? -1 : field);
}

START_TEST(every_field_takes_its_own_claim_only)
{
    int32_t vjp_mode = _i;
    for (int32_t field = 0; field < KC_OBLIGATION_COUNT; field++) {
        for (int32_t claim = 0; claim < KC_CLAIM_COUNT; claim++) {
            for (int32_t mode = 0; mode < KC_VJP_MODE_COUNT; mode++) {
                check_claim(vjp_mode, field, claim, true, mode);
                check_claim(vjp_mode, field, claim, false, mode);
            }
        }
    }
}
END_TEST

START_TEST(a_forward_only_capsule_has_no_refinement_of_none)
{
    kc_capsule_record_t capsule =
        fixture_capsule("x", KC_OP_MATMUL, "reference", KC_DEVICE_CPU);
    fixture_set_vjp(&capsule, KC_VJP_NONE);
    capsule.vjp.claim = KC_CLAIM_VJP_REFINEMENT;
    capsule.vjp.mode = KC_VJP_NONE;
    ck_assert(!kci_capsule_is_aligned(&capsule, NULL));
}
END_TEST

START_TEST(a_layout_that_does_not_exist_is_misaligned)
{
    kc_capsule_record_t capsule =
        fixture_capsule("x", KC_OP_MATMUL, "reference", KC_DEVICE_CPU);
    capsule.layout.mode = KC_LAYOUT_COUNT;
    ck_assert(!kci_capsule_is_aligned(&capsule, NULL));
}
END_TEST

Suite *suite_registry_alignment_matrix(void)
{
    Suite *suite = suite_create("registry/alignment_matrix");
    TCase *tcase = tcase_create("matrix");
    tcase_add_loop_test(tcase, every_field_takes_its_own_claim_only, 0,
                        KC_VJP_MODE_COUNT);
    tcase_add_test(tcase, a_forward_only_capsule_has_no_refinement_of_none);
    tcase_add_test(tcase, a_layout_that_does_not_exist_is_misaligned);
    suite_add_tcase(suite, tcase);
    return suite;
}
