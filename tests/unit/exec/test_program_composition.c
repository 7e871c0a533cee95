/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Compositions as steps: terms and values, capsules by demand, the gate. */
#include "exec/program.h"

#include "unit/exec/program_fixture.h"
#include "unit/exec/suites.h"
#include "unit/expect.h"

static const kci_tensor_type_t vector_type = {
    .dtype = KC_DTYPE_F32, .shape = {.rank = 1, .dims = {VECTOR}}};

/* A graph of one relu, whose program grows by a composition. */
typedef struct grown_case {
    kc_profile_t *profile;
    kc_graph_t *graph;
    kc_plan_t *plan;
    kci_program_t *program;
    kci_inner_plan_t inner;
    kci_composition_t composition;
    kci_term_t x;
    kc_error_t error;
} grown_case_t;

/* Takes the profile, whose first capsule is of relu. */
static void grown_begin(grown_case_t *at, kc_profile_t *profile)
{
    *at = (grown_case_t){.profile = profile, .error = KC_ERROR_INIT};
    kc_graph_builder_t *builder = graph_begin();
    graph_output(builder, "y",
                 graph_unary(builder, "relu", graph_input(builder, "x")));
    at->graph = graph_end(builder);
    EXPECT_OK(at->error,
              kci_plan_graph(profile, at->graph, &at->plan, &at->error));
    EXPECT_OK(at->error,
              kci_program_create(at->plan, &at->program, &at->error));
    EXPECT_OK(at->error, kci_inner_plan_create(profile, &profile->policy,
                                               &at->inner, &at->error));
    kci_composition_init(&at->composition);
    at->x = kci_compose_argument(&at->composition, &vector_type);
}

static void grown_end(grown_case_t *at)
{
    kci_composition_release(&at->composition);
    kci_inner_plan_release(&at->inner);
    kci_program_destroy(at->program);
    kci_plan_release(at->plan);
    kci_graph_release(at->graph);
    kci_profile_release(at->profile);
}

static kc_status_t grow(grown_case_t *at, const kci_term_t *terms, size_t count,
                        uint32_t *values)
{
    const uint32_t arguments[] = {0};
    const kci_program_step_t step = {
        .node = 1, .served = 0, .role = KCI_CALL_INNER_VJP};
    return kci_program_add_composition(at->program, &at->composition, arguments,
                                       &step, &at->inner, terms, count, values,
                                       &at->error);
}

START_TEST(terms_become_values)
{
    grown_case_t at;
    uint32_t values[4] = {0};
    float numbers[VECTOR] = {4, 5};
    grown_begin(&at, acme_profile(NULL));
    kci_composition_t *composition = &at.composition;
    kci_term_t unused = kci_compose_number(composition, KC_DTYPE_F32, 3);
    kci_term_t literal =
        kci_compose_literal(composition, &vector_type, numbers);
    kci_term_t sum = kci_compose_binary(composition, KC_OP_ADD, at.x, literal);
    kci_term_t relu = kci_compose_unary(composition, KC_OP_RELU, sum);
    ck_assert_uint_ne(unused, KCI_NO_TERM);
    const kci_term_t terms[] = {relu, at.x, KCI_NO_TERM, literal};
    EXPECT_OK(at.error, grow(&at, terms, 4, values));
    ck_assert_uint_eq(at.program->step_count, 3);
    ck_assert_uint_eq(at.program->forward_step_count, 1);
    const kci_program_step_t *step = &at.program->steps[1];
    ck_assert_int_eq(step->op, KC_OP_ADD);
    ck_assert_int_eq(step->role, KCI_CALL_INNER_VJP);
    ck_assert_uint_eq(step->served, 0);
    ck_assert_uint_eq(step->node, 1);
    ck_assert_str_eq(at.profile->entries[step->entry].capsule->name,
                     "acme.add");
    ck_assert_uint_eq(at.program->operands[step->first_operand], 0);
    ck_assert_uint_eq(at.program->operands[step->first_operand + 1], values[3]);
    ck_assert_uint_eq(at.program->values[values[0]].slot, 2);
    ck_assert_uint_eq(values[1], 0);
    ck_assert_uint_eq(values[2], KCI_NO_VALUE);
    /* One literal is read, so one is kept; its bytes are the program's. */
    ck_assert_uint_eq(at.program->literal_count, 1);
    ck_assert_uint_eq(at.program->literals[0].value, values[3]);
    kci_composition_clear(composition);
    ck_assert_float_eq(((float *)at.program->literals[0].bytes)[1], 5);
    ck_assert_uint_eq(at.program->literals[0].size_bytes, sizeof numbers);
    grown_end(&at);
}
END_TEST

