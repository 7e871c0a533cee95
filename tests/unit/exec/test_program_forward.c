/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * The forward of plans as programs. */
#include "exec/program.h"

#include "unit/built_modules.h"
#include "unit/exec/attention_fixture.h"
#include "unit/exec/suites.h"
#include "unit/expect.h"

typedef struct forward_case {
    kc_profile_t *profile;
    kc_graph_t *graph;
    kc_plan_t *plan;
    kci_program_t *program;
    kc_error_t error;
} forward_case_t;

/* Takes both. */
static void forward_begin(forward_case_t *at, kc_profile_t *profile,
                          kc_graph_t *graph)
{
    *at = (forward_case_t){
        .profile = profile, .graph = graph, .error = KC_ERROR_INIT};
    EXPECT_OK(at->error, kci_plan_graph(profile, graph, &at->plan, &at->error));
}

static void forward_create(forward_case_t *at)
{
    EXPECT_OK(at->error,
              kci_program_create(at->plan, &at->program, &at->error));
}

static void forward_end(forward_case_t *at)
{
    kci_program_destroy(at->program);
    kci_plan_release(at->plan);
    kci_graph_release(at->graph);
    kci_profile_release(at->profile);
}

START_TEST(nodes_are_the_first_values)
{
    forward_case_t at;
    kc_graph_builder_t *builder = graph_begin();
    uint32_t w = graph_const(builder, "w");
    uint32_t x = graph_input(builder, "x");
    uint32_t z = graph_input(builder, "z");
    uint32_t sum = graph_binary(builder, "add", x, w);
    uint32_t kept = graph_unary(builder, "detach", sum);
    uint32_t again = graph_unary(builder, "detach", kept);
    uint32_t seen = graph_unary(builder, "detach", z);
    graph_output(builder, "y", graph_binary(builder, "add", again, seen));
    forward_begin(&at, acme_profile(NULL), graph_end(builder));
    forward_create(&at);
    const kci_program_value_t *values = at.program->values;
    ck_assert_uint_eq(at.program->value_count, 8);
    ck_assert_int_eq(values[w].source, KCI_VALUE_CONST);
    ck_assert_uint_eq(values[w].slot, 0);
    ck_assert_int_eq(values[z].source, KCI_VALUE_INPUT);
    ck_assert_uint_eq(values[z].slot, 1);
    ck_assert_int_eq(values[sum].source, KCI_VALUE_STEP);
    ck_assert_uint_eq(values[sum].slot, 0);
    ck_assert_uint_eq(values[kept].root, sum);
    ck_assert_uint_eq(values[again].root, sum);
    ck_assert_uint_eq(values[seen].root, z);
    ck_assert_int_eq(values[seen].source, KCI_VALUE_INPUT);
    ck_assert_uint_eq(at.program->step_count, 2);
    ck_assert_uint_eq(at.program->forward_step_count, 2);
    ck_assert_uint_eq(at.program->steps[1].node, 7);
    ck_assert_int_eq(at.program->steps[1].role, KCI_CALL_FORWARD);
    ck_assert_uint_eq(at.program->steps[1].served, KCI_NO_ENTRY);
    ck_assert_uint_eq(at.program->operands[2], again);
    ck_assert_uint_eq(at.program->seed_count + at.program->gradient_count, 0);
    forward_end(&at);
}
END_TEST

START_TEST(the_operand_of_a_sum_is_one_axis)
{
    forward_case_t at;
    kci_tensor_type_t type;
    kc_graph_builder_t *builder = graph_begin();
    kci_node_spec_t input = {.kind = "input",
                             .dtype = KC_DTYPE_F32,
                             .rank = 2,
                             .dims = DIMS(3, 5),
                             .name = "x"};
    uint32_t x = graph_node(builder, &input, NULL);
    kci_node_spec_t sum = {
        .kind = "sum", .parents = &x, .parent_count = 1, .dtype = KC_DTYPE_F32};
    graph_output(builder, "y", graph_node(builder, &sum, NULL));
    forward_begin(&at, built_checked_cpu(), graph_end(builder));
    forward_create(&at);
    uint32_t flat = at.program->operands[0];
    ck_assert_uint_eq(flat, 2);
    ck_assert_uint_eq(at.program->values[flat].root, x);
    kci_program_value_type(at.program, flat, &type);
    ck_assert_int_eq(type.shape.rank, 1);
    ck_assert_int_eq(type.shape.dims[0], 15);
    /* Attributes lie where those of the graph do. */
    ck_assert_uint_eq(at.program->steps[0].attributes,
                      at.graph->nodes[1].attributes);
    ck_assert_uint_eq(at.program->attributes_count,
                      at.graph->attribute_pool_count);
    forward_end(&at);
}
END_TEST

