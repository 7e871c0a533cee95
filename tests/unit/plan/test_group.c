/* SPDX-License-Identifier: Apache-2.0
 *
 * Grouping: adjacent in the plan, equal in everything.
 */
#include "plan/plan.h"

#include <stdlib.h>
#include <string.h>
#include "base/alloc.h"
#include "unit/contract_fixture.h"
#include "unit/demand_fixture.h"
#include "unit/expect.h"
#include "unit/plan/suites.h"

static size_t group(const kc_plan_t *plan, kci_group_t *out, size_t count_max)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_group_t *groups = NULL;
    size_t count = 0;
    EXPECT_OK(error, kci_plan_group(plan, &groups, &count, &error));
    ck_assert_uint_le(count, count_max);
    memcpy(out, groups, count * sizeof *groups);
    kci_free(groups);
    return count;
}

/* A plan of hand-made rows, entry i in row i, all for relu. */
static size_t group_entries(kc_profile_t *profile, size_t count)
{
    kci_plan_row_t rows[8];
    kci_group_t groups[8];
    for (size_t idx = 0; idx < count; idx++) {
        rows[idx] = (kci_plan_row_t){(uint32_t)idx, KC_OP_RELU, (uint16_t)idx};
    }
    kc_plan_t plan = {.profile = profile, .rows = rows, .row_count = count};
    return group(&plan, groups, 8);
}

static kc_capsule_record_t relu(void)
{
    return fixture_capsule("x", KC_OP_RELU, "acme", KC_DEVICE_CPU);
}

START_TEST(consts_between_equal_nodes_do_not_break_a_run)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_capsule_record_t records[] = {
        relu(), fixture_capsule("y", KC_OP_ADD, "acme", KC_DEVICE_CPU)};
    kc_policy_t policy = fixture_policy(KC_DEVICE_CPU);
    kc_profile_t *profile = fixture_profile_of(&policy, records, 2);
    static const int32_t ops[] = {-1,        KC_OP_RELU, KC_OP_RELU,
                                  -1,        -1,         KC_OP_RELU,
                                  KC_OP_ADD, -1,         KC_OP_RELU};
    kci_demand_t demands[9];
    for (size_t idx = 0; idx < 9; idx++) {
        demands[idx] = fixture_demand(ops[idx]);
    }
    kc_graph_t *graph = fixture_graph(demands, 9);
    kc_plan_t *plan = NULL;
    EXPECT_OK(error, kci_plan_graph(profile, graph, &plan, &error));
    kci_group_t groups[8];
    ck_assert_uint_eq(group(plan, groups, 8), 3);
    ck_assert_uint_eq(groups[0].first_row, 0);
    ck_assert_uint_eq(groups[0].row_count, 3);
    ck_assert_uint_eq(plan->rows[2].node, 5);
    ck_assert_uint_eq(groups[1].first_row, 3);
    ck_assert_uint_eq(groups[2].row_count, 1);
    kci_plan_release(plan);
    fixture_graph_release(graph);
    kci_profile_release(profile);
}
END_TEST

START_TEST(an_empty_plan_has_no_groups)
{
    kc_policy_t policy = fixture_policy(KC_DEVICE_CPU);
    kc_profile_t *profile = fixture_profile_of(&policy, NULL, 0);
    ck_assert_uint_eq(group_entries(profile, 0), 0);
    kci_profile_release(profile);
}
END_TEST

/* One change to one field of an otherwise equal capsule. */
typedef void (*change_fn)(kc_capsule_record_t *capsule);

