/* SPDX-License-Identifier: Apache-2.0
 *
 * What an application needs to walk a graph by itself: its nodes, the values
 * of its consts, and attributes for an operation on its own.
 */
#include <string.h>
#include "unit/api/api_fixture.h"
#include "unit/api/suites.h"
#include "unit/expect.h"

static const char flat_graph[] =
    "{\"format\": \"kcapsule-graph\", \"version\": 1, \"nodes\": ["
    "{\"id\": 0, \"op\": \"input\", \"shape\": [\"N\", 3], \"name\": \"x\"},"
    "{\"id\": 1, \"op\": \"softmax\", \"parents\": [0], \"shape\": [\"N\", 3],"
    " \"attrs\": {\"axis\": 1}},"
    "{\"id\": 2, \"op\": \"detach\", \"parents\": [1], \"shape\": [\"N\", 3]},"
    "{\"id\": 3, \"op\": \"sum\", \"parents\": [2], \"shape\": []}],"
    "\"outputs\": [{\"name\": \"y\", \"node\": 3}]}";

static kc_graph_node_t node_of(const kc_graph_t *graph, uint32_t id)
{
    kc_graph_node_t node = {.struct_size = sizeof node, .op = 1234};
    kc_graph_node(graph, id, &node);
    return node;
}

START_TEST(nodes_say_what_is_executed)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_graph_t *graph = NULL;
    EXPECT_OK(error, kc_graph_parse(flat_graph, sizeof flat_graph - 1, "text",
                                    &graph, &error));
    kc_graph_node_t input = node_of(graph, 0);
    ck_assert_int_eq(input.op, -1);
    ck_assert_str_eq(input.kind, "input");
    ck_assert_str_eq(input.name, "x");
    ck_assert_int_eq(input.dims[0], -1);
    ck_assert_int_eq(input.dims[1], 3);
    ck_assert_uint_eq(input.parent_count, 0);
    ck_assert_ptr_null(input.literal);
    kc_graph_node_t softmax = node_of(graph, 1);
    ck_assert_int_eq(softmax.op, KC_OP_SOFTMAX);
    ck_assert_int_eq(softmax.attributes->u.axis.axis, 1);
    ck_assert_uint_eq(softmax.parents[0], 0);
    ck_assert_str_eq(softmax.name, "");
    ck_assert_int_eq(softmax.is_flat, 0);
    ck_assert_int_eq(node_of(graph, 2).op, -1);
    kc_graph_node_t sum = node_of(graph, 3);
    ck_assert_int_eq(sum.op, KC_OP_REDUCE_SUM);
    ck_assert_int_eq(sum.is_flat, 1);
    ck_assert_int_eq(sum.rank, 0);
    ck_assert_int_eq(sum.dtype, KC_DTYPE_F32);
    ck_assert_int_eq(node_of(graph, 4).op, 1234);
    kc_graph_release(graph);
}
END_TEST

static const char trained_graph[] =
    "{\"format\": \"kcapsule-graph\", \"version\": 1, \"nodes\": ["
    "{\"id\": 0, \"op\": \"input\", \"shape\": [3], \"name\": \"x\"},"
    "{\"id\": 1, \"op\": \"const\", \"shape\": [3], \"name\": \"w\"},"
    "{\"id\": 2, \"op\": \"const\", \"shape\": [3], \"name\": \"c\","
    " \"trainable\": false},"
    "{\"id\": 3, \"op\": \"mul_elem\", \"parents\": [0, 1], \"shape\": [3]}],"
    "\"outputs\": [{\"name\": \"y\", \"node\": 3}]}";

static kc_graph_t *make_trained_graph(void)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_graph_t *graph = NULL;
    EXPECT_OK(error, kc_graph_parse(trained_graph, sizeof trained_graph - 1,
                                    "text", &graph, &error));
    return graph;
}

