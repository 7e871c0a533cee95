/* SPDX-License-Identifier: Apache-2.0
 *
 * What a capsule brings along, what of it a profile serves, and by whom.
 */
#include "plan/inner.h"

#include <string.h>
#include "base/alloc.h"
#include "unit/contract_fixture.h"
#include "unit/demand_fixture.h"
#include "unit/expect.h"
#include "unit/plan/suites.h"

#define ATTENTION KC_OP_SCALED_DOT_PRODUCT_ATTENTION

START_TEST(the_inner_policy_differs_in_its_vjp_mode_only)
{
    kc_policy_t policy = fixture_policy(KC_DEVICE_CUDA);
    policy.preference = KC_PREFERENCE_PREFER;
    strcpy(policy.provider, "acme");
    policy.allow_trusted_external = 1;
    policy.require_receipts = 1;
    kc_policy_t inner = kci_inner_policy(&policy);
    ck_assert_int_eq(inner.vjp_mode, KC_VJP_NONE);
    inner.vjp_mode = policy.vjp_mode;
    ck_assert_mem_eq(&inner, &policy, sizeof inner);
}
END_TEST

START_TEST(only_compositions_are_made_of_operations)
{
    for (int32_t op = 0; op < KC_OP_COUNT; op++) {
        kc_capsule_record_t capsule =
            fixture_capsule("x", op, "torchlean", KC_DEVICE_CUDA);
        ck_assert_uint_eq(kci_inner_forward_ops(&capsule),
                          kci_composition_inner_ops(op));
        strcpy(capsule.provider, "torchlean2");
        ck_assert_uint_eq(kci_inner_forward_ops(&capsule), 0);
        capsule.op = op + KC_OP_COUNT;
        strcpy(capsule.provider, "torchlean");
        ck_assert_uint_eq(kci_inner_forward_ops(&capsule), 0);
    }
}
END_TEST

START_TEST(a_composition_owns_no_kernel_for_its_gradient)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_candidate_t *candidates = NULL;
    size_t count = 0;
    kc_policy_t policy = fixture_policy(KC_DEVICE_CPU);
    kc_capsule_record_t capsule =
        fixture_capsule("x", ATTENTION, "torchlean", KC_DEVICE_CPU);
    fixture_set_vjp(&capsule, KC_VJP_BACKEND);
    ck_assert(!kci_policy_accepts_vjp(&policy, &capsule));
    kc_profile_t *profile = fixture_profile_of(&policy, &capsule, 1);
    EXPECT_OK(error, kci_plan_explain(profile, ATTENTION, NULL, &candidates,
                                      &count, &error));
    ck_assert_int_eq(candidates[0].reason, KC_REASON_VJP);
    ck_assert_str_eq(candidates[0].found, "vjp backend-vjp of a composition");
    policy.vjp_mode = KC_VJP_BACKEND;
    ck_assert(!kci_policy_accepts_vjp(&policy, &capsule));
    policy.vjp_mode = KC_VJP_NONE;
    ck_assert(kci_policy_accepts_vjp(&policy, &capsule));
    strcpy(capsule.provider, "acme");
    policy.vjp_mode = KC_VJP_BACKEND;
    ck_assert(kci_policy_accepts_vjp(&policy, &capsule));
    kci_free(candidates);
    kci_profile_release(profile);
}
END_TEST

START_TEST(a_rule_brings_operations_where_it_is_the_composed_one)
{
    kc_policy_t policy = fixture_policy(KC_DEVICE_CPU);
    kc_capsule_record_t capsule =
        fixture_capsule("x", ATTENTION, "acme", KC_DEVICE_CPU);
    ck_assert_uint_eq(kci_inner_vjp_ops(&policy, &capsule), 0);
    strcpy(capsule.provider, "torchlean");
    uint64_t ops = kci_vjp_info(ATTENTION)->inner_ops;
    ck_assert_uint_eq(kci_inner_vjp_ops(&policy, &capsule), ops);
    strcpy(capsule.provider, "acme");
    capsule.device = KC_DEVICE_CUDA;
    ck_assert_uint_eq(kci_inner_vjp_ops(&policy, &capsule), ops);
    policy.vjp_mode = KC_VJP_NONE;
    ck_assert_uint_eq(kci_inner_vjp_ops(&policy, &capsule), 0);
    policy.vjp_mode = KC_VJP_TORCHLEAN_TAPE;
    fixture_set_vjp(&capsule, KC_VJP_BACKEND);
    ck_assert_uint_eq(kci_inner_vjp_ops(&policy, &capsule), 0);
}
END_TEST

/* Nobody differentiates an inner operation: forward only is enough, and so
 * is one whose own rule could not be had. */
