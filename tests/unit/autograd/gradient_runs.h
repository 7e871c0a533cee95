/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * What the files of the gradient fixture share. */
#ifndef KC_TESTS_UNIT_AUTOGRAD_GRADIENT_RUNS_H
#define KC_TESTS_UNIT_AUTOGRAD_GRADIENT_RUNS_H

#include "exec/executor.h"
#include "unit/autograd/gradient_fixture.h"
#include "unit/autograd/rule_fixture.h"

bool gradient_is_leaf(const kc_graph_t *graph, uint32_t node);
bool gradient_is_input(const kc_graph_t *graph, uint32_t node);
/* Zeroed, of the type of the node. */
kc_tensor_t *gradient_tensor(gradient_fixture_t *fixture,
                             const kc_graph_t *graph, uint32_t node);
/* The cotangent of the output in that place; NULL: 1. */
kc_tensor_t *gradient_seed(gradient_fixture_t *fixture, const kc_graph_t *graph,
                           uint32_t place, uint64_t seed);

/* An accepted, compiled plan. */
kc_executor_t *gradient_compile(gradient_fixture_t *fixture, kc_plan_t *plan,
                                const gradient_values_t *values, bool no_reuse);
/* What its runs take, and give into the same tensors. */
typedef struct gradient_call {
    const DLTensor **inputs; /* borrowed from the values */
    size_t input_count;
    kc_tensor_t **seeds;
    const DLTensor **seed_views;
    size_t seed_count;
    DLTensor **views;
    gradient_result_t result;
} gradient_call_t;
void gradient_call_begin(gradient_call_t *call, gradient_fixture_t *fixture,
                         const kc_plan_t *plan, const gradient_values_t *values,
                         uint64_t seed);
kc_status_t gradient_call(kc_executor_t *executor, gradient_call_t *call,
                          kc_error_t *error);
void gradient_call_end(gradient_call_t *call);

#endif
