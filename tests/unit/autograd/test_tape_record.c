/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * What is remembered of an operation, which capsule serves when gradients are
 * on, and that a failure leaves the tape as it was. */
#include "autograd/tape_state.h"

#include <string.h>

#include "unit/autograd/suites.h"
#include "unit/autograd/tape_fixture.h"
#include "unit/built_modules.h"
#include "unit/contract_fixture.h"

START_TEST(only_what_a_gradient_can_pass_is_remembered)
{
    tape_fixture_t at;
    tape_begin(&at);
    kc_variable_t x = tape_number(&at, "x", 3);
    kc_variable_t c =
        tape_leaf_of(&at, tape_tensor(&at, 0, NULL, FLOATS(5)), "c", 0);
    kc_variable_t constant = tape_binary(&at, KC_OP_MUL, c, c);
    ck_assert_uint_eq(at.tape->node_count, 0);
    ck_assert_float_eq(*tape_data(&at, constant), 25);
    tape_binary(&at, KC_OP_MUL, constant, x);
    ck_assert_uint_eq(at.tape->node_count, 1);
    ck_assert_int_eq(at.tape->nodes[0].rule, KCI_TAPE_RULE_COMPOSED);
    ck_assert_uint_eq(at.tape->saved_count, 2);
    tape_unary(&at, KC_OP_RELU, x);
    ck_assert_int_eq(at.tape->nodes[1].rule, KCI_TAPE_RULE_RUNTIME);
    tape_binary(&at, KC_OP_ADD, x, x);
    ck_assert_uint_eq(at.tape->saved_count, 3);
    tape_end(&at);
}
END_TEST

/* Indices, masks and the bound of safe_log have no cotangent, whatever they
 * are made from. */
START_TEST(places_without_cotangent)
{
    tape_fixture_t at;
    tape_begin(&at);
    kc_variable_t eps = tape_number(&at, "eps", 0.5F);
    kc_variable_t c =
        tape_leaf_of(&at, tape_tensor(&at, 1, DIMS(2), FLOATS(1, 2)), "c", 0);
    tape_binary(&at, KC_OP_SAFE_LOG, c, eps);
    ck_assert_uint_eq(at.tape->node_count, 0);
    tape_end(&at);
}
END_TEST

static const char *capsule_of(const tape_fixture_t *at, size_t row)
{
    return kci_session_record(at->session)->entries[row].entry->capsule->name;
}

/* F08: the preferred capsule has a forward only. */
START_TEST(a_capsule_without_gradient_is_never_used)
{
    tape_fixture_t at;
    tape_begin_with(&at, built_profile_with("forward_only", "acme"), 1);
    kc_variable_t x = tape_leaf(&at, "x", 1, DIMS(2), FLOATS(-1, 2));
    kc_variable_t y = tape_unary(&at, KC_OP_RELU, x);
    ck_assert_str_eq(capsule_of(&at, 0), "reference.relu");
    tape_backward_filled(&at, y, 1);
    TAPE_EXPECT(&at, x, 0, 1);
    tape_end(&at);
}
END_TEST

START_TEST(a_strict_provider_without_gradient_fails_before_it_runs)
{
    tape_fixture_t at;
    kc_profile_t *profile = NULL;
    kc_variable_t y = {0};
    kc_error_t error = KC_ERROR_INIT;
    kc_profile_t *built = built_profile_with("forward_only", "acme");
    kc_policy_t policy = built->policy;
    policy.preference = KC_PREFERENCE_ONLY;
    strcpy(policy.provider, "acme");
    EXPECT_OK(error, kci_profile_with_policy(built, &policy, &profile, &error));
    kci_profile_release(built);
    tape_begin_with(&at, profile, 1);
    kc_variable_t x = tape_leaf(&at, "x", 1, DIMS(2), FLOATS(-1, 2));
    size_t live = at.allocator.live_bytes;
    EXPECT_FAILURE(
        at.error, KC_ERR_NO_CAPSULE, "no admissible kernel capsule for op relu",
        kci_tape_apply(at.tape, KC_OP_RELU, NULL, &x, 1, &y, &at.error));
    ck_assert_uint_eq(y.tape, 0);
    ck_assert_uint_eq(kci_session_record(at.session)->entry_count, 0);
    ck_assert_uint_eq(at.allocator.live_bytes, live);
    ck_assert_uint_eq(at.tape->variable_count, 1);
    tape_end(&at);
}
END_TEST

