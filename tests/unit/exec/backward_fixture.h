/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * One small graph with a backward by hand, and the tensors of its runs. */
#ifndef KC_TESTS_UNIT_EXEC_BACKWARD_FIXTURE_H
#define KC_TESTS_UNIT_EXEC_BACKWARD_FIXTURE_H

#include "unit/exec/program_fixture.h"

/* The nodes: a = x + w, b = relu(a), c = b + x, output y. */
enum { X, W, A, B, C };

typedef struct backward_case {
    program_case_t base;
    kc_tensor_t *w;
    operand_t x;
    operand_t seed;
    operand_t y;
    operand_t gradients[4];
    const DLTensor *inputs[1];
    const DLTensor *seeds[1];
    DLTensor *outputs[1];
    DLTensor *given[4];
} backward_case_t;

kc_graph_t *backward_graph(void);
/* w = 0.5, x = i - 8, seed i + 1; gradients of x, w, a and c, where w and a
 * have one value. */
void backward_begin(backward_case_t *at);
void backward_end(backward_case_t *at);
/* The tensors alone, for another backward of the graph. */
void backward_tensors(backward_case_t *at);
/* With as many outputs as said, 0 or 1. */
kc_status_t backward_run(backward_case_t *at, size_t output_count);
/* The gradients are those of the seed. */
void backward_expect(backward_case_t *at);

#endif
