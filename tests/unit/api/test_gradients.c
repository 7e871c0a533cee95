/* SPDX-License-Identifier: Apache-2.0
 *
 * Gradients through the exported interface: what is planned is told, what
 * cannot be is refused before anything runs.
 */
#include <stdlib.h>
#include "unit/api/api_fixture.h"
#include "unit/api/suites.h"
#include "unit/expect.h"

typedef struct gradients_case {
    kc_runtime_t *runtime;
    kc_profile_t *profile;
    kc_graph_t *graph; /* y = relu(x + b), x node 0, b node 1 */
    kc_plan_t *plan;
    kc_error_t error;
} gradients_case_t;

static void gradients_begin(gradients_case_t *at)
{
    *at = (gradients_case_t){.error = KC_ERROR_INIT};
    at->runtime = fixture_runtime(NULL);
    at->profile = fixture_profile(at->runtime, "checked_cpu");
    at->graph = fixture_graph();
}

static void gradients_end(gradients_case_t *at)
{
    kc_plan_release(at->plan);
    kc_graph_release(at->graph);
    kc_profile_release(at->profile);
    kc_runtime_release(at->runtime);
}

static const uint32_t both[] = {1, 0};

static kc_gradient_request_t request_of_both(void)
{
    return (kc_gradient_request_t){.struct_size = sizeof(kc_gradient_request_t),
                                   .nodes = both,
                                   .node_count = 2};
}

START_TEST(ports_are_named_in_the_order_of_the_request)
{
    gradients_case_t at;
    kc_graph_port_t port = {.struct_size = sizeof port};
    kc_gradient_request_t request = request_of_both();
    gradients_begin(&at);
    EXPECT_OK(at.error, kc_plan_gradients(at.profile, at.graph, &request,
                                          &at.plan, &at.error));
    ck_assert_uint_eq(kc_plan_seed_count(at.plan), 1);
    kc_plan_seed(at.plan, 0, &port);
    ck_assert_str_eq(port.name, "y");
    ck_assert_uint_eq(port.node, 3);
    ck_assert_int_eq(port.dtype, KC_DTYPE_F32);
    ck_assert_uint_eq(kc_plan_gradient_count(at.plan), 2);
    kc_plan_gradient(at.plan, 0, &port);
    ck_assert_str_eq(port.name, "b");
    ck_assert_uint_eq(port.node, 1);
    ck_assert_int_eq(port.rank, 1);
    ck_assert_int_eq(port.dims[0], 4);
    kc_plan_gradient(at.plan, 1, &port);
    ck_assert_str_eq(port.name, "x");
    kc_plan_gradient(at.plan, 2, &port);
    kc_plan_seed(at.plan, 1, &port);
    ck_assert_str_eq(port.name, "x");
    gradients_end(&at);
}
END_TEST

START_TEST(an_operation_has_no_name)
{
    gradients_case_t at;
    static const uint32_t sum = 2;
    kc_graph_port_t port = {.struct_size = sizeof port};
    kc_gradient_request_t request = {
        .struct_size = sizeof request, .nodes = &sum, .node_count = 1};
    gradients_begin(&at);
    EXPECT_OK(at.error, kc_plan_gradients(at.profile, at.graph, &request,
                                          &at.plan, &at.error));
    kc_plan_gradient(at.plan, 0, &port);
    ck_assert_str_eq(port.name, "");
    ck_assert_uint_eq(port.node, 2);
    gradients_end(&at);
}
END_TEST

/* x + x: its gradient is a sum of two contributions. */
static kc_graph_t *doubling_graph(void)
{
    static const char text[] =
        "{\"format\": \"kcapsule-graph\", \"version\": 1, \"nodes\": ["
        "{\"id\": 0, \"op\": \"input\", \"shape\": [4], \"name\": \"x\"},"
        "{\"id\": 1, \"op\": \"mul_elem\", \"parents\": [0, 0],"
        " \"shape\": [4]}], \"outputs\": [{\"name\": \"y\", \"node\": 1}]}";
    kc_error_t error = KC_ERROR_INIT;
    kc_graph_t *graph = NULL;
    EXPECT_OK(error,
              kc_graph_parse(text, sizeof text - 1, "text", &graph, &error));
    return graph;
}