START_TEST(a_failing_kernel_leaves_the_tape_as_it_was)
{
    tape_fixture_t at;
    kc_variable_t y = {0};
    tape_begin_with(&at, built_profile_with("forward_fails", "acme"), 1);
    kc_variable_t x = tape_leaf(&at, "x", 1, DIMS(2), FLOATS(-1, 2));
    size_t live = at.allocator.live_bytes;
    EXPECT_FAILURE(
        at.error, KC_ERR_KERNEL, "the mock kernel gave up",
        kci_tape_apply(at.tape, KC_OP_RELU, NULL, &x, 1, &y, &at.error));
    ck_assert_uint_eq(y.tape, 0);
    ck_assert_uint_eq(at.allocator.live_bytes, live);
    ck_assert_uint_eq(at.tape->variable_count, 1);
    kc_variable_t z = tape_binary(&at, KC_OP_MUL, x, x);
    tape_backward_filled(&at, z, 1);
    TAPE_EXPECT(&at, x, -2, 4);
    tape_end(&at);
}
END_TEST

/* A stranger's composition that promises a VJP of its own has nobody who
 * could run it: planning does not take it. */
START_TEST(a_composition_has_no_vjp_of_its_own)
{
    tape_fixture_t at;
    kc_profile_t *profile = NULL;
    kc_variable_t y = {0};
    kc_error_t error = KC_ERROR_INIT;
    kc_capsule_record_t capsule = fixture_capsule(
        "stranger.attention", KC_OP_SCALED_DOT_PRODUCT_ATTENTION, "torchlean",
        KC_DEVICE_CPU);
    fixture_set_vjp(&capsule, KC_VJP_BACKEND);
    kc_capsule_module_t *module = fixture_module("stranger", &capsule, 1);
    kc_profile_t *built = built_checked_cpu();
    EXPECT_OK(error,
              kci_profile_with_modules(built, &module, 1, &profile, &error));
    kci_profile_release(built);
    kci_capsule_module_release(module);
    tape_begin_with(&at, profile, 1);
    kc_variable_t x = tape_leaf(&at, "x", 4, DIMS(1, 1, 1, 2), FLOATS(1, 2));
    const kc_variable_t inputs[] = {x, x, x};
    kc_attributes_t attributes = {.struct_size = sizeof attributes,
                                  .op = KC_OP_SCALED_DOT_PRODUCT_ATTENTION};
    attributes.u.attention.scale = 1;
    EXPECT_OK(at.error,
              kci_tape_apply(at.tape, KC_OP_SCALED_DOT_PRODUCT_ATTENTION,
                             &attributes, inputs, 3, &y, &at.error));
    ck_assert_str_eq(
        kci_session_record(at.session)->entries[0].entry->capsule->name,
        "reference.attention");
    tape_end(&at);
}
END_TEST

START_TEST(errors_of_operations)
{
    tape_fixture_t at;
    kc_variable_t y = {0};
    kc_variable_t none[KC_MAX_INPUTS + 1] = {{0}};
    tape_begin(&at);
    kc_variable_t a = tape_leaf(&at, "a", 1, DIMS(2), FLOATS(1, 2));
    kc_variable_t b = tape_leaf(&at, "b", 1, DIMS(3), FLOATS(1, 2, 3));
    kc_variable_t inputs[] = {a, b};
    EXPECT_FAILURE(
        at.error, KC_ERR_ARGUMENT, "operation: expected 0 to 46, found 47",
        kci_tape_apply(at.tape, KC_OP_COUNT, NULL, inputs, 2, &y, &at.error));
    EXPECT_FAILURE(at.error, KC_ERR_ARGUMENT,
                   "add: expected at most 64 inputs, found 65",
                   kci_tape_apply(at.tape, KC_OP_ADD, NULL, none,
                                  KC_MAX_INPUTS + 1, &y, &at.error));
    EXPECT_FAILURE(
        at.error, KC_ERR_TENSOR, "dispatch.shape: add",
        kci_tape_apply(at.tape, KC_OP_ADD, NULL, inputs, 2, &y, &at.error));
    EXPECT_FAILURE(
        at.error, KC_ERR_TENSOR, "add",
        kci_tape_apply(at.tape, KC_OP_ADD, NULL, none, 2, &y, &at.error));
    EXPECT_FAILURE(
        at.error, KC_ERR_ARGUMENT, "scale: expected attributes",
        kci_tape_apply(at.tape, KC_OP_SCALE, NULL, &a, 1, &y, &at.error));
    ck_assert_uint_eq(y.tape, 0);
    ck_assert_uint_eq(at.tape->variable_count, 2);
    tape_end(&at);
}
END_TEST

