/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * The table of rules against the operation table that planning reads: what
 * is planned as composed is composed, what is planned as the runtime's runs. */
#include "autograd/rule.h"

#include "unit/autograd/composed_rule.h"
#include "unit/autograd/suites.h"

START_TEST(an_operation_has_the_rules_that_planning_counts_on)
{
    const kci_rule_t *rule = kci_rule(_i);
    const kci_vjp_info_t *info = kci_vjp_info(_i);
    bool is_either = info->rule == KCI_VJP_RULE_EITHER;
    ck_assert_msg((rule->compose != NULL) ==
                      (is_either || info->rule == KCI_VJP_RULE_COMPOSED),
                  "op %d: composed rule: found %d", _i, rule->compose != NULL);
    ck_assert_msg((rule->run != NULL) ==
                      (is_either || info->rule == KCI_VJP_RULE_RUNTIME),
                  "op %d: rule of the runtime: found %d", _i,
                  rule->run != NULL);
    ck_assert(rule->workspace == NULL || rule->run != NULL);
}
END_TEST

START_TEST(an_operation_has_a_rule_if_it_requires_one)
{
    const kci_rule_t *rule = kci_rule(_i);
    ck_assert_int_eq((rule->compose != NULL || rule->run != NULL),
                     kci_op_info(_i)->requires_vjp);
}
END_TEST

/* A line of the table that was copied. */
START_TEST(no_two_operations_have_one_rule)
{
    for (int32_t other = 0; other < _i; other++) {
        ck_assert_msg(!kci_op_info(_i)->requires_vjp ||
                          kci_rule(_i) != kci_rule(other),
                      "op %d has the rule of op %d", _i, other);
    }
}
END_TEST

/* Types and attributes that call for a part of a rule. */
typedef struct made_case {
    int32_t op;
    size_t input_count;
    kci_tensor_type_t inputs[5];
    kc_attributes_t attributes; /* of no size: none */
} made_case_t;

#define EXTENTS(count, ...)                                                    \
    {                                                                          \
        KC_DTYPE_F32,                                                          \
        {                                                                      \
            count,                                                             \
            {                                                                  \
                __VA_ARGS__                                                    \
            }                                                                  \
        }                                                                      \
    }
#define SCALAR                                                                 \
    {                                                                          \
        KC_DTYPE_F32,                                                          \
        {                                                                      \
            0,                                                                 \
            {                                                                  \
                0                                                              \
            }                                                                  \
        }                                                                      \
    }
#define OTHER(dtype, count, ...)                                               \
    {                                                                          \
        dtype,                                                                 \
        {                                                                      \
            count,                                                             \
            {                                                                  \
                __VA_ARGS__                                                    \
            }                                                                  \
        }                                                                      \
    }
#define WITH(operation, ...)                                                   \
    {                                                                          \
        sizeof(kc_attributes_t), KC_OP_##operation,                            \
        {                                                                      \
            __VA_ARGS__                                                        \
        }                                                                      \
    }
#define UNARY(operation)                                                       \
    {                                                                          \
        KC_OP_##operation, 1, {EXTENTS(2, 2, 3)},                              \
        {                                                                      \
            0                                                                  \
        }                                                                      \
    }
#define BINARY(operation)                                                      \
    {                                                                          \
        KC_OP_##operation, 2, {EXTENTS(2, 2, 3), EXTENTS(2, 2, 3)},            \
        {                                                                      \
            0                                                                  \
        }                                                                      \
    }
#define ALONG(operation)                                                       \
    {                                                                          \
        KC_OP_##operation, 1, {EXTENTS(2, 2, 3)}, WITH(operation, .axis = {0}) \
    }

