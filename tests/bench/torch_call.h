/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * ATen's add and matmul into prepared tensors, for comparison: torch_call.cpp
 * where configure found LibTorch, else torch_call_none.c. */
#ifndef KC_TESTS_BENCH_TORCH_CALL_H
#define KC_TESTS_BENCH_TORCH_CALL_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct torch_call torch_call_t;

/* Over f32 of the caller: of [4] if `is_matmul` is 0, else of [4, 4]. Asked
 * under the guard that an inference server would hold, once around all
 * iterations. NULL: this build has no LibTorch, or it failed. */
torch_call_t *torch_call_create(float *a, float *b, float *y, int is_matmul);
void torch_call_destroy(torch_call_t *call); /* accepts NULL */
/* 0 on failure. */
int torch_call_run(torch_call_t *call, int iterations);

#ifdef __cplusplus
}
#endif

#endif