/* linear with its bias left out in both ways, and with it. */
START_TEST(optional_inputs)
{
    tape_fixture_t at;
    tape_begin(&at);
    kc_variable_t x = tape_leaf(&at, "x", 1, DIMS(2), FLOATS(3, 5));
    kc_variable_t w = tape_leaf(&at, "w", 2, DIMS(1, 2), FLOATS(7, 11));
    kc_variable_t bias = tape_leaf(&at, "bias", 1, DIMS(1), FLOATS(1));
    const kc_variable_t with[] = {x, w, bias};
    const kc_variable_t without[] = {x, w, {0}};
    kc_variable_t y = tape_op(&at, KC_OP_LINEAR, NULL, without, 3);
    ck_assert_float_eq(*tape_data(&at, y), 76);
    /* As in a graph, whose nodes have no parents that are absent. */
    ck_assert_uint_eq(at.tape->nodes[0].input_count, 2);
    tape_backward_filled(&at, y, 1);
    TAPE_EXPECT(&at, x, 7, 11);
    TAPE_EXPECT(&at, w, 3, 5);
    TAPE_EXPECT(&at, bias, 0);
    kci_tape_clear_gradients(at.tape);
    tape_backward_filled(&at, tape_op(&at, KC_OP_LINEAR, NULL, without, 2), 1);
    TAPE_EXPECT(&at, w, 3, 5);
    tape_backward_filled(&at, tape_op(&at, KC_OP_LINEAR, NULL, with, 3), 1);
    TAPE_EXPECT(&at, bias, 1);
    tape_end(&at);
}
END_TEST

static kc_variable_t draw(tape_fixture_t *at, uint64_t seed)
{
    kc_attributes_t attributes = {.struct_size = sizeof attributes,
                                  .op = KC_OP_RAND_UNIFORM};
    attributes.u.random.seed = seed;
    attributes.u.random.key = 99; /* the tape knows better */
    attributes.u.random.rank = 1;
    attributes.u.random.shape[0] = 3;
    return tape_op(at, KC_OP_RAND_UNIFORM, &attributes, NULL, 0);
}

static void expect_draw(tape_fixture_t *at, kc_variable_t variable,
                        uint64_t seed, uint64_t counter)
{
    kc_tensor_t *expected = NULL;
    kc_attributes_t attributes = {.struct_size = sizeof attributes,
                                  .op = KC_OP_RAND_UNIFORM};
    attributes.u.random.key = kci_random_key(seed, counter);
    attributes.u.random.rank = 1;
    attributes.u.random.shape[0] = 3;
    EXPECT_OK(at->error,
              kci_session_apply(at->session, KC_OP_RAND_UNIFORM, &attributes,
                                NULL, 0, &expected, &at->error));
    tape_expect_values(expected, tape_data(at, variable), 3);
    kci_tensor_release(expected);
}

/* Keys by seed and count; the value has no gradient and scales what passes
 * it. */
