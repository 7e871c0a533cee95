/* SPDX-License-Identifier: Apache-2.0
 *
 * Explanations: every candidate, the reason, and the field that decided with
 * what was asked for and what was found.
 */
#include "plan/choose.h"

#include <stdio.h>
#include <string.h>
#include <kcapsule/call.h>
#include "base/alloc.h"
#include "unit/contract_fixture.h"
#include "unit/demand_fixture.h"
#include "unit/expect.h"
#include "unit/plan/suites.h"

#define ATTENTION KC_OP_SCALED_DOT_PRODUCT_ATTENTION

static kci_candidate_t *explain(const kc_profile_t *profile, int32_t op,
                                const kci_demand_t *demand, size_t count)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_candidate_t *candidates = NULL;
    size_t found = 0;
    EXPECT_OK(error, kci_plan_explain(profile, op, demand, &candidates, &found,
                                      &error));
    ck_assert_uint_eq(found, count);
    return candidates;
}

static void check(const kci_candidate_t *candidate, kc_reason_t reason,
                  const char *wanted, const char *found)
{
    ck_assert_int_eq(candidate->reason, reason);
    ck_assert_str_eq(candidate->wanted, wanted);
    ck_assert_str_eq(candidate->found, found);
}

/* Attention with a query of rank 3 where every kernel wants rank 4, and one
 * named provider: one list with all candidates and their fields. */
START_TEST(no_kernel_available_says_why)
{
    kc_capsule_record_t records[] = {
        fixture_capsule("acme.a", ATTENTION, "acme", KC_DEVICE_CPU),
        fixture_capsule("acme.b", ATTENTION, "acme", KC_DEVICE_CPU),
        fixture_capsule("other.a", ATTENTION, "other", KC_DEVICE_CPU),
        fixture_capsule("hidden", ATTENTION, "stranger", KC_DEVICE_CPU)};
    records[0].limits.ranks = 1u << 4;
    records[1].limits.ranks = 1u << 4 | 1u << 5;
    kc_policy_t policy = fixture_policy(KC_DEVICE_CPU);
    policy.preference = KC_PREFERENCE_ONLY;
    strcpy(policy.provider, "acme");
    kc_profile_t *profile = fixture_profile_of(&policy, records, 4);
    kci_demand_t demand = fixture_demand(ATTENTION);
    demand.rank = 3;
    kci_candidate_t *candidates = explain(profile, ATTENTION, &demand, 4);
    check(&candidates[0], KC_REASON_LIMIT_RANK, "rank 3", "rank 4");
    check(&candidates[1], KC_REASON_LIMIT_RANK, "rank 3", "rank 4, 5");
    check(&candidates[2], KC_REASON_PROVIDER, "provider acme",
          "provider other");
    check(&candidates[3], KC_REASON_PROVIDER_UNAVAILABLE,
          "available providers reference, torchlean, native_cuda, libtorch, "
          "acme, other",
          "provider stranger");
    kci_free(candidates);
    kci_profile_release(profile);
}
END_TEST

typedef struct change {
    kc_reason_t reason;
    const char *wanted;
    const char *found;
    void (*change)(kc_capsule_record_t *capsule, kc_policy_t *policy,
                   kci_demand_t *demand);
} change_t;

