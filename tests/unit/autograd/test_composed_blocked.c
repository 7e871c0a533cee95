/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * The composed rule of attention where something is blocked: on a tape and
 * planned, queries and cotangents that are not finite are refused, and
 * products that would leave the type, since they would reach gradients of
 * others. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "autograd/tape_state.h"
#include "unit/autograd/gradient_runs.h"
#include "unit/autograd/suites.h"
#include "unit/built_modules.h"
#include "unit/expect.h"
#include "unit/failing_heap.h"

#define OP         KC_OP_SCALED_DOT_PRODUCT_ATTENTION
#define QUERIES    3
#define KEYS       4
#define WIDTH      2
#define ALIVE      (1 * WIDTH) /* places of the query with that number */
#define DEAD       (2 * WIDTH)
#define TEXT_SIZE  1024
#define WORDS      "expected finite values where keys are blocked"
#define OF_Q       "scaled_dot_product_attention q: " WORDS
#define OF_G       "scaled_dot_product_attention cotangent of the output: " WORDS
#define CASE_COUNT 4

enum { Q, K, V, MASK, Y };

/* y = attention(q, k, v, mask) by the mock composed_attention, whose plan is
 * compiled once. */
typedef struct blocked_case {
    gradient_fixture_t fixture;
    kc_graph_t *graph;
    gradient_values_t values;
    kc_plan_t *plan;
    kc_executor_t *executor;
    gradient_call_t call;
    kc_error_t error;
    bool is_causal;
} blocked_case_t;

static kc_graph_t *make_graph(const char *dtype, bool is_causal)
{
    char text[TEXT_SIZE];
    snprintf(text, sizeof text,
             "{'id': 0, 'op': 'input', 'shape': [3, 2], 'dtype': '%s',"
             " 'name': 'q'},"
             "{'id': 1, 'op': 'input', 'shape': [4, 2], 'dtype': '%s',"
             " 'name': 'k'},"
             "{'id': 2, 'op': 'input', 'shape': [4, 2], 'dtype': '%s',"
             " 'name': 'v'},"
             "{'id': 3, 'op': 'input', 'shape': [3, 4], 'dtype': 'bool',"
             " 'name': 'mask'},"
             "{'id': 4, 'op': 'scaled_dot_product_attention',"
             " 'parents': [0, 1, 2, 3], 'shape': [3, 2], 'dtype': '%s',"
             " 'attrs': {'causal': %s}}",
             dtype, dtype, dtype, dtype, is_causal ? "true" : "false");
    return gradient_graph(text, "{'name': 'y', 'node': 4}");
}

/* Nothing is blocked by the mask. */
static void begin(blocked_case_t *at, bool is_double, bool is_causal)
{
    kci_gradient_request_t request = {OUTPUTS(0), NODES(Q, K, V)};
    at->error = (kc_error_t)KC_ERROR_INIT;
    at->is_causal = is_causal;
    gradient_fixture_begin(&at->fixture, 1);
    kci_profile_release(at->fixture.profile);
    at->fixture.profile = built_profile_with("composed_attention", "torchlean");
    at->graph = make_graph(is_double ? "f64" : "f32", is_causal);
    at->values = gradient_values(&at->fixture, at->graph, 9);
    gradient_fill(&at->values, MASK, 1);
    at->plan = gradient_plan(&at->fixture, at->graph, &request);
    ck_assert_uint_eq(at->plan->program->rule_count, 1);
    ck_assert(at->plan->program->rules[0].is_composed);
    at->executor = gradient_compile(&at->fixture, at->plan, &at->values, false);
    gradient_call_begin(&at->call, &at->fixture, at->plan, &at->values, 4);
}

static void end(blocked_case_t *at)
{
    gradient_call_end(&at->call);
    kci_executor_destroy(at->executor);
    kci_plan_release(at->plan);
    gradient_values_release(&at->values);
    kci_graph_release(at->graph);
    gradient_fixture_end(&at->fixture);
}

static void block_row(blocked_case_t *at, int64_t query)
{
    unsigned char *mask = kc_tensor_data(&at->values.tensors[MASK]->view);
    memset(mask + query * KEYS, 0, KEYS);
}

/* The operand with that name in a message. */
static kc_tensor_t *operand(const blocked_case_t *at, bool is_cotangent)
{
    return is_cotangent ? at->call.seeds[0] : at->values.tensors[Q];
}

/* Writes an element and gives the one that was there. */
static double exchange(kc_tensor_t *tensor, int64_t place, double value)
{
    double kept = rule_element(tensor, place);
    rule_set_element(tensor, place, value);
    return kept;
}

