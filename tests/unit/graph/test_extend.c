/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Building on from a graph that exists. */
#include "graph/builder.h"

#include <string.h>

#include "unit/expect.h"
#include "unit/failing_heap.h"
#include "unit/graph/suites.h"
#include "unit/graph/texts.h"

/* Whatever a node of a file can hold. */
#define NODES                                                                  \
    INPUT_X("[\"N\", 3, 4]")                                                   \
    ", {@, \"op\": \"input\", \"name\": \"y\", \"shape\": [\"M\", 12]}"        \
    ", {@, \"op\": \"const\", \"name\": \"b\", \"shape\": [12]}"               \
    ", {@, \"op\": \"const\", \"name\": \"c\", \"shape\": [12]"                \
    ", \"trainable\": false}" NODE("reshape", "[0]", "[\"N\", 12]") NODE(      \
        "broadcast_to", "[2]", "[\"N\", 12]") NODE("add", "[4, 5]",            \
                                                   "[\"N\", 12]")              \
        NODE_WITH("transpose", "[0]", "[\"N\", 4, 3]", "{\"axes\": [2, 1]}")   \
            NODE_WITH("rand_uniform", "[]", "[\"N\", 12]", "{\"seed\": 5}")
#define MORE_NODES                                                             \
    NODE_WITH("rand_uniform", "[]", "[\"M\", 2]", "{\"seed\": 5}")             \
    NODE("sum", "[8]", "[]")

static kc_graph_builder_t *begin_from(const kc_graph_t *graph)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_graph_builder_t *builder = NULL;
    EXPECT_OK(error,
              kci_graph_builder_from_graph("longer", graph, &builder, &error));
    return builder;
}

static kc_graph_t *finish(kc_graph_builder_t *builder)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_graph_t *graph = NULL;
    EXPECT_OK(error, kci_graph_builder_finish(builder, &graph, &error));
    return graph;
}

static void expect_same_node(const kc_graph_t *a, const kc_graph_t *b,
                             uint32_t node)
{
    char texts[2][128];
    kci_tensor_type_t types[2];
    kci_graph_describe_node(a, node, texts[0], sizeof texts[0]);
    kci_graph_describe_node(b, node, texts[1], sizeof texts[1]);
    ck_assert_str_eq(texts[0], texts[1]);
    kci_graph_node_type(a, node, &types[0]);
    kci_graph_node_type(b, node, &types[1]);
    ck_assert_int_eq(types[0].dtype, types[1].dtype);
    ck_assert(kci_shape_equal(&types[0].shape, &types[1].shape));
    ck_assert_uint_eq(a->nodes[node].is_trainable, b->nodes[node].is_trainable);
    ck_assert_uint_eq(a->nodes[node].is_literal, b->nodes[node].is_literal);
    ck_assert_uint_eq(a->nodes[node].parent_count, b->nodes[node].parent_count);
    for (uint32_t i = 0; i < a->nodes[node].parent_count; i++) {
        ck_assert_uint_eq(kci_graph_parents(a, node)[i],
                          kci_graph_parents(b, node)[i]);
    }
    if (a->nodes[node].name != KCI_NO_INDEX) {
        ck_assert_str_eq(a->names[a->nodes[node].name],
                         b->names[b->nodes[node].name]);
    }
    ck_assert_mem_eq(&a->demands[node], &b->demands[node],
                     sizeof a->demands[node]);
}

static void expect_same(const kc_graph_t *a, const kc_graph_t *b)
{
    ck_assert_uint_eq(a->node_count, b->node_count);
    for (uint32_t node = 0; node < a->node_count; node++) {
        expect_same_node(a, b, node);
    }
    ck_assert_uint_eq(a->dim_name_count, b->dim_name_count);
    for (uint32_t i = 0; i < a->dim_name_count; i++) {
        ck_assert_str_eq(a->dim_names[i], b->dim_names[i]);
    }
}

START_TEST(it_begins_as_the_graph_is)
{
    kc_graph_t *graph = graph_of(NODES);
    kc_graph_builder_t *builder = begin_from(graph);
    kc_graph_t *copy = finish(builder);
    expect_same(graph, copy);
    ck_assert_str_eq(copy->source, "longer");
    ck_assert_str_eq(copy->sha256, "");
    kci_graph_release(graph);
    kci_graph_release(copy);
}
END_TEST

