/* SPDX-License-Identifier: Apache-2.0
 *
 * The contracts of the reference module, in catalogue order: the table says
 * which promise each capsule makes, the macros above it what the promises are.
 */
#include <kcapsule/module.h>

/* Holds for plain IEEE arithmetic without contraction. */
#define SAME_AT_ANY_WIDTH                                                      \
    (1u << KC_INVARIANT_RUN | 1u << KC_INVARIANT_THREADS |                     \
     1u << KC_INVARIANT_BATCH | 1u << KC_INVARIANT_STRIDES |                   \
     1u << KC_INVARIANT_INSTRUCTION_SET)
/* The C library chooses its exp, log, sin... by processor and version. */
#define SAME_ON_ONE_MACHINE                                                    \
    (1u << KC_INVARIANT_RUN | 1u << KC_INVARIANT_THREADS |                     \
     1u << KC_INVARIANT_BATCH | 1u << KC_INVARIANT_STRIDES)
#define SAME_ALWAYS                                                            \
    (SAME_AT_ANY_WIDTH | 1u << KC_INVARIANT_ARCHITECTURE |                     \
     1u << KC_INVARIANT_VERSION)

#define IEEE_ARITHMETIC                                                        \
    .rounding = KC_ROUNDING_NEAREST_EVEN, .subnormals = KC_SUBNORMALS_KEPT,    \
    .contraction = KC_CONTRACTION_NEVER,                                       \
    .reduced_precision = KC_REDUCED_PRECISION_NEVER
#define LEFT_FOLD                                                              \
    .reduction = KC_REDUCTION_FIXED_LEFT, .order = "left.mul_add/1"
#define NO_REDUCTION .reduction = KC_REDUCTION_NOT_APPLICABLE

/* Numerical policies. `libm`: values of the C library are rounded in. */
#define NUMERICS_fold                                                          \
    {LEFT_FOLD, IEEE_ARITHMETIC, .invariance = SAME_AT_ANY_WIDTH,              \
     .accumulation = KC_ACCUMULATION_ELEMENT_TYPE}
#define NUMERICS_fold_libm                                                     \
    {LEFT_FOLD, IEEE_ARITHMETIC, .invariance = SAME_ON_ONE_MACHINE,            \
     .accumulation = KC_ACCUMULATION_ELEMENT_TYPE}
#define NUMERICS_exact                                                         \
    {NO_REDUCTION, IEEE_ARITHMETIC, .invariance = SAME_AT_ANY_WIDTH}
#define NUMERICS_libm                                                          \
    {NO_REDUCTION, IEEE_ARITHMETIC, .invariance = SAME_ON_ONE_MACHINE}
#define NUMERICS_copy {NO_REDUCTION, .invariance = SAME_ALWAYS}
/* The order decides which of equal cells is taken; nothing is summed. */
#define NUMERICS_winner                                                        \
    {.reduction = KC_REDUCTION_FIXED_LEFT, .invariance = SAME_ALWAYS}

#define FLOATS (1u << KC_DTYPE_F32 | 1u << KC_DTYPE_F64)
#define ANY_TYPE                                                               \
    (FLOATS | 1u << KC_DTYPE_BOOL | 1u << KC_DTYPE_I32 | 1u << KC_DTYPE_I64)
#define ANY_LAYOUT                                                             \
    (KC_OPERAND_DENSE | KC_OPERAND_ROW_PADDED | KC_OPERAND_STRIDED)

/* Limits. `in_place`: bits of the inputs whose memory the output may take. */
#define LIMITS_f32 {.dtypes = 1u << KC_DTYPE_F32}
#define LIMITS_floats {.dtypes = FLOATS}
#define LIMITS_in_place_x {.dtypes = FLOATS, .overwrites = 1}
#define LIMITS_in_place_ab {.dtypes = FLOATS, .overwrites = 3}
#define LIMITS_any_type {.dtypes = ANY_TYPE}
#define LIMITS_any_type_strided {.dtypes = ANY_TYPE, .layouts = ANY_LAYOUT}
#define LIMITS_attention                                                       \
    {.dtypes = FLOATS, .mask_polarity = KC_MASK_TRUE_MAY_ATTEND}

