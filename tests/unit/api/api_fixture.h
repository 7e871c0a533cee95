/* SPDX-License-Identifier: Apache-2.0
 *
 * A runtime over the built modules and a small graph: y = relu(x + b), made
 * through the public builder.
 */
#ifndef KC_TESTS_UNIT_API_API_FIXTURE_H
#define KC_TESTS_UNIT_API_API_FIXTURE_H

#include <kcapsule/kcapsule.h>

/* Counts what the runtime has out. */
typedef struct fixture_heap {
    size_t live_blocks;
    size_t live_bytes;
} fixture_heap_t;

kc_runtime_t *fixture_runtime(fixture_heap_t *heap); /* `heap` may be NULL */
kc_profile_t *fixture_profile(kc_runtime_t *runtime, const char *name);
kc_graph_t *fixture_graph(void);
kc_tensor_t *fixture_tensor(kc_runtime_t *runtime, float first);
kc_weights_t *fixture_weights(kc_runtime_t *runtime);
/* relu(first + i + b_i) with b = -2 everywhere, first = 0: 0 0 0 1. */
void fixture_expect_result(const DLTensor *view);

#endif
