/* SPDX-License-Identifier: Apache-2.0
 *
 * The truth table of admission, all of it, against the rules as the
 * specification states them, and the order of the reasons.
 */
#include "plan/admissible.h"

#include <string.h>
#include <kcapsule/call.h>
#include "ops/vjp.h"
#include "unit/contract_fixture.h"
#include "unit/demand_fixture.h"
#include "unit/plan/suites.h"

/* One row of the main table, as small numbers. */
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
    kci_case_t request = {
        .policy = &policy, .entry = &entry, .plannable_ops = UINT64_MAX};
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

START_TEST(the_whole_table_of_policies)
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

/* Of a rule: who asks, whose capsule it is, where it is. */
typedef struct rule_row {
    int policy_vjp;
    int capsule_vjp;
    int is_composition; /* of the provider torchlean */
    int device;
    int saves_all;
    int has_inner; /* all inner operations are served */
} rule_row_t;

static kc_reason_t expected_rule_reason(int32_t op, const rule_row_t *row)
{
    const kci_vjp_info_t *rule = kci_vjp_info(op);
    bool is_on_cpu = row->device == KC_DEVICE_CPU;
    bool is_composed = rule->rule == KCI_VJP_RULE_COMPOSED ||
                       (rule->rule == KCI_VJP_RULE_EITHER &&
                        (!is_on_cpu || row->is_composition));
    bool is_used = row->policy_vjp == KC_VJP_TORCHLEAN_TAPE &&
                   row->capsule_vjp == KC_VJP_TORCHLEAN_TAPE &&
                   rule->rule != KCI_VJP_RULE_NONE;
    bool is_reader = (rule->saved_inputs | rule->saved_outputs) != 0;
    bool has_parts = is_used && is_composed && rule->inner_ops != 0;
    bool is_made_of_parts =
        row->is_composition && op == KC_OP_SCALED_DOT_PRODUCT_ATTENTION;
    if (is_used && !is_composed && !is_on_cpu) {
        return KC_REASON_RULE_DEVICE;
    }
    if (is_used && is_reader && !row->saves_all) {
        return KC_REASON_RULE_SAVED;
    }
    return (has_parts || is_made_of_parts) && !row->has_inner
               ? KC_REASON_INNER
               : KC_REASON_SELECTED;
}

static bool is_vjp_accepted(int32_t op, const rule_row_t *row)
{
    row_t same = {.policy_vjp = row->policy_vjp,
                  .capsule_vjp = row->capsule_vjp,
                  .is_random = kci_vjp_info(op)->rule == KCI_VJP_RULE_NONE};
    bool is_owned_by_nobody = row->is_composition && !same.is_random &&
                              row->policy_vjp != KC_VJP_NONE &&
                              row->capsule_vjp == KC_VJP_BACKEND;
    return matches_vjp(&same) && !is_owned_by_nobody;
}

static void check_rule_row(int32_t op, const rule_row_t *row)
{
    const char *provider = row->is_composition ? "torchlean" : "acme";
    kc_capsule_record_t capsule =
        fixture_capsule("x", op, provider, row->device);
    fixture_set_vjp(&capsule, row->capsule_vjp);
    if (!row->saves_all) {
        capsule.saved_inputs = 0;
        capsule.saved_outputs = 0;
    }
    kc_policy_t policy = fixture_policy(row->device);
    policy.vjp_mode = row->policy_vjp;
    kci_entry_t entry = {&capsule, NULL, true, true, true};
    kci_case_t request = {.policy = &policy,
                          .entry = &entry,
                          .plannable_ops = row->has_inner ? UINT64_MAX : 0};
    kc_reason_t expected = is_vjp_accepted(op, row)
                               ? expected_rule_reason(op, row)
                               : KC_REASON_VJP;
    kc_reason_t reason = kci_case_judge(&request);
    ck_assert_msg(reason == expected,
                  "op %d, vjp %d/%d, provider %s, device %d, saves all %d, "
                  "inner %d: %d, expected %d",
                  op, row->policy_vjp, row->capsule_vjp, provider, row->device,
                  row->saves_all, row->has_inner, reason, expected);
}

START_TEST(the_whole_table_of_rules)
{
    for (int number = 0; number < 3 * 3 * 2 * 3 * 2 * 2; number++) {
        int rest = number;
        rule_row_t row = {.policy_vjp = take(&rest, 3)};
        row.capsule_vjp = take(&rest, 3);
        row.is_composition = take(&rest, 2);
        row.device = take(&rest, 3);
        row.saves_all = take(&rest, 2);
        row.has_inner = take(&rest, 2);
        check_rule_row(_i, &row);
    }
}
END_TEST

/* A capsule of a rule on the cpu that lacks nothing, and its request. */
typedef struct complete {
    kc_capsule_record_t capsule;
    kc_policy_t policy;
    kci_entry_t entry;
    kci_case_t request;
} complete_t;

static void complete_init(complete_t *complete, int32_t op, int32_t device)
{
    complete->capsule = fixture_capsule("x", op, "acme", device);
    complete->policy = fixture_policy(device);
    complete->entry = (kci_entry_t){&complete->capsule, NULL, true, true, true};
    complete->request = (kci_case_t){.policy = &complete->policy,
                                     .entry = &complete->entry,
                                     .plannable_ops = UINT64_MAX};
}

