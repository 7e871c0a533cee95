/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of derivative rules against the catalogue, and who has one where.
 */
#include "ops/vjp.h"

#include <string.h>
#include "ops/op_info.h"
#include "unit/ops/suites.h"

#define ATTENTION KC_OP_SCALED_DOT_PRODUCT_ATTENTION

/* As ops.md says of each operation: those that select, those whose sums have
 * an order of their own, gelu and the scan are the runtime's. */
static const int32_t runtime_rules[] = {KC_OP_ABS,
                                        KC_OP_CLAMP,
                                        KC_OP_MAX,
                                        KC_OP_MIN,
                                        KC_OP_RELU,
                                        KC_OP_GELU,
                                        KC_OP_HARD_MASKED_SOFTMAX,
                                        KC_OP_CONV,
                                        KC_OP_CONV_TRANSPOSE,
                                        KC_OP_MAX_POOL,
                                        KC_OP_SMOOTH_MAX_POOL,
                                        KC_OP_AVG_POOL,
                                        KC_OP_SELECTIVE_SCAN};

static kci_vjp_rule_t expected_rule(int32_t op)
{
    if (op == KC_OP_RAND_UNIFORM || op == KC_OP_BERNOULLI_MASK) {
        return KCI_VJP_RULE_NONE;
    }
    if (op == ATTENTION) {
        return KCI_VJP_RULE_EITHER;
    }
    for (size_t idx = 0; idx < sizeof runtime_rules / sizeof *runtime_rules;
         idx++) {
        if (runtime_rules[idx] == op) {
            return KCI_VJP_RULE_RUNTIME;
        }
    }
    return KCI_VJP_RULE_COMPOSED;
}

START_TEST(every_operation_that_asks_for_a_rule_has_one)
{
    ck_assert_int_eq(kci_vjp_info(_i)->rule, expected_rule(_i));
    ck_assert_int_eq(kci_op_info(_i)->requires_vjp,
                     kci_vjp_info(_i)->rule != KCI_VJP_RULE_NONE);
}
END_TEST

/* Masks, indices and the scalar of safe_log have no cotangent, nor have the
 * statistics that batch_norm is given. */
static bool has_cotangent(int32_t op, uint32_t place)
{
    switch (kci_op_info(op)->input_kinds[place]) {
    case KCI_OPERAND_FLOAT:
        return op != KC_OP_BATCH_NORM || place < 3;
    case KCI_OPERAND_ANY:
        return true;
    default:
        return false;
    }
}

START_TEST(cotangents_go_to_numbers)
{
    const kci_op_info_t *info = kci_op_info(_i);
    const kci_vjp_info_t *rule = kci_vjp_info(_i);
    uint32_t expected = info->has_repeated_input ? UINT32_MAX : 0;
    for (uint32_t idx = 0; !info->has_repeated_input && idx < info->input_max;
         idx++) {
        expected |= (uint32_t)has_cotangent(_i, idx) << idx;
    }
    ck_assert_uint_eq(rule->inputs,
                      rule->rule == KCI_VJP_RULE_NONE ? 0 : expected);
}
END_TEST

START_TEST(what_is_saved_exists)
{
    const kci_op_info_t *info = kci_op_info(_i);
    const kci_vjp_info_t *rule = kci_vjp_info(_i);
    if (info->input_max < 32) {
        ck_assert_uint_eq(rule->saved_inputs >> info->input_max, 0);
    }
    ck_assert_uint_le(rule->saved_outputs, 1);
    if (rule->rule == KCI_VJP_RULE_NONE) {
        ck_assert_uint_eq(rule->saved_inputs | rule->saved_outputs, 0);
    }
}
END_TEST

/* Random sources would make a gradient a lottery; a part that is itself a
 * composition could lead back to where it came from. */
START_TEST(rules_and_compositions_are_made_of_plain_operations)
{
    const kci_vjp_info_t *rule = kci_vjp_info(_i);
    uint64_t never =
        KCI_OP_BIT(KC_OP_RAND_UNIFORM) | KCI_OP_BIT(KC_OP_BERNOULLI_MASK);
    for (int32_t op = 0; op < KC_OP_COUNT; op++) {
        never |= kci_composition_inner_ops(op) != 0 ? KCI_OP_BIT(op) : 0;
    }
    never |= ~(KCI_OP_BIT(KC_OP_COUNT) - 1);
    ck_assert_uint_eq(rule->inner_ops & never, 0);
    ck_assert_uint_eq(kci_composition_inner_ops(_i) & never, 0);
    if (rule->rule == KCI_VJP_RULE_NONE || rule->rule == KCI_VJP_RULE_RUNTIME) {
        ck_assert_uint_eq(rule->inner_ops, 0);
    }
    /* The rule of a composition computes the forward values it needs again. */
    ck_assert_uint_eq(kci_composition_inner_ops(_i) & ~rule->inner_ops, 0);
}
END_TEST

START_TEST(attention_is_the_one_composition)
{
    ck_assert_int_eq(kci_composition_inner_ops(_i) != 0, _i == ATTENTION);
}
END_TEST

START_TEST(who_has_a_rule_where)
{
    static const char *const providers[] = {"acme", "torchlean", "torchlean2"};
    for (int idx = 0; idx < 3; idx++) {
        bool is_composition = idx == 1;
        ck_assert_int_eq(kci_is_composition(providers[idx]), is_composition);
        for (int32_t device = 0; device < KC_DEVICE_COUNT; device++) {
            bool is_cpu = device == KC_DEVICE_CPU;
            kci_vjp_rule_t rule = expected_rule(_i);
            bool is_composed =
                rule == KCI_VJP_RULE_COMPOSED ||
                (rule == KCI_VJP_RULE_EITHER && (!is_cpu || is_composition));
            ck_assert_int_eq(kci_vjp_is_composed(_i, providers[idx], device),
                             is_composed);
            ck_assert_int_eq(kci_vjp_runs_on(_i, providers[idx], device),
                             is_composed ||
                                 (is_cpu && rule != KCI_VJP_RULE_NONE));
        }
    }
}
END_TEST

Suite *suite_ops_vjp(void)
{
    Suite *suite = suite_create("ops/vjp");
    TCase *tcase = tcase_create("all");
    tcase_add_loop_test(tcase, every_operation_that_asks_for_a_rule_has_one, 0,
                        KC_OP_COUNT);
    tcase_add_loop_test(tcase, cotangents_go_to_numbers, 0, KC_OP_COUNT);
    tcase_add_loop_test(tcase, what_is_saved_exists, 0, KC_OP_COUNT);
    tcase_add_loop_test(tcase,
                        rules_and_compositions_are_made_of_plain_operations, 0,
                        KC_OP_COUNT);
    tcase_add_loop_test(tcase, attention_is_the_one_composition, 0,
                        KC_OP_COUNT);
    tcase_add_loop_test(tcase, who_has_a_rule_where, 0, KC_OP_COUNT);
    suite_add_tcase(suite, tcase);
    return suite;
}
