/* SPDX-License-Identifier: Apache-2.0
 *
 * Plans of lists and graphs: what is planned, what is reported instead, and
 * the examples that must come out as written.
 */
#include "plan/plan.h"

#include <stdlib.h>
#include <string.h>
#include <kcapsule/call.h>
#include "unit/contract_fixture.h"
#include "unit/demand_fixture.h"
#include "unit/expect.h"
#include "unit/failing_heap.h"
#include "unit/plan/suites.h"

#define ATTENTION KC_OP_SCALED_DOT_PRODUCT_ATTENTION

static kc_plan_t *plan_one(kc_profile_t *profile, int32_t op)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_plan_t *plan = NULL;
    EXPECT_OK(error, kci_plan_ops(profile, &op, 1, &plan, &error));
    ck_assert_uint_eq(plan->row_count, 1);
    return plan;
}

static uint16_t entry_for(kc_profile_t *profile, int32_t op)
{
    kc_plan_t *plan = plan_one(profile, op);
    uint16_t entry = plan->rows[0].entry;
    ck_assert_uint_eq(plan->failure_count, entry == KCI_NO_ENTRY);
    kci_plan_release(plan);
    return entry;
}

static uint16_t entry_for_node(kc_profile_t *profile, kci_demand_t demand)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_graph_t *graph = fixture_graph(&demand, 1);
    kc_plan_t *plan = NULL;
    EXPECT_OK(error, kci_plan_graph(profile, graph, &plan, &error));
    uint16_t entry = plan->rows[0].entry;
    kci_plan_release(plan);
    fixture_graph_release(graph);
    return entry;
}

START_TEST(a_list_reports_every_operation)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_capsule_record_t capsule =
        fixture_capsule("x", KC_OP_RELU, "acme", KC_DEVICE_CPU);
    kc_policy_t policy = fixture_policy(KC_DEVICE_CPU);
    kc_profile_t *profile = fixture_profile_of(&policy, &capsule, 1);
    static const int32_t ops[] = {KC_OP_SELECTIVE_SCAN, KC_OP_RELU,
                                  KC_OP_FFT_FNO, KC_OP_RELU};
    kc_plan_t *plan = NULL;
    EXPECT_OK(error, kci_plan_ops(profile, ops, 4, &plan, &error));
    ck_assert_uint_eq(plan->row_count, 4);
    ck_assert_uint_eq(plan->failure_count, 2);
    ck_assert_uint_eq(plan->rows[1].entry, 0);
    ck_assert_uint_eq(plan->rows[3].node, 3);
    char line[128];
    kci_plan_failure_line(plan, &plan->rows[0], line, sizeof line);
    ck_assert_str_eq(line, "no admissible kernel capsule for op "
                           "selective_scan on device cpu");
    kci_plan_failure_line(plan, &plan->rows[2], line, sizeof line);
    ck_assert_str_eq(
        line, "no admissible kernel capsule for op fft_fno on device cpu");
    kci_profile_release(profile);
    kci_plan_release(kci_plan_retain(plan));
    kci_plan_release(plan);
    kci_plan_release(NULL);
}
END_TEST

START_TEST(an_operation_that_is_none_is_an_error)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_policy_t policy = fixture_policy(KC_DEVICE_CPU);
    kc_profile_t *profile = fixture_profile_of(&policy, NULL, 0);
    static const int32_t ops[] = {KC_OP_RELU, KC_OP_COUNT};
    static const int32_t negative[] = {-1};
    kc_plan_t *plan = NULL;
    EXPECT_FAILURE(error, KC_ERR_ARGUMENT, "operation 47 in place 1",
                   kci_plan_ops(profile, ops, 2, &plan, &error));
    EXPECT_FAILURE(error, KC_ERR_ARGUMENT, "operation -1",
                   kci_plan_ops(profile, negative, 1, &plan, &error));
    ck_assert_ptr_null(plan);
    kci_profile_release(profile);
}
END_TEST

