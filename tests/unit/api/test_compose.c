/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * The generic compositions under checked_cpu, which has no capsule of
 * selective_scan or fft_fno: in a graph, eager and compiled, and on a tape. */
#include <math.h>

#include "unit/api/api_fixture.h"
#include "unit/api/compose_fixture.h"
#include "unit/api/suites.h"
#include "unit/expect.h"

static compose_at_t fixture;
static compose_at_t *const at = &fixture;

static void begin(void)
{
    fixture = (compose_at_t){.error = KC_ERROR_INIT};
    fixture.runtime = fixture_runtime(NULL);
    fixture.profile = fixture_profile(fixture.runtime, "checked_cpu");
}

static void end(void)
{
    kc_profile_release(fixture.profile);
    kc_runtime_release(fixture.runtime);
}

/* Eager, compiled and on a tape: the formula's values, equal bits. */
START_TEST(composes_in_every_mode)
{
    for (composed_t which = SCAN; which < COMPOSED; which++) {
        kc_tensor_t *in[COMPOSE_OPERANDS_MAX] = {NULL};
        kc_tensor_t *taped = NULL;
        compose_tape_t on;
        compose_draw_all(at, which, in);
        kc_graph_t *graph = compose_graph(at, which);
        kc_tensor_t *eager =
            compose_run_eager(at, graph, in, compose_cases[which].count);
        kc_tensor_t *compiled = compose_run_compiled(at, which, graph, in);
        compose_tape_begin(at, &on, which, in);
        EXPECT_OK(at->error,
                  compose_variables(at, on.tape, which, on.in, &on.out));
        EXPECT_OK(at->error,
                  kc_tape_value(on.tape, on.out, &taped, &at->error));
        compose_expect_values(which, in, eager);
        compose_expect_bits(compiled, eager);
        compose_expect_bits(taped, eager);
        kc_tensor_release(taped);
        compose_tape_end(at, &on);
        kc_tensor_release(compiled);
        kc_tensor_release(eager);
        kc_graph_release(graph);
        compose_release(in, compose_cases[which].count);
    }
}
END_TEST

/* The graph holds the matrices: nobody is asked for them. */
START_TEST(literals_are_no_consts)
{
    for (composed_t which = SCAN; which < COMPOSED; which++) {
        kc_graph_t *graph = compose_graph(at, which);
        kc_graph_port_t port = {.struct_size = sizeof port, .node = 77};
        ck_assert_uint_eq(kc_graph_const_count(graph), 0);
        kc_graph_const(graph, 0, &port);
        ck_assert_uint_eq(port.node, 77);
        kc_graph_release(graph);
    }
}
END_TEST

static const compose_operand_t signals = {2, {2, COMPOSE_N}};

/* irfft(rfft(p)) + w, of which w is a const. */
static kc_graph_t *round_trip_graph(void)
{
    uint32_t x = 0;
    uint32_t spectrum = 0;
    uint32_t ends[2];
    uint32_t result = 0;
    kc_graph_builder_t *builder = compose_builder(at, RFFT, &x);
    kc_node_spec_t w = {.struct_size = sizeof w,
                        .dtype = KC_DTYPE_F64,
                        .kind = "const",
                        .name = "w",
                        .rank = 2,
                        .dims = signals.dims};
    kc_node_spec_t sum = {.struct_size = sizeof sum,
                          .dtype = KC_DTYPE_F64,
                          .kind = "add",
                          .parents = ends,
                          .parent_count = 2,
                          .rank = 2,
                          .dims = signals.dims};
    EXPECT_OK(at->error,
              kc_compose_rfft_graph(builder, x, &spectrum, &at->error));
    EXPECT_OK(at->error, kc_compose_irfft_graph(builder, spectrum, COMPOSE_N,
                                                &ends[0], &at->error));
    EXPECT_OK(at->error,
              kc_graph_builder_add(builder, &w, &ends[1], &at->error));
    EXPECT_OK(at->error,
              kc_graph_builder_add(builder, &sum, &result, &at->error));
    return compose_finish(at, builder, result);
}