START_TEST(consts_and_nodes_say_what_is_trainable)
{
    kc_graph_t *graph = make_trained_graph();
    kc_graph_port_t port = {.struct_size = sizeof port, .is_trainable = 7};
    kc_graph_input(graph, 0, &port);
    ck_assert_int_eq(port.is_trainable, 0);
    kc_graph_const(graph, 0, &port);
    ck_assert_str_eq(port.name, "w");
    ck_assert_int_eq(port.is_trainable, 1);
    kc_graph_const(graph, 1, &port);
    ck_assert_int_eq(port.is_trainable, 0);
    for (uint32_t id = 0; id < 4; id++) {
        ck_assert_int_eq(node_of(graph, id).is_trainable, id == 1);
    }
    /* A caller that does not know of it has no place for it. */
    port = (kc_graph_port_t){.struct_size =
                                 offsetof(kc_graph_port_t, is_trainable),
                             .is_trainable = 7};
    kc_graph_const(graph, 0, &port);
    ck_assert_str_eq(port.name, "w");
    ck_assert_int_eq(port.is_trainable, 7);
    kc_graph_node_t node = {.struct_size =
                                offsetof(kc_graph_node_t, is_trainable),
                            .is_trainable = 7};
    kc_graph_node(graph, 1, &node);
    ck_assert_int_eq(node.is_trainable, 7);
    kc_graph_release(graph);
}
END_TEST

START_TEST(a_graph_from_a_file_is_built_on)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_graph_t *graph = make_trained_graph();
    kc_graph_builder_t *builder = NULL;
    const uint32_t parents[] = {3, 2};
    const int64_t dims[] = {3};
    kc_node_spec_t spec = {.struct_size = sizeof spec,
                           .dtype = KC_DTYPE_F32,
                           .kind = "add",
                           .parents = parents,
                           .parent_count = 2,
                           .rank = 1,
                           .dims = dims};
    uint32_t id = 0;
    EXPECT_FAILURE(error, KC_ERR_ARGUMENT, "expected graph",
                   kc_graph_builder_from_graph("more", NULL, &builder, &error));
    EXPECT_OK(error,
              kc_graph_builder_from_graph("more", graph, &builder, &error));
    kc_graph_release(graph);
    EXPECT_OK(error, kc_graph_builder_add(builder, &spec, &id, &error));
    ck_assert_uint_eq(id, 4);
    EXPECT_OK(error, kc_graph_builder_output(builder, "z", id, &error));
    EXPECT_OK(error, kc_graph_builder_finish(builder, &graph, &error));
    ck_assert_uint_eq(kc_graph_output_count(graph), 2);
    ck_assert_uint_eq(kc_graph_const_count(graph), 2);
    ck_assert_int_eq(node_of(graph, 1).is_trainable, 1);
    kc_graph_release(graph);
}
END_TEST

START_TEST(consts_share_the_memory_of_the_weights)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_runtime_t *runtime = fixture_runtime(NULL);
    kc_graph_t *graph = fixture_graph();
    kc_tensor_t *given = fixture_tensor(runtime, 7.0F);
    const char *names[] = {"b"};
    kc_weights_t *weights = NULL;
    kc_tensor_t *found = NULL;
    EXPECT_OK(error, kc_weights_from_tensors(runtime, names, &given, 1,
                                             &weights, &error));
    EXPECT_FAILURE(error, KC_ERR_ARGUMENT, "room for 1 consts, found 0",
                   kc_weights_consts(weights, graph, &found, 0, &error));
    EXPECT_FAILURE(error, KC_ERR_ARGUMENT, "graph",
                   kc_weights_consts(weights, NULL, &found, 1, &error));
    ck_assert_ptr_null(found);
    EXPECT_OK(error, kc_weights_consts(weights, graph, &found, 1, &error));
    ck_assert_ptr_eq(kc_tensor_data(kc_tensor_view(found)),
                     kc_tensor_data(kc_tensor_view(given)));
    kc_weights_release(weights);
    kc_tensor_release(given);
    ck_assert(((float *)kc_tensor_data(kc_tensor_view(found)))[3] == 10.0F);
    kc_tensor_release(found);
    kc_graph_release(graph);
    kc_runtime_release(runtime);
}
END_TEST

