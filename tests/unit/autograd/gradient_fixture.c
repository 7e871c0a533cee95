/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Values of a graph and its planned gradients. */
#include "unit/autograd/gradient_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/kinds.h"
#include "unit/autograd/draw.h"
#include "unit/autograd/gradient_runs.h"
#include "unit/built_modules.h"
#include "unit/expect.h"

void gradient_fixture_begin(gradient_fixture_t *fixture, uint32_t thread_count)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_log_t log = {0};
    fixture->profile = built_checked_cpu();
    kci_host_allocator_init(&fixture->allocator, NULL, NULL, NULL);
    EXPECT_OK(error, kci_host_create(&fixture->allocator, &log, thread_count,
                                     &fixture->host, &error));
}

void gradient_fixture_end(gradient_fixture_t *fixture)
{
    kci_profile_release(fixture->profile);
    kci_host_release(fixture->host);
    ck_assert_uint_eq(atomic_load(&fixture->allocator.live_bytes), 0);
}

kc_graph_t *gradient_graph(const char *nodes, const char *outputs)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_graph_t *graph = NULL;
    size_t size = strlen(nodes) + strlen(outputs) + 128;
    char *text = malloc(size);
    ck_assert_ptr_nonnull(text);
    snprintf(text, size,
             "{'format': 'kcapsule-graph', 'version': 1, 'nodes': [%s], "
             "'outputs': [%s]}",
             nodes, outputs);
    for (char *at = text; *at != '\0'; at++) {
        *at = *at == '\'' ? '"' : *at;
    }
    EXPECT_OK(error,
              kci_graph_parse(text, strlen(text), "test", &graph, &error));
    free(text);
    return graph;
}

bool gradient_is_leaf(const kc_graph_t *graph, uint32_t node)
{
    kci_kind_role_t role = kci_kind(graph->nodes[node].kind)->role;
    return role == KCI_ROLE_INPUT || role == KCI_ROLE_CONST;
}

bool gradient_is_input(const kc_graph_t *graph, uint32_t node)
{
    return kci_kind(graph->nodes[node].kind)->role == KCI_ROLE_INPUT;
}

static double number_for(const char *name, uint64_t *state)
{
    double number = draw_number(state);
    if (strncmp(name, "eps", 3) == 0) {
        return 0.01;
    }
    if (strncmp(name, "var", 3) == 0) {
        return number * number + 0.25;
    }
    if (strncmp(name, "idx", 3) == 0) {
        return (double)(int64_t)((number + 1) / 2 * atof(name + 3));
    }
    return number;
}

kc_tensor_t *gradient_tensor(gradient_fixture_t *fixture,
                             const kc_graph_t *graph, uint32_t node)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_tensor_t *tensor = NULL;
    kci_tensor_type_t type;
    kci_graph_node_type(graph, node, &type);
    EXPECT_OK(error, kci_tensor_create(&fixture->allocator, type.dtype,
                                       type.shape.rank, type.shape.dims,
                                       &tensor, &error));
    return tensor;
}

gradient_values_t gradient_values(gradient_fixture_t *fixture,
                                  kc_graph_t *graph, uint64_t seed)
{
    gradient_values_t values = {
        .graph = graph,
        .tensors = calloc(graph->node_count + 1, sizeof(kc_tensor_t *))};
    ck_assert_ptr_nonnull(values.tensors);
    for (uint32_t node = 0; node < graph->node_count; node++) {
        if (!gradient_is_leaf(graph, node)) {
            continue;
        }
        uint64_t state = seed * 1000003 + node;
        (void)draw_number(&state);
        kc_tensor_t *tensor = gradient_tensor(fixture, graph, node);
        int64_t count = kc_tensor_element_count(&tensor->view);
        bool is_mask = kc_tensor_dtype(&tensor->view) == KC_DTYPE_BOOL;
        for (int64_t i = 0; i < count; i++) {
            double number =
                number_for(graph->names[graph->nodes[node].name], &state);
            rule_set_element(tensor, i, is_mask ? number > 0 : number);
        }
        values.tensors[node] = tensor;
    }
    return values;
}

void gradient_values_release(gradient_values_t *values)
{
    for (uint32_t node = 0; node < values->graph->node_count; node++) {
        kci_tensor_release(values->tensors[node]);
    }
    free(values->tensors);
    values->tensors = NULL;
}

void gradient_fill(gradient_values_t *values, uint32_t node, double number)
{
    kc_tensor_t *tensor = values->tensors[node];
    for (int64_t i = 0; i < kc_tensor_element_count(&tensor->view); i++) {
        rule_set_element(tensor, i, number);
    }
}

kc_tensor_t *gradient_seed(gradient_fixture_t *fixture, const kc_graph_t *graph,
                           uint32_t place, uint64_t seed)
{
    uint32_t node = graph->outputs[place].node;
    if (seed == 0 && graph->nodes[node].rank == 0) {
        return NULL;
    }
    kc_tensor_t *tensor = gradient_tensor(fixture, graph, node);
    uint64_t state = seed * 7919 + place;
    (void)draw_number(&state);
    for (int64_t i = 0; i < kc_tensor_element_count(&tensor->view); i++) {
        rule_set_element(tensor, i, seed == 0 ? 1 : draw_number(&state));
    }
    return tensor;
}

void gradient_result_release(gradient_result_t *result)
{
    for (size_t i = 0; i < result->count; i++) {
        kci_tensor_release(result->gradients[i]);
    }
    free(result->gradients);
    *result = (gradient_result_t){0};
}

double gradient_element(const gradient_result_t *result, size_t gradient,
                        int64_t place)
{
    ck_assert_uint_lt(gradient, result->count);
    const DLTensor *view = &result->gradients[gradient]->view;
    ck_assert_int_lt(place, kc_tensor_element_count(view));
    const void *data = kc_tensor_data(view);
    return kc_tensor_dtype(view) == KC_DTYPE_F32
               ? (double)((const float *)data)[place]
               : ((const double *)data)[place];
}

void gradient_check_bits(const gradient_result_t *found,
                         const gradient_result_t *expected)
{
    ck_assert_uint_eq(found->count, expected->count);
    for (size_t i = 0; i < found->count; i++) {
        rule_check_bits(found->gradients[i], expected->gradients[i]);
    }
}

kc_plan_t *gradient_plan(gradient_fixture_t *fixture, kc_graph_t *graph,
                         const kci_gradient_request_t *request)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_plan_t *plan = NULL;
    EXPECT_OK(error, kci_gradient_plan_create(fixture->profile, graph, request,
                                              &plan, &error));
    return plan;
}
