/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Attention on the cpu by a capsule of the provider torchlean, whose inner
 * operations are those of the reference module, and its operands. */
#ifndef KC_TESTS_UNIT_EXEC_ATTENTION_FIXTURE_H
#define KC_TESTS_UNIT_EXEC_ATTENTION_FIXTURE_H

#include "unit/exec/graph_fixture.h"

#define ATTENTION_QUERIES 3
#define ATTENTION_KEYS    4
#define ATTENTION_WIDTH   2

/* Memory capsules in front of the reference's; one that has no composition
 * is `torchlean.relu`. */
kc_profile_t *attention_profile(void);

typedef struct attention_case {
    host_fixture_t host;
    kc_profile_t *profile;
    kc_session_t *session;
    operand_t q;
    operand_t k;
    operand_t v;
    operand_t mask; /* everything may attend */
    operand_t y;
    const DLTensor *inputs[4];
    kc_attributes_t attributes;
    kc_error_t error;
} attention_case_t;
void attention_begin(attention_case_t *at);
void attention_end(attention_case_t *at);
/* With the mask or without; into `y`. */
kc_status_t attention_run(attention_case_t *at, size_t input_count);
/* y = attention(q, k, v, mask), inputs in this order. */
kc_graph_t *attention_graph(bool is_causal);

#endif
