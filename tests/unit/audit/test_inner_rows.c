/* SPDX-License-Identifier: Apache-2.0
 *
 * Inner operations of plans: which, of which group, in which order.
 */
#include "audit/inner_rows.h"

#include "base/alloc.h"
#include "unit/audit/inner_fixture.h"
#include "unit/audit/suites.h"
#include "unit/contract_fixture.h"
#include "unit/expect.h"
#include "unit/failing_heap.h"

static kci_inner_rows_t rows_of(const inner_scene_t *scene,
                                const kc_policy_t *policy)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_group_t *groups = NULL;
    size_t count = 0;
    kci_inner_rows_t rows = {NULL, 0, 0};
    EXPECT_OK(error, kci_plan_group(scene->plan, &groups, &count, &error));
    EXPECT_OK(error, kci_inner_rows_create(scene->plan, policy, groups, count,
                                           &rows, &error));
    kci_free(groups);
    return rows;
}

static void check(const kci_inner_rows_t *rows, size_t index, uint32_t owner,
                  kc_call_kind_t kind, int32_t op, uint16_t entry)
{
    ck_assert_uint_lt(index, rows->count);
    ck_assert_uint_eq(rows->items[index].owner, owner);
    ck_assert_int_eq(rows->items[index].kind, kind);
    ck_assert_int_eq(rows->items[index].op, op);
    ck_assert_uint_eq(rows->items[index].entry, entry);
}

static const int32_t ops[] = {
    KC_OP_RELU, KC_OP_SOFTPLUS, KC_OP_SOFTPLUS, KC_OP_RELU, -1, KC_OP_SOFTPLUS};
#define OPS (sizeof ops / sizeof *ops)

START_TEST(without_gradients_operations_say_what_they_may_need)
{
    kc_capsule_record_t capsules[INNER_CAPSULES];
    inner_fixture_capsules(capsules);
    inner_scene_t scene;
    inner_scene_begin(&scene, capsules, INNER_CAPSULES, ops, OPS);
    kc_policy_t policy = fixture_policy(KC_DEVICE_CPU);
    kci_inner_rows_t rows = rows_of(&scene, &policy);
    ck_assert_uint_eq(rows.count, 4);
    check(&rows, 0, 1, KC_CALL_INNER_VJP, KC_OP_MUL, INNER_MUL);
    check(&rows, 1, 1, KC_CALL_INNER_VJP, KC_OP_SIGMOID, INNER_SIGMOID);
    check(&rows, 2, 3, KC_CALL_INNER_VJP, KC_OP_MUL, INNER_MUL);
    check(&rows, 3, 3, KC_CALL_INNER_VJP, KC_OP_SIGMOID, INNER_SIGMOID);
    kci_inner_rows_release(&rows);
    ck_assert_ptr_null(rows.items);
    policy.vjp_mode = KC_VJP_NONE;
    rows = rows_of(&scene, &policy);
    ck_assert_uint_eq(rows.count, 0);
    kci_inner_rows_release(&rows);
    inner_scene_end(&scene);
}
END_TEST

START_TEST(nobody_serves_them_under_another_policy)
{
    kc_capsule_record_t capsules[INNER_CAPSULES];
    inner_fixture_capsules(capsules);
    inner_scene_t scene;
    inner_scene_begin(&scene, capsules, INNER_CAPSULES, ops, OPS);
    kc_policy_t policy = fixture_policy(KC_DEVICE_CUDA);
    kci_inner_rows_t rows = rows_of(&scene, &policy);
    ck_assert_uint_eq(rows.count, 4);
    check(&rows, 0, 1, KC_CALL_INNER_VJP, KC_OP_MUL, KCI_NO_ENTRY);
    kci_inner_rows_release(&rows);
    inner_scene_end(&scene);
}
END_TEST

START_TEST(a_composition_says_what_it_is_made_of_first)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_capsule_record_t capsule = fixture_capsule(
        "x", KC_OP_SCALED_DOT_PRODUCT_ATTENTION, "torchlean", KC_DEVICE_CPU);
    kc_policy_t policy = fixture_policy(KC_DEVICE_CPU);
    kc_profile_t *profile = fixture_profile_of(&policy, &capsule, 1);
    kci_inner_plan_t inner;
    EXPECT_OK(error, kci_inner_plan_create(profile, &policy, &inner, &error));
    kci_inner_rows_t rows = {NULL, 0, 0};
    EXPECT_OK(error,
              kci_inner_rows_add(&inner, &policy, &capsule, 7, &rows, &error));
    uint64_t found[2] = {0, 0};
    for (size_t idx = 0; idx < rows.count; idx++) {
        const kci_inner_row_t *row = &rows.items[idx];
        bool is_vjp = row->kind == KC_CALL_INNER_VJP;
        ck_assert(is_vjp || row->kind == KC_CALL_INNER_FORWARD);
        ck_assert_uint_eq(row->owner, 7);
        ck_assert(is_vjp || found[1] == 0);
        found[is_vjp] |= KCI_OP_BIT(row->op);
    }
    ck_assert_uint_eq(found[0], kci_inner_forward_ops(&capsule));
    ck_assert_uint_eq(found[1], kci_inner_vjp_ops(&policy, &capsule));
    kci_inner_rows_release(&rows);
    kci_inner_plan_release(&inner);
    kci_profile_release(profile);
}
END_TEST