static const made_case_t made_cases[] = {
    BINARY(ADD),
    BINARY(SUB),
    BINARY(MUL),
    {KC_OP_SCALE, 1, {EXTENTS(2, 2, 3)}, WITH(SCALE, .scale = {.factor = 2})},
    UNARY(SQRT),
    UNARY(SIGMOID),
    UNARY(TANH),
    UNARY(SOFTPLUS),
    UNARY(EXP),
    UNARY(LOG),
    UNARY(SIN),
    UNARY(COS),
    UNARY(INV),
    {KC_OP_SAFE_LOG, 2, {EXTENTS(2, 2, 3), SCALAR}, {0}},
    ALONG(LOG_SOFTMAX),
    ALONG(SOFTMAX),
    ALONG(REDUCE_SUM),
    ALONG(REDUCE_MEAN),
    {KC_OP_RESHAPE, 1, {EXTENTS(2, 2, 3)}, WITH(RESHAPE, .shape = {1, {6}})},
    {KC_OP_PERMUTE,
     1,
     {EXTENTS(2, 2, 3)},
     WITH(PERMUTE, .permute = {2, {1, 0}})},
    {KC_OP_BROADCAST,
     1,
     {EXTENTS(2, 1, 3)},
     WITH(BROADCAST, .shape = {2, {2, 3}})},
    {KC_OP_CONCAT,
     2,
     {EXTENTS(2, 2, 3), EXTENTS(2, 1, 3)},
     WITH(CONCAT, .axis = {0})},
    {KC_OP_SLICE,
     1,
     {EXTENTS(1, 4)},
     WITH(SLICE, .slice = {.start = 1, .length = 2})},
    {KC_OP_GATHER,
     2,
     {EXTENTS(2, 3, 2), OTHER(KC_DTYPE_I64, 1, 4)},
     WITH(GATHER, .axis = {0})},
    {KC_OP_SCATTER_ADD,
     3,
     {EXTENTS(2, 3, 2), OTHER(KC_DTYPE_I64, 1, 4), EXTENTS(2, 4, 2)},
     WITH(SCATTER_ADD, .axis = {0})},
    {KC_OP_MATMUL, 2, {EXTENTS(2, 2, 3), EXTENTS(2, 3, 4)}, {0}},
    {KC_OP_LINEAR,
     3,
     {EXTENTS(3, 2, 5, 3), EXTENTS(2, 4, 3), EXTENTS(1, 4)},
     {0}},
    BINARY(MSE_LOSS),
    {KC_OP_LAYER_NORM,
     3,
     {EXTENTS(2, 2, 3), EXTENTS(1, 3), EXTENTS(1, 3)},
     WITH(LAYER_NORM, .layer_norm = {.axis = 1, .eps = 1e-5})},
    {KC_OP_BATCH_NORM,
     5,
     {EXTENTS(3, 2, 3, 4), EXTENTS(1, 3), EXTENTS(1, 3), EXTENTS(1, 3),
      EXTENTS(1, 3)},
     WITH(BATCH_NORM, .batch_norm = {.mode = KC_BATCH_NORM_EVAL,
                                     .channel_axis = 1,
                                     .eps = 1e-5})},
    {KC_OP_BATCH_NORM,
     3,
     {EXTENTS(3, 2, 3, 4), EXTENTS(1, 3), EXTENTS(1, 3)},
     WITH(BATCH_NORM, .batch_norm = {.mode = KC_BATCH_NORM_BATCH,
                                     .channel_axis = 1,
                                     .eps = 1e-5})},
    {KC_OP_FFT_FNO,
     1,
     {EXTENTS(2, 2, 5)},
     WITH(FFT_FNO, .fft = {.transform = KC_FFT_RFFT, .n = 5})},
    {KC_OP_FFT_FNO,
     3,
     {EXTENTS(2, 6, 2), EXTENTS(3, 3, 2, 2), EXTENTS(3, 3, 2, 2)},
     WITH(FFT_FNO,
          .fft = {.transform = KC_FFT_SPECTRAL_CONV1D, .n = 6, .modes = 3})},
    {KC_OP_SCALED_DOT_PRODUCT_ATTENTION,
     3,
     {EXTENTS(2, 2, 3), EXTENTS(2, 2, 3), EXTENTS(2, 2, 3)},
     WITH(SCALED_DOT_PRODUCT_ATTENTION, .attention = {.scale = 1})},
    {KC_OP_SCALED_DOT_PRODUCT_ATTENTION,
     4,
     {EXTENTS(2, 2, 3), EXTENTS(2, 2, 3), EXTENTS(2, 2, 3),
      OTHER(KC_DTYPE_BOOL, 1, 2)},
     WITH(SCALED_DOT_PRODUCT_ATTENTION,
          .attention = {.scale = 1, .causal = 1})},
};

static uint64_t made_of(const made_case_t *from)
{
    const kci_tensor_type_t *types[5];
    composed_case_t composed = {.op = from->op,
                                .attributes = from->attributes.struct_size == 0
                                                  ? NULL
                                                  : &from->attributes,
                                .types = types,
                                .input_count = from->input_count};
    for (size_t i = 0; i < from->input_count; i++) {
        types[i] = &from->inputs[i];
    }
    return composed_rule_ops(&composed);
}

/* A profile without an operation that no rule is made of loses nothing. */
START_TEST(a_rule_may_be_made_of_what_some_operands_call_for)
{
    uint64_t ops = 0;
    for (size_t i = 0; i < sizeof made_cases / sizeof *made_cases; i++) {
        ops |= made_cases[i].op == _i ? made_of(&made_cases[i]) : 0;
    }
    ck_assert_msg(ops == kci_vjp_info(_i)->inner_ops,
                  "op %d: made of 0x%llx, declared 0x%llx", _i,
                  (unsigned long long)ops,
                  (unsigned long long)kci_vjp_info(_i)->inner_ops);
}
END_TEST

Suite *suite_autograd_rule(void)
{
    Suite *suite = suite_create("autograd/rule");
    TCase *tests = tcase_create("rule");
    tcase_add_loop_test(tests, no_two_operations_have_one_rule, 0, KC_OP_COUNT);
    tcase_add_loop_test(tests,
                        an_operation_has_the_rules_that_planning_counts_on, 0,
                        KC_OP_COUNT);
    tcase_add_loop_test(tests, an_operation_has_a_rule_if_it_requires_one, 0,
                        KC_OP_COUNT);
    tcase_add_loop_test(tests,
                        a_rule_may_be_made_of_what_some_operands_call_for, 0,
                        KC_OP_COUNT);
    suite_add_tcase(suite, tests);
    return suite;
}