START_TEST(inner_operations_are_rows_of_their_own)
{
    gradients_case_t at;
    static const uint32_t x = 0;
    static const int32_t kinds[] = {KC_CALL_INNER_VJP, KC_CALL_INNER_VJP,
                                    KC_CALL_SUM};
    static const char *const capsules[] = {"reference.mul", "reference.mul",
                                           "reference.add"};
    kc_plan_sub_row_t row = {.struct_size = sizeof row};
    kc_gradient_request_t request = {
        .struct_size = sizeof request, .nodes = &x, .node_count = 1};
    gradients_begin(&at);
    kc_graph_release(at.graph);
    at.graph = doubling_graph();
    EXPECT_OK(at.error, kc_plan_gradients(at.profile, at.graph, &request,
                                          &at.plan, &at.error));
    ck_assert_uint_eq(kc_plan_row_count(at.plan), 1);
    ck_assert_uint_eq(kc_plan_sub_row_count(at.plan), 3);
    for (size_t i = 0; i < 3; i++) {
        kc_plan_sub_row(at.plan, i, &row);
        ck_assert_int_eq(row.kind, kinds[i]);
        ck_assert_str_eq(row.capsule->name, capsules[i]);
        ck_assert_int_eq(row.op, row.capsule->op);
        ck_assert_uint_eq(row.node, i < 2 ? 1 : 0);
        ck_assert_str_eq(row.module_name, "reference");
        ck_assert_ptr_nonnull(strstr(row.module_path, "reference.so"));
    }
    row.node = 77;
    kc_plan_sub_row(at.plan, 3, &row);
    ck_assert_uint_eq(row.node, 77);
    gradients_end(&at);
}
END_TEST

START_TEST(a_plan_without_gradients_has_none)
{
    gradients_case_t at;
    gradients_begin(&at);
    EXPECT_OK(at.error,
              kc_plan_graph(at.profile, at.graph, &at.plan, &at.error));
    ck_assert_uint_eq(kc_plan_seed_count(at.plan), 0);
    ck_assert_uint_eq(kc_plan_gradient_count(at.plan), 0);
    ck_assert_uint_eq(kc_plan_sub_row_count(at.plan), 0);
    gradients_end(&at);
}
END_TEST

START_TEST(gradients_of_gradients_are_refused_at_planning)
{
    gradients_case_t at;
    kc_gradient_request_t request = request_of_both();
    gradients_begin(&at);
    request.order = 2;
    EXPECT_FAILURE(
        at.error, KC_ERR_NOT_IN_BUILD,
        "gradients of order 2: not in this build",
        kc_plan_gradients(at.profile, at.graph, &request, &at.plan, &at.error));
    ck_assert_ptr_null(at.plan);
    request.order = 1;
    EXPECT_OK(at.error, kc_plan_gradients(at.profile, at.graph, &request,
                                          &at.plan, &at.error));
    gradients_end(&at);
}
END_TEST

START_TEST(mistakes_of_the_caller_are_named)
{
    gradients_case_t at;
    kc_gradient_request_t request = request_of_both();
    gradients_begin(&at);
    EXPECT_FAILURE(
        at.error, KC_ERR_ARGUMENT, "out_plan",
        kc_plan_gradients(at.profile, at.graph, &request, NULL, &at.error));
    EXPECT_FAILURE(
        at.error, KC_ERR_ARGUMENT, "graph",
        kc_plan_gradients(at.profile, NULL, &request, &at.plan, &at.error));
    request.nodes = NULL;
    EXPECT_FAILURE(
        at.error, KC_ERR_ARGUMENT, "request->nodes",
        kc_plan_gradients(at.profile, at.graph, &request, &at.plan, &at.error));
    request.struct_size = 8;
    EXPECT_FAILURE(
        at.error, KC_ERR_ARGUMENT, "struct_size",
        kc_plan_gradients(at.profile, at.graph, &request, &at.plan, &at.error));
    /* The const of the fixture is not trainable. */
    EXPECT_FAILURE(
        at.error, KC_ERR_ARGUMENT, "a trainable const; found neither",
        kc_plan_gradients(at.profile, at.graph, NULL, &at.plan, &at.error));
    ck_assert_ptr_null(at.plan);
    gradients_end(&at);
}
END_TEST

static kc_executor_t *executor_of(gradients_case_t *at, kc_tensor_t *b)
{
    static const char *const name = "b";
    kc_gradient_request_t request = request_of_both();
    kc_weights_t *weights = NULL;
    kc_accepted_plan_t *accepted = NULL;
    kc_executor_t *executor = NULL;
    EXPECT_OK(at->error, kc_weights_from_tensors(at->runtime, &name, &b, 1,
                                                 &weights, &at->error));
    EXPECT_OK(at->error, kc_plan_gradients(at->profile, at->graph, &request,
                                           &at->plan, &at->error));
    EXPECT_OK(at->error,
              kc_plan_accept(at->plan, &accepted, NULL, NULL, &at->error));
    EXPECT_OK(at->error, kc_executor_create(at->runtime, accepted, weights, 0,
                                            &executor, &at->error));
    kc_accepted_plan_release(accepted);
    kc_weights_release(weights);
    return executor;
}