#define SUITE "modules.reference.values"
#define COMMON(operation, label, numerics_kind, limits_kind)                   \
    .struct_size = sizeof(kc_capsule_record_t), .op = (operation),             \
    .device = KC_DEVICE_CPU, .trust = KC_TRUST_CHECKED,                        \
    .supports_forward = 1, .name = "reference." label,                         \
    .provider = "reference",                                                   \
    .shape = KC_SHAPE_GUARD(operation, "dispatch.shape",                       \
                            "operands of " label " obey its shape rule"),      \
    .layout = KC_LAYOUT_GUARD(operation, KC_LAYOUT_CANONICAL_TENSOR,           \
                              "dispatch.layout",                               \
                              "operands are row-major tensors as declared"),   \
    .value = KC_VALUE_SUITE(operation, SUITE,                                  \
                            label " is the written formula, bit by bit"),      \
    .numerics = NUMERICS_##numerics_kind, .limits = LIMITS_##limits_kind

#define TAPE_RULE(operation, label, inputs, outputs)                           \
    .vjp_mode = KC_VJP_TORCHLEAN_TAPE, .saved_inputs = (inputs),               \
    .saved_outputs = (outputs),                                                \
    .vjp = KC_VJP_SUITE(operation, KC_VJP_TORCHLEAN_TAPE, "autograd.rules",    \
                        "the rule of " label " on the runtime's tape")
#define DIFFERENTIABLE(operation, label, inputs, outputs, numerics, limits)    \
    {COMMON(operation, label, numerics, limits),                               \
     TAPE_RULE(operation, label, inputs, outputs)},
#define RANDOM(operation, label, limits)                                       \
    {COMMON(operation, label, exact, limits),                                  \
     .vjp_mode = KC_VJP_NONE,                                                  \
     .vjp = KC_NO_VJP(operation, label " is a leaf of the tape")},

/* X(operation, label, saved inputs, saved outputs, numerics, limits), 0 and
 * 0: the rule needs shapes and attributes only. R is a random source. */
#define FOR_EACH_CAPSULE(X, R)                                                 \
    X(KC_OP_MATMUL, "matmul", 3, 0, fold, floats)                              \
    X(KC_OP_LINEAR, "linear", 3, 0, fold, floats)                              \
    X(KC_OP_MSE_LOSS, "mse_loss", 3, 0, fold, floats)                          \
    X(KC_OP_RELU, "relu", 1, 0, exact, in_place_x)                             \
    X(KC_OP_GELU, "gelu", 1, 0, libm, in_place_x)                              \
    X(KC_OP_ADD, "add", 0, 0, exact, in_place_ab)                              \
    X(KC_OP_SUB, "sub", 0, 0, exact, in_place_ab)                              \
    X(KC_OP_MUL, "mul", 3, 0, exact, in_place_ab)                              \
    X(KC_OP_SCALE, "scale", 0, 0, exact, in_place_x)                           \
    X(KC_OP_ABS, "abs", 1, 0, exact, in_place_x)                               \
    X(KC_OP_SQRT, "sqrt", 0, 1, exact, in_place_x)                             \
    X(KC_OP_CLAMP, "clamp", 1, 0, exact, in_place_x)                           \
    X(KC_OP_MAX, "max", 3, 0, exact, in_place_ab)                              \
    X(KC_OP_MIN, "min", 3, 0, exact, in_place_ab)                              \
    X(KC_OP_SIGMOID, "sigmoid", 0, 1, libm, in_place_x)                        \
    X(KC_OP_TANH, "tanh", 0, 1, libm, in_place_x)                              \
    X(KC_OP_SOFTPLUS, "softplus", 1, 0, libm, in_place_x)                      \
    X(KC_OP_EXP, "exp", 0, 1, libm, in_place_x)                                \
    X(KC_OP_LOG, "log", 1, 0, libm, in_place_x)                                \
    X(KC_OP_SIN, "sin", 1, 0, libm, in_place_x)                                \
    X(KC_OP_COS, "cos", 1, 0, libm, in_place_x)                                \
    X(KC_OP_INV, "inv", 0, 1, exact, in_place_x)                               \
    X(KC_OP_SAFE_LOG, "safe_log", 3, 0, libm, in_place_x)                      \
    X(KC_OP_LOG_SOFTMAX, "log_softmax", 0, 1, fold_libm, in_place_x)           \
    X(KC_OP_SOFTMAX, "softmax", 0, 1, fold_libm, in_place_x)                   \
    X(KC_OP_HARD_MASKED_SOFTMAX, "hard_masked_softmax", 2, 1, fold_libm,       \
      in_place_x)                                                              \
    X(KC_OP_REDUCE_SUM, "reduce_sum", 0, 0, fold, floats)                      \
    X(KC_OP_REDUCE_MEAN, "reduce_mean", 0, 0, fold, floats)                    \
    X(KC_OP_RESHAPE, "reshape", 0, 0, copy, any_type)                          \
    X(KC_OP_PERMUTE, "permute", 0, 0, copy, any_type_strided)                  \
    X(KC_OP_BROADCAST, "broadcast", 0, 0, copy, any_type_strided)              \
    X(KC_OP_CONCAT, "concat", 0, 0, copy, any_type)                            \
    X(KC_OP_SLICE, "slice", 0, 0, copy, any_type_strided)                      \
    X(KC_OP_GATHER, "gather", 2, 0, copy, any_type)                            \
    X(KC_OP_SCATTER_ADD, "scatter_add", 2, 0, fold, in_place_x)                \
    R(KC_OP_RAND_UNIFORM, "rand_uniform", f32)                                 \
    R(KC_OP_BERNOULLI_MASK, "bernoulli_mask", floats)                          \
    X(KC_OP_LAYER_NORM, "layer_norm", 3, 0, fold, in_place_x)                  \
    X(KC_OP_BATCH_NORM, "batch_norm", 27, 0, fold, in_place_x)                 \
    X(KC_OP_CONV, "conv", 3, 0, fold, floats)                                  \
    X(KC_OP_CONV_TRANSPOSE, "conv_transpose", 3, 0, fold, floats)              \
    X(KC_OP_MAX_POOL, "max_pool", 1, 0, winner, floats)                        \
    X(KC_OP_SMOOTH_MAX_POOL, "smooth_max_pool", 1, 0, fold_libm, floats)       \
    X(KC_OP_AVG_POOL, "avg_pool", 0, 0, fold, floats)                          \
    X(KC_OP_SCALED_DOT_PRODUCT_ATTENTION, "attention", 15, 0, fold_libm,       \
      attention)