START_TEST(inner_operations_need_no_rule_of_their_own)
{
    kc_capsule_record_t records[] = {
        fixture_capsule("softplus", KC_OP_SOFTPLUS, "acme", KC_DEVICE_CUDA),
        fixture_capsule("sigmoid", KC_OP_SIGMOID, "acme", KC_DEVICE_CUDA),
        fixture_capsule("relu", KC_OP_RELU, "acme", KC_DEVICE_CUDA),
        fixture_capsule("mul", KC_OP_MUL, "acme", KC_DEVICE_CPU)};
    fixture_set_vjp(&records[0], KC_VJP_NONE);
    kc_policy_t policy = fixture_policy(KC_DEVICE_CUDA);
    kc_profile_t *profile = fixture_profile_of(&policy, records, 4);
    ck_assert_uint_eq(kci_inner_plannable_ops(profile, &policy, false),
                      KCI_OP_BIT(KC_OP_SOFTPLUS) | KCI_OP_BIT(KC_OP_SIGMOID) |
                          KCI_OP_BIT(KC_OP_RELU));
    policy.device = KC_DEVICE_CPU;
    ck_assert_uint_eq(kci_inner_plannable_ops(profile, &policy, false),
                      KCI_OP_BIT(KC_OP_MUL));
    kci_profile_release(profile);
}
END_TEST

START_TEST(availability_counts_unless_it_is_left_out)
{
    kc_capsule_record_t record =
        fixture_capsule("add", KC_OP_ADD, "stranger", KC_DEVICE_CPU);
    kc_policy_t policy = fixture_policy(KC_DEVICE_CPU);
    kc_profile_t *profile = fixture_profile_of(&policy, &record, 1);
    ck_assert_uint_eq(kci_inner_plannable_ops(profile, &policy, false), 0);
    ck_assert_uint_eq(kci_inner_plannable_ops(profile, &policy, true),
                      KCI_OP_BIT(KC_OP_ADD));
    kci_profile_release(profile);
}
END_TEST

/* What a deterministic profile may not run, no rule may be made of. */
START_TEST(parts_are_as_deterministic_as_the_profile_asks)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_capsule_record_t records[] = {
        fixture_capsule("add", KC_OP_ADD, "acme", KC_DEVICE_CPU),
        fixture_capsule("mul", KC_OP_MUL, "acme", KC_DEVICE_CPU)};
    records[0].numerics.invariance = 0;
    records[1].numerics.invariance = 1u << KC_INVARIANT_RUN;
    kc_policy_t policy = fixture_policy(KC_DEVICE_CPU);
    kc_profile_t *profile = fixture_profile_of(&policy, records, 2);
    uint64_t both = KCI_OP_BIT(KC_OP_ADD) | KCI_OP_BIT(KC_OP_MUL);
    ck_assert_uint_eq(kci_inner_plannable_ops(profile, &policy, false), both);
    profile->numerics = KC_NUMERICS_DETERMINISTIC;
    ck_assert_uint_eq(kci_inner_plannable_ops(profile, &policy, false),
                      KCI_OP_BIT(KC_OP_MUL));
    kci_inner_plan_t inner;
    uint16_t entry = KCI_NO_ENTRY;
    EXPECT_OK(error, kci_inner_plan_create(profile, &policy, &inner, &error));
    EXPECT_OK(error,
              kci_inner_plan_find(&inner, KC_OP_MUL, NULL, &entry, &error));
    EXPECT_FAILURE(
        error, KC_ERR_NO_CAPSULE, "for op add",
        kci_inner_plan_find(&inner, KC_OP_ADD, NULL, &entry, &error));
    kci_inner_plan_release(&inner);
    kci_profile_release(profile);
}
END_TEST

/* Capsules for the parts of attention, in front of them the composition. */
static size_t make_parts(const char *provider, kc_capsule_record_t *records)
{
    size_t count = 0;
    records[count++] = fixture_capsule("torchlean.composed_attention",
                                       ATTENTION, "torchlean", KC_DEVICE_CPU);
    for (int32_t op = 0; op < KC_OP_COUNT; op++) {
        if ((kci_vjp_info(ATTENTION)->inner_ops & KCI_OP_BIT(op)) != 0) {
            records[count++] =
                fixture_capsule("x", op, provider, KC_DEVICE_CPU);
        }
    }
    return count;
}

