/* SPDX-License-Identifier: Apache-2.0
 *
 * The order of selection: auto, prefer and only with ties, and agreement with
 * the selection rule written down naively, on many made-up catalogues.
 */
#include "plan/choose.h"

#include <stdio.h>
#include <string.h>
#include "plan/inner.h"
#include "unit/contract_fixture.h"
#include "unit/demand_fixture.h"
#include "unit/expect.h"
#include "unit/plan/suites.h"

static kc_policy_t with_provider(int32_t preference, const char *provider)
{
    kc_policy_t policy = fixture_policy(KC_DEVICE_CPU);
    policy.preference = preference;
    strcpy(policy.provider, provider);
    return policy;
}

/* a1 (acme), b1 (other), a2 (acme), b2 (other): all for relu on the cpu. */
static kc_profile_t *ties(const kc_policy_t *policy)
{
    kc_capsule_record_t records[] = {
        fixture_capsule("a1", KC_OP_RELU, "acme", KC_DEVICE_CPU),
        fixture_capsule("b1", KC_OP_RELU, "other", KC_DEVICE_CPU),
        fixture_capsule("a2", KC_OP_RELU, "acme", KC_DEVICE_CPU),
        fixture_capsule("b2", KC_OP_RELU, "other", KC_DEVICE_CPU)};
    return fixture_profile_of(policy, records, 4);
}

static const struct {
    int32_t preference;
    const char *provider;
    uint16_t entry;
} choices[] = {
    {KC_PREFERENCE_AUTO, "", 0},
    {KC_PREFERENCE_PREFER, "acme", 0},
    {KC_PREFERENCE_PREFER, "other", 1},
    {KC_PREFERENCE_PREFER, "libtorch", 0},
    {KC_PREFERENCE_ONLY, "acme", 0},
    {KC_PREFERENCE_ONLY, "other", 1},
    {KC_PREFERENCE_ONLY, "libtorch", KCI_NO_ENTRY},
};

START_TEST(ties_go_by_catalogue_order)
{
    kc_policy_t policy =
        with_provider(choices[_i].preference, choices[_i].provider);
    kc_profile_t *profile = ties(&policy);
    ck_assert_uint_eq(kci_plan_choose_direct(profile, KC_OP_RELU, NULL),
                      choices[_i].entry);
    ck_assert_uint_eq(kci_plan_choose_direct(profile, KC_OP_ADD, NULL),
                      KCI_NO_ENTRY);
    ck_assert_uint_eq(kci_plan_choose_direct(profile, -1, NULL), KCI_NO_ENTRY);
    ck_assert_uint_eq(kci_plan_choose_direct(profile, KC_OP_COUNT, NULL),
                      KCI_NO_ENTRY);
    kci_profile_release(profile);
}
END_TEST

START_TEST(a_preference_never_overrides_a_filter)
{
    kc_capsule_record_t records[] = {
        fixture_capsule("good", KC_OP_RELU, "other", KC_DEVICE_CPU),
        fixture_capsule("far", KC_OP_RELU, "acme", KC_DEVICE_CUDA),
        fixture_capsule("trusted", KC_OP_RELU, "acme", KC_DEVICE_CPU)};
    records[2].trust = KC_TRUST_TRUSTED_EXTERNAL;
    kc_policy_t policy = with_provider(KC_PREFERENCE_PREFER, "acme");
    kc_profile_t *profile = fixture_profile_of(&policy, records, 3);
    ck_assert_uint_eq(kci_plan_choose_direct(profile, KC_OP_RELU, NULL), 0);
    kci_profile_release(profile);
    policy.preference = KC_PREFERENCE_ONLY;
    profile = fixture_profile_of(&policy, records, 3);
    ck_assert_uint_eq(kci_plan_choose_direct(profile, KC_OP_RELU, NULL),
                      KCI_NO_ENTRY);
    kci_profile_release(profile);
}
END_TEST