/* As if it had been one file: ids, names of extents, keys of draws. */
START_TEST(nodes_follow_as_in_one_file)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_graph_t *graph = graph_of(NODES);
    kc_graph_t *whole = graph_of(NODES MORE_NODES);
    kc_graph_builder_t *builder = begin_from(graph);
    json_t *seed = json_pack("{s:i}", "seed", 5);
    const uint32_t parent = 8;
    kci_node_spec_t draw = {.kind = "rand_uniform",
                            .dtype = KC_DTYPE_F32,
                            .rank = 2,
                            .dims = (const int64_t[]){0, 2},
                            .leading_name = "M",
                            .attributes = seed};
    kci_node_spec_t sum = {.kind = "sum",
                           .parents = &parent,
                           .parent_count = 1,
                           .dtype = KC_DTYPE_F32};
    kci_graph_release(graph);
    EXPECT_OK(error, kci_graph_builder_add(builder, &draw, NULL, &error));
    EXPECT_OK(error, kci_graph_builder_add(builder, &sum, NULL, &error));
    json_decref(seed);
    kc_graph_t *longer = finish(builder);
    expect_same(whole, longer);
    for (uint32_t node = 8; node < 10; node++) {
        ck_assert(kci_graph_attributes(whole, node)->u.random.key ==
                  kci_graph_attributes(longer, node)->u.random.key);
    }
    kci_graph_release(whole);
    kci_graph_release(longer);
}
END_TEST

START_TEST(outputs_literals_and_names_are_kept)
{
    kc_error_t error = KC_ERROR_INIT;
    static const float numbers[] = {1, 2};
    const kci_tensor_type_t type = {.dtype = KC_DTYPE_F32,
                                    .shape = {.rank = 1, .dims = {2}}};
    kc_graph_t *graph = graph_of(NODES);
    kc_graph_builder_t *builder = begin_from(graph);
    uint32_t id = 0;
    EXPECT_OK(error,
              kci_graph_builder_literal(builder, &type, numbers, &id, &error));
    EXPECT_OK(error, kci_graph_builder_output(builder, "z", id, &error));
    kci_graph_release(graph);
    graph = finish(builder);
    builder = begin_from(graph);
    EXPECT_FAILURE(error, KC_ERR_GRAPH, "output `z` is node 9 already",
                   kci_graph_builder_output(builder, "z", 1, &error));
    kci_node_spec_t again = {.kind = "const",
                             .dtype = KC_DTYPE_F32,
                             .rank = 1,
                             .dims = type.shape.dims,
                             .name = "b"};
    EXPECT_FAILURE(error, KC_ERR_GRAPH, "the name `b` is that of node 2",
                   kci_graph_builder_add(builder, &again, NULL, &error));
    kc_graph_t *copy = finish(builder);
    ck_assert_uint_eq(copy->output_count, 1);
    ck_assert_uint_eq(copy->outputs[0].node, id);
    ck_assert_ptr_ne(kci_graph_literal(copy, id)->bytes,
                     kci_graph_literal(graph, id)->bytes);
    kci_graph_release(graph);
    ck_assert_mem_eq(kci_graph_literal(copy, id)->bytes, numbers,
                     sizeof numbers);
    kci_graph_release(copy);
}
END_TEST

START_TEST(no_failed_allocation_hurts)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_graph_t *graph = graph_of(NODES);
    kc_graph_builder_t *builder = NULL;
    kc_status_t status = KC_ERR_MEMORY;
    for (int granted = 0; status != KC_OK && granted < 200; granted++) {
        failing_heap_break_after(granted);
        status =
            kci_graph_builder_from_graph("longer", graph, &builder, &error);
        failing_heap_mend();
        ck_assert(status == KC_OK || status == KC_ERR_MEMORY);
        ck_assert((builder != NULL) == (status == KC_OK));
    }
    EXPECT_OK(error, status);
    kc_graph_t *copy = finish(builder);
    expect_same(graph, copy);
    kci_graph_release(copy);
    kci_graph_release(graph);
}
END_TEST

Suite *suite_graph_extend(void)
{
    Suite *suite = suite_create("graph/extend");
    TCase *tcase = tcase_create("extend");
    tcase_add_test(tcase, it_begins_as_the_graph_is);
    tcase_add_test(tcase, nodes_follow_as_in_one_file);
    tcase_add_test(tcase, outputs_literals_and_names_are_kept);
    tcase_add_test(tcase, no_failed_allocation_hurts);
    suite_add_tcase(suite, tcase);
    return suite;
}