static void change_reduction(kc_capsule_record_t *capsule)
{
    capsule->numerics.reduction = KC_REDUCTION_FIXED_LEFT;
}
static void change_order(kc_capsule_record_t *capsule)
{
    strcpy(capsule->numerics.order, "left.fma/1");
}
static void change_invariance(kc_capsule_record_t *capsule)
{
    capsule->numerics.invariance = 1;
}
static void change_rounding(kc_capsule_record_t *capsule)
{
    capsule->numerics.rounding = KC_ROUNDING_NEAREST_EVEN;
}
static void change_subnormals(kc_capsule_record_t *capsule)
{
    capsule->numerics.subnormals = KC_SUBNORMALS_KEPT;
}
static void change_contraction(kc_capsule_record_t *capsule)
{
    capsule->numerics.contraction = KC_CONTRACTION_NEVER;
}
static void change_accumulation(kc_capsule_record_t *capsule)
{
    capsule->numerics.accumulation = KC_ACCUMULATION_WIDER;
}
static void change_precision(kc_capsule_record_t *capsule)
{
    capsule->numerics.reduced_precision = KC_REDUCED_PRECISION_NEVER;
}
static void change_numerics_spare(kc_capsule_record_t *capsule)
{
    capsule->numerics.spare[16] = 1;
}
static void change_summary(kc_capsule_record_t *capsule)
{
    strcpy(capsule->layout.summary, "other words");
}
static void change_source(kc_capsule_record_t *capsule)
{
    strcpy(capsule->vjp.source, "another suite");
}
static void change_evidence(kc_capsule_record_t *capsule)
{
    capsule->value.evidence = KC_EVIDENCE_TRUSTED_BOUNDARY;
}
static void change_layout(kc_capsule_record_t *capsule)
{
    capsule->layout.mode = KC_LAYOUT_FLAT_ROW_MAJOR;
}
static void change_claim(kc_capsule_record_t *capsule)
{
    capsule->shape.claim = KC_CLAIM_VALUE_REFINEMENT;
}
static void change_trust(kc_capsule_record_t *capsule)
{
    capsule->trust = KC_TRUST_TRUSTED_EXTERNAL;
}
static void change_saved(kc_capsule_record_t *capsule)
{
    capsule->saved_inputs ^= 1;
}
static void change_flags(kc_capsule_record_t *capsule)
{
    capsule->flags = KC_CAPSULE_NO_HANDLER;
}
static void change_provider(kc_capsule_record_t *capsule)
{
    strcpy(capsule->provider, "other");
}
static void change_name(kc_capsule_record_t *capsule)
{
    strcpy(capsule->name, "X");
}
static void change_device(kc_capsule_record_t *capsule)
{
    capsule->device = KC_DEVICE_CUDA;
}
static void change_dtypes(kc_capsule_record_t *capsule)
{
    capsule->limits.dtypes = 1;
}
static void change_extent(kc_capsule_record_t *capsule)
{
    capsule->limits.extent_max = 7;
}
static void change_words(kc_capsule_record_t *capsule)
{
    strcpy(capsule->limits.instruction_set, "avx2");
}
static void change_polarity(kc_capsule_record_t *capsule)
{
    capsule->limits.mask_polarity = KC_MASK_TRUE_IS_BLOCKED;
}
static void change_limits_spare(kc_capsule_record_t *capsule)
{
    capsule->limits.spare[0] = 1;
}

static const change_fn changes[] = {
    change_reduction,    change_order,      change_invariance,
    change_rounding,     change_subnormals, change_contraction,
    change_accumulation, change_precision,  change_numerics_spare,
    change_summary,      change_source,     change_evidence,
    change_layout,       change_claim,      change_trust,
    change_saved,        change_flags,      change_provider,
    change_name,         change_device,     change_dtypes,
    change_extent,       change_words,      change_polarity,
    change_limits_spare,
};

START_TEST(any_field_that_differs_keeps_rows_apart)
{
    kc_capsule_record_t records[] = {relu(), relu()};
    changes[_i](&records[1]);
    ck_assert(!kci_capsule_equal(&records[0], &records[1]));
    ck_assert(!kci_capsule_equal(&records[1], &records[0]));
    kc_policy_t policy = fixture_policy(KC_DEVICE_CPU);
    kc_profile_t *profile = fixture_profile_of(&policy, records, 2);
    ck_assert_uint_eq(group_entries(profile, 2), 2);
    kci_profile_release(profile);
}
END_TEST