/* Of `in` the input and the weight. */
static kc_tensor_t *run_round_trip(kc_graph_t *graph, kc_tensor_t **in)
{
    static const char *const names[] = {"w"};
    kc_weights_t *weights = NULL;
    kc_session_t *session = NULL;
    kc_tensor_t *found = NULL;
    const DLTensor *view = kc_tensor_view(in[0]);
    EXPECT_OK(at->error, kc_weights_from_tensors(at->runtime, names, &in[1], 1,
                                                 &weights, &at->error));
    EXPECT_OK(at->error, kc_session_create(at->runtime, at->profile, 0,
                                           &session, &at->error));
    EXPECT_OK(at->error, kc_session_run_graph(session, graph, weights, &view, 1,
                                              &found, 1, &at->error));
    kc_session_release(session);
    kc_weights_release(weights);
    return found;
}

/* A const of the weights beside literals is found by its place, also where
 * the graph runs on a tape. */
START_TEST(consts_keep_their_places)
{
    compose_tape_t on;
    kc_tensor_t *taped = NULL;
    kc_variable_t constant;
    kc_graph_t *graph = round_trip_graph();
    kc_tensor_t *in[] = {compose_draw(at, &signals, 1),
                         compose_draw(at, &signals, 2)};
    ck_assert_uint_eq(kc_graph_const_count(graph), 1);
    kc_tensor_t *eager = run_round_trip(graph, in);
    for (int64_t i = 0; i < compose_count(&signals); i++) {
        ck_assert(fabs(compose_elements(eager)[i] - compose_elements(in[0])[i] -
                       compose_elements(in[1])[i]) < 1e-12);
    }
    compose_tape_begin(at, &on, RFFT, in);
    EXPECT_OK(at->error,
              kc_tape_leaf(on.tape, in[1], "w", 0, &constant, &at->error));
    EXPECT_FAILURE(at->error, KC_ERR_ARGUMENT, "expected 1 consts, found 0",
                   kc_tape_run_graph(on.tape, graph, on.in, 1, NULL, 0, &on.out,
                                     1, &at->error));
    EXPECT_OK(at->error, kc_tape_run_graph(on.tape, graph, on.in, 1, &constant,
                                           1, &on.out, 1, &at->error));
    EXPECT_OK(at->error, kc_tape_value(on.tape, on.out, &taped, &at->error));
    compose_expect_bits(taped, eager);
    kc_tensor_release(taped);
    compose_tape_end(at, &on);
    kc_tensor_release(eager);
    kc_graph_release(graph);
    compose_release(in, 2);
}
END_TEST

/* sum of seed * value of a fresh run */
static double objective(composed_t which, kc_graph_t *graph,
                        kc_tensor_t *const *in, kc_tensor_t *seed)
{
    double sum = 0;
    kc_tensor_t *found =
        compose_run_eager(at, graph, in, compose_cases[which].count);
    for (int64_t i = 0; i < compose_count(&compose_cases[which].result); i++) {
        sum += compose_elements(found)[i] * compose_elements(seed)[i];
    }
    kc_tensor_release(found);
    return sum;
}

/* Polynomials of low degree: what the extrapolation leaves is 1e-12 at most,
 * rounding 1e-16 / 1e-3. */
static void check_differences(composed_t which, kc_graph_t *graph,
                              kc_tensor_t *const *in, kc_tensor_t *seed,
                              size_t operand, kc_tensor_t *found)
{
    for (int64_t i = 0;
         i < compose_count(&compose_cases[which].operands[operand]); i++) {
        double *element = &compose_elements(in[operand])[i];
        double here = *element;
        double slopes[2];
        for (int half = 0; half < 2; half++) {
            double step = half ? 5e-4 : 1e-3;
            *element = here + step;
            double above = objective(which, graph, in, seed);
            *element = here - step;
            slopes[half] =
                (above - objective(which, graph, in, seed)) / (2 * step);
            *element = here;
        }
        double expected = (4 * slopes[1] - slopes[0]) / 3;
        ck_assert_msg(fabs(compose_elements(found)[i] - expected) < 1e-9,
                      "%s operand %zu element %lld: found %.17g, expected "
                      "%.17g",
                      compose_cases[which].name, operand, (long long)i,
                      compose_elements(found)[i], expected);
    }
}