START_TEST(an_invalid_registry_plans_nothing)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_capsule_module_t *modules[] = {fixture_module("libtorch", NULL, 0),
                                      fixture_module("libtorch", NULL, 0)};
    kc_policy_t policy = fixture_policy(KC_DEVICE_CPU);
    kc_profile_t *profile = fixture_profile(&policy, modules, 2);
    kci_demand_t demand = fixture_demand(KC_OP_RELU);
    kc_graph_t *graph = fixture_graph(&demand, 1);
    kc_plan_t *plan = NULL;
    static const int32_t op = KC_OP_RELU;
    EXPECT_FAILURE(error, KC_ERR_DUPLICATE,
                   "duplicate backend capsule module `libtorch`",
                   kci_plan_ops(profile, &op, 1, &plan, &error));
    EXPECT_FAILURE(error, KC_ERR_DUPLICATE,
                   "duplicate backend capsule module `libtorch`",
                   kci_plan_graph(profile, graph, &plan, &error));
    ck_assert_ptr_null(plan);
    fixture_graph_release(graph);
    kci_profile_release(profile);
}
END_TEST

START_TEST(a_misfiled_capsule_is_never_selected)
{
    kc_capsule_record_t capsule = fixture_capsule(
        "reference.attention", ATTENTION, "reference", KC_DEVICE_CPU);
    capsule.shape = capsule.value;
    kc_policy_t policy = fixture_policy(KC_DEVICE_CPU);
    kc_profile_t *profile = fixture_profile_of(&policy, &capsule, 1);
    ck_assert_uint_eq(kci_plan_choose_direct(profile, ATTENTION, NULL),
                      KCI_NO_ENTRY);
    kc_plan_t *plan = plan_one(profile, ATTENTION);
    char line[128];
    kci_plan_failure_line(plan, &plan->rows[0], line, sizeof line);
    ck_assert_str_eq(line, "no admissible kernel capsule for op "
                           "scaled_dot_product_attention on device cpu");
    kci_plan_release(plan);
    kci_profile_release(profile);
}
END_TEST

START_TEST(evidence_is_no_filter_of_selection)
{
    kc_capsule_record_t capsule =
        fixture_capsule("x", KC_OP_RELU, "acme", KC_DEVICE_CPU);
    fixture_trust_value(&capsule);
    kc_policy_t policy = fixture_policy(KC_DEVICE_CPU);
    kc_profile_t *profile = fixture_profile_of(&policy, &capsule, 1);
    ck_assert_uint_eq(entry_for(profile, KC_OP_RELU), 0);
    kci_profile_release(profile);
}
END_TEST

START_TEST(availability_filters_plans_but_not_the_direct_choice)
{
    kc_capsule_record_t records[] = {
        fixture_capsule("x", KC_OP_RELU, "stranger", KC_DEVICE_CPU),
        fixture_capsule("y", KC_OP_RELU, "acme", KC_DEVICE_CPU)};
    kc_policy_t policy = fixture_policy(KC_DEVICE_CPU);
    kc_profile_t *profile = fixture_profile_of(&policy, records, 2);
    ck_assert_uint_eq(kci_plan_choose_direct(profile, KC_OP_RELU, NULL), 0);
    ck_assert_uint_eq(entry_for(profile, KC_OP_RELU), 1);
    kci_profile_release(profile);
}
END_TEST

/* Rows: VJP mode of the policy; columns: of the capsule. */
static const bool vjp_table[3][3] = {
    {true, true, true}, {false, true, true}, {false, false, true}};

START_TEST(a_forward_only_capsule_is_for_inference)
{
    for (int32_t mode = 0; mode < KC_VJP_MODE_COUNT; mode++) {
        kc_capsule_record_t capsule =
            fixture_capsule("x", KC_OP_GELU, "acme", KC_DEVICE_CPU);
        fixture_set_vjp(&capsule, mode);
        kc_policy_t policy = fixture_policy(KC_DEVICE_CPU);
        policy.vjp_mode = _i;
        kc_profile_t *profile = fixture_profile_of(&policy, &capsule, 1);
        ck_assert_uint_eq(entry_for(profile, KC_OP_GELU) != KCI_NO_ENTRY,
                          vjp_table[_i][mode]);
        kci_profile_release(profile);
    }
}
END_TEST

START_TEST(random_sources_need_no_vjp)
{
    kc_capsule_record_t records[] = {
        fixture_capsule("u", KC_OP_RAND_UNIFORM, "acme", KC_DEVICE_CPU),
        fixture_capsule("b", KC_OP_BERNOULLI_MASK, "acme", KC_DEVICE_CPU)};
    ck_assert_int_eq(records[0].vjp_mode, KC_VJP_NONE);
    kc_policy_t policy = fixture_policy(KC_DEVICE_CPU);
    policy.vjp_mode = _i;
    kc_profile_t *profile = fixture_profile_of(&policy, records, 2);
    ck_assert_uint_eq(entry_for(profile, KC_OP_RAND_UNIFORM), 0);
    ck_assert_uint_eq(entry_for(profile, KC_OP_BERNOULLI_MASK), 1);
    kci_profile_release(profile);
}
END_TEST