START_TEST(a_const_without_an_entry_is_named)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_runtime_t *runtime = fixture_runtime(NULL);
    kc_graph_t *graph = fixture_graph();
    kc_tensor_t *given = fixture_tensor(runtime, 7.0F);
    const char *names[] = {"c"};
    kc_weights_t *weights = NULL;
    kc_tensor_t *found = NULL;
    EXPECT_OK(error, kc_weights_from_tensors(runtime, names, &given, 1,
                                             &weights, &error));
    EXPECT_FAILURE(error, KC_ERR_NOT_FOUND, "const b",
                   kc_weights_consts(weights, graph, &found, 1, &error));
    ck_assert_ptr_null(found);
    kc_weights_release(weights);
    kc_tensor_release(given);
    kc_graph_release(graph);
    kc_runtime_release(runtime);
}
END_TEST

START_TEST(attributes_of_one_operation)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_runtime_t *runtime = fixture_runtime(NULL);
    kc_profile_t *profile = fixture_profile(runtime, "checked_cpu");
    kc_tensor_t *tensor = fixture_tensor(runtime, 1.0F);
    const DLTensor *input = kc_tensor_view(tensor);
    kc_attributes_t attributes = {.op = 1234};
    kc_session_t *session = NULL;
    kc_tensor_t *sum = NULL;
    EXPECT_FAILURE(error, KC_ERR_GRAPH, "axis",
                   kc_attributes_parse(KC_OP_REDUCE_SUM, "{\"axis\": 1}",
                                       &input, 1, &attributes, &error));
    EXPECT_FAILURE(error, KC_ERR_FORMAT, "attributes",
                   kc_attributes_parse(KC_OP_REDUCE_SUM, "{\"axis\"", &input, 1,
                                       &attributes, &error));
    EXPECT_FAILURE(error, KC_ERR_GRAPH, "axis",
                   kc_attributes_parse(KC_OP_REDUCE_SUM, NULL, &input, 1,
                                       &attributes, &error));
    EXPECT_FAILURE(
        error, KC_ERR_ARGUMENT, "operation below",
        kc_attributes_parse(KC_OP_COUNT, NULL, &input, 1, &attributes, &error));
    ck_assert_int_eq(attributes.op, 1234);
    EXPECT_OK(error, kc_attributes_parse(KC_OP_REDUCE_SUM, "{\"axis\": 0}",
                                         &input, 1, &attributes, &error));
    ck_assert_int_eq(attributes.op, KC_OP_REDUCE_SUM);
    EXPECT_OK(error, kc_session_create(runtime, profile, 0, &session, &error));
    EXPECT_OK(error, kc_session_apply(session, KC_OP_REDUCE_SUM, &attributes,
                                      &input, 1, &sum, &error));
    ck_assert(((float *)kc_tensor_data(kc_tensor_view(sum)))[0] == 10.0F);
    kc_tensor_release(sum);
    kc_session_release(session);
    kc_tensor_release(tensor);
    kc_profile_release(profile);
    kc_runtime_release(runtime);
}
END_TEST

Suite *suite_api_graph_nodes(void)
{
    Suite *suite = suite_create("api.graph_nodes");
    TCase *tests = tcase_create("walking a graph");
    tcase_add_test(tests, nodes_say_what_is_executed);
    tcase_add_test(tests, consts_and_nodes_say_what_is_trainable);
    tcase_add_test(tests, a_graph_from_a_file_is_built_on);
    tcase_add_test(tests, consts_share_the_memory_of_the_weights);
    tcase_add_test(tests, a_const_without_an_entry_is_named);
    tcase_add_test(tests, attributes_of_one_operation);
    suite_add_tcase(suite, tests);
    return suite;
}
