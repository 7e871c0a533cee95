/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Nodes from resolved attributes, and taking them back. */
#include "graph/builder.h"

#include <string.h>

#include "unit/expect.h"
#include "unit/graph/suites.h"
#include "unit/graph/texts.h"

static kc_graph_builder_t *builder;

static kci_tensor_type_t type_of(int32_t rank, int64_t first, int64_t second)
{
    return (kci_tensor_type_t){
        .dtype = KC_DTYPE_F32,
        .shape = {.rank = rank, .dims = {first, second}}};
}

static void begin(void)
{
    kc_error_t error = KC_ERROR_INIT;
    static const int64_t dims[] = {3, 4};
    kci_node_spec_t x = {.kind = "input",
                         .dtype = KC_DTYPE_F32,
                         .rank = 2,
                         .dims = dims,
                         .name = "x"};
    EXPECT_OK(error, kci_graph_builder_create("memory", &builder, &error));
    EXPECT_OK(error, kci_graph_builder_add(builder, &x, NULL, &error));
}

static void end(void)
{
    kci_graph_builder_destroy(builder);
}

static uint32_t add(int32_t op, const kc_attributes_t *attributes,
                    const uint32_t *parents, uint32_t count,
                    kci_tensor_type_t type)
{
    kc_error_t error = KC_ERROR_INIT;
    uint32_t id = 0;
    EXPECT_OK(error,
              kci_graph_builder_operation(builder, op, attributes, parents,
                                          count, &type, &id, &error));
    return id;
}

static kc_attributes_t attributes_of(int32_t op)
{
    kc_attributes_t attributes;
    memset(&attributes, 0, sizeof attributes);
    attributes.struct_size = sizeof attributes;
    attributes.op = op;
    return attributes;
}

static kc_attributes_t axis_of(int32_t op, int64_t axis)
{
    kc_attributes_t attributes = attributes_of(op);
    attributes.u.axis.axis = axis;
    return attributes;
}

/* The plain kinds: not transpose, flatten or the sum of everything. */
static void add_three(void)
{
    static const uint32_t x = 0;
    kc_attributes_t permute = attributes_of(KC_OP_PERMUTE);
    kc_attributes_t reshape = attributes_of(KC_OP_RESHAPE);
    kc_attributes_t sum = axis_of(KC_OP_REDUCE_SUM, 0);
    permute.u.permute = (kc_permute_attributes_t){2, {1, 0}};
    reshape.u.shape = (kc_shape_attributes_t){1, {12}};
    uint32_t turned = add(KC_OP_PERMUTE, &permute, &x, 1, type_of(2, 4, 3));
    uint32_t flat = add(KC_OP_RESHAPE, &reshape, &turned, 1, type_of(1, 12, 0));
    (void)add(KC_OP_REDUCE_SUM, &sum, &flat, 1, type_of(0, 0, 0));
}

START_TEST(nodes_are_those_of_a_file)
{
    static const char *const described[] = {
        "permute 1 0", "reshape [4, 3] [12]", "reduce_sum 0"};
    add_three();
    const kc_graph_t *graph = kci_graph_builder_nodes(builder);
    kc_graph_t *file = graph_of(
        INPUT_X("[3, 4]")
            NODE_WITH("permute", "[0]", "[4, 3]", "{\"perm\": [1, 0]}")
                NODE("reshape", "[1]", "[12]")
                    NODE_WITH("reduce_sum", "[2]", "[]", "{\"axis\": 0}"));
    ck_assert_uint_eq(graph->node_count, file->node_count);
    for (uint32_t node = 1; node < 4; node++) {
        char text[64];
        kci_graph_describe_node(graph, node, text, sizeof text);
        ck_assert_str_eq(text, described[node - 1]);
        ck_assert_int_eq(graph->nodes[node].kind, file->nodes[node].kind);
        ck_assert_mem_eq(kci_graph_attributes(graph, node),
                         kci_graph_attributes(file, node),
                         sizeof(kc_attributes_t));
        ck_assert_mem_eq(&graph->demands[node], &file->demands[node],
                         sizeof(kci_demand_t));
    }
    kci_graph_release(file);
}
END_TEST

