/* SPDX-License-Identifier: Apache-2.0
 *
 * Owners of backward rules in plans with gradients, which no command prints:
 * what was planned, not what could be needed.
 */
#include "report/report.h"

#include <string.h>
#include "base/alloc.h"
#include "exec/program.h"
#include "unit/audit/inner_fixture.h"
#include "unit/contract_fixture.h"
#include "unit/expect.h"
#include "unit/report/suites.h"

static const int32_t ops[] = {KC_OP_SOFTPLUS, KC_OP_RELU, KC_OP_SOFTPLUS};

/* Only the last two nodes have a rule; two contributions are added. */
static const kci_sub_row_t planned[] = {
    {2, KC_OP_SIGMOID, INNER_SIGMOID, KCI_CALL_INNER_VJP},
    {2, KC_OP_MUL, INNER_MUL, KCI_CALL_INNER_VJP},
    {0, KC_OP_ADD, INNER_ADD, KCI_CALL_SUM}};

static char *full_text(const kc_plan_t *plan)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_string_buffer_t buffer = KCI_STRING_BUFFER_INIT;
    char *text = NULL;
    EXPECT_OK(error,
              kci_report_plan_text(plan, KC_PLAN_VIEW_FULL, &buffer, &error));
    EXPECT_OK(error, kci_string_take(&buffer, &text, &error));
    return text;
}

/* What is said from "  backward:" on, of the group with that head. */
static void expect_rule(const char *text, const char *head, const char *rule)
{
    const char *group = strstr(text, head);
    ck_assert_msg(group != NULL, "no `%s` in:\n%s", head, text);
    const char *found = strstr(group, "  backward:");
    ck_assert_msg(found != NULL && strncmp(found, rule, strlen(rule)) == 0,
                  "no `%s` in:\n%s", rule, group);
}

START_TEST(a_plan_with_gradients_tells_what_it_planned)
{
    kc_capsule_record_t capsules[INNER_CAPSULES];
    inner_fixture_capsules(capsules);
    inner_scene_t scene;
    inner_scene_begin(&scene, capsules, INNER_CAPSULES, ops, 3);
    inner_scene_set_sub_rows(&scene, planned, 3);
    kci_program_rule_t rules[] = {{.node = 2}, {.node = 1}};
    kci_program_t program = {.rules = rules, .rule_count = 2};
    scene.plan->program = &program;
    char *text = full_text(scene.plan);
    expect_rule(text, "#[0] softplus",
                "  backward: none, no gradient that is wanted goes through "
                "it\n#[1]");
    expect_rule(text, "#[1] relu",
                "  backward: the tape's rule of relu, a loop of the runtime "
                "on the cpu\n#[2]");
    expect_rule(text, "#[2] softplus",
                "  backward: the tape's rule of softplus, composed of "
                "sigmoid, mul\n"
                "    sigmoid -> acme.sigmoid, value: covered by test suite "
                "tests/fixture\n"
                "    mul -> acme.mul, value: covered by test suite "
                "tests/fixture\n"
                "sums of cotangents\n"
                "    add -> acme.add, value: covered by test suite "
                "tests/fixture\n");
    kci_free(text);
    inner_scene_end(&scene);
}
END_TEST

/* Two capsules for one operation, because a limit was met: named once,
 * listed both. */
START_TEST(an_operation_by_two_capsules)
{
    static const kci_sub_row_t twice[] = {
        {2, KC_OP_SOFTPLUS, INNER_SOFTPLUS, KCI_CALL_INNER_VJP},
        {2, KC_OP_SOFTPLUS, INNER_OTHER_SOFTPLUS, KCI_CALL_INNER_VJP}};
    kc_capsule_record_t capsules[INNER_CAPSULES];
    inner_fixture_capsules(capsules);
    inner_scene_t scene;
    inner_scene_begin(&scene, capsules, INNER_CAPSULES, ops, 3);
    inner_scene_set_sub_rows(&scene, twice, 2);
    kci_program_rule_t rules[] = {{.node = 2}};
    kci_program_t program = {.rules = rules, .rule_count = 1};
    scene.plan->program = &program;
    char *text = full_text(scene.plan);
    expect_rule(text, "#[2] softplus",
                "  backward: the tape's rule of softplus, composed of "
                "softplus\n"
                "    softplus -> acme.softplus, value: covered by test suite "
                "tests/fixture\n"
                "    softplus -> other.softplus, value: covered by test suite "
                "tests/fixture\n");
    ck_assert_ptr_null(strstr(text, "sums of cotangents"));
    kci_free(text);
    inner_scene_end(&scene);
}
END_TEST

/* A plan that could not be completed is printed all the same. */
START_TEST(operations_without_a_capsule_have_no_rule_to_tell)
{
    kc_error_t error = KC_ERROR_INIT;
    static const int32_t list[] = {KC_OP_CONV, KC_OP_RELU};
    kc_capsule_record_t capsules[INNER_CAPSULES];
    inner_fixture_capsules(capsules);
    kc_policy_t policy = fixture_policy(KC_DEVICE_CPU);
    kc_profile_t *profile =
        fixture_profile_of(&policy, capsules, INNER_CAPSULES);
    kc_plan_t *plan = NULL;
    EXPECT_OK(error, kci_plan_ops(profile, list, 2, &plan, &error));
    char *text = full_text(plan);
    ck_assert_int_eq(strncmp(text, "#[0] conv -> (none)\n#[1]", 24), 0);
    expect_rule(text, "#[1] relu", "  backward: the tape's rule of relu");
    json_t *json = NULL;
    EXPECT_OK(error,
              kci_report_plan_json(plan, KC_PLAN_VIEW_FULL, &json, &error));
    json_t *rows = json_object_get(json, "rows");
    ck_assert_ptr_null(json_object_get(json_array_get(rows, 0), "backward"));
    json_t *backward = json_object_get(json_array_get(rows, 1), "backward");
    ck_assert_str_eq(json_string_value(json_object_get(backward, "rule")),
                     "runtime");
    ck_assert_ptr_null(json_object_get(json, "sums"));
    json_decref(json);
    kci_free(text);
    kci_plan_release(plan);
    kci_profile_release(profile);
}
END_TEST

Suite *suite_report_rule_text(void)
{
    Suite *suite = suite_create("report/rule_text");
    TCase *tcase = tcase_create("all");
    tcase_add_test(tcase, a_plan_with_gradients_tells_what_it_planned);
    tcase_add_test(tcase, an_operation_by_two_capsules);
    tcase_add_test(tcase, operations_without_a_capsule_have_no_rule_to_tell);
    suite_add_tcase(suite, tcase);
    return suite;
}
