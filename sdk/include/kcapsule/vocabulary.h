/* SPDX-License-Identifier: Apache-2.0
 *
 * The closed vocabularies of the interface with their printed labels. Each
 * list stands once, as an X macro `X(CONSTANT, "label")`; enumerations and
 * label tables are made from it. All values cross as int32_t.
 *
 * Providers are not here: a provider is a label of the form
 * [a-z][a-z0-9_.-]*, so a vendor needs nobody's permission.
 */
#ifndef KCAPSULE_VOCABULARY_H
#define KCAPSULE_VOCABULARY_H

#include <kcapsule/abi.h>

KC_BEGIN_DECLS

/* The 47 operations. A new one is a minor version of the interface. */
#define KC_FOR_EACH_OP(X)                                                      \
    X(KC_OP_RAND_UNIFORM, "rand_uniform")                                      \
    X(KC_OP_BERNOULLI_MASK, "bernoulli_mask")                                  \
    X(KC_OP_ADD, "add")                                                        \
    X(KC_OP_SUB, "sub")                                                        \
    X(KC_OP_MUL, "mul")                                                        \
    X(KC_OP_SCALE, "scale")                                                    \
    X(KC_OP_ABS, "abs")                                                        \
    X(KC_OP_SQRT, "sqrt")                                                      \
    X(KC_OP_CLAMP, "clamp")                                                    \
    X(KC_OP_MAX, "max")                                                        \
    X(KC_OP_MIN, "min")                                                        \
    X(KC_OP_RELU, "relu")                                                      \
    X(KC_OP_GELU, "gelu")                                                      \
    X(KC_OP_SIGMOID, "sigmoid")                                                \
    X(KC_OP_TANH, "tanh")                                                      \
    X(KC_OP_SOFTPLUS, "softplus")                                              \
    X(KC_OP_EXP, "exp")                                                        \
    X(KC_OP_LOG, "log")                                                        \
    X(KC_OP_SIN, "sin")                                                        \
    X(KC_OP_COS, "cos")                                                        \
    X(KC_OP_INV, "inv")                                                        \
    X(KC_OP_SAFE_LOG, "safe_log")                                              \
    X(KC_OP_LOG_SOFTMAX, "log_softmax")                                        \
    X(KC_OP_SOFTMAX, "softmax")                                                \
    X(KC_OP_HARD_MASKED_SOFTMAX, "hard_masked_softmax")                        \
    X(KC_OP_REDUCE_SUM, "reduce_sum")                                          \
    X(KC_OP_REDUCE_MEAN, "reduce_mean")                                        \
    X(KC_OP_RESHAPE, "reshape")                                                \
    X(KC_OP_PERMUTE, "permute")                                                \
    X(KC_OP_BROADCAST, "broadcast")                                            \
    X(KC_OP_CONCAT, "concat")                                                  \
    X(KC_OP_SLICE, "slice")                                                    \
    X(KC_OP_GATHER, "gather")                                                  \
    X(KC_OP_SCATTER_ADD, "scatter_add")                                        \
    X(KC_OP_MATMUL, "matmul")                                                  \
    X(KC_OP_LINEAR, "linear")                                                  \
    X(KC_OP_MSE_LOSS, "mse_loss")                                              \
    X(KC_OP_LAYER_NORM, "layer_norm")                                          \
    X(KC_OP_BATCH_NORM, "batch_norm")                                          \
    X(KC_OP_CONV, "conv")                                                      \
    X(KC_OP_CONV_TRANSPOSE, "conv_transpose")                                  \
    X(KC_OP_MAX_POOL, "max_pool")                                              \
    X(KC_OP_SMOOTH_MAX_POOL, "smooth_max_pool")                                \
    X(KC_OP_AVG_POOL, "avg_pool")                                              \
    X(KC_OP_FFT_FNO, "fft_fno")                                                \
    X(KC_OP_SELECTIVE_SCAN, "selective_scan")                                  \
    X(KC_OP_SCALED_DOT_PRODUCT_ATTENTION, "scaled_dot_product_attention")