/* Every check of a node is made, and named like that of a file. */
START_TEST(the_checks_are_the_same)
{
    kc_error_t error = KC_ERROR_INIT;
    static const uint32_t later[] = {0, 9};
    static const uint32_t twice[] = {0, 0};
    kci_tensor_type_t right = type_of(2, 3, 4);
    kci_tensor_type_t wrong = type_of(2, 4, 3);
    uint32_t id = 77;
    EXPECT_FAILURE(error, KC_ERR_GRAPH,
                   "memory: node 1 (add, parents [0, 9]): expected parents "
                   "before the node, found parent 9",
                   kci_graph_builder_operation(builder, KC_OP_ADD, NULL, later,
                                               2, &right, &id, &error));
    EXPECT_FAILURE(error, KC_ERR_GRAPH,
                   "declared f32 [4, 3], but add gives f32 [3, 4]",
                   kci_graph_builder_operation(builder, KC_OP_ADD, NULL, twice,
                                               2, &wrong, &id, &error));
    EXPECT_FAILURE(error, KC_ERR_GRAPH, "expected 2 parents, found 1",
                   kci_graph_builder_operation(builder, KC_OP_ADD, NULL, twice,
                                               1, &right, &id, &error));
    ck_assert_uint_eq(id, 77);
    ck_assert_uint_eq(kci_graph_builder_nodes(builder)->node_count, 1);
}
END_TEST

static uint32_t pool_sizes(void)
{
    const kc_graph_t *graph = kci_graph_builder_nodes(builder);
    return graph->parent_pool_count + graph->dim_pool_count +
           graph->literal_count;
}

/* Shared and own extents, literals among them: all go, and what is added
 * afterwards is as if nothing had been. */
START_TEST(what_is_taken_back_is_gone)
{
    kc_error_t error = KC_ERROR_INIT;
    static const uint32_t twice[] = {0, 0};
    static const float numbers[] = {1, 2, 3};
    kci_tensor_type_t vector = type_of(1, 3, 0);
    uint32_t before = pool_sizes();
    for (int round = 0; round < 3; round++) {
        uint32_t id = 0;
        (void)add(KC_OP_ADD, NULL, twice, 2, type_of(2, 3, 4));
        EXPECT_OK(error, kci_graph_builder_literal(builder, &vector, numbers,
                                                   &id, &error));
        ck_assert_uint_eq(id, 2);
        add_three();
        EXPECT_OK(error, kci_graph_builder_literal(builder, &vector, numbers,
                                                   &id, &error));
        ck_assert_uint_gt(pool_sizes(), before);
        kci_graph_builder_take_back(builder, 1);
        ck_assert_uint_eq(pool_sizes(), before);
        ck_assert_uint_eq(kci_graph_builder_nodes(builder)->node_count, 1);
    }
    add_three();
    ck_assert_uint_eq(kci_graph_builder_nodes(builder)->node_count, 4);
    kci_graph_builder_take_back(builder, 4); /* nothing */
    ck_assert_uint_eq(kci_graph_builder_nodes(builder)->node_count, 4);
}
END_TEST

/* Part of what was added, up to a literal that stays. */
START_TEST(some_nodes_can_stay)
{
    kc_error_t error = KC_ERROR_INIT;
    static const float numbers[] = {1, 2, 3};
    kci_tensor_type_t vector = type_of(1, 3, 0);
    uint32_t literals[2];
    for (size_t i = 0; i < 2; i++) {
        EXPECT_OK(error, kci_graph_builder_literal(builder, &vector, numbers,
                                                   &literals[i], &error));
    }
    uint32_t sum = add(KC_OP_ADD, NULL, literals, 2, type_of(1, 3, 0));
    kci_graph_builder_take_back(builder, sum);
    kci_graph_builder_take_back(builder, literals[1]);
    const kc_graph_t *graph = kci_graph_builder_nodes(builder);
    ck_assert_uint_eq(graph->literal_count, 1);
    ck_assert_mem_eq(kci_graph_literal(graph, literals[0])->bytes, numbers,
                     sizeof numbers);
}
END_TEST

Suite *suite_graph_composed_nodes(void)
{
    Suite *suite = suite_create("graph/composed_nodes");
    TCase *tcase = tcase_create("nodes");
    tcase_add_checked_fixture(tcase, begin, end);
    tcase_add_test(tcase, nodes_are_those_of_a_file);
    tcase_add_test(tcase, the_checks_are_the_same);
    tcase_add_test(tcase, what_is_taken_back_is_gone);
    tcase_add_test(tcase, some_nodes_can_stay);
    suite_add_tcase(suite, tcase);
    return suite;
}