/* The node's value is what the last operation makes. */
START_TEST(a_composition_becomes_its_operations)
{
    forward_case_t at;
    forward_begin(&at, attention_profile(), attention_graph(true));
    forward_create(&at);
    const kci_program_t *program = at.program;
    ck_assert_uint_eq(program->composed_count, 1);
    ck_assert_uint_eq(program->composed[0].node, 4);
    ck_assert_uint_eq(program->composed[0].first_step, 0);
    ck_assert_uint_eq(program->composed[0].step_count, program->step_count);
    ck_assert_uint_gt(program->step_count, 2);
    ck_assert_uint_gt(program->literal_count, 0);
    for (size_t i = 0; i < program->step_count; i++) {
        ck_assert_int_eq(program->steps[i].role, KCI_CALL_INNER_FORWARD);
        ck_assert_uint_eq(program->steps[i].served, at.plan->rows[0].entry);
        ck_assert_uint_eq(program->steps[i].node, 4);
    }
    const kci_program_step_t *last = &program->steps[program->step_count - 1];
    ck_assert_uint_eq(program->values[4].root,
                      program->results[last->first_result]);
    kci_tensor_type_t type;
    kci_program_value_type(program, program->values[4].root, &type);
    ck_assert_int_eq(type.shape.dims[0], ATTENTION_QUERIES);
    forward_end(&at);
}
END_TEST

static kc_profile_t *lonely_attention(void)
{
    kc_capsule_record_t capsule = fixture_capsule(
        "torchlean.composed_attention", KC_OP_SCALED_DOT_PRODUCT_ATTENTION,
        "torchlean", KC_DEVICE_CPU);
    kc_policy_t policy = fixture_policy(KC_DEVICE_CPU);
    policy.vjp_mode = KC_VJP_NONE;
    return fixture_profile_of(&policy, &capsule, 1);
}

/* A plan cannot be complete where the inner operations have no capsule; one
 * that says it is all the same gets no program. */
START_TEST(an_inner_operation_without_capsule)
{
    forward_case_t at;
    forward_begin(&at, lonely_attention(), attention_graph(false));
    ck_assert_uint_eq(at.plan->failure_count, 1);
    EXPECT_FAILURE(at.error, KC_ERR_ARGUMENT,
                   "expected a planned operation, found none",
                   kci_program_create(at.plan, &at.program, &at.error));
    at.plan->rows[0].entry = 0;
    EXPECT_FAILURE(at.error, KC_ERR_NO_CAPSULE,
                   "no admissible kernel capsule for op",
                   kci_program_create(at.plan, &at.program, &at.error));
    ck_assert_ptr_eq(strstr(at.error.message, "node 4 ("), at.error.message);
    ck_assert_ptr_null(at.program);
    forward_end(&at);
}
END_TEST

START_TEST(no_composition_for_it)
{
    forward_case_t at;
    kc_graph_builder_t *builder = graph_begin();
    graph_output(builder, "y",
                 graph_unary(builder, "relu", graph_input(builder, "x")));
    forward_begin(&at, attention_profile(), graph_end(builder));
    EXPECT_FAILURE(at.error, KC_ERR_NOT_IN_BUILD,
                   "node 1 (relu): capsule torchlean.relu: a composition of "
                   "relu is not in this build",
                   kci_program_create(at.plan, &at.program, &at.error));
    forward_end(&at);
}
END_TEST

START_TEST(a_graph_without_operations)
{
    forward_case_t at;
    kc_graph_builder_t *builder = graph_begin();
    graph_output(builder, "y", graph_input(builder, "x"));
    forward_begin(&at, acme_profile(NULL), graph_end(builder));
    forward_create(&at);
    ck_assert_uint_eq(at.program->step_count, 0);
    ck_assert_uint_eq(at.program->value_count, 1);
    kci_program_destroy(NULL);
    forward_end(&at);
}
END_TEST

Suite *suite_exec_program_forward(void)
{
    Suite *suite = suite_create("exec/program_forward");
    TCase *tcase = tcase_create("program_forward");
    tcase_add_test(tcase, nodes_are_the_first_values);
    tcase_add_test(tcase, the_operand_of_a_sum_is_one_axis);
    tcase_add_test(tcase, a_composition_becomes_its_operations);
    tcase_add_test(tcase, an_inner_operation_without_capsule);
    tcase_add_test(tcase, no_composition_for_it);
    tcase_add_test(tcase, a_graph_without_operations);
    suite_add_tcase(suite, tcase);
    return suite;
}