static void far_device(kc_capsule_record_t *capsule, kc_policy_t *policy,
                       kci_demand_t *demand)
{
    (void)policy, (void)demand;
    capsule->device = KC_DEVICE_TPU;
}
static void no_forward(kc_capsule_record_t *capsule, kc_policy_t *policy,
                       kci_demand_t *demand)
{
    (void)policy, (void)demand;
    capsule->supports_forward = 0;
}
static void misfiled_shape(kc_capsule_record_t *capsule, kc_policy_t *policy,
                           kci_demand_t *demand)
{
    (void)policy, (void)demand;
    capsule->shape = capsule->value;
}
static void misfiled_vjp(kc_capsule_record_t *capsule, kc_policy_t *policy,
                         kci_demand_t *demand)
{
    (void)policy, (void)demand;
    capsule->vjp.mode = KC_VJP_BACKEND;
}
static void trusted(kc_capsule_record_t *capsule, kc_policy_t *policy,
                    kci_demand_t *demand)
{
    (void)policy, (void)demand;
    capsule->trust = KC_TRUST_TRUSTED_EXTERNAL;
}
static void on_cuda(kc_capsule_record_t *capsule, kc_policy_t *policy,
                    kci_demand_t *demand)
{
    (void)policy, (void)demand;
    capsule->device = KC_DEVICE_CUDA;
}
static void forward_only(kc_capsule_record_t *capsule, kc_policy_t *policy,
                         kci_demand_t *demand)
{
    (void)policy, (void)demand;
    fixture_set_vjp(capsule, KC_VJP_NONE);
}
static void needs_backend(kc_capsule_record_t *capsule, kc_policy_t *policy,
                          kci_demand_t *demand)
{
    (void)capsule, (void)demand;
    policy->vjp_mode = KC_VJP_BACKEND;
}
static void on_cuda_alike(kc_capsule_record_t *capsule, kc_policy_t *policy,
                          kci_demand_t *demand)
{
    (void)demand;
    capsule->device = KC_DEVICE_CUDA;
    policy->device = KC_DEVICE_CUDA;
}
static void saves_output(kc_capsule_record_t *capsule, kc_policy_t *policy,
                         kci_demand_t *demand)
{
    (void)policy, (void)demand;
    capsule->saved_inputs = 0;
    capsule->saved_outputs = 1;
}
static void in_double(kc_capsule_record_t *capsule, kc_policy_t *policy,
                      kci_demand_t *demand)
{
    (void)policy;
    capsule->limits.dtypes = 1u << KC_DTYPE_F32 | 1u << KC_DTYPE_I32;
    demand->dtype = KC_DTYPE_F64;
}
static void wide(kc_capsule_record_t *capsule, kc_policy_t *policy,
                 kci_demand_t *demand)
{
    (void)policy;
    capsule->limits.extent_max = 64;
    demand->extent_max = 70000;
}
static void large(kc_capsule_record_t *capsule, kc_policy_t *policy,
                  kci_demand_t *demand)
{
    (void)policy;
    capsule->limits.index_bits = 32;
    demand->element_max = INT64_C(65536) * 65537;
}
static void masked(kc_capsule_record_t *capsule, kc_policy_t *policy,
                   kci_demand_t *demand)
{
    (void)policy;
    capsule->limits.input_count_max = 3;
    demand->input_count = 4;
}
static void unchanged(kc_capsule_record_t *capsule, kc_policy_t *policy,
                      kci_demand_t *demand)
{
    (void)capsule, (void)policy, (void)demand;
}

static const change_t changes[] = {
    {KC_REASON_DEVICE_UNAVAILABLE, "available devices cpu, cuda", "device tpu",
     far_device},
    {KC_REASON_NO_FORWARD, "a forward implementation", "none", no_forward},
    {KC_REASON_MISALIGNED, "shape claim shapeSafety(gelu)",
     "shape claim valueRefinement(gelu)", misfiled_shape},
    {KC_REASON_MISALIGNED, "vjp claim vjpRefinement(gelu, torchlean-tape)",
     "vjp claim vjpRefinement(gelu, backend-vjp)", misfiled_vjp},
    {KC_REASON_TRUST, "trust checked", "trust trusted-external", trusted},
    {KC_REASON_DEVICE, "device cpu", "device cuda", on_cuda},
    {KC_REASON_VJP, "vjp torchlean-tape or backend-vjp", "vjp none",
     forward_only},
    {KC_REASON_VJP, "vjp backend-vjp", "vjp torchlean-tape", needs_backend},
    {KC_REASON_RULE_DEVICE, "a rule on device cuda",
     "the tape's rule of gelu runs on cpu", on_cuda_alike},
    {KC_REASON_RULE_SAVED, "saves input 0 (x)", "saves the output",
     saves_output},
    {KC_REASON_LIMIT_DTYPE, "dtype f64", "dtype f32, i32", in_double},
    {KC_REASON_LIMIT_EXTENT, "extent 70000", "extents up to 64", wide},
    {KC_REASON_LIMIT_ELEMENTS, "4295032832 elements",
     "up to 2147483647 elements (32-bit indices)", large},
    {KC_REASON_LIMIT_INPUTS, "4 inputs", "up to 3 inputs", masked},
    {KC_REASON_SELECTED, "", "", unchanged},
};