KC_CAPSULES(FOR_EACH_CAPSULE(DIFFERENTIABLE, RANDOM));

#define SOURCE(label, file)                                                    \
    {.struct_size = sizeof(kc_provenance_record_t),                            \
     .kind = KC_PROVENANCE_SOURCE_PATH,                                        \
     .obligation = KC_OBLIGATION_VALUE,                                        \
     .capsule = "reference." label,                                            \
     .path = "modules/reference/" file},

#define FOR_EACH_SOURCE(X)                                                     \
    X("matmul", "matmul.c")                                                    \
    X("linear", "matmul.c")                                                    \
    X("mse_loss", "loss.c")                                                    \
    X("relu", "pointwise_unary.c")                                             \
    X("gelu", "pointwise_unary.c")                                             \
    X("add", "pointwise_binary.c")                                             \
    X("sub", "pointwise_binary.c")                                             \
    X("mul", "pointwise_binary.c")                                             \
    X("scale", "pointwise_unary.c")                                            \
    X("abs", "pointwise_unary.c")                                              \
    X("sqrt", "pointwise_unary.c")                                             \
    X("clamp", "pointwise_unary.c")                                            \
    X("max", "pointwise_binary.c")                                             \
    X("min", "pointwise_binary.c")                                             \
    X("sigmoid", "pointwise_unary.c")                                          \
    X("tanh", "pointwise_unary.c")                                             \
    X("softplus", "pointwise_unary.c")                                         \
    X("exp", "pointwise_unary.c")                                              \
    X("log", "pointwise_unary.c")                                              \
    X("sin", "pointwise_unary.c")                                              \
    X("cos", "pointwise_unary.c")                                              \
    X("inv", "pointwise_unary.c")                                              \
    X("safe_log", "pointwise_unary.c")                                         \
    X("log_softmax", "softmax.c")                                              \
    X("softmax", "softmax.c")                                                  \
    X("hard_masked_softmax", "softmax.c")                                      \
    X("reduce_sum", "reduce.c")                                                \
    X("reduce_mean", "reduce.c")                                               \
    X("reshape", "layout.c")                                                   \
    X("permute", "layout.c")                                                   \
    X("broadcast", "layout.c")                                                 \
    X("concat", "layout.c")                                                    \
    X("slice", "layout.c")                                                     \
    X("gather", "index.c")                                                     \
    X("scatter_add", "index.c")                                                \
    X("rand_uniform", "random.c")                                              \
    X("bernoulli_mask", "random.c")                                            \
    X("layer_norm", "norm.c")                                                  \
    X("batch_norm", "norm.c")                                                  \
    X("conv", "conv.c")                                                        \
    X("conv_transpose", "conv_transpose.c")                                    \
    X("max_pool", "pool.c")                                                    \
    X("smooth_max_pool", "pool.c")                                             \
    X("avg_pool", "pool.c")                                                    \
    X("attention", "attention.c")

KC_PROVENANCE(FOR_EACH_SOURCE(SOURCE));