/* On a tape against central differences, compiled with the same bits. */
START_TEST(differentiates_in_every_mode)
{
    for (composed_t which = SCAN; which < COMPOSED; which++) {
        size_t count = compose_cases[which].count;
        kc_tensor_t *in[COMPOSE_OPERANDS_MAX] = {NULL};
        kc_tensor_t *taped[COMPOSE_OPERANDS_MAX] = {NULL};
        kc_tensor_t *compiled[COMPOSE_OPERANDS_MAX] = {NULL};
        kc_tensor_t *seed = compose_draw(at, &compose_cases[which].result, 99);
        compose_draw_all(at, which, in);
        kc_graph_t *graph = compose_graph(at, which);
        compose_taped_gradients(at, which, in, seed, taped);
        compose_compiled_gradients(at, which, graph, in, seed, compiled);
        for (size_t i = 0; i < count; i++) {
            compose_expect_bits(compiled[i], taped[i]);
            check_differences(which, graph, in, seed, i, taped[i]);
        }
        kc_graph_release(graph);
        kc_tensor_release(seed);
        compose_release(compiled, count);
        compose_release(taped, count);
        compose_release(in, count);
    }
}
END_TEST

/* Why there are compositions: the operation itself has no capsule here. */
START_TEST(the_operations_themselves_have_no_capsule)
{
    kc_tensor_t *x = compose_draw(at, &compose_cases[RFFT].operands[0], 1);
    const DLTensor *view = kc_tensor_view(x);
    kc_tensor_t *found = NULL;
    kc_session_t *session = NULL;
    kc_attributes_t attributes = {.struct_size = sizeof attributes,
                                  .op = KC_OP_FFT_FNO};
    attributes.u.fft = (kc_fft_attributes_t){KC_FFT_RFFT, COMPOSE_N, 0};
    EXPECT_OK(at->error, kc_session_create(at->runtime, at->profile, 0,
                                           &session, &at->error));
    EXPECT_FAILURE(at->error, KC_ERR_NO_CAPSULE, "fft_fno",
                   kc_session_apply(session, KC_OP_FFT_FNO, &attributes, &view,
                                    1, &found, &at->error));
    kc_session_release(session);
    kc_tensor_release(x);
}
END_TEST

/* The builder is as it was, and goes on. */
START_TEST(a_refusal_leaves_the_builder_as_it_was)
{
    uint32_t nodes[COMPOSE_OPERANDS_MAX];
    uint32_t result = 77;
    static const compose_operand_t many = {2, {100000000, 3}};
    static const compose_operand_t named = {2, {1, COMPOSE_N}};
    kc_graph_builder_t *builder = compose_builder(at, SCAN, nodes);
    uint32_t open = compose_input(at, builder, "open", &named, "B");
    EXPECT_FAILURE(at->error, KC_ERR_GRAPH,
                   "memory: selective_scan: b: expected",
                   kc_compose_scan_graph(builder, nodes[0], nodes[2], nodes[2],
                                         nodes[3], &result, &at->error));
    EXPECT_FAILURE(
        at->error, KC_ERR_GRAPH, "memory: fft_fno: ",
        kc_compose_irfft_graph(builder, nodes[2], 4, &result, &at->error));
    EXPECT_FAILURE(at->error, KC_ERR_GRAPH,
                   "memory: expected a node that is there, found 9 of 5",
                   kc_compose_rfft_graph(builder, 9, &result, &at->error));
    EXPECT_FAILURE(at->error, KC_ERR_GRAPH,
                   "expected extents as numbers, found the name B",
                   kc_compose_rfft_graph(builder, open, &result, &at->error));
    uint32_t rows = compose_input(at, builder, "many", &many, NULL);
    EXPECT_FAILURE(at->error, KC_ERR_GRAPH,
                   "memory: selective_scan: x: expected at most 2097152 rows "
                   "to unroll, found 100000000",
                   kc_compose_scan_graph(builder, nodes[0], nodes[1], rows,
                                         nodes[3], &result, &at->error));
    EXPECT_FAILURE(at->error, KC_ERR_ARGUMENT, "out_node",
                   kc_compose_rfft_graph(builder, open, NULL, &at->error));
    EXPECT_FAILURE(at->error, KC_ERR_ARGUMENT, "builder",
                   kc_compose_rfft_graph(NULL, 0, &result, &at->error));
    ck_assert_uint_eq(result, 77);
    kc_graph_t *graph = compose_finish(at, builder, nodes[0]);
    ck_assert_uint_eq(kc_graph_node_count(graph), 6);
    kc_graph_release(graph);
}
END_TEST