#define KC_FOR_EACH_DEVICE(X)                                                  \
    X(KC_DEVICE_CPU, "cpu")                                                    \
    X(KC_DEVICE_CUDA, "cuda")                                                  \
    X(KC_DEVICE_ROCM, "rocm")                                                  \
    X(KC_DEVICE_METAL, "metal")                                                \
    X(KC_DEVICE_WASM, "wasm")                                                  \
    X(KC_DEVICE_TPU, "tpu")                                                    \
    X(KC_DEVICE_TRAINIUM, "trainium")                                          \
    X(KC_DEVICE_CUSTOM, "custom")                                              \
    X(KC_DEVICE_EXTERNAL, "external")

#define KC_FOR_EACH_TRUST(X)                                                   \
    X(KC_TRUST_CHECKED, "checked")                                             \
    X(KC_TRUST_TRUSTED_EXTERNAL, "trusted-external")

/* Who owns the local derivative rule of a capsule. */
#define KC_FOR_EACH_VJP_MODE(X)                                                \
    X(KC_VJP_NONE, "none")                                                     \
    X(KC_VJP_TORCHLEAN_TAPE, "torchlean-tape")                                 \
    X(KC_VJP_BACKEND, "backend-vjp")

#define KC_FOR_EACH_LAYOUT(X)                                                  \
    X(KC_LAYOUT_CANONICAL_TENSOR, "canonical-tensor")                          \
    X(KC_LAYOUT_FLAT_ROW_MAJOR, "flat-row-major")                              \
    X(KC_LAYOUT_LIBTORCH_CUDA_VIEW, "libtorch-cuda-view")

/* In this order everywhere: records, reports, failures. */
#define KC_FOR_EACH_OBLIGATION(X)                                              \
    X(KC_OBLIGATION_SHAPE, "shape")                                            \
    X(KC_OBLIGATION_LAYOUT, "layout")                                          \
    X(KC_OBLIGATION_VALUE, "value")                                            \
    X(KC_OBLIGATION_VJP, "vjp")

#define KC_FOR_EACH_REDUCTION(X)                                               \
    X(KC_REDUCTION_FIXED_LEFT, "fixed-left")                                   \
    X(KC_REDUCTION_IMPLEMENTATION_DEFINED, "implementation-defined")           \
    X(KC_REDUCTION_NOT_APPLICABLE, "n/a")

#define KC_FOR_EACH_CLAIM(X)                                                   \
    X(KC_CLAIM_SHAPE_SAFETY, "shapeSafety")                                    \
    X(KC_CLAIM_LAYOUT_COMPATIBILITY, "layoutCompatibility")                    \
    X(KC_CLAIM_VALUE_REFINEMENT, "valueRefinement")                            \
    X(KC_CLAIM_VJP_REFINEMENT, "vjpRefinement")                                \
    X(KC_CLAIM_VJP_UNAVAILABLE, "vjpUnavailable")

#define KC_FOR_EACH_EVIDENCE(X)                                                \
    X(KC_EVIDENCE_RUNTIME_GUARD, "runtimeGuard")                               \
    X(KC_EVIDENCE_TEST_SUITE, "testSuite")                                     \
    X(KC_EVIDENCE_TRUSTED_BOUNDARY, "trustedBoundary")                         \
    X(KC_EVIDENCE_NOT_APPLICABLE, "notApplicable")

/* Element types. Bool is one byte, 0 or 1. Labels as in graph files. */
#define KC_FOR_EACH_DTYPE(X)                                                   \
    X(KC_DTYPE_F32, "f32")                                                     \
    X(KC_DTYPE_F64, "f64")                                                     \
    X(KC_DTYPE_BOOL, "bool")                                                   \
    X(KC_DTYPE_I32, "i32")                                                     \
    X(KC_DTYPE_I64, "i64")

/* What never changes the bits of a result; a set, bit = 1u << value. */
#define KC_FOR_EACH_INVARIANCE(X)                                              \
    X(KC_INVARIANT_RUN, "run")                                                 \
    X(KC_INVARIANT_THREADS, "threads")                                         \
    X(KC_INVARIANT_BATCH, "batch")                                             \
    X(KC_INVARIANT_STRIDES, "strides")                                         \
    X(KC_INVARIANT_INSTRUCTION_SET, "instruction-set")                         \
    X(KC_INVARIANT_ARCHITECTURE, "architecture")                               \
    X(KC_INVARIANT_VERSION, "version")