/* x is 0 1 2 3, both gradients are 1 where x + b is above 0. */
static void expect_ones(gradients_case_t *at, kc_executor_t *executor,
                        int count)
{
    kc_tensor_t *x = fixture_tensor(at->runtime, 0.0f);
    kc_tensor_t *seed = fixture_tensor(at->runtime, 0.0f);
    kc_tensor_t *found[2] = {fixture_tensor(at->runtime, 7.0f),
                             fixture_tensor(at->runtime, 7.0f)};
    const DLTensor *inputs[] = {kc_tensor_view(x)};
    const DLTensor *seeds[] = {kc_tensor_view(seed)};
    DLTensor *gradients[2];
    for (int i = 0; i < 4; i++) {
        ((float *)kc_tensor_data(kc_tensor_view(seed)))[i] = 1.0f;
    }
    gradients[0] = kc_tensor_view(found[0]);
    gradients[1] = kc_tensor_view(found[1]);
    EXPECT_OK(at->error,
              kc_executor_run_gradients(executor, inputs, 1, seeds, 1, NULL, 0,
                                        gradients, 2, &at->error));
    for (int i = 0; i < 8; i++) {
        const float *data = kc_tensor_data(gradients[i / 4]);
        ck_assert(data[i % 4] == (i % 4 >= 4 - count ? 1.0f : 0.0f));
    }
    kc_tensor_release(found[0]);
    kc_tensor_release(found[1]);
    kc_tensor_release(seed);
    kc_tensor_release(x);
}

START_TEST(a_dense_weight_may_be_written_between_runs)
{
    gradients_case_t at;
    gradients_begin(&at);
    int64_t dims[] = {4};
    float values[] = {-2.0f, -2.0f, -2.0f, -2.0f};
    kc_tensor_t *b = NULL;
    EXPECT_OK(at.error, kc_tensor_wrap(at.runtime, KC_DTYPE_F32, 1, dims, NULL,
                                       values, &b, &at.error));
    kc_executor_t *executor = executor_of(&at, b);
    kc_tensor_release(b);
    expect_ones(&at, executor, 1);
    values[1] = 0.0f;
    values[2] = 0.0f;
    expect_ones(&at, executor, 3);
    kc_executor_release(executor);
    gradients_end(&at);
}
END_TEST

START_TEST(a_weight_with_gaps_is_copied)
{
    gradients_case_t at;
    gradients_begin(&at);
    int64_t dims[] = {4};
    int64_t strides[] = {2};
    float values[] = {-2.0f, 0.0f, -2.0f, 0.0f, -2.0f, 0.0f, -2.0f};
    kc_tensor_t *b = NULL;
    EXPECT_OK(at.error, kc_tensor_wrap(at.runtime, KC_DTYPE_F32, 1, dims,
                                       strides, values, &b, &at.error));
    kc_executor_t *executor = executor_of(&at, b);
    kc_tensor_release(b);
    expect_ones(&at, executor, 1);
    values[2] = 0.0f;
    values[4] = 0.0f;
    expect_ones(&at, executor, 1);
    kc_executor_release(executor);
    gradients_end(&at);
}
END_TEST

START_TEST(every_seed_has_its_entry)
{
    gradients_case_t at;
    gradients_begin(&at);
    kc_tensor_t *x = fixture_tensor(at.runtime, 0.0f);
    kc_executor_t *executor = executor_of(&at, x);
    const DLTensor *inputs[] = {kc_tensor_view(x)};
    const DLTensor *none[] = {NULL};
    DLTensor *gradients[] = {kc_tensor_view(x), kc_tensor_view(x)};
    EXPECT_FAILURE(at.error, KC_ERR_ARGUMENT, "expected 1 seeds, found 0",
                   kc_executor_run_gradients(executor, inputs, 1, NULL, 0, NULL,
                                             0, gradients, 2, &at.error));
    EXPECT_FAILURE(at.error, KC_ERR_TENSOR, "seed",
                   kc_executor_run_gradients(executor, inputs, 1, none, 1, NULL,
                                             0, gradients, 2, &at.error));
    kc_executor_release(executor);
    kc_tensor_release(x);
    gradients_end(&at);
}
END_TEST

Suite *suite_api_gradients(void)
{
    Suite *suite = suite_create("api.gradients");
    TCase *tests = tcase_create("planned gradients");
    tcase_add_test(tests, ports_are_named_in_the_order_of_the_request);
    tcase_add_test(tests, an_operation_has_no_name);
    tcase_add_test(tests, inner_operations_are_rows_of_their_own);
    tcase_add_test(tests, a_plan_without_gradients_has_none);
    tcase_add_test(tests, gradients_of_gradients_are_refused_at_planning);
    tcase_add_test(tests, mistakes_of_the_caller_are_named);
    tcase_add_test(tests, a_dense_weight_may_be_written_between_runs);
    tcase_add_test(tests, a_weight_with_gaps_is_copied);
    tcase_add_test(tests, every_seed_has_its_entry);
    suite_add_tcase(suite, tests);
    return suite;
}