/* What was planned counts, not what may be needed; each once a group, in the
 * order of groups whatever the order in which they run; sums, here of an
 * input too, come last and belong to no group. */
START_TEST(with_gradients_the_plan_says_it)
{
    static const kci_sub_row_t planned[] = {
        {5, KC_OP_MUL, INNER_MUL, KC_CALL_INNER_VJP},
        {4, KC_OP_ADD, INNER_ADD, KC_CALL_SUM},
        {2, KC_OP_SIGMOID, INNER_SIGMOID, KC_CALL_INNER_VJP},
        {2, KC_OP_MUL, INNER_MUL, KC_CALL_INNER_VJP},
        {1, KC_OP_ADD, INNER_ADD, KC_CALL_SUM},
        {1, KC_OP_SIGMOID, INNER_SIGMOID, KC_CALL_INNER_VJP},
        {1, KC_OP_MUL, INNER_MUL, KC_CALL_INNER_FORWARD}};
    kc_capsule_record_t capsules[INNER_CAPSULES];
    inner_fixture_capsules(capsules);
    inner_scene_t scene;
    inner_scene_begin(&scene, capsules, INNER_CAPSULES, ops, OPS);
    inner_scene_set_sub_rows(&scene, planned, sizeof planned / sizeof *planned);
    kc_policy_t policy = fixture_policy(KC_DEVICE_CPU);
    kci_inner_rows_t rows = rows_of(&scene, &policy);
    ck_assert_uint_eq(rows.count, 5);
    check(&rows, 0, 1, KC_CALL_INNER_VJP, KC_OP_SIGMOID, INNER_SIGMOID);
    check(&rows, 1, 1, KC_CALL_INNER_VJP, KC_OP_MUL, INNER_MUL);
    check(&rows, 2, 1, KC_CALL_INNER_FORWARD, KC_OP_MUL, INNER_MUL);
    check(&rows, 3, 3, KC_CALL_INNER_VJP, KC_OP_MUL, INNER_MUL);
    check(&rows, 4, KCI_NO_OWNER, KC_CALL_SUM, KC_OP_ADD, INNER_ADD);
    kci_inner_rows_release(&rows);
    inner_scene_set_sub_rows(&scene, NULL, 0);
    rows = rows_of(&scene, &policy);
    ck_assert_uint_eq(rows.count, 0);
    kci_inner_rows_release(&rows);
    inner_scene_end(&scene);
}
END_TEST

START_TEST(a_lack_of_memory_at_any_place)
{
    static const kci_sub_row_t planned[] = {
        {5, KC_OP_MUL, INNER_MUL, KC_CALL_INNER_VJP}};
    kc_error_t error = KC_ERROR_INIT;
    kc_capsule_record_t capsules[INNER_CAPSULES];
    inner_fixture_capsules(capsules);
    inner_scene_t scene;
    inner_scene_begin(&scene, capsules, INNER_CAPSULES, ops, OPS);
    if (_i == 1) {
        inner_scene_set_sub_rows(&scene, planned, 1);
    }
    kc_policy_t policy = fixture_policy(KC_DEVICE_CPU);
    kci_group_t *groups = NULL;
    size_t count = 0;
    EXPECT_OK(error, kci_plan_group(scene.plan, &groups, &count, &error));
    kci_inner_rows_t rows = {NULL, 0, 0};
    kc_status_t status = KC_ERR_MEMORY;
    int granted = 0;
    for (; status != KC_OK; granted++) {
        failing_heap_break_after(granted);
        status = kci_inner_rows_create(scene.plan, &policy, groups, count,
                                       &rows, &error);
        failing_heap_mend();
        ck_assert(status == KC_OK || status == KC_ERR_MEMORY);
        ck_assert_int_eq(rows.items != NULL, status == KC_OK);
    }
    ck_assert_int_gt(granted, 2);
    kci_inner_rows_release(&rows);
    kci_free(groups);
    inner_scene_end(&scene);
}
END_TEST

Suite *suite_audit_inner_rows(void)
{
    Suite *suite = suite_create("audit/inner_rows");
    TCase *tcase = tcase_create("all");
    tcase_add_test(tcase, without_gradients_operations_say_what_they_may_need);
    tcase_add_test(tcase, nobody_serves_them_under_another_policy);
    tcase_add_test(tcase, a_composition_says_what_it_is_made_of_first);
    tcase_add_test(tcase, with_gradients_the_plan_says_it);
    tcase_add_loop_test(tcase, a_lack_of_memory_at_any_place, 0, 2);
    suite_add_tcase(suite, tcase);
    return suite;
}