START_TEST(training_passes_over_a_preferred_forward_only_kernel)
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
    ck_assert_uint_eq(entry_for(profile, KC_OP_RELU), 1);
    kci_profile_release(profile);
    policy.preference = KC_PREFERENCE_ONLY;
    profile = fixture_profile_of(&policy, records, 2);
    ck_assert_uint_eq(entry_for(profile, KC_OP_RELU), KCI_NO_ENTRY);
    kci_profile_release(profile);
}
END_TEST

START_TEST(nodes_that_need_no_kernel_are_skipped)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_capsule_record_t capsule =
        fixture_capsule("x", KC_OP_RELU, "acme", KC_DEVICE_CPU);
    kc_policy_t policy = fixture_policy(KC_DEVICE_CPU);
    kc_profile_t *profile = fixture_profile_of(&policy, &capsule, 1);
    kci_demand_t demands[] = {fixture_demand(-1), fixture_demand(KC_OP_RELU),
                              fixture_demand(-1),
                              fixture_demand(KC_OP_RAND_UNIFORM)};
    kc_graph_t *graph = fixture_graph(demands, 4);
    kc_plan_t *plan = NULL;
    EXPECT_OK(error, kci_plan_graph(profile, graph, &plan, &error));
    ck_assert_uint_eq(plan->row_count, 2);
    ck_assert_uint_eq(plan->rows[0].node, 1);
    ck_assert_uint_eq(plan->rows[1].node, 3);
    ck_assert_uint_eq(plan->rows[1].entry, KCI_NO_ENTRY);
    ck_assert_uint_eq(plan->failure_count, 1);
    kci_profile_release(profile);
    kci_plan_release(plan);
    fixture_graph_release(graph);
}
END_TEST

START_TEST(a_node_that_breaks_a_limit_gets_the_next_capsule)
{
    kc_capsule_record_t records[] = {
        fixture_capsule("f32", KC_OP_RELU, "acme", KC_DEVICE_CPU),
        fixture_capsule("f64", KC_OP_RELU, "acme", KC_DEVICE_CPU)};
    records[1].limits.dtypes = 1u << KC_DTYPE_F64;
    kc_policy_t policy = fixture_policy(KC_DEVICE_CPU);
    kc_profile_t *profile = fixture_profile_of(&policy, records, 2);
    kci_demand_t demand = fixture_demand(KC_OP_RELU);
    ck_assert_uint_eq(entry_for_node(profile, demand), 0);
    demand.dtype = KC_DTYPE_F64;
    ck_assert_uint_eq(entry_for_node(profile, demand), 1);
    demand.dtype = KC_DTYPE_I32;
    ck_assert_uint_eq(entry_for_node(profile, demand), KCI_NO_ENTRY);
    kci_profile_release(profile);
}
END_TEST

/* softmax on [65536, 65537] with a kernel of 32-bit indices. */
START_TEST(too_many_elements_for_32_bit_indices)
{
    kc_capsule_record_t capsule =
        fixture_capsule("x", KC_OP_SOFTMAX, "acme", KC_DEVICE_CPU);
    capsule.limits.index_bits = 32;
    kc_policy_t policy = fixture_policy(KC_DEVICE_CPU);
    policy.vjp_mode = KC_VJP_NONE;
    kc_profile_t *profile = fixture_profile_of(&policy, &capsule, 1);
    kci_demand_t demand = fixture_demand(KC_OP_SOFTMAX);
    demand.extent_max = 65537;
    demand.element_max = INT64_C(65536) * 65537;
    ck_assert_uint_eq(entry_for_node(profile, demand), KCI_NO_ENTRY);
    demand.element_max = INT32_MAX;
    ck_assert_uint_eq(entry_for_node(profile, demand), 0);
    kci_profile_release(profile);
}
END_TEST

START_TEST(a_deterministic_profile_wants_it_stated)
{
    kc_capsule_record_t records[] = {
        fixture_capsule("x", KC_OP_RELU, "acme", KC_DEVICE_CPU),
        fixture_capsule("y", KC_OP_RELU, "acme", KC_DEVICE_CPU)};
    records[1].numerics.invariance = 1u << KC_INVARIANT_RUN;
    kc_policy_t policy = fixture_policy(KC_DEVICE_CPU);
    kc_profile_t *profile = fixture_profile_of(&policy, records, 2);
    ck_assert_uint_eq(entry_for(profile, KC_OP_RELU), 0);
    profile->numerics = KC_NUMERICS_DETERMINISTIC;
    ck_assert_uint_eq(entry_for(profile, KC_OP_RELU), 1);
    kci_profile_release(profile);
}
END_TEST

