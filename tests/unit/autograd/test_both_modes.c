/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Random graphs: the planned backward has the bits of the tape's, with any
 * number of threads, without reuse of memory, for each wanted node alone as
 * in one run with the others. KC_TEST_SEED names the first seed and
 * KC_TEST_ROUNDS how many follow; a failing one is printed. */
#include <math.h>
#include <stdlib.h>

#include "autograd/gradient_plan_parts.h"
#include "unit/autograd/gradient_runs.h"
#include "unit/autograd/random_graph.h"
#include "unit/autograd/suites.h"
#include "unit/expect.h"

#define ROUNDS     40
#define FIRST_SEED 20250

typedef struct modes_case {
    uint64_t seed;
    kc_graph_t *graph;
    uint32_t *outputs;
    uint32_t *nodes;
    kci_gradient_request_t request;
} modes_case_t;

static uint64_t number_of(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    return text != NULL ? strtoull(text, NULL, 0) : otherwise;
}

static bool is_float(const kc_graph_t *graph, uint32_t node)
{
    int32_t dtype = graph->nodes[node].dtype;
    return dtype == KC_DTYPE_F32 || dtype == KC_DTYPE_F64;
}

/* All leaves, and the outputs that depend on one of them. False when there
 * is none: nothing can be asked of a tape then. */
static bool begin(modes_case_t *at, uint64_t seed)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_gradient_targets_t targets;
    *at = (modes_case_t){.seed = seed, .graph = random_graph(seed)};
    const kc_graph_t *graph = at->graph;
    at->outputs = calloc(graph->output_count + 1, sizeof *at->outputs);
    at->nodes = calloc(graph->node_count + 1, sizeof *at->nodes);
    at->request.outputs = at->outputs;
    at->request.nodes = at->nodes;
    for (uint32_t node = 0; node < graph->node_count; node++) {
        if (gradient_is_leaf(graph, node) && is_float(graph, node)) {
            at->nodes[at->request.node_count++] = node;
        }
    }
    EXPECT_OK(error, kci_gradient_targets_create(graph, &at->request, &targets,
                                                 &error));
    for (uint32_t i = 0; i < graph->output_count; i++) {
        if (targets.is_on_way[graph->outputs[i].node]) {
            at->outputs[at->request.output_count++] = i;
        }
    }
    kci_gradient_targets_release(&targets);
    return at->request.output_count > 0;
}

static void end(modes_case_t *at)
{
    kci_graph_release(at->graph);
    free(at->outputs);
    free(at->nodes);
}

static void expect_same(const modes_case_t *at, const char *what,
                        const gradient_result_t *found,
                        const gradient_result_t *expected)
{
    for (size_t i = 0; i < expected->count; i++) {
        const DLTensor *view = &expected->gradients[i]->view;
        for (int64_t k = 0; k < kc_tensor_element_count(view); k++) {
            double a = gradient_element(found, i, k);
            double b = gradient_element(expected, i, k);
            bool is_same =
                isnan(a) ? isnan(b) != 0 : a == b && signbit(a) == signbit(b);
            ck_assert_msg(is_same,
                          "seed %llu, %s: gradient %zu, element %lld: found "
                          "%.17g, expected %.17g",
                          (unsigned long long)at->seed, what, i, (long long)k,
                          a, b);
        }
    }
}

/* With so many threads: planned, planned without reuse, and on the tape. */
static void check_threads(modes_case_t *at, uint32_t thread_count,
                          gradient_result_t *expected)
{
    gradient_fixture_t fixture;
    gradient_fixture_begin(&fixture, thread_count);
    gradient_values_t values = gradient_values(&fixture, at->graph, at->seed);
    kc_plan_t *plan = gradient_plan(&fixture, at->graph, &at->request);
    for (int no_reuse = 0; no_reuse < 2; no_reuse++) {
        gradient_result_t found =
            gradient_run_plan(&fixture, plan, &values, at->seed, no_reuse != 0);
        expect_same(at, no_reuse != 0 ? "without reuse" : "planned", &found,
                    expected);
        gradient_result_release(&found);
    }
    gradient_result_t found =
        gradient_run_tape(&fixture, &values, &at->request, at->seed);
    expect_same(at, "tape", &found, expected);
    gradient_result_release(&found);
    kci_plan_release(plan);
    gradient_values_release(&values);
    gradient_fixture_end(&fixture);
}

static void check_each_alone(modes_case_t *at, gradient_fixture_t *fixture,
                             const gradient_values_t *values,
                             const gradient_result_t *expected)
{
    for (size_t i = 0; i < expected->count; i++) {
        kci_gradient_request_t request = at->request;
        gradient_result_t one = {.gradients = expected->gradients + i,
                                 .count = 1};
        request.nodes = at->nodes + i;
        request.node_count = 1;
        gradient_result_t found =
            gradient_of(fixture, values, &request, at->seed);
        expect_same(at, "alone", &found, &one);
        gradient_result_release(&found);
    }
}

static uint64_t ops_of(const kc_graph_t *graph)
{
    uint64_t ops = 0;
    for (uint32_t node = 0; node < graph->node_count; node++) {
        int32_t op = graph->nodes[node].op;
        ops |= op < 0 ? 0 : KCI_OP_BIT(op);
    }
    return ops;
}

/* Those with a gradient that a capsule of the reference has. */
static void expect_all_ops(uint64_t seen)
{
    seen |= KCI_OP_BIT(KC_OP_FFT_FNO) | KCI_OP_BIT(KC_OP_SELECTIVE_SCAN);
    for (int32_t op = 0; op < KC_OP_COUNT; op++) {
        ck_assert_msg((seen >> op & 1u) != 0, "operation %d was not drawn", op);
    }
}

START_TEST(random_graphs_have_the_same_bits)
{
    static const uint32_t threads[] = {1, 2, 7};
    uint64_t first = number_of("KC_TEST_SEED", FIRST_SEED);
    uint64_t rounds = number_of("KC_TEST_ROUNDS", ROUNDS);
    uint64_t compared = 0;
    uint64_t seen = 0;
    for (uint64_t seed = first; seed < first + rounds; seed++) {
        modes_case_t at;
        gradient_fixture_t fixture;
        if (begin(&at, seed)) {
            gradient_fixture_begin(&fixture, 1);
            gradient_values_t values =
                gradient_values(&fixture, at.graph, seed);
            gradient_result_t expected =
                gradient_run_tape(&fixture, &values, &at.request, seed);
            for (size_t i = 0; i < 3; i++) {
                check_threads(&at, threads[i], &expected);
            }
            check_each_alone(&at, &fixture, &values, &expected);
            gradient_result_release(&expected);
            gradient_values_release(&values);
            gradient_fixture_end(&fixture);
            seen |= ops_of(at.graph);
            compared++;
        }
        end(&at);
    }
    if (rounds >= ROUNDS) {
        ck_assert_uint_gt(4 * compared, 3 * rounds);
        expect_all_ops(seen);
    }
}
END_TEST

Suite *suite_autograd_both_modes(void)
{
    Suite *suite = suite_create("autograd.both_modes");
    TCase *tests = tcase_create("random graphs");
    tcase_set_timeout(tests, 600);
    tcase_add_test(tests, random_graphs_have_the_same_bits);
    suite_add_tcase(suite, tests);
    return suite;
}