START_TEST(each_reason_shows_its_field)
{
    const change_t *row = &changes[_i];
    kc_capsule_record_t capsule =
        fixture_capsule("acme.gelu", KC_OP_GELU, "acme", KC_DEVICE_CPU);
    kc_policy_t policy = fixture_policy(KC_DEVICE_CPU);
    kci_demand_t demand = fixture_demand(KC_OP_GELU);
    row->change(&capsule, &policy, &demand);
    kc_profile_t *profile = fixture_profile_of(&policy, &capsule, 1);
    kci_candidate_t *candidates = explain(profile, KC_OP_GELU, &demand, 1);
    check(&candidates[0], row->reason, row->wanted, row->found);
    kci_free(candidates);
    kci_profile_release(profile);
}
END_TEST

/* Operands by number and name, what lacks and what there is. */
static const struct {
    int32_t op;
    uint32_t inputs;
    uint32_t outputs;
    const char *wanted;
    const char *found;
} gaps[] = {
    {KC_OP_MATMUL, 1, 0, "saves input 1 (b)", "saves input 0 (a)"},
    {KC_OP_MATMUL, 0, 0, "saves input 0 (a), input 1 (b)", "saves nothing"},
    {KC_OP_HARD_MASKED_SOFTMAX, 1, 0, "saves input 1 (mask), the output",
     "saves input 0 (x)"},
    {KC_OP_SQRT, 0, 0, "saves the output", "saves nothing"},
};

START_TEST(what_is_not_saved_is_named)
{
    kc_capsule_record_t capsule =
        fixture_capsule("x", gaps[_i].op, "acme", KC_DEVICE_CPU);
    capsule.saved_inputs = gaps[_i].inputs;
    capsule.saved_outputs = gaps[_i].outputs;
    kc_policy_t policy = fixture_policy(KC_DEVICE_CPU);
    kc_profile_t *profile = fixture_profile_of(&policy, &capsule, 1);
    kci_candidate_t *candidates = explain(profile, gaps[_i].op, NULL, 1);
    check(&candidates[0], KC_REASON_RULE_SAVED, gaps[_i].wanted,
          gaps[_i].found);
    kci_free(candidates);
    kci_profile_release(profile);
}
END_TEST

START_TEST(an_inner_operation_without_a_capsule_is_named)
{
    kc_capsule_record_t records[] = {
        fixture_capsule("x", KC_OP_MATMUL, "acme", KC_DEVICE_CUDA),
        fixture_capsule("y", KC_OP_SOFTMAX, "acme", KC_DEVICE_CUDA)};
    kc_policy_t policy = fixture_policy(KC_DEVICE_CUDA);
    kc_profile_t *profile = fixture_profile_of(&policy, records, 2);
    kci_candidate_t *candidates = explain(profile, KC_OP_MATMUL, NULL, 1);
    check(&candidates[0], KC_REASON_INNER, "inner operation permute",
          "no admissible capsule on device cuda");
    kci_free(candidates);
    candidates = explain(profile, KC_OP_SOFTMAX, NULL, 1);
    check(&candidates[0], KC_REASON_INNER, "inner operation sub and 4 more",
          "no admissible capsule on device cuda");
    kci_free(candidates);
    kci_profile_release(profile);
}
END_TEST

/* A preferred module that is forward only beside one that trains: gradients
 * on, the second is chosen and the explanation says why. */
START_TEST(a_preferred_forward_only_module_is_explained)
{
    kc_capsule_record_t records[] = {
        fixture_capsule("acme.relu", KC_OP_RELU, "acme", KC_DEVICE_CPU),
        fixture_capsule("reference.relu", KC_OP_RELU, "reference",
                        KC_DEVICE_CPU)};
    fixture_set_vjp(&records[0], KC_VJP_NONE);
    kc_policy_t policy = fixture_policy(KC_DEVICE_CPU);
    policy.preference = KC_PREFERENCE_PREFER;
    strcpy(policy.provider, "acme");
    kc_profile_t *profile = fixture_profile_of(&policy, records, 2);
    kci_candidate_t *candidates = explain(profile, KC_OP_RELU, NULL, 2);
    check(&candidates[0], KC_REASON_VJP, "vjp torchlean-tape or backend-vjp",
          "vjp none");
    check(&candidates[1], KC_REASON_SELECTED, "", "");
    kci_free(candidates);
    kci_profile_release(profile);
}
END_TEST