/* Two providers for one operation coexist; the order of the modules in the
 * profile decides, nothing else. */
START_TEST(two_providers_coexist_and_the_profile_breaks_the_tie)
{
    kc_capsule_record_t a =
        fixture_capsule("a.relu", KC_OP_RELU, "acme", KC_DEVICE_CPU);
    kc_capsule_record_t b =
        fixture_capsule("b.relu", KC_OP_RELU, "other", KC_DEVICE_CPU);
    for (int is_swapped = 0; is_swapped < 2; is_swapped++) {
        kc_capsule_module_t *modules[2];
        modules[is_swapped] = fixture_module("a", &a, 1);
        modules[1 - is_swapped] = fixture_module("b", &b, 1);
        kc_policy_t policy = fixture_policy(KC_DEVICE_CPU);
        policy.preference = _i == 0 ? KC_PREFERENCE_AUTO : KC_PREFERENCE_PREFER;
        strcpy(policy.provider, _i == 0 ? "" : "other");
        kc_profile_t *profile = fixture_profile(&policy, modules, 2);
        uint16_t entry = entry_for(profile, KC_OP_RELU);
        const char *expected = _i == 1 || is_swapped ? "b.relu" : "a.relu";
        ck_assert_str_eq(profile->entries[entry].capsule->name, expected);
        kci_profile_release(profile);
    }
}
END_TEST

START_TEST(a_lack_of_memory_at_any_place)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_capsule_record_t capsule =
        fixture_capsule("x", KC_OP_RELU, "acme", KC_DEVICE_CPU);
    kc_policy_t policy = fixture_policy(KC_DEVICE_CPU);
    kc_profile_t *profile = fixture_profile_of(&policy, &capsule, 1);
    kci_demand_t demand = fixture_demand(KC_OP_RELU);
    kc_graph_t *graph = fixture_graph(&demand, 1);
    kc_plan_t *plan = NULL;
    kc_status_t status = KC_ERR_MEMORY;
    int granted = 0;
    for (; status != KC_OK; granted++) {
        failing_heap_break_after(granted);
        status = kci_plan_graph(profile, graph, &plan, &error);
        failing_heap_mend();
        ck_assert(status == KC_OK || status == KC_ERR_MEMORY);
        ck_assert_int_eq(plan != NULL, status == KC_OK);
        ck_assert_int_eq(atomic_load(&profile->reference_count),
                         status == KC_OK ? 2 : 1);
    }
    ck_assert_int_gt(granted, 3);
    kci_plan_release(plan);
    fixture_graph_release(graph);
    kci_profile_release(profile);
}
END_TEST

Suite *suite_plan_plan(void)
{
    Suite *suite = suite_create("plan/plan");
    TCase *tcase = tcase_create("all");
    tcase_add_test(tcase, a_list_reports_every_operation);
    tcase_add_test(tcase, an_operation_that_is_none_is_an_error);
    tcase_add_test(tcase, an_invalid_registry_plans_nothing);
    tcase_add_test(tcase, a_misfiled_capsule_is_never_selected);
    tcase_add_test(tcase, evidence_is_no_filter_of_selection);
    tcase_add_test(tcase, availability_filters_plans_but_not_the_direct_choice);
    tcase_add_loop_test(tcase, a_forward_only_capsule_is_for_inference, 0, 3);
    tcase_add_loop_test(tcase, random_sources_need_no_vjp, 0, 3);
    tcase_add_test(tcase, training_passes_over_a_preferred_forward_only_kernel);
    tcase_add_test(tcase, nodes_that_need_no_kernel_are_skipped);
    tcase_add_test(tcase, a_node_that_breaks_a_limit_gets_the_next_capsule);
    tcase_add_test(tcase, too_many_elements_for_32_bit_indices);
    tcase_add_test(tcase, a_deterministic_profile_wants_it_stated);
    tcase_add_test(tcase, a_lack_of_memory_at_any_place);
    tcase_add_loop_test(
        tcase, two_providers_coexist_and_the_profile_breaks_the_tie, 0, 2);
    suite_add_tcase(suite, tcase);
    return suite;
}