START_TEST(a_composition_is_served_by_its_parts_and_never_by_itself)
{
    kc_capsule_record_t records[KC_OP_COUNT + 1];
    size_t count = make_parts("acme", records);
    kc_policy_t policy = fixture_policy(KC_DEVICE_CPU);
    kc_profile_t *profile = fixture_profile_of(&policy, records, count);
    uint64_t parts = kci_vjp_info(ATTENTION)->inner_ops;
    ck_assert_uint_eq(parts & KCI_OP_BIT(ATTENTION), 0);
    ck_assert_uint_eq(kci_inner_plannable_ops(profile, &policy, false),
                      parts | KCI_OP_BIT(ATTENTION));
    ck_assert_uint_eq(kci_plan_choose_direct(profile, ATTENTION, NULL), 0);
    kci_profile_release(profile);
    profile = fixture_profile_of(&policy, records, count - 1);
    ck_assert_uint_eq(kci_plan_choose_direct(profile, ATTENTION, NULL),
                      KCI_NO_ENTRY);
    kci_profile_release(profile);
    profile = fixture_profile_of(&policy, records, 1);
    ck_assert_uint_eq(kci_inner_plannable_ops(profile, &policy, false), 0);
    kci_profile_release(profile);
}
END_TEST

/* `only` holds for the parts as well. */
START_TEST(a_preference_for_one_provider_holds_for_the_parts)
{
    kc_capsule_record_t records[KC_OP_COUNT + 1];
    size_t count = make_parts("acme", records);
    kc_policy_t policy = fixture_policy(KC_DEVICE_CPU);
    policy.preference = KC_PREFERENCE_ONLY;
    strcpy(policy.provider, "torchlean");
    kc_profile_t *profile = fixture_profile_of(&policy, records, count);
    ck_assert_uint_eq(kci_plan_choose_direct(profile, ATTENTION, NULL),
                      KCI_NO_ENTRY);
    kci_profile_release(profile);
    make_parts("torchlean", records);
    profile = fixture_profile_of(&policy, records, count);
    ck_assert_uint_eq(kci_plan_choose_direct(profile, ATTENTION, NULL), 0);
    kci_profile_release(profile);
}
END_TEST

START_TEST(the_inner_choice_passes_over_what_its_operands_break)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_capsule_record_t records[] = {
        fixture_capsule("f32", KC_OP_MUL, "acme", KC_DEVICE_CPU),
        fixture_capsule("f64", KC_OP_MUL, "other", KC_DEVICE_CPU)};
    fixture_set_vjp(&records[0], KC_VJP_NONE);
    records[1].limits.dtypes = 1u << KC_DTYPE_F64;
    kc_policy_t policy = fixture_policy(KC_DEVICE_CPU);
    kc_profile_t *profile = fixture_profile_of(&policy, records, 2);
    kci_inner_plan_t inner;
    EXPECT_OK(error, kci_inner_plan_create(profile, &policy, &inner, &error));
    ck_assert_int_eq(inner.policy.vjp_mode, KC_VJP_NONE);
    uint16_t entry = KCI_NO_ENTRY;
    kci_demand_t demand = fixture_demand(KC_OP_MUL);
    EXPECT_OK(error,
              kci_inner_plan_find(&inner, KC_OP_MUL, NULL, &entry, &error));
    ck_assert_uint_eq(entry, 0);
    demand.dtype = KC_DTYPE_F64;
    EXPECT_OK(error,
              kci_inner_plan_find(&inner, KC_OP_MUL, &demand, &entry, &error));
    ck_assert_uint_eq(entry, 1);
    demand.dtype = KC_DTYPE_I64;
    EXPECT_FAILURE(
        error, KC_ERR_NO_CAPSULE,
        "no admissible kernel capsule for op mul on device cpu",
        kci_inner_plan_find(&inner, KC_OP_MUL, &demand, &entry, &error));
    ck_assert_uint_eq(entry, 1);
    kci_inner_plan_release(&inner);
    kci_profile_release(profile);
}
END_TEST

Suite *suite_plan_inner(void)
{
    Suite *suite = suite_create("plan/inner");
    TCase *tcase = tcase_create("all");
    tcase_add_test(tcase, the_inner_policy_differs_in_its_vjp_mode_only);
    tcase_add_test(tcase, only_compositions_are_made_of_operations);
    tcase_add_test(tcase, a_composition_owns_no_kernel_for_its_gradient);
    tcase_add_test(tcase,
                   a_rule_brings_operations_where_it_is_the_composed_one);
    tcase_add_test(tcase, inner_operations_need_no_rule_of_their_own);
    tcase_add_test(tcase, availability_counts_unless_it_is_left_out);
    tcase_add_test(tcase, parts_are_as_deterministic_as_the_profile_asks);
    tcase_add_test(tcase,
                   a_composition_is_served_by_its_parts_and_never_by_itself);
    tcase_add_test(tcase, a_preference_for_one_provider_holds_for_the_parts);
    tcase_add_test(tcase, the_inner_choice_passes_over_what_its_operands_break);
    suite_add_tcase(suite, tcase);
    return suite;
}
