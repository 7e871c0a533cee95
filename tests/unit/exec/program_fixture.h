/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Programs with a backward made by hand: relu has a derivative kernel of its
 * own, the rule of add is a function of the test, as the runtime's are. */
#ifndef KC_TESTS_UNIT_EXEC_PROGRAM_FIXTURE_H
#define KC_TESTS_UNIT_EXEC_PROGRAM_FIXTURE_H

#include "exec/executor_state.h"
#include "unit/exec/graph_fixture.h"

/* What derivative rules were given; of this process, so of this test. */
typedef struct rule_log {
    int relu_count;
    int add_count;
    int in_place_count;        /* relus whose result lay on an operand */
    int fail_at;               /* the relu (from 1) that fails; 0: none */
    size_t workspace_size;     /* of the last relu */
    size_t input_count;        /* of the last add */
    bool has_wanted[2];        /* of the last add */
    const void *cotangents[2]; /* of the last add */
} rule_log_t;
extern rule_log_t rule_log;
#define RELU_RULE_WORKSPACE 321

typedef struct program_case {
    host_fixture_t host;
    kc_profile_t *profile;
    kc_graph_t *graph;
    kc_plan_t *plan;
    kci_program_t *program; /* the plan's */
    kc_executor_t *executor;
    uint16_t relu; /* entries of the profile */
    uint16_t add;
    kc_error_t error;
} program_case_t;

/* Takes the graph; the program is the forward. */
void program_begin(program_case_t *at, kc_graph_t *graph);
void program_end(program_case_t *at);

/* A value of the type of `like`. */
uint32_t program_value(program_case_t *at, uint32_t like,
                       kci_value_source_t source, uint32_t slot);
uint32_t program_seed(program_case_t *at, uint32_t node, uint32_t slot);
/* The rule of a relu node, by its handler; the cotangent of its parent. */
uint32_t program_relu_rule(program_case_t *at, uint32_t node,
                           uint32_t cotangent);
/* That of an add node, `i + 1` times the cotangent for parent `i`, by a
 * function of the test; KCI_NO_VALUE where `wanted` has no bit. */
void program_add_rule(program_case_t *at, uint32_t node, uint32_t cotangent,
                      uint32_t wanted, uint32_t *out_cotangents);
uint32_t program_sum(program_case_t *at, uint32_t node, uint32_t a, uint32_t b);
/* A rule that is a composition, before the next step. */
void program_note_rule(program_case_t *at, uint32_t node);
/* `ports`: pairs of index and value. */
void program_ports(program_case_t *at, const kci_program_port_t *seeds,
                   size_t seed_count, const kci_program_port_t *gradients,
                   size_t gradient_count);
/* Accepts the plan with its program and makes the executor. */
void program_compile(program_case_t *at, const kci_named_tensor_t *consts,
                     size_t const_count);

#endif
