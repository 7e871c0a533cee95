/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * The compositions in a graph, eager and compiled, and on a tape. */
#include "unit/api/compose_fixture.h"
#include "unit/expect.h"

kc_status_t compose_nodes(compose_at_t *at, kc_graph_builder_t *builder,
                          composed_t which, const uint32_t *nodes,
                          uint32_t *out_node)
{
    switch (which) {
    case SCAN:
        return kc_compose_scan_graph(builder, nodes[0], nodes[1], nodes[2],
                                     nodes[3], out_node, &at->error);
    case RFFT:
        return kc_compose_rfft_graph(builder, nodes[0], out_node, &at->error);
    case IRFFT:
        return kc_compose_irfft_graph(builder, nodes[0], COMPOSE_N, out_node,
                                      &at->error);
    default:
        return kc_compose_spectral_conv_graph(builder, nodes[0], nodes[1],
                                              nodes[2], out_node, &at->error);
    }
}

uint32_t compose_input(compose_at_t *at, kc_graph_builder_t *builder,
                       const char *name, const compose_operand_t *operand,
                       const char *leading_name)
{
    uint32_t id = 0;
    kc_node_spec_t spec = {.struct_size = sizeof spec,
                           .dtype = KC_DTYPE_F64,
                           .kind = "input",
                           .name = name,
                           .rank = operand->rank,
                           .dims = operand->dims,
                           .leading_name = leading_name};
    EXPECT_OK(at->error, kc_graph_builder_add(builder, &spec, &id, &at->error));
    return id;
}

kc_graph_builder_t *compose_builder(compose_at_t *at, composed_t which,
                                    uint32_t *out_nodes)
{
    static const char *const names[] = {"p", "q", "r", "s"};
    kc_graph_builder_t *builder = NULL;
    EXPECT_OK(at->error,
              kc_graph_builder_create("memory", &builder, &at->error));
    for (size_t i = 0; i < compose_cases[which].count; i++) {
        out_nodes[i] = compose_input(at, builder, names[i],
                                     &compose_cases[which].operands[i], NULL);
    }
    return builder;
}

kc_graph_t *compose_finish(compose_at_t *at, kc_graph_builder_t *builder,
                           uint32_t node)
{
    kc_graph_t *graph = NULL;
    EXPECT_OK(at->error,
              kc_graph_builder_output(builder, "y", node, &at->error));
    EXPECT_OK(at->error, kc_graph_builder_finish(builder, &graph, &at->error));
    return graph;
}

kc_graph_t *compose_graph(compose_at_t *at, composed_t which)
{
    uint32_t nodes[COMPOSE_OPERANDS_MAX];
    uint32_t result = 0;
    kc_graph_builder_t *builder = compose_builder(at, which, nodes);
    EXPECT_OK(at->error, compose_nodes(at, builder, which, nodes, &result));
    return compose_finish(at, builder, result);
}

static void views_of(kc_tensor_t *const *tensors, size_t count,
                     const DLTensor **out_views)
{
    for (size_t i = 0; i < count; i++) {
        out_views[i] = kc_tensor_view(tensors[i]);
    }
}

/* Nothing says what was composed: no row is of these two. */
static void expect_ordinary(kc_record_t *record)
{
    ck_assert_uint_gt(kc_record_row_count(record), 0);
    for (size_t i = 0; i < kc_record_row_count(record); i++) {
        kc_record_row_t row = {.struct_size = sizeof row};
        kc_record_row(record, i, &row);
        ck_assert_int_ne(row.op, KC_OP_SELECTIVE_SCAN);
        ck_assert_int_ne(row.op, KC_OP_FFT_FNO);
        ck_assert_str_eq(row.provider, "reference");
    }
    kc_record_release(record);
}

kc_tensor_t *compose_run_eager(compose_at_t *at, kc_graph_t *graph,
                               kc_tensor_t *const *in, size_t count)
{
    kc_session_t *session = NULL;
    kc_record_t *record = NULL;
    kc_tensor_t *found = NULL;
    const DLTensor *views[COMPOSE_OPERANDS_MAX];
    views_of(in, count, views);
    EXPECT_OK(at->error, kc_session_create(at->runtime, at->profile, 0,
                                           &session, &at->error));
    EXPECT_OK(at->error, kc_session_run_graph(session, graph, NULL, views,
                                              count, &found, 1, &at->error));
    EXPECT_OK(at->error, kc_session_record(session, &record, &at->error));
    expect_ordinary(record);
    kc_session_release(session);
    return found;
}

static kc_executor_t *executor_of(compose_at_t *at, kc_plan_t *plan)
{
    kc_accepted_plan_t *accepted = NULL;
    kc_executor_t *executor = NULL;
    EXPECT_OK(at->error,
              kc_plan_accept(plan, &accepted, NULL, NULL, &at->error));
    EXPECT_OK(at->error, kc_executor_create(at->runtime, accepted, NULL, 0,
                                            &executor, &at->error));
    kc_accepted_plan_release(accepted);
    kc_plan_release(plan);
    return executor;
}