#define KC_ENUMERATOR_(constant, label) constant,

/* Each enumeration closes with its number of values. */
typedef enum kc_op { KC_FOR_EACH_OP(KC_ENUMERATOR_) KC_OP_COUNT } kc_op_t;
typedef enum kc_device_kind {
    KC_FOR_EACH_DEVICE(KC_ENUMERATOR_) KC_DEVICE_COUNT
} kc_device_kind_t;
typedef enum kc_trust {
    KC_FOR_EACH_TRUST(KC_ENUMERATOR_) KC_TRUST_COUNT
} kc_trust_t;
typedef enum kc_vjp_mode {
    KC_FOR_EACH_VJP_MODE(KC_ENUMERATOR_) KC_VJP_MODE_COUNT
} kc_vjp_mode_t;
typedef enum kc_layout {
    KC_FOR_EACH_LAYOUT(KC_ENUMERATOR_) KC_LAYOUT_COUNT
} kc_layout_t;
typedef enum kc_obligation {
    KC_FOR_EACH_OBLIGATION(KC_ENUMERATOR_) KC_OBLIGATION_COUNT
} kc_obligation_t;
typedef enum kc_reduction {
    KC_FOR_EACH_REDUCTION(KC_ENUMERATOR_) KC_REDUCTION_COUNT
} kc_reduction_t;
typedef enum kc_claim {
    KC_FOR_EACH_CLAIM(KC_ENUMERATOR_) KC_CLAIM_COUNT
} kc_claim_t;
typedef enum kc_evidence {
    KC_FOR_EACH_EVIDENCE(KC_ENUMERATOR_) KC_EVIDENCE_COUNT
} kc_evidence_t;
typedef enum kc_dtype {
    KC_FOR_EACH_DTYPE(KC_ENUMERATOR_) KC_DTYPE_COUNT
} kc_dtype_t;
typedef enum kc_invariance {
    KC_FOR_EACH_INVARIANCE(KC_ENUMERATOR_) KC_INVARIANCE_COUNT
} kc_invariance_t;

/* Optional statements of a contract: zero means that nothing is stated. */
typedef enum kc_rounding {
    KC_ROUNDING_UNSTATED,
    KC_ROUNDING_NEAREST_EVEN
} kc_rounding_t;
typedef enum kc_subnormals {
    KC_SUBNORMALS_UNSTATED,
    KC_SUBNORMALS_KEPT,
    KC_SUBNORMALS_FLUSHED
} kc_subnormals_t;
typedef enum kc_contraction {
    KC_CONTRACTION_UNSTATED,
    KC_CONTRACTION_NEVER,
    KC_CONTRACTION_ALLOWED
} kc_contraction_t;
typedef enum kc_accumulation {
    KC_ACCUMULATION_UNSTATED,
    KC_ACCUMULATION_ELEMENT_TYPE,
    KC_ACCUMULATION_WIDER
} kc_accumulation_t;
typedef enum kc_reduced_precision {
    KC_REDUCED_PRECISION_UNSTATED,
    KC_REDUCED_PRECISION_NEVER,
    KC_REDUCED_PRECISION_TF32_ALLOWED
} kc_reduced_precision_t;
typedef enum kc_mask_polarity {
    KC_MASK_UNSTATED,
    KC_MASK_TRUE_MAY_ATTEND,
    KC_MASK_TRUE_IS_BLOCKED
} kc_mask_polarity_t;
/* Layouts of operands that a kernel reads directly; a set of bits. The host
 * makes a dense copy of any other operand. Zero: dense only. */
typedef enum kc_operand_layout {
    KC_OPERAND_DENSE = 1,      /* row-major without gaps              */
    KC_OPERAND_ROW_PADDED = 2, /* dense rows, a gap after each row    */
    KC_OPERAND_STRIDED = 4     /* any non-negative strides, also zero */
} kc_operand_layout_t;

KC_END_DECLS

#endif