/* relu of up to 4 elements, and of any number. */
static kc_profile_t *sized_profile(void)
{
    kc_capsule_record_t capsules[] = {
        fixture_capsule("acme.small", KC_OP_RELU, "acme", KC_DEVICE_CPU),
        fixture_capsule("acme.large", KC_OP_RELU, "acme", KC_DEVICE_CPU)};
    capsules[0].limits.extent_max = 4;
    kc_policy_t policy = fixture_policy(KC_DEVICE_CPU);
    return fixture_profile_of(&policy, capsules, 2);
}

START_TEST(capsules_by_what_the_operands_demand)
{
    grown_case_t at;
    uint32_t value = 0;
    grown_begin(&at, sized_profile());
    const kci_tensor_type_t small = {.dtype = KC_DTYPE_F32,
                                     .shape = {.rank = 1, .dims = {4}}};
    kci_term_t part = kci_compose_literal(&at.composition, &small,
                                          (const float[]){1, 2, 3, 4});
    kci_term_t term = kci_compose_unary(&at.composition, KC_OP_RELU, part);
    (void)kci_compose_unary(&at.composition, KC_OP_RELU, at.x);
    EXPECT_OK(at.error, grow(&at, &term, 1, &value));
    const kci_program_step_t *steps = at.program->steps;
    ck_assert_str_eq(at.profile->entries[steps[1].entry].capsule->name,
                     "acme.small");
    ck_assert_str_eq(at.profile->entries[steps[2].entry].capsule->name,
                     "acme.large");
    grown_end(&at);
}
END_TEST

START_TEST(inner_capsules_pass_the_gate)
{
    grown_case_t at;
    uint32_t value = 0;
    kc_capsule_record_t capsules[] = {
        fixture_capsule("acme.relu", KC_OP_RELU, "acme", KC_DEVICE_CPU),
        fixture_capsule("acme.exp", KC_OP_EXP, "acme", KC_DEVICE_CPU),
        fixture_capsule("torchlean.abs", KC_OP_ABS, "torchlean",
                        KC_DEVICE_CPU)};
    kc_policy_t policy = fixture_policy(KC_DEVICE_CPU);
    policy.vjp_mode = KC_VJP_NONE;
    fixture_trust_value(&capsules[1]);
    grown_begin(&at, fixture_profile_of(&policy, capsules, 3));
    kci_term_t exp = kci_compose_unary(&at.composition, KC_OP_EXP, at.x);
    EXPECT_FAILURE(at.error, KC_ERR_REJECTED, "acme.exp",
                   grow(&at, &exp, 1, &value));
    kci_composition_clear(&at.composition);
    at.x = kci_compose_argument(&at.composition, &vector_type);
    kci_term_t sum = kci_compose_binary(&at.composition, KC_OP_ADD, at.x, at.x);
    EXPECT_FAILURE(at.error, KC_ERR_NO_CAPSULE,
                   "no admissible kernel capsule for op add on device cpu",
                   grow(&at, &sum, 1, &value));
    kci_composition_clear(&at.composition);
    at.x = kci_compose_argument(&at.composition, &vector_type);
    kci_term_t abs = kci_compose_unary(&at.composition, KC_OP_ABS, at.x);
    EXPECT_FAILURE(at.error, KC_ERR_NOT_IN_BUILD,
                   "capsule torchlean.abs is a composition",
                   grow(&at, &abs, 1, &value));
    grown_end(&at);
}
END_TEST

START_TEST(a_composition_that_failed)
{
    grown_case_t at;
    uint32_t value = 99;
    grown_begin(&at, acme_profile(NULL));
    kci_term_t product =
        kci_compose_binary(&at.composition, KC_OP_MATMUL, at.x, at.x);
    EXPECT_FAILURE(at.error, KC_ERR_GRAPH, "matmul",
                   grow(&at, &product, 1, &value));
    ck_assert_uint_eq(at.program->step_count, 1);
    ck_assert_uint_eq(value, 99);
    grown_end(&at);
}
END_TEST

Suite *suite_exec_program_composition(void)
{
    Suite *suite = suite_create("exec/program_composition");
    TCase *tcase = tcase_create("program_composition");
    tcase_add_test(tcase, terms_become_values);
    tcase_add_test(tcase, capsules_by_what_the_operands_demand);
    tcase_add_test(tcase, inner_capsules_pass_the_gate);
    tcase_add_test(tcase, a_composition_that_failed);
    suite_add_tcase(suite, tcase);
    return suite;
}