/* A run asks for no memory, whether it is refused or not. */
static kc_status_t run_planned(blocked_case_t *at)
{
    unsigned long long count =
        atomic_load(&at->fixture.allocator.allocation_count);
    failing_heap_break_after(0);
    kc_status_t status = gradient_call(at->executor, &at->call, &at->error);
    failing_heap_mend();
    ck_assert(atomic_load(&at->fixture.allocator.allocation_count) == count);
    return status;
}

/* A tape with the forward on it, and what a backward of it needs. */
typedef struct taped_case {
    kc_session_t *session;
    kc_tape_t *tape;
    kc_variable_t leaves[Y];
    kc_variable_t y;
} taped_case_t;

static void tape_begin_case(taped_case_t *taped, blocked_case_t *at)
{
    static const char *const names[] = {"q", "k", "v", "mask"};
    kc_attributes_t attributes = {.struct_size = sizeof attributes, .op = OP};
    attributes.u.attention.scale = NAN;
    attributes.u.attention.causal = at->is_causal;
    EXPECT_OK(at->error,
              kci_session_create(at->fixture.host, at->fixture.profile, true,
                                 &taped->session, &at->error));
    EXPECT_OK(at->error,
              kci_tape_create(taped->session, &taped->tape, &at->error));
    for (int i = 0; i < Y; i++) {
        EXPECT_OK(at->error,
                  kci_tape_leaf(taped->tape, at->values.tensors[i], names[i],
                                i == MASK ? 0 : KC_LEAF_GRADIENT,
                                &taped->leaves[i], &at->error));
    }
    EXPECT_OK(at->error,
              kci_tape_apply(taped->tape, OP, &attributes, taped->leaves, Y,
                             &taped->y, &at->error));
    ck_assert_int_eq(taped->tape->nodes[0].rule, KCI_TAPE_RULE_COMPOSED);
}

static void tape_end_case(taped_case_t *taped)
{
    kci_tape_destroy(taped->tape);
    kci_session_destroy(taped->session);
}

static kc_status_t tape_run(taped_case_t *taped, blocked_case_t *at,
                            kc_tensor_t **gradients)
{
    kc_backward_request_t request = {.struct_size = sizeof request,
                                     .outputs = &taped->y,
                                     .seeds = at->call.seed_views,
                                     .output_count = 1,
                                     .wanted = taped->leaves,
                                     .out_gradients = gradients,
                                     .wanted_count = MASK};
    return kci_tape_backward(taped->tape, &request, &at->error);
}

/* Both modes, with the same bits. */
static void expect_both(blocked_case_t *at)
{
    taped_case_t taped;
    kc_tensor_t *gradients[MASK] = {NULL};
    EXPECT_OK(at->error, run_planned(at));
    tape_begin_case(&taped, at);
    EXPECT_OK(at->error, tape_run(&taped, at, gradients));
    for (int i = 0; i < MASK; i++) {
        rule_check_bits(at->call.result.gradients[i], gradients[i]);
        kci_tensor_release(gradients[i]);
    }
    tape_end_case(&taped);
}

static bool is_finite_gradient(const blocked_case_t *at, int which)
{
    const kc_tensor_t *tensor = at->call.result.gradients[which];
    for (int64_t i = 0; i < kc_tensor_element_count(&tensor->view); i++) {
        if (!isfinite(rule_element(tensor, i))) {
            return false;
        }
    }
    return true;
}

/* Nothing was given, the tape is as it was: it can run once all is finite. */
static void expect_tape_refuses(blocked_case_t *at, const char *words,
                                kc_tensor_t *tensor, int64_t place,
                                double value)
{
    taped_case_t taped;
    kc_tensor_t *gradients[MASK] = {NULL};
    bool is_leaf = tensor == at->values.tensors[Q];
    double kept = exchange(tensor, place, value);
    tape_begin_case(&taped, at);
    size_t live = atomic_load(&at->fixture.allocator.live_bytes);
    size_t row_count = kci_session_record(taped.session)->entry_count;
    EXPECT_FAILURE(at->error, KC_ERR_TENSOR, words,
                   tape_run(&taped, at, gradients));
    ck_assert_msg(strstr(at->error.message, "its derivative rule") != NULL,
                  "%s", at->error.message);
    ck_assert_uint_eq(atomic_load(&at->fixture.allocator.live_bytes), live);
    ck_assert_uint_eq(kci_session_record(taped.session)->entry_count,
                      row_count);
    (void)exchange(tensor, place, kept);
    for (int i = 0; i < MASK; i++) {
        ck_assert_ptr_null(gradients[i]);
    }
    if (!is_leaf) { /* a saved one must not change */
        EXPECT_OK(at->error, tape_run(&taped, at, gradients));
    }
    for (int i = 0; i < MASK; i++) {
        kci_tensor_release(gradients[i]);
    }
    tape_end_case(&taped);
}

