/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Graphs, values for them, and their gradients by a planned backward and by
 * the tape. Everything fails the test when it cannot be had. */
#ifndef KC_TESTS_UNIT_AUTOGRAD_GRADIENT_FIXTURE_H
#define KC_TESTS_UNIT_AUTOGRAD_GRADIENT_FIXTURE_H

#include "autograd/gradient_plan.h"
#include "dispatch/host.h"
#include "tensor/tensor.h"

/* A host, and checked_cpu over the built modules. */
typedef struct gradient_fixture {
    kci_host_allocator_t allocator;
    kci_host_t *host;
    kc_profile_t *profile;
} gradient_fixture_t;
void gradient_fixture_begin(gradient_fixture_t *fixture, uint32_t thread_count);
void gradient_fixture_end(gradient_fixture_t *fixture);

/* From the inside of `nodes` and `outputs` of a graph file, with ' for ". */
kc_graph_t *gradient_graph(const char *nodes, const char *outputs);

/* A tensor for each input and const, by id of the node; NULL for others. */
typedef struct gradient_values {
    kc_graph_t *graph;
    kc_tensor_t **tensors;
} gradient_values_t;
/* Seeded numbers in [-1, 1); of a node whose name begins with "eps" 0.01,
 * with "var" positive ones, with "idx" and a number indices below it. */
gradient_values_t gradient_values(gradient_fixture_t *fixture,
                                  kc_graph_t *graph, uint64_t seed);
void gradient_values_release(gradient_values_t *values);
/* All elements of the node's tensor become this number. */
void gradient_fill(gradient_values_t *values, uint32_t node, double number);

/* Gradients of the wanted nodes, in the order of the request. */
typedef struct gradient_result {
    kc_tensor_t **gradients;
    size_t count;
} gradient_result_t;
void gradient_result_release(gradient_result_t *result);
double gradient_element(const gradient_result_t *result, size_t gradient,
                        int64_t place);
void gradient_check_bits(const gradient_result_t *found,
                         const gradient_result_t *expected);

kc_plan_t *gradient_plan(gradient_fixture_t *fixture, kc_graph_t *graph,
                         const kci_gradient_request_t *request);
/* With seed 0 the cotangents are 1 (given as NULL for scalars), else seeded
 * numbers. */
gradient_result_t gradient_run_plan(gradient_fixture_t *fixture,
                                    kc_plan_t *plan,
                                    const gradient_values_t *values,
                                    uint64_t seed, bool no_reuse);
/* Both of the above. */
gradient_result_t gradient_of(gradient_fixture_t *fixture,
                              const gradient_values_t *values,
                              const kci_gradient_request_t *request,
                              uint64_t seed);
/* The same request on a tape; wanted nodes are inputs and consts. */
gradient_result_t gradient_run_tape(gradient_fixture_t *fixture,
                                    const gradient_values_t *values,
                                    const kci_gradient_request_t *request,
                                    uint64_t seed);

#define NODES(...)                                                             \
    .nodes = (const uint32_t[]){__VA_ARGS__},                                  \
    .node_count = sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t)
#define OUTPUTS(...)                                                           \
    .outputs = (const uint32_t[]){__VA_ARGS__},                                \
    .output_count = sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t)

/* One graph with seeded values and the gradients that were found last. */
typedef struct gradient_case {
    gradient_fixture_t fixture;
    kc_graph_t *graph;
    gradient_values_t values;
    gradient_result_t found;
} gradient_case_t;

void gradient_case_begin(gradient_case_t *at, const char *nodes,
                         const char *outputs);
void gradient_case_run(gradient_case_t *at,
                       const kci_gradient_request_t *request);
void gradient_case_end(gradient_case_t *at);
/* So many elements, all of them this number. */
void gradient_case_expect(const gradient_case_t *at, size_t gradient,
                          int64_t count, double number);

#endif