START_TEST(full_equality_merges_whatever_the_entry)
{
    kc_capsule_record_t records[] = {relu(), relu()};
    /* What follows the end of a text is not a field. */
    records[1].name[5] = 'j';
    records[1].shape.summary[100] = 'j';
    kc_policy_t policy = fixture_policy(KC_DEVICE_CPU);
    kc_profile_t *profile = fixture_profile_of(&policy, records, 2);
    ck_assert_uint_eq(group_entries(profile, 2), 1);
    kci_profile_release(profile);
}
END_TEST

START_TEST(rows_without_a_capsule_group_by_operation)
{
    kc_policy_t policy = fixture_policy(KC_DEVICE_CPU);
    kc_profile_t *profile = fixture_profile_of(&policy, NULL, 0);
    kci_plan_row_t rows[] = {{0, KC_OP_RELU, KCI_NO_ENTRY},
                             {1, KC_OP_RELU, KCI_NO_ENTRY},
                             {2, KC_OP_ADD, KCI_NO_ENTRY}};
    kc_plan_t plan = {.profile = profile, .rows = rows, .row_count = 3};
    kci_group_t groups[8];
    ck_assert_uint_eq(group(&plan, groups, 8), 2);
    kci_profile_release(profile);
}
END_TEST

static kc_capsule_module_t *module_with_provenance(const char *name,
                                                   const char *path)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_capsule_record_t record = relu();
    kci_module_file_t *file =
        fixture_file("/fixture/x.so", name, &record, 1, NULL);
    if (path != NULL) {
        void *memory = NULL;
        EXPECT_OK(error, kci_alloc_array(2, sizeof(kc_provenance_record_t),
                                         &memory, &error));
        file->provenance = memory;
        file->provenance_count = 2;
        strcpy(file->provenance[0].capsule, "another capsule");
        strcpy(file->provenance[0].path, name);
        strcpy(file->provenance[1].capsule, "x");
        strcpy(file->provenance[1].path, path);
    }
    kc_capsule_module_t *module = NULL;
    EXPECT_OK(error, kci_capsule_module_from_file(file, &module, &error));
    kci_module_file_release(file);
    return module;
}

static const struct {
    const char *first;
    const char *second;
    size_t groups;
} provenances[] = {
    {"a.c", "a.c", 1}, {"a.c", "b.c", 2}, {"a.c", NULL, 2}, {NULL, NULL, 1}};

START_TEST(provenance_is_part_of_equality)
{
    kc_capsule_module_t *modules[] = {
        module_with_provenance("one", provenances[_i].first),
        module_with_provenance("two", provenances[_i].second)};
    kc_policy_t policy = fixture_policy(KC_DEVICE_CPU);
    kc_profile_t *profile = fixture_profile(&policy, modules, 2);
    ck_assert_uint_eq(group_entries(profile, 2), provenances[_i].groups);
    kci_profile_release(profile);
}
END_TEST

Suite *suite_plan_group(void)
{
    Suite *suite = suite_create("plan/group");
    TCase *tcase = tcase_create("all");
    tcase_add_test(tcase, consts_between_equal_nodes_do_not_break_a_run);
    tcase_add_test(tcase, an_empty_plan_has_no_groups);
    tcase_add_loop_test(tcase, any_field_that_differs_keeps_rows_apart, 0,
                        sizeof changes / sizeof *changes);
    tcase_add_test(tcase, full_equality_merges_whatever_the_entry);
    tcase_add_test(tcase, rows_without_a_capsule_group_by_operation);
    tcase_add_loop_test(tcase, provenance_is_part_of_equality, 0, 4);
    suite_add_tcase(suite, tcase);
    return suite;
}