/* Names of extents elsewhere in the graph: binding keeps the literals. */
START_TEST(literals_outlive_binding)
{
    static const char *const names[] = {"B"};
    static const compose_operand_t named = {2, {1, COMPOSE_N}};
    static const int64_t value = 3;
    uint32_t x = 0;
    uint32_t result = 0;
    kc_graph_t *bound = NULL;
    kc_graph_builder_t *builder = compose_builder(at, RFFT, &x);
    (void)compose_input(at, builder, "open", &named, "B");
    EXPECT_OK(at->error,
              kc_compose_rfft_graph(builder, x, &result, &at->error));
    kc_graph_t *graph = compose_finish(at, builder, result);
    EXPECT_OK(at->error,
              kc_graph_bind(graph, names, &value, 1, &bound, &at->error));
    kc_graph_release(graph);
    compose_operand_t open = {2, {3, COMPOSE_N}};
    kc_tensor_t *in[] = {compose_draw(at, &compose_cases[RFFT].operands[0], 1),
                         compose_draw(at, &open, 2)};
    kc_tensor_t *found = compose_run_eager(at, bound, in, 2);
    compose_expect_values(RFFT, in, found);
    kc_tensor_release(found);
    compose_release(in, 2);
    kc_graph_release(bound);
}
END_TEST

/* Variables that are none, and operands of the wrong shape: the tape is as it
 * was, and goes on. */
START_TEST(a_refusal_leaves_the_tape_as_it_was)
{
    kc_tensor_t *in[COMPOSE_OPERANDS_MAX] = {NULL};
    kc_variable_t none = {.tape = 0};
    compose_tape_t on;
    compose_draw_all(at, SCAN, in);
    compose_tape_begin(at, &on, SCAN, in);
    EXPECT_FAILURE(at->error, KC_ERR_ARGUMENT, "",
                   kc_compose_rfft_tape(on.tape, none, &on.out, &at->error));
    EXPECT_FAILURE(at->error, KC_ERR_GRAPH, "selective_scan: b: expected",
                   kc_compose_scan_tape(on.tape, on.in[0], on.in[2], on.in[2],
                                        on.in[3], &on.out, &at->error));
    EXPECT_FAILURE(at->error, KC_ERR_ARGUMENT, "out_variable",
                   kc_compose_rfft_tape(on.tape, on.in[2], NULL, &at->error));
    EXPECT_FAILURE(at->error, KC_ERR_ARGUMENT, "tape",
                   kc_compose_rfft_tape(NULL, on.in[2], &on.out, &at->error));
    EXPECT_OK(at->error, compose_variables(at, on.tape, SCAN, on.in, &on.out));
    compose_tape_end(at, &on);
    compose_release(in, compose_cases[SCAN].count);
}
END_TEST

/* Zeros that depend on all operands: a backward finds zeros for each, as in a
 * graph. */
START_TEST(no_modes_have_gradients_of_zeros)
{
    static const compose_operand_t operands[] = {
        {2, {COMPOSE_N, 2}}, {3, {0, 2, 3}}, {3, {0, 2, 3}}};
    static const compose_operand_t result = {2, {COMPOSE_N, 3}};
    kc_tensor_t *in[3];
    kc_tensor_t *gradients[3] = {NULL};
    for (uint64_t i = 0; i < 3; i++) {
        in[i] = compose_draw(at, &operands[i], i);
    }
    kc_tensor_t *seed = compose_draw(at, &result, 3);
    compose_taped_gradients(at, CONVOLUTION, in, seed, gradients);
    for (int64_t i = 0; i < compose_count(&operands[0]); i++) {
        ck_assert_double_eq(compose_elements(gradients[0])[i], 0);
    }
    compose_release(gradients, 3);
    kc_tensor_release(seed);
    compose_release(in, 3);
}
END_TEST

Suite *suite_api_compose(void)
{
    Suite *suite = suite_create("api.compose");
    TCase *tests = tcase_create("compositions");
    tcase_add_checked_fixture(tests, begin, end);
    tcase_add_test(tests, composes_in_every_mode);
    tcase_add_test(tests, literals_are_no_consts);
    tcase_add_test(tests, consts_keep_their_places);
    tcase_add_test(tests, differentiates_in_every_mode);
    tcase_add_test(tests, the_operations_themselves_have_no_capsule);
    tcase_add_test(tests, a_refusal_leaves_the_builder_as_it_was);
    tcase_add_test(tests, literals_outlive_binding);
    tcase_add_test(tests, a_refusal_leaves_the_tape_as_it_was);
    tcase_add_test(tests, no_modes_have_gradients_of_zeros);
    suite_add_tcase(suite, tests);
    return suite;
}
