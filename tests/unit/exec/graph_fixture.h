/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Graphs built in memory, a module whose handlers are functions of the test,
 * and accepted plans. Everything fails the test when it cannot be had. */
#ifndef KC_TESTS_UNIT_EXEC_GRAPH_FIXTURE_H
#define KC_TESTS_UNIT_EXEC_GRAPH_FIXTURE_H

#include "exec/executor.h"
#include "graph/builder.h"
#include "unit/handler_fixture.h"
#include "unit/operand_fixture.h"

/* Nodes are f32 vectors of this many elements unless said otherwise. */
#define VECTOR 16

kc_graph_builder_t *graph_begin(void);
uint32_t graph_input(kc_graph_builder_t *builder, const char *name);
uint32_t graph_const(kc_graph_builder_t *builder, const char *name);
uint32_t graph_unary(kc_graph_builder_t *builder, const char *kind,
                     uint32_t parent);
uint32_t graph_binary(kc_graph_builder_t *builder, const char *kind, uint32_t a,
                      uint32_t b);
/* Any node; `attributes` is JSON text or NULL. */
uint32_t graph_node(kc_graph_builder_t *builder, const kci_node_spec_t *spec,
                    const char *attributes);
void graph_output(kc_graph_builder_t *builder, const char *name, uint32_t node);
kc_graph_t *graph_end(kc_graph_builder_t *builder);

/* Module `acme` with relu, add and reshape; what its handlers did. */
typedef struct acme_options {
    uint32_t relu_overwrites;
    uint32_t add_overwrites;
    size_t relu_workspace;
} acme_options_t;
kc_profile_t *acme_profile(const acme_options_t *options);

typedef struct acme_log {
    int relu_count;
    int add_count;
    int reshape_count;
    int in_place_count;    /* calls whose output was input 0's memory */
    int fail_at;           /* the call (from 1) that fails; 0: none */
    size_t workspace_size; /* of the last call of relu */
} acme_log_t;
/* Of this process, that is of this test; clear it first. */
extern acme_log_t acme_log;
int acme_call_count(void);

kc_accepted_plan_t *accept_graph(kc_profile_t *profile, kc_graph_t *graph);
/* Accepted, compiled, without consts. */
kc_executor_t *compile_graph(kci_host_t *host, kc_profile_t *profile,
                             kc_graph_t *graph, bool no_reuse);

/* A tensor of VECTOR floats i * factor + offset. */
kc_tensor_t *vector_tensor(kci_host_allocator_t *allocator, float factor,
                           float offset);
float *tensor_f32(kc_tensor_t *tensor);

#endif