/* The rule as the specification says it. */
static uint16_t choose_naively(const kc_profile_t *profile, int32_t op,
                               const kci_demand_t *demand)
{
    uint16_t first = KCI_NO_ENTRY;
    for (size_t idx = 0; idx < profile->entry_count; idx++) {
        kci_case_t request = {.policy = &profile->policy,
                              .entry = &profile->entries[idx],
                              .demand = demand,
                              .numerics = profile->numerics,
                              .plannable_ops = kci_inner_plannable_ops(
                                  profile, &profile->policy, false)};
        if (profile->entries[idx].capsule->op != op ||
            kci_case_judge(&request) != KC_REASON_SELECTED) {
            continue;
        }
        if (profile->policy.preference == KC_PREFERENCE_PREFER &&
            strcmp(profile->entries[idx].capsule->provider,
                   profile->policy.provider) == 0) {
            return (uint16_t)idx;
        }
        first = first == KCI_NO_ENTRY ? (uint16_t)idx : first;
    }
    return first;
}

static uint32_t next_random(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return (uint32_t)(*state * UINT64_C(0x2545f4914f6cdd1d) >> 32);
}

static kc_capsule_record_t random_capsule(uint64_t *state, size_t place)
{
    static const char *const providers[] = {"acme", "other", "stranger"};
    char name[16];
    snprintf(name, sizeof name, "c%zu", place);
    kc_capsule_record_t capsule = fixture_capsule(
        name, (int32_t)(KC_OP_ADD + next_random(state) % 3),
        providers[next_random(state) % 3],
        next_random(state) % 4 == 0 ? KC_DEVICE_CUDA : KC_DEVICE_CPU);
    fixture_set_vjp(&capsule, (int32_t)(next_random(state) % 3));
    capsule.trust = next_random(state) % 4 == 0;
    capsule.limits.dtypes = next_random(state) % 4;
    capsule.limits.ranks = next_random(state) % 16;
    capsule.limits.extent_max = next_random(state) % 3 * 50;
    return capsule;
}

static void check_catalogue(uint64_t *state)
{
    enum { COUNT = 12 };
    static const char *const labels[] = {"acme", "other", "libtorch"};
    kc_capsule_record_t records[COUNT];
    for (size_t idx = 0; idx < COUNT; idx++) {
        records[idx] = random_capsule(state, idx);
    }
    kc_policy_t policy = with_provider((int32_t)(next_random(state) % 3),
                                       labels[next_random(state) % 3]);
    policy.allow_trusted_external = next_random(state) % 2;
    policy.vjp_mode = (int32_t)(next_random(state) % 3);
    kc_profile_t *profile = fixture_profile_of(&policy, records, COUNT);
    kc_error_t error = KC_ERROR_INIT;
    kci_shortlist_t list;
    EXPECT_OK(error,
              kci_shortlist_create(profile, &profile->policy, &list, &error));
    for (int32_t op = KC_OP_ADD; op < KC_OP_ADD + 4; op++) {
        kci_demand_t demand = fixture_demand(op);
        demand.dtype = (int8_t)(next_random(state) % 2);
        demand.rank = (int8_t)(next_random(state) % 4);
        demand.extent_max = next_random(state) % 120;
        ck_assert_uint_eq(kci_shortlist_find(&list, op, NULL),
                          choose_naively(profile, op, NULL));
        ck_assert_uint_eq(kci_shortlist_find(&list, op, &demand),
                          choose_naively(profile, op, &demand));
    }
    kci_shortlist_release(&list);
    kci_profile_release(profile);
}

START_TEST(the_shortlist_agrees_with_the_rule)
{
    uint64_t state = UINT64_C(0x1234567) + (uint64_t)_i;
    for (int round = 0; round < 500; round++) {
        check_catalogue(&state);
    }
}
END_TEST

Suite *suite_plan_choose(void)
{
    Suite *suite = suite_create("plan/choose");
    TCase *tcase = tcase_create("all");
    tcase_add_loop_test(tcase, ties_go_by_catalogue_order, 0,
                        sizeof choices / sizeof *choices);
    tcase_add_test(tcase, a_preference_never_overrides_a_filter);
    tcase_add_loop_test(tcase, the_shortlist_agrees_with_the_rule, 0, 4);
    suite_add_tcase(suite, tcase);
    return suite;
}
