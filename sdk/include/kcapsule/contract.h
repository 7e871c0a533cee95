/* SPDX-License-Identifier: Apache-2.0
 *
 * The parts of a contract: descriptors of the four obligations, numerical
 * policy and limits. All records are pointer-free, have 32-bit fields only
 * and a fixed size, because they are read from the bytes of a module file.
 * Every text ends with NUL inside its array; the host checks it.
 */
#ifndef KCAPSULE_CONTRACT_H
#define KCAPSULE_CONTRACT_H

#include <kcapsule/vocabulary.h>

KC_BEGIN_DECLS

/*
 * One obligation. `claim` is a kc_claim_t about operation `op`. `mode` is the
 * kc_layout_t of a layout claim, the kc_vjp_mode_t of a VJP refinement, and 0
 * otherwise. `evidence` is a kc_evidence_t and `source` its name: the guard,
 * the suite, or the reason of a trusted boundary; empty for not applicable.
 * `summary` is one line for readers.
 *
 * The guards that the host performs, and grants as evidence by name:
 * dispatch.shape, dispatch.dtype, dispatch.device, dispatch.layout,
 * dispatch.alias, dispatch.index_range and dispatch.element_count, before a
 * call; planner.vjp_mode, when it plans. A guard of another name is a claim to
 * which nothing is granted.
 */
typedef struct kc_contract_descriptor {
    int32_t claim;
    int32_t op;
    int32_t mode;
    int32_t evidence;
    char summary[112];
    char source[128];
} kc_contract_descriptor_t;
KC_STATIC_ASSERT(sizeof(kc_contract_descriptor_t) == 256, "descriptor size");

/*
 * The numerical policy. `reduction` is a kc_reduction_t; all the rest is
 * optional and 0 or empty when not stated. `order` names the order of
 * summation behind the policy, with its version: `left.mul_add/1` is
 * acc = +0; acc = fl(acc + fl(a * b)) in index order.
 */
typedef struct kc_numerical_policy {
    int32_t reduction;
    char order[32];
    uint32_t invariance;       /* bits 1u << kc_invariance_t */
    int32_t rounding;          /* kc_rounding_t */
    int32_t subnormals;        /* kc_subnormals_t */
    int32_t contraction;       /* kc_contraction_t */
    int32_t accumulation;      /* kc_accumulation_t */
    int32_t reduced_precision; /* kc_reduced_precision_t */
    uint32_t spare[17];
} kc_numerical_policy_t;
KC_STATIC_ASSERT(sizeof(kc_numerical_policy_t) == 128, "numerics size");

/*
 * What the kernel can take; checked at planning, every field optional. They
 * hold for each floating-point or otherwise typed operand as said.
 *
 * `instruction_set` is asked at binding, of the processor. The words known on
 * x86-64: sse2, sse3, ssse3, sse4.1, sse4.2, popcnt, avx, avx2, fma, bmi,
 * bmi2, avx512f, avx512bw, avx512cd, avx512dq, avx512er, avx512pf, avx512vl,
 * avx512vnni. None is known elsewhere, and a word that is not known fails.
 */
typedef struct kc_limits {
    uint32_t dtypes;       /* bits 1u << kc_dtype_t of the first input, or of
                            * the output where there is no input; 0: float32 */
    uint32_t ranks;        /* bits 1u << rank of the first input or, without
                            * one, of the output; 0: any rank               */
    uint32_t extent_max;   /* largest extent of any operand; 0: no limit    */
    uint32_t index_bits;   /* 32: no operand may have 2^31 elements or more;
                            * 0 and 64: no limit                            */
    uint32_t layouts;      /* bits kc_operand_layout_t; 0: dense            */
    int32_t mask_polarity; /* kc_mask_polarity_t, attention only            */
    uint32_t overwrites;   /* bit i: the output may share input i's memory  */
    uint32_t input_count_max; /* e.g. 3 for attention without mask; 0: all  */
    char instruction_set[64]; /* comma-separated words, e.g. "avx2,fma"     */
    uint32_t spare[20];
} kc_limits_t;
KC_STATIC_ASSERT(sizeof(kc_limits_t) == 176, "limits size");

KC_END_DECLS

#endif
