/* SPDX-License-Identifier: Apache-2.0
 *
 * The loops that exist once for each instruction set, and how much scratch
 * they take. Bits differ between sets (fused products), never within one.
 */
#ifndef KC_ATTENTION_KERNELS_H
#define KC_ATTENTION_KERNELS_H

#include "problem.h"

typedef struct kc_attention_kernels {
    const char *name;
    size_t lanes; /* floats of a vector */
    /* Query rows first .. first+count-1 of a head, count <= block_queries. */
    void (*forward)(const kc_attention_problem_t *problem, size_t head,
                    size_t first, size_t count, float *scratch);
    /* All cotangents of a head. */
    void (*backward)(const kc_attention_problem_t *problem, size_t head,
                     float *scratch);
    /* Floats of scratch, aligned to 64 bytes; 0 if that fits no memory. */
    size_t (*forward_scratch)(const kc_attention_problem_t *problem);
    size_t (*backward_scratch)(const kc_attention_problem_t *problem);
} kc_attention_kernels_t;

/* Where the processor is of another family, all are like the first. */
extern const kc_attention_kernels_t kc_attention_kernels_portable;
extern const kc_attention_kernels_t kc_attention_kernels_avx2;
extern const kc_attention_kernels_t kc_attention_kernels_avx512;

/* The widest that this machine has. */
const kc_attention_kernels_t *kc_attention_kernels(void);

#endif
