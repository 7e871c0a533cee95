/* SPDX-License-Identifier: Apache-2.0
 *
 * The truth table of admission, all of it, against the rules as the
 * specification states them, and the order of the reasons.
 */
#include "plan/admissible.h"

#include <string.h>
#include <kcapsule/call.h>
#include "unit/contract_fixture.h"
#include "unit/demand_fixture.h"
#include "unit/plan/suites.h"

/* One row of the table, as small numbers. */
typedef struct row {
    int has_device;
    int has_provider;
    int is_forward;
    int is_aligned;
    int trust;
    int is_external;
    int has_receipts;
    int preference; /* auto, prefer same, prefer other, only same, only other */
    int is_same_device;
    int capsule_vjp;
    int policy_vjp;
    int is_random;
} row_t;

static bool matches_vjp(const row_t *row)
{
    if (row->policy_vjp == KC_VJP_NONE || row->is_random) {
        return true;
    }
    if (row->policy_vjp == KC_VJP_TORCHLEAN_TAPE) {
        return row->capsule_vjp == KC_VJP_TORCHLEAN_TAPE ||
               row->capsule_vjp == KC_VJP_BACKEND;
    }
    return row->capsule_vjp == KC_VJP_BACKEND;
}

static kc_reason_t expected_reason(const row_t *row)
{
    const struct {
        bool passes;
        kc_reason_t reason;
    } filters[] = {
        {row->has_device, KC_REASON_DEVICE_UNAVAILABLE},
        {row->has_provider, KC_REASON_PROVIDER_UNAVAILABLE},
        {row->is_forward, KC_REASON_NO_FORWARD},
        {row->is_aligned, KC_REASON_MISALIGNED},
        {row->trust == KC_TRUST_CHECKED || row->is_external, KC_REASON_TRUST},
        {row->preference != 4, KC_REASON_PROVIDER},
        {row->is_same_device, KC_REASON_DEVICE},
        {matches_vjp(row), KC_REASON_VJP},
    };
    for (size_t idx = 0; idx < sizeof filters / sizeof *filters; idx++) {
        if (!filters[idx].passes) {
            return filters[idx].reason;
        }
    }
    return KC_REASON_SELECTED;
}

static kc_capsule_record_t capsule_of(const row_t *row)
{
    int32_t op = row->is_random ? KC_OP_RAND_UNIFORM : KC_OP_MATMUL;
    kc_capsule_record_t capsule =
        fixture_capsule("x", op, "acme", KC_DEVICE_CPU);
    fixture_set_vjp(&capsule, row->capsule_vjp);
    capsule.supports_forward = (uint32_t)row->is_forward;
    capsule.trust = row->trust;
    if (!row->is_aligned) {
        capsule.shape.claim = KC_CLAIM_VALUE_REFINEMENT;
    }
    return capsule;
}

static kc_policy_t policy_of(const row_t *row)
{
    static const int32_t kinds[] = {KC_PREFERENCE_AUTO, KC_PREFERENCE_PREFER,
                                    KC_PREFERENCE_PREFER, KC_PREFERENCE_ONLY,
                                    KC_PREFERENCE_ONLY};
    static const char *const labels[] = {"", "acme", "other", "acme", "other"};
    kc_policy_t policy =
        fixture_policy(row->is_same_device ? KC_DEVICE_CPU : KC_DEVICE_CUDA);
    policy.preference = kinds[row->preference];
    strcpy(policy.provider, labels[row->preference]);
    policy.allow_trusted_external = row->is_external;
    policy.require_receipts = row->has_receipts;
    policy.vjp_mode = row->policy_vjp;
    return policy;
}

static void check_row(const row_t *row)
{
    kc_capsule_record_t capsule = capsule_of(row);
    kc_policy_t policy = policy_of(row);
    kci_entry_t entry = {.capsule = &capsule,
                         .is_aligned = kci_capsule_is_aligned(&capsule, NULL),
                         .is_device_available = row->has_device,
                         .is_provider_available = row->has_provider};
    kci_case_t request = {.policy = &policy, .entry = &entry};
    kc_reason_t reason = kci_case_judge(&request);
    ck_assert_msg(reason == expected_reason(row),
                  "device %d provider %d forward %d aligned %d trust %d "
                  "external %d preference %d same device %d vjp %d/%d random "
                  "%d: %d",
                  row->has_device, row->has_provider, row->is_forward,
                  row->is_aligned, row->trust, row->is_external,
                  row->preference, row->is_same_device, row->capsule_vjp,
                  row->policy_vjp, row->is_random, reason);
}