START_TEST(random_sources_have_no_gradient)
{
    tape_fixture_t at;
    kc_tensor_t *gradient = NULL;
    tape_begin(&at);
    kc_variable_t x = tape_leaf(&at, "x", 1, DIMS(3), FLOATS(1, 2, 3));
    kc_variable_t first = draw(&at, 7);
    kc_variable_t second = draw(&at, 7);
    expect_draw(&at, first, 7, 0);
    expect_draw(&at, second, 7, 1);
    kc_variable_t y = tape_binary(&at, KC_OP_MUL, x, second);
    float factors[3];
    memcpy(factors, tape_data(&at, second), sizeof factors);
    EXPECT_FAILURE(at.error, KC_ERR_ARGUMENT,
                   "gradient: expected a leaf with KC_LEAF_GRADIENT, found the "
                   "result of operation 1 (rand_uniform)",
                   kci_tape_gradient(at.tape, first, &gradient, &at.error));
    tape_backward_filled(&at, y, 1);
    tape_expect(&at, x, factors, 3);
    tape_end(&at);
}
END_TEST

/* What a step drew goes with it: a loop does not grow, whoever draws. */
START_TEST(what_was_drawn_ends_with_the_backward)
{
    tape_fixture_t at;
    kc_tensor_t *value = NULL;
    size_t variables = 0;
    tape_begin(&at);
    kc_variable_t x = tape_leaf(&at, "x", 1, DIMS(3), FLOATS(1, 2, 3));
    for (int step = 0; step < 3; step++) {
        kc_variable_t drawn = draw(&at, 7);
        kc_variable_t y = tape_binary(&at, KC_OP_MUL, x, drawn);
        tape_backward_filled(&at, y, 1);
        EXPECT_FAILURE(at.error, KC_ERR_ARGUMENT, "used the tape up",
                       kci_tape_value(at.tape, drawn, &value, &at.error));
        variables = step == 0 ? at.tape->variable_count : variables;
        ck_assert_uint_eq(at.tape->variable_count, variables);
    }
    tape_end(&at);
}
END_TEST

/* A draw that fails, whatever the reason, has not been one. */
START_TEST(a_failed_draw_does_not_count)
{
    tape_fixture_t at;
    kc_variable_t none = {0};
    kc_attributes_t attributes = {.struct_size = sizeof attributes,
                                  .op = KC_OP_RAND_UNIFORM};
    attributes.u.random.rank = 1;
    attributes.u.random.shape[0] = -3;
    tape_begin(&at);
    EXPECT_FAILURE(at.error, KC_ERR_TENSOR, "expected extents of 0 or more",
                   kci_tape_apply(at.tape, KC_OP_RAND_UNIFORM, &attributes,
                                  NULL, 0, &none, &at.error));
    EXPECT_FAILURE(at.error, KC_ERR_ARGUMENT, "expected attributes",
                   kci_tape_apply(at.tape, KC_OP_RAND_UNIFORM, NULL, NULL, 0,
                                  &none, &at.error));
    attributes.struct_size = 0;
    EXPECT_FAILURE(at.error, KC_ERR_ARGUMENT, "a record without size",
                   kci_tape_apply(at.tape, KC_OP_RAND_UNIFORM, &attributes,
                                  NULL, 0, &none, &at.error));
    ck_assert_uint_eq(none.tape, 0);
    expect_draw(&at, draw(&at, 7), 7, 0);
    expect_draw(&at, draw(&at, 7), 7, 1);
    tape_end(&at);
}
END_TEST

Suite *suite_autograd_tape_record(void)
{
    Suite *suite = suite_create("autograd/tape_record");
    TCase *tcase = tcase_create("tape_record");
    tcase_add_test(tcase, only_what_a_gradient_can_pass_is_remembered);
    tcase_add_test(tcase, places_without_cotangent);
    tcase_add_test(tcase, a_capsule_without_gradient_is_never_used);
    tcase_add_test(tcase,
                   a_strict_provider_without_gradient_fails_before_it_runs);
    tcase_add_test(tcase, a_failing_kernel_leaves_the_tape_as_it_was);
    tcase_add_test(tcase, a_composition_has_no_vjp_of_its_own);
    tcase_add_test(tcase, errors_of_operations);
    tcase_add_test(tcase, optional_inputs);
    tcase_add_test(tcase, random_sources_have_no_gradient);
    tcase_add_test(tcase, what_was_drawn_ends_with_the_backward);
    tcase_add_test(tcase, a_failed_draw_does_not_count);
    suite_add_tcase(suite, tcase);
    return suite;
}