static void expect_refused(blocked_case_t *at, const char *words,
                           kc_tensor_t *tensor, int64_t place, double value)
{
    expect_tape_refuses(at, words, tensor, place, value);
    double kept = exchange(tensor, place, value);
    EXPECT_FAILURE(at->error, KC_ERR_TENSOR, words, run_planned(at));
    ck_assert_ptr_eq(strstr(at->error.message, "node 4 ("), at->error.message);
    (void)exchange(tensor, place, kept);
    expect_both(at);
}

/* A query that sees nothing, and one that sees something: by mask, by causal
 * order. */
START_TEST(what_products_cannot_skip_is_refused)
{
    static const double bad[] = {(double)NAN, (double)INFINITY,
                                 -(double)INFINITY};
    blocked_case_t at;
    bool is_causal = _i % 2 != 0;
    begin(&at, _i / 2 != 0, is_causal);
    if (!is_causal) {
        block_row(&at, DEAD / WIDTH);
    }
    expect_both(&at);
    for (int n = 0; n < 3; n++) {
        for (int is_cotangent = 0; is_cotangent < 2; is_cotangent++) {
            const char *words = is_cotangent ? OF_G : OF_Q;
            kc_tensor_t *tensor = operand(&at, is_cotangent);
            expect_refused(&at, words, tensor, DEAD, bad[n]);
            expect_refused(&at, words, tensor, ALIVE + 1, bad[n]);
        }
    }
    /* Large ones are zeros after a weight of zero. */
    (void)exchange(operand(&at, true), DEAD, 0x1p60);
    (void)exchange(operand(&at, false), DEAD, 0x1p60);
    expect_both(&at);
    end(&at);
}
END_TEST

/* Factors of a blocked pair whose products leave the type: those of values
 * would meet a weight of zero, those of keys are left out of the softmax. */
START_TEST(products_that_leave_the_type_are_refused)
{
    blocked_case_t at;
    bool is_double = _i != 0;
    double huge = is_double ? 0x1p1000 : 0x1p100;
    begin(&at, is_double, false);
    block_row(&at, DEAD / WIDTH);
    (void)exchange(at.values.tensors[V], 0, huge);
    expect_refused(&at,
                   "scaled_dot_product_attention: expected products of "
                   "cotangent and v below",
                   operand(&at, true), DEAD, -huge);
    (void)exchange(at.values.tensors[V], 0, 1);
    (void)exchange(at.values.tensors[K], 0, huge);
    (void)exchange(operand(&at, false), DEAD, huge);
    expect_both(&at);
    ck_assert(is_finite_gradient(&at, Q) && is_finite_gradient(&at, K) &&
              is_finite_gradient(&at, V));
    ck_assert(rule_element(at.call.result.gradients[Q], DEAD) == 0);
    end(&at);
}
END_TEST

/* Where every key is seen no zero is multiplied: what is not finite goes
 * where mathematics sends it. */
START_TEST(where_nothing_is_blocked_it_flows)
{
    blocked_case_t at;
    begin(&at, _i != 0, false);
    expect_both(&at);
    ck_assert(is_finite_gradient(&at, Q) && is_finite_gradient(&at, K));
    double kept = exchange(operand(&at, false), ALIVE, (double)NAN);
    expect_both(&at);
    ck_assert(isnan(rule_element(at.call.result.gradients[Q], ALIVE)));
    ck_assert(isfinite(rule_element(at.call.result.gradients[Q], DEAD)));
    ck_assert(!is_finite_gradient(&at, K) && !is_finite_gradient(&at, V));
    (void)exchange(operand(&at, false), ALIVE, kept);
    (void)exchange(operand(&at, true), ALIVE, (double)INFINITY);
    expect_both(&at);
    ck_assert(isinf(rule_element(at.call.result.gradients[V], 0)));
    end(&at);
}
END_TEST

Suite *suite_autograd_composed_blocked(void)
{
    Suite *suite = suite_create("autograd.composed_blocked");
    TCase *tests = tcase_create("composed_blocked");
    tcase_add_loop_test(tests, what_products_cannot_skip_is_refused, 0,
                        CASE_COUNT);
    tcase_add_loop_test(tests, products_that_leave_the_type_are_refused, 0, 2);
    tcase_add_loop_test(tests, where_nothing_is_blocked_it_flows, 0, 2);
    suite_add_tcase(suite, tests);
    return suite;
}
