/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * The generic compositions on operands of their own: what they have to give,
 * and how they are run in every mode. Everything fails the test when it
 * cannot be had; every record is held to ordinary operations. */
#ifndef KC_TESTS_UNIT_API_COMPOSE_FIXTURE_H
#define KC_TESTS_UNIT_API_COMPOSE_FIXTURE_H

#include <kcapsule/kcapsule.h>

#define COMPOSE_OPERANDS_MAX 4
#define COMPOSE_N            6 /* length of the signals */
#define COMPOSE_MODES        3

typedef enum composed { SCAN, RFFT, IRFFT, CONVOLUTION, COMPOSED } composed_t;

typedef struct compose_operand {
    int32_t rank;
    int64_t dims[3];
} compose_operand_t;

/* Operands and result, all float64. */
typedef struct compose_case {
    const char *name;
    size_t count;
    compose_operand_t operands[COMPOSE_OPERANDS_MAX];
    compose_operand_t result;
} compose_case_t;
extern const compose_case_t compose_cases[COMPOSED];

/* checked_cpu, which has no capsule of selective_scan or fft_fno. */
typedef struct compose_at {
    kc_runtime_t *runtime;
    kc_profile_t *profile;
    kc_error_t error;
} compose_at_t;

int64_t compose_count(const compose_operand_t *operand);
double *compose_elements(kc_tensor_t *tensor);
/* Numbers in [-1, 1) that follow from the seed. */
kc_tensor_t *compose_draw(compose_at_t *at, const compose_operand_t *operand,
                          uint64_t seed);
void compose_draw_all(compose_at_t *at, composed_t which,
                      kc_tensor_t **out_tensors);
void compose_release(kc_tensor_t **tensors, size_t count);
/* By the formulas of the operation catalogue, 7.9 and 7.10. */
void compose_expect_values(composed_t which, kc_tensor_t *const *in,
                           kc_tensor_t *found);
void compose_expect_bits(kc_tensor_t *found, kc_tensor_t *expected);

/* The composition itself, in its two forms. */
kc_status_t compose_nodes(compose_at_t *at, kc_graph_builder_t *builder,
                          composed_t which, const uint32_t *nodes,
                          uint32_t *out_node);
kc_status_t compose_variables(compose_at_t *at, kc_tape_t *tape,
                              composed_t which, const kc_variable_t *in,
                              kc_variable_t *out);

/* Graphs: the operands are the inputs p, q, r, s, the result is y. */
kc_graph_builder_t *compose_builder(compose_at_t *at, composed_t which,
                                    uint32_t *out_nodes);
uint32_t compose_input(compose_at_t *at, kc_graph_builder_t *builder,
                       const char *name, const compose_operand_t *operand,
                       const char *leading_name);
kc_graph_t *compose_finish(compose_at_t *at, kc_graph_builder_t *builder,
                           uint32_t node);
kc_graph_t *compose_graph(compose_at_t *at, composed_t which);
kc_tensor_t *compose_run_eager(compose_at_t *at, kc_graph_t *graph,
                               kc_tensor_t *const *in, size_t count);
kc_tensor_t *compose_run_compiled(compose_at_t *at, composed_t which,
                                  kc_graph_t *graph, kc_tensor_t *const *in);
void compose_compiled_gradients(compose_at_t *at, composed_t which,
                                kc_graph_t *graph, kc_tensor_t *const *in,
                                kc_tensor_t *seed, kc_tensor_t **out_gradients);

/* A tape whose leaves are the operands, each with a gradient. */
typedef struct compose_tape {
    kc_session_t *session;
    kc_tape_t *tape;
    kc_variable_t in[COMPOSE_OPERANDS_MAX];
    kc_variable_t out;
} compose_tape_t;
void compose_tape_begin(compose_at_t *at, compose_tape_t *on, composed_t which,
                        kc_tensor_t *const *in);
void compose_tape_end(compose_at_t *at, compose_tape_t *on);
void compose_taped_gradients(compose_at_t *at, composed_t which,
                             kc_tensor_t *const *in, kc_tensor_t *seed,
                             kc_tensor_t **out_gradients);

#endif
