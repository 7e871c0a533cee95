/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * LibTorch's forward and backward of the small perceptron, for comparison:
 * torch_step.cpp where configure found it, else torch_step_none.c. */
#ifndef KC_TESTS_BENCH_TORCH_STEP_H
#define KC_TESTS_BENCH_TORCH_STEP_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct torch_step torch_step_t;

/* Row-major f32: x [4], w1 [8, 4], b1 [8], w2 [1, 8], b2 [1], target [1]. */
typedef struct torch_values {
    const float *x;
    const float *w1;
    const float *b1;
    const float *w2;
    const float *b2;
    const float *target;
} torch_values_t;

/* One thread. NULL: this build has no LibTorch, or it failed. */
torch_step_t *torch_step_create(const torch_values_t *values);
void torch_step_destroy(torch_step_t *step); /* accepts NULL */
/* Forward, loss, backward; 0 on failure. */
int torch_step_run(torch_step_t *step, int iterations);
/* Of the last step: w1 32, b1 8, w2 8, b2 1 in a row. */
#define TORCH_GRADIENTS 49
void torch_step_gradients(const torch_step_t *step, float *out);

#ifdef __cplusplus
}
#endif

#endif