START_TEST(determinism_is_explained)
{
    kc_capsule_record_t records[] = {
        fixture_capsule("x", KC_OP_RELU, "acme", KC_DEVICE_CPU),
        fixture_capsule("y", KC_OP_RELU, "acme", KC_DEVICE_CPU)};
    records[1].numerics.invariance =
        1u << KC_INVARIANT_THREADS | 1u << KC_INVARIANT_BATCH;
    kc_policy_t policy = fixture_policy(KC_DEVICE_CPU);
    kc_profile_t *profile = fixture_profile_of(&policy, records, 2);
    profile->numerics = KC_NUMERICS_DETERMINISTIC;
    kci_candidate_t *candidates = explain(profile, KC_OP_RELU, NULL, 2);
    check(&candidates[0], KC_REASON_NONDETERMINISTIC, "invariance run",
          "invariance unstated");
    check(&candidates[1], KC_REASON_NONDETERMINISTIC, "invariance run",
          "invariance threads, batch");
    kci_free(candidates);
    kci_profile_release(profile);
}
END_TEST

START_TEST(the_winner_and_those_that_only_come_later)
{
    kc_capsule_record_t records[] = {
        fixture_capsule("x", KC_OP_RELU, "other", KC_DEVICE_CPU),
        fixture_capsule("y", KC_OP_RELU, "acme", KC_DEVICE_CPU),
        fixture_capsule("z", KC_OP_ADD, "acme", KC_DEVICE_CPU)};
    kc_policy_t policy = fixture_policy(KC_DEVICE_CPU);
    policy.preference = KC_PREFERENCE_PREFER;
    strcpy(policy.provider, "acme");
    kc_profile_t *profile = fixture_profile_of(&policy, records, 3);
    kci_candidate_t *candidates = explain(profile, KC_OP_RELU, NULL, 2);
    ck_assert_uint_eq(candidates[0].entry, 0);
    check(&candidates[0], KC_REASON_NOT_PREFERRED, "", "");
    ck_assert_uint_eq(candidates[1].entry, 1);
    check(&candidates[1], KC_REASON_SELECTED, "", "");
    kci_free(candidates);
    kci_free(explain(profile, KC_OP_MUL, NULL, 0));
    kci_profile_release(profile);
}
END_TEST

START_TEST(a_long_list_is_cut_and_ends)
{
    kc_capsule_record_t capsule =
        fixture_capsule("x", KC_OP_RELU, "acme", KC_DEVICE_CPU);
    capsule.limits.ranks = ~(1u << 2);
    kc_policy_t policy = fixture_policy(KC_DEVICE_CPU);
    kc_profile_t *profile = fixture_profile_of(&policy, &capsule, 1);
    kci_demand_t demand = fixture_demand(KC_OP_RELU);
    kci_candidate_t *candidates = explain(profile, KC_OP_RELU, &demand, 1);
    check(&candidates[0], KC_REASON_LIMIT_RANK, "rank 2",
          "rank 0, 1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16");
    kci_free(candidates);
    kci_profile_release(profile);
}
END_TEST

START_TEST(an_operation_that_is_none_is_an_error)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_capsule_record_t capsule =
        fixture_capsule("x", KC_OP_RELU, "acme", KC_DEVICE_CPU);
    kc_policy_t policy = fixture_policy(KC_DEVICE_CPU);
    kc_profile_t *profile = fixture_profile_of(&policy, &capsule, 1);
    kci_candidate_t *candidates = NULL;
    size_t count = 0;
    EXPECT_FAILURE(error, KC_ERR_ARGUMENT, "operation 47: expected 0 to 46",
                   kci_plan_explain(profile, KC_OP_COUNT, NULL, &candidates,
                                    &count, &error));
    ck_assert_ptr_null(candidates);
    kci_profile_release(profile);
}
END_TEST

Suite *suite_plan_explain(void)
{
    Suite *suite = suite_create("plan/explain");
    TCase *tcase = tcase_create("all");
    tcase_add_test(tcase, no_kernel_available_says_why);
    tcase_add_loop_test(tcase, each_reason_shows_its_field, 0,
                        sizeof changes / sizeof *changes);
    tcase_add_loop_test(tcase, what_is_not_saved_is_named, 0,
                        sizeof gaps / sizeof *gaps);
    tcase_add_test(tcase, an_inner_operation_without_a_capsule_is_named);
    tcase_add_test(tcase, a_preferred_forward_only_module_is_explained);
    tcase_add_test(tcase, determinism_is_explained);
    tcase_add_test(tcase, the_winner_and_those_that_only_come_later);
    tcase_add_test(tcase, a_long_list_is_cut_and_ends);
    tcase_add_test(tcase, an_operation_that_is_none_is_an_error);
    suite_add_tcase(suite, tcase);
    return suite;
}