/* One bit less than the rule reads is too little, whichever it is, and the
 * gap names it; one more is not asked for. */
START_TEST(each_operand_that_the_rule_reads_is_asked_for)
{
    const kci_vjp_info_t *rule = kci_vjp_info(_i);
    complete_t complete;
    complete_init(&complete, _i, KC_DEVICE_CPU);
    for (uint32_t bit = 0; bit < 32; bit++) {
        uint32_t mask = UINT32_C(1) << bit;
        bool is_read = (rule->saved_inputs & mask) != 0;
        complete.capsule.saved_inputs = rule->saved_inputs ^ mask;
        kci_saved_gap_t gap =
            kci_policy_rule_gap(&complete.policy, &complete.capsule);
        ck_assert_uint_eq(gap.inputs, is_read ? mask : 0);
        ck_assert_uint_eq(gap.outputs, 0);
        ck_assert_int_eq(kci_case_judge(&complete.request),
                         is_read ? KC_REASON_RULE_SAVED : KC_REASON_SELECTED);
    }
    complete.capsule.saved_inputs = rule->saved_inputs;
    complete.capsule.saved_outputs = rule->saved_outputs ^ 1;
    ck_assert_int_eq(kci_case_judge(&complete.request),
                     rule->saved_outputs != 0 ? KC_REASON_RULE_SAVED
                                              : KC_REASON_SELECTED);
}
END_TEST

/* On cuda every rule there is a composed one. */
START_TEST(each_inner_operation_is_asked_for)
{
    complete_t complete;
    complete_init(&complete, _i, KC_DEVICE_CUDA);
    if (kci_case_judge(&complete.request) == KC_REASON_RULE_DEVICE) {
        return;
    }
    for (int32_t op = 0; op < KC_OP_COUNT; op++) {
        bool is_needed = (kci_vjp_info(_i)->inner_ops & KCI_OP_BIT(op)) != 0;
        complete.request.plannable_ops = ~KCI_OP_BIT(op);
        ck_assert_int_eq(kci_case_judge(&complete.request),
                         is_needed ? KC_REASON_INNER : KC_REASON_SELECTED);
    }
}
END_TEST

/* One capsule that breaks every condition: each is seen when those in front
 * of it are mended. */
START_TEST(the_conditions_of_a_rule_come_after_its_owner)
{
    complete_t complete;
    complete_init(&complete, KC_OP_RELU, KC_DEVICE_CUDA);
    kci_demand_t demand = fixture_demand(KC_OP_RELU);
    demand.dtype = KC_DTYPE_F64;
    complete.request.demand = &demand;
    complete.request.plannable_ops = 0;
    fixture_set_vjp(&complete.capsule, KC_VJP_NONE);
    ck_assert_int_eq(kci_case_judge(&complete.request), KC_REASON_VJP);
    fixture_set_vjp(&complete.capsule, KC_VJP_TORCHLEAN_TAPE);
    complete.capsule.saved_inputs = 0;
    ck_assert_int_eq(kci_case_judge(&complete.request), KC_REASON_RULE_DEVICE);
    complete.capsule.device = KC_DEVICE_CPU;
    complete.policy.device = KC_DEVICE_CPU;
    ck_assert_int_eq(kci_case_judge(&complete.request), KC_REASON_RULE_SAVED);
    complete.capsule.saved_inputs = 1;
    ck_assert_int_eq(kci_case_judge(&complete.request), KC_REASON_LIMIT_DTYPE);
    complete_init(&complete, KC_OP_SOFTPLUS, KC_DEVICE_CPU);
    complete.request.demand = &demand;
    complete.request.plannable_ops = KCI_OP_BIT(KC_OP_MUL);
    ck_assert_int_eq(kci_case_judge(&complete.request), KC_REASON_INNER);
    complete.request.plannable_ops |= KCI_OP_BIT(KC_OP_SIGMOID);
    ck_assert_int_eq(kci_case_judge(&complete.request), KC_REASON_LIMIT_DTYPE);
}
END_TEST

Suite *suite_plan_admissible(void)
{
    Suite *suite = suite_create("plan/admissible");
    TCase *tcase = tcase_create("all");
    tcase_add_test(tcase, the_whole_table_of_policies);
    tcase_add_loop_test(tcase, the_whole_table_of_rules, 0, KC_OP_COUNT);
    tcase_add_loop_test(tcase, each_operand_that_the_rule_reads_is_asked_for, 0,
                        KC_OP_COUNT);
    tcase_add_loop_test(tcase, each_inner_operation_is_asked_for, 0,
                        KC_OP_COUNT);
    tcase_add_test(tcase, the_conditions_of_a_rule_come_after_its_owner);
    tcase_add_test(tcase, availability_may_be_left_out);
    tcase_add_test(tcase, limits_come_after_the_policy_and_before_determinism);
    tcase_add_test(tcase,
                   an_operation_of_a_newer_interface_is_never_admissible);
    suite_add_tcase(suite, tcase);
    return suite;
}