kc_tensor_t *compose_run_compiled(compose_at_t *at, composed_t which,
                                  kc_graph_t *graph, kc_tensor_t *const *in)
{
    kc_plan_t *plan = NULL;
    kc_record_t *record = NULL;
    const DLTensor *views[COMPOSE_OPERANDS_MAX];
    kc_tensor_t *found = compose_draw(at, &compose_cases[which].result, 0);
    DLTensor *output = kc_tensor_view(found);
    views_of(in, compose_cases[which].count, views);
    EXPECT_OK(at->error, kc_plan_graph(at->profile, graph, &plan, &at->error));
    kc_executor_t *executor = executor_of(at, plan);
    EXPECT_OK(at->error,
              kc_executor_run(executor, views, compose_cases[which].count,
                              &output, 1, &at->error));
    EXPECT_OK(at->error, kc_executor_record(executor, &record, &at->error));
    expect_ordinary(record);
    kc_executor_release(executor);
    return found;
}

void compose_expect_bits(kc_tensor_t *found, kc_tensor_t *expected)
{
    int64_t count = kc_tensor_element_count(kc_tensor_view(expected));
    ck_assert_int_eq(kc_tensor_element_count(kc_tensor_view(found)), count);
    ck_assert_mem_eq(compose_elements(found), compose_elements(expected),
                     (size_t)count * sizeof(double));
}

kc_status_t compose_variables(compose_at_t *at, kc_tape_t *tape,
                              composed_t which, const kc_variable_t *in,
                              kc_variable_t *out)
{
    switch (which) {
    case SCAN:
        return kc_compose_scan_tape(tape, in[0], in[1], in[2], in[3], out,
                                    &at->error);
    case RFFT:
        return kc_compose_rfft_tape(tape, in[0], out, &at->error);
    case IRFFT:
        return kc_compose_irfft_tape(tape, in[0], COMPOSE_N, out, &at->error);
    default:
        return kc_compose_spectral_conv_tape(tape, in[0], in[1], in[2], out,
                                             &at->error);
    }
}

typedef struct taped {
    kc_session_t *session;
    kc_tape_t *tape;
    kc_variable_t in[COMPOSE_OPERANDS_MAX];
    kc_variable_t out;
} taped_t;

void compose_tape_begin(compose_at_t *at, compose_tape_t *on, composed_t which,
                        kc_tensor_t *const *in)
{
    EXPECT_OK(at->error,
              kc_session_create(at->runtime, at->profile, KC_SESSION_GRADIENTS,
                                &on->session, &at->error));
    EXPECT_OK(at->error, kc_tape_create(on->session, &on->tape, &at->error));
    for (size_t i = 0; i < compose_cases[which].count; i++) {
        EXPECT_OK(at->error,
                  kc_tape_leaf(on->tape, in[i], NULL, KC_LEAF_GRADIENT,
                               &on->in[i], &at->error));
    }
}

void compose_tape_end(compose_at_t *at, compose_tape_t *on)
{
    kc_record_t *record = NULL;
    EXPECT_OK(at->error, kc_session_record(on->session, &record, &at->error));
    expect_ordinary(record);
    kc_tape_release(on->tape);
    kc_session_release(on->session);
}

/* Forward and backward of the graph in one compiled run. */
void compose_compiled_gradients(compose_at_t *at, composed_t which,
                                kc_graph_t *graph, kc_tensor_t *const *in,
                                kc_tensor_t *seed, kc_tensor_t **out_gradients)
{
    static const uint32_t nodes[] = {0, 1, 2, 3};
    size_t count = compose_cases[which].count;
    kc_plan_t *plan = NULL;
    kc_record_t *record = NULL;
    const DLTensor *views[COMPOSE_OPERANDS_MAX];
    const DLTensor *seed_view = kc_tensor_view(seed);
    DLTensor *gradients[COMPOSE_OPERANDS_MAX];
    kc_gradient_request_t request = {
        .struct_size = sizeof request, .nodes = nodes, .node_count = count};
    views_of(in, count, views);
    for (size_t i = 0; i < count; i++) {
        out_gradients[i] =
            compose_draw(at, &compose_cases[which].operands[i], 9);
        gradients[i] = kc_tensor_view(out_gradients[i]);
    }
    EXPECT_OK(at->error, kc_plan_gradients(at->profile, graph, &request, &plan,
                                           &at->error));
    kc_executor_t *executor = executor_of(at, plan);
    EXPECT_OK(at->error,
              kc_executor_run_gradients(executor, views, count, &seed_view, 1,
                                        NULL, 0, gradients, count, &at->error));
    EXPECT_OK(at->error, kc_executor_record(executor, &record, &at->error));
    expect_ordinary(record);
    kc_executor_release(executor);
}

void compose_taped_gradients(compose_at_t *at, composed_t which,
                             kc_tensor_t *const *in, kc_tensor_t *seed,
                             kc_tensor_t **out_gradients)
{
    compose_tape_t on;
    const DLTensor *seed_view = kc_tensor_view(seed);
    compose_tape_begin(at, &on, which, in);
    EXPECT_OK(at->error, compose_variables(at, on.tape, which, on.in, &on.out));
    kc_backward_request_t request = {.struct_size = sizeof request,
                                     .outputs = &on.out,
                                     .seeds = &seed_view,
                                     .output_count = 1};
    EXPECT_OK(at->error, kc_tape_backward(on.tape, &request, &at->error));
    for (size_t i = 0; i < compose_cases[which].count; i++) {
        EXPECT_OK(at->error, kc_tape_gradient(on.tape, on.in[i],
                                              &out_gradients[i], &at->error));
    }
    compose_tape_end(at, &on);
}
