/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * The digit classifier of examples/digits with its data. */
#ifndef KC_TESTS_UNIT_EXEC_DIGITS_FIXTURE_H
#define KC_TESTS_UNIT_EXEC_DIGITS_FIXTURE_H

#include "exec/executor.h"
#include "tensor/tensor.h"

#define DIGITS_CONSTS_MAX 16

typedef struct digits {
    kc_graph_t *graph;
    kci_named_tensor_t consts[DIGITS_CONSTS_MAX];
    char names[DIGITS_CONSTS_MAX][64];
    size_t const_count;
    kc_tensor_t *images;
    kc_tensor_t *logits; /* expected, to the last bit */
} digits_t;

/* Fails the calling test or benchmark by returning false with the reason. */
bool digits_load(digits_t *digits, kci_host_allocator_t *allocator,
                 kc_error_t *error);
void digits_release(digits_t *digits);

#endif