static int take(int *number, int count)
{
    int value = *number % count;
    *number /= count;
    return value;
}

#define ROW_COUNT (2 * 2 * 2 * 2 * 2 * 2 * 2 * 5 * 2 * 3 * 3 * 2)

START_TEST(the_whole_table)
{
    for (int number = 0; number < ROW_COUNT; number++) {
        int rest = number;
        row_t row = {.has_device = take(&rest, 2)};
        row.has_provider = take(&rest, 2);
        row.is_forward = take(&rest, 2);
        row.is_aligned = take(&rest, 2);
        row.trust = take(&rest, 2);
        row.is_external = take(&rest, 2);
        row.has_receipts = take(&rest, 2);
        row.preference = take(&rest, 5);
        row.is_same_device = take(&rest, 2);
        row.capsule_vjp = take(&rest, 3);
        row.policy_vjp = take(&rest, 3);
        row.is_random = take(&rest, 2);
        check_row(&row);
    }
}
END_TEST

static kci_case_t plain_case(const kc_policy_t *policy,
                             const kci_entry_t *entry)
{
    return (kci_case_t){.policy = policy, .entry = entry};
}

START_TEST(availability_may_be_left_out)
{
    kc_capsule_record_t capsule =
        fixture_capsule("x", KC_OP_RELU, "acme", KC_DEVICE_CPU);
    kc_policy_t policy = fixture_policy(KC_DEVICE_CPU);
    kci_entry_t entry = {.capsule = &capsule, .is_aligned = true};
    kci_case_t request = plain_case(&policy, &entry);
    ck_assert_int_eq(kci_case_judge(&request), KC_REASON_DEVICE_UNAVAILABLE);
    request.ignores_availability = true;
    ck_assert_int_eq(kci_case_judge(&request), KC_REASON_SELECTED);
}
END_TEST

START_TEST(limits_come_after_the_policy_and_before_determinism)
{
    kc_capsule_record_t capsule =
        fixture_capsule("x", KC_OP_RELU, "acme", KC_DEVICE_CPU);
    kc_policy_t policy = fixture_policy(KC_DEVICE_CPU);
    kci_entry_t entry = {&capsule, NULL, true, true, true};
    kci_demand_t demand = fixture_demand(KC_OP_RELU);
    demand.dtype = KC_DTYPE_F64;
    kci_case_t request = plain_case(&policy, &entry);
    request.numerics = KC_NUMERICS_DETERMINISTIC;
    request.demand = &demand;
    ck_assert_int_eq(kci_case_judge(&request), KC_REASON_LIMIT_DTYPE);
    capsule.limits.dtypes = 1u << KC_DTYPE_F64;
    ck_assert_int_eq(kci_case_judge(&request), KC_REASON_NONDETERMINISTIC);
    capsule.numerics.invariance = 1u << KC_INVARIANT_THREADS;
    ck_assert_int_eq(kci_case_judge(&request), KC_REASON_NONDETERMINISTIC);
    capsule.numerics.invariance |= 1u << KC_INVARIANT_RUN;
    ck_assert_int_eq(kci_case_judge(&request), KC_REASON_SELECTED);
    policy.device = KC_DEVICE_CUDA;
    ck_assert_int_eq(kci_case_judge(&request), KC_REASON_DEVICE);
}
END_TEST

START_TEST(an_operation_of_a_newer_interface_is_never_admissible)
{
    kc_capsule_record_t capsule =
        fixture_capsule("x", KC_OP_RELU, "acme", KC_DEVICE_CPU);
    capsule.op = KC_OP_COUNT;
    kc_policy_t policy = fixture_policy(KC_DEVICE_CPU);
    kci_entry_t entry = {&capsule, NULL, true, true, true};
    kci_case_t request = plain_case(&policy, &entry);
    ck_assert_int_eq(kci_case_judge(&request), KC_REASON_UNKNOWN_OPERATION);
}
END_TEST

Suite *suite_plan_admissible(void)
{
    Suite *suite = suite_create("plan/admissible");
    TCase *tcase = tcase_create("all");
    tcase_add_test(tcase, the_whole_table);
    tcase_add_test(tcase, availability_may_be_left_out);
    tcase_add_test(tcase, limits_come_after_the_policy_and_before_determinism);
    tcase_add_test(tcase,
                   an_operation_of_a_newer_interface_is_never_admissible);
    suite_add_tcase(suite, tcase);
    return suite;
}
