/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Composed pointwise rules: differences, the written formula to the bit in
 * float32, kinks and edges by hand. */
#include <math.h>
#include <string.h>

#include "autograd/rule.h"
#include "unit/autograd/composed_rule.h"
#include "unit/autograd/rule_spec.h"
#include "unit/autograd/suites.h"
#include "unit/expect.h"

/* Of fourth-order differences with steps of 1e-4: rounding of the forward,
 * some 2^-53 / 1e-4 times a few, and derivatives of fifth order times 1e-16,
 * on numbers up to 3 away from the singular points. */
#define TOLERANCE 1e-9

/* Seeded numbers per formula in the comparison of bits. */
#define COUNT 257

static rule_fixture_t fixture;

static void begin(void)
{
    rule_fixture_begin(&fixture, 2);
}

static void end(void)
{
    rule_fixture_end(&fixture);
}

typedef struct pointwise {
    int32_t op;
    size_t input_count;
    double lo;
    double hi;
    double gap;
    /* What the rule says, in the order of its operations, float32. */
    float (*formula)(float g, float x, float y, float other);
} pointwise_t;

static float f32(double value)
{
    return (float)value;
}

static float sigmoid(float x)
{
    double z = exp(-fabs((double)x));
    return f32((x > 0 ? 1 : z) / (1 + z));
}

static float softplus(float x)
{
    return f32((x > 0 ? (double)x : 0) + log1p(exp(-fabs((double)x))));
}

#define FORMULA(name, expression)                                              \
    static float name##_formula(float g, float x, float y, float other)        \
    {                                                                          \
        (void)x;                                                               \
        (void)y;                                                               \
        (void)other;                                                           \
        return (expression);                                                   \
    }

FORMULA(pass, g)
FORMULA(mul, (g * other))
FORMULA(scale, 0.3f * g)
FORMULA(sqrt, (1 / (2 * fabsf(y))) * g)
FORMULA(sigmoid, (y * (1 - y)) * g)
FORMULA(tanh, (1 - y * y) * g)
FORMULA(softplus, sigmoid(x) * g)
FORMULA(exp, (y * g))
FORMULA(log, (1 / x) * g)
FORMULA(sin, f32(cos((double)x)) * g)
FORMULA(cos, -f32(sin((double)x)) * g)
FORMULA(inv, -(y *y) * g)
FORMULA(safe_log, (sigmoid(x) * (1 / (softplus(x) + other))) * g)

static const pointwise_t table[] = {
    {KC_OP_ADD, 2, -3, 3, 0, pass_formula},
    {KC_OP_SUB, 2, -3, 3, 0, pass_formula},
    {KC_OP_MUL, 2, -3, 3, 0, mul_formula},
    {KC_OP_SCALE, 1, -3, 3, 0, scale_formula},
    {KC_OP_SQRT, 1, 0.5, 3, 0, sqrt_formula},
    {KC_OP_SIGMOID, 1, -3, 3, 0, sigmoid_formula},
    {KC_OP_TANH, 1, -3, 3, 0, tanh_formula},
    {KC_OP_SOFTPLUS, 1, -3, 3, 0, softplus_formula},
    {KC_OP_EXP, 1, -3, 2, 0, exp_formula},
    {KC_OP_LOG, 1, 0.5, 3, 0, log_formula},
    {KC_OP_SIN, 1, -3, 3, 0, sin_formula},
    {KC_OP_COS, 1, -3, 3, 0, cos_formula},
    {KC_OP_INV, 1, -2, 2, 0.5, inv_formula},
    {KC_OP_SAFE_LOG, 2, -3, 3, 0, safe_log_formula},
};
#define TABLE_SIZE (sizeof table / sizeof *table)

static const double eps[] = {1e-6};

static rule_spec_t spec_of(const pointwise_t *entry, int32_t rank,
                           const int64_t *dims)
{
    rule_spec_t spec = {.op = entry->op,
                        .kind = RULE_COMPOSED,
                        .input_count = entry->input_count};
    for (size_t i = 0; i < entry->input_count; i++) {
        spec.inputs[i] = (rule_input_t){
            .rank = rank, .lo = entry->lo, .hi = entry->hi, .gap = entry->gap};
        memcpy(spec.inputs[i].dims, dims, (size_t)rank * sizeof *dims);
    }
    if (entry->op == KC_OP_SCALE) {
        spec.attributes.struct_size = sizeof spec.attributes;
        spec.attributes.op = KC_OP_SCALE;
        spec.attributes.u.scale.factor = 0.3;
    }
    if (entry->op == KC_OP_SAFE_LOG) {
        spec.inputs[1] = (rule_input_t){.rank = 0, .elements = eps};
    }
    return spec;
}

START_TEST(rules_agree_with_differences)
{
    static const struct {
        int32_t rank;
        int64_t dims[3];
    } shapes[] = {{0, {0}},    {1, {1}},       {1, {7}},
                  {2, {3, 4}}, {3, {2, 1, 3}}, {2, {0, 3}}};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        rule_spec_t spec = spec_of(&table[_i], shapes[s].rank, shapes[s].dims);
        rule_spec_differences(&fixture, &spec, 40 + s, TOLERANCE);
    }
}
END_TEST

/* `input` of one operation by the formula on every element. */
static void check_formula(const pointwise_t *entry,
                          const rule_operands_t *operands, const kc_tensor_t *y,
                          const kc_tensor_t *g, const kc_tensor_t *found,
                          size_t input)
{
    const float *x = kc_tensor_data(&operands->inputs[0]->view);
    const float *value = kc_tensor_data(&found->view);
    bool is_turned = entry->op == KC_OP_SUB && input == 1;
    for (int64_t i = 0; i < COUNT; i++) {
        double other = entry->op == KC_OP_SAFE_LOG
                           ? rule_element(operands->inputs[1], 0)
                       : entry->input_count == 2
                           ? rule_element(operands->inputs[1 - input], i)
                           : 0;
        float expected =
            entry->formula((float)rule_element(g, i), x[i],
                           (float)rule_element(y, i), (float)other);
        expected = is_turned ? -expected : expected;
        ck_assert_msg(memcmp(&value[i], &expected, sizeof expected) == 0,
                      "op %d input %zu element %lld: found %a, expected %a",
                      entry->op, input, (long long)i, (double)value[i],
                      (double)expected);
    }
}

START_TEST(rules_are_the_written_formula_in_float32)
{
    const pointwise_t *entry = &table[_i];
    rule_spec_t spec = spec_of(entry, 1, (const int64_t[]){COUNT});
    rule_operands_t operands;
    bool wanted[RULE_INPUTS_MAX] = {true, entry->op != KC_OP_SAFE_LOG};
    kc_tensor_t *found[RULE_INPUTS_MAX] = {NULL};
    rule_spec_make(&fixture, &spec, KC_DTYPE_F32, 5, &operands);
    kc_tensor_t *y = rule_forward(&fixture, &operands);
    kc_tensor_t *g =
        rule_random(&fixture, KC_DTYPE_F32, 1, (const int64_t[]){COUNT}, 6);
    rule_vjp(&fixture, RULE_COMPOSED, &operands, y, g, wanted, found);
    for (size_t i = 0; i < entry->input_count; i++) {
        if (wanted[i]) {
            check_formula(entry, &operands, y, g, found[i], i);
        }
        kci_tensor_release(found[i]);
    }
    kci_tensor_release(g);
    kci_tensor_release(y);
    rule_operands_release(&operands);
}
END_TEST

/* Four elements, one operand. */
static void check_edge(int32_t op, const double *x, const double *g,
                       const double *expected)
{
    rule_spec_t spec = {.op = op,
                        .kind = RULE_COMPOSED,
                        .input_count = 1,
                        .inputs = {{.rank = 1, .dims = {4}, .elements = x}}};
    const double *const all[] = {expected};
    rule_spec_values(&fixture, &spec, g, all);
}

#define FOUR(...) ((const double[4]){__VA_ARGS__})

START_TEST(edges_are_ieee)
{
    check_edge(KC_OP_SQRT, FOUR(0, -0.0, -1, 4), FOUR(1, 1, 1, 1),
               FOUR(INFINITY, INFINITY, NAN, 0.25));
    check_edge(KC_OP_SQRT, FOUR(0, 0, INFINITY, NAN), FOUR(-1, 0, 1, 1),
               FOUR(-INFINITY, NAN, 0, NAN));
    check_edge(KC_OP_LOG, FOUR(0, -0.0, 4, INFINITY), FOUR(1, 1, 1, 1),
               FOUR(INFINITY, -INFINITY, 0.25, 0));
    check_edge(KC_OP_INV, FOUR(0, -0.0, 2, INFINITY), FOUR(1, 1, 1, 1),
               FOUR(-INFINITY, -INFINITY, -0.25, -0.0));
    check_edge(KC_OP_EXP, FOUR(-INFINITY, 0, INFINITY, NAN), FOUR(1, 2, 1, 1),
               FOUR(0, 2, INFINITY, NAN));
    check_edge(KC_OP_SIGMOID, FOUR(0, INFINITY, -INFINITY, NAN),
               FOUR(1, 1, 1, 1), FOUR(0.25, 0, 0, NAN));
    check_edge(KC_OP_TANH, FOUR(0, INFINITY, -INFINITY, NAN), FOUR(1, 1, 1, 1),
               FOUR(1, 0, 0, NAN));
    check_edge(KC_OP_SOFTPLUS, FOUR(0, INFINITY, -INFINITY, NAN),
               FOUR(1, 1, 1, 1), FOUR(0.5, 1, 0, NAN));
    check_edge(KC_OP_SIN, FOUR(0, INFINITY, 0, NAN), FOUR(1, 1, -2, 1),
               FOUR(1, NAN, -2, NAN));
    check_edge(KC_OP_COS, FOUR(0, -0.0, INFINITY, NAN), FOUR(1, 1, 1, 1),
               FOUR(-0.0, 0, NAN, NAN));
}
END_TEST

/* Not zero: the slope is a product, so 0 * inf and NaN come through. */
START_TEST(slopes_that_are_zero_do_not_select)
{
    check_edge(KC_OP_EXP, FOUR(-INFINITY, -INFINITY, 0, 0),
               FOUR(INFINITY, NAN, INFINITY, NAN),
               FOUR(NAN, NAN, INFINITY, NAN));
}
END_TEST

START_TEST(minus_of_a_cotangent_turns_its_sign_only)
{
    const double g[] = {0, -0.0, INFINITY, NAN};
    const double x[] = {1, 2, 3, 4};
    rule_spec_t spec = {.op = KC_OP_SUB,
                        .kind = RULE_COMPOSED,
                        .input_count = 2,
                        .inputs = {{.rank = 1, .dims = {4}, .elements = x},
                                   {.rank = 1, .dims = {4}, .elements = x}}};
    const double *const expected[] = {g, FOUR(-0.0, 0, -INFINITY, NAN)};
    rule_spec_values(&fixture, &spec, g, expected);
}
END_TEST

START_TEST(factors_need_not_be_finite)
{
    const double factors[] = {0, -0.0, INFINITY, NAN};
    const double *const expected[][1] = {
        {FOUR(0, -0.0, NAN, NAN)},
        {FOUR(-0.0, 0, NAN, NAN)},
        {FOUR(INFINITY, -INFINITY, INFINITY, NAN)},
        {FOUR(NAN, NAN, NAN, NAN)}};
    const double x[] = {1, 2, 3, 4};
    for (size_t i = 0; i < 4; i++) {
        rule_spec_t spec = {
            .op = KC_OP_SCALE,
            .kind = RULE_COMPOSED,
            .input_count = 1,
            .attributes = {.struct_size = sizeof spec.attributes,
                           .op = KC_OP_SCALE,
                           .u.scale.factor = factors[i]},
            .inputs = {{.rank = 1, .dims = {4}, .elements = x}}};
        rule_spec_values(&fixture, &spec, FOUR(1, -1, INFINITY, NAN),
                         expected[i]);
    }
}
END_TEST

/* Far out, where softplus(x) is lost beside eps or is x itself. */
START_TEST(safe_log_is_steady_far_out)
{
    rule_spec_t spec = {
        .op = KC_OP_SAFE_LOG,
        .kind = RULE_COMPOSED,
        .input_count = 2,
        .inputs = {{.rank = 1,
                    .dims = {4},
                    .elements = FOUR(-1e9, 1e9, -INFINITY, NAN)},
                   {.rank = 0, .elements = (const double[]){0.5}}}};
    /* 1 / (1e9 + 0.5): float32 has neither the 0.5 nor all of 1e-9. */
    rule_operands_t operands;
    bool wanted[RULE_INPUTS_MAX] = {true};
    kc_tensor_t *found[RULE_INPUTS_MAX] = {NULL};
    rule_spec_make(&fixture, &spec, KC_DTYPE_F64, 1, &operands);
    kc_tensor_t *y = rule_forward(&fixture, &operands);
    kc_tensor_t *g = rule_tensor(&fixture, KC_DTYPE_F64, 1,
                                 (const int64_t[]){4}, FOUR(1, 1, 1, 1));
    kc_tensor_t *expected =
        rule_tensor(&fixture, KC_DTYPE_F64, 1, (const int64_t[]){4},
                    FOUR(0, 1 / (1e9 + 0.5), 0, NAN));
    rule_vjp(&fixture, RULE_COMPOSED, &operands, y, g, wanted, found);
    rule_check_bits(found[0], expected);
    kci_tensor_release(found[0]);
    kci_tensor_release(expected);
    kci_tensor_release(g);
    kci_tensor_release(y);
    rule_operands_release(&operands);
}
END_TEST

/* Of several tiles of the modules. */
START_TEST(threads_do_not_show)
{
    rule_spec_t spec = spec_of(&table[_i], 2, (const int64_t[]){130, 301});
    rule_spec_threads(&spec, 77);
}
END_TEST

START_TEST(declared_inner_operations_are_all_used)
{
    const pointwise_t *entry = &table[_i];
    kci_tensor_type_t x = composed_type(KC_DTYPE_F32, 1, (const int64_t[]){3});
    kci_tensor_type_t scalar = composed_type(KC_DTYPE_F32, 0, NULL);
    const kci_tensor_type_t *types[] = {
        &x, entry->op == KC_OP_SAFE_LOG ? &scalar : &x};
    rule_spec_t spec = spec_of(entry, 1, (const int64_t[]){3});
    composed_case_t from = {
        .op = entry->op,
        .attributes = entry->op == KC_OP_SCALE ? &spec.attributes : NULL,
        .types = types,
        .input_count = entry->input_count};
    ck_assert_uint_eq(composed_rule_ops(&from),
                      kci_vjp_info(entry->op)->inner_ops);
}
END_TEST

Suite *suite_autograd_pointwise(void)
{
    Suite *suite = suite_create("autograd/pointwise");
    TCase *tests = tcase_create("pointwise");
    tcase_add_checked_fixture(tests, begin, end);
    tcase_add_loop_test(tests, rules_agree_with_differences, 0, TABLE_SIZE);
    tcase_add_loop_test(tests, rules_are_the_written_formula_in_float32, 0,
                        TABLE_SIZE);
    tcase_add_test(tests, edges_are_ieee);
    tcase_add_test(tests, slopes_that_are_zero_do_not_select);
    tcase_add_test(tests, minus_of_a_cotangent_turns_its_sign_only);
    tcase_add_test(tests, factors_need_not_be_finite);
    tcase_add_test(tests, safe_log_is_steady_far_out);
    suite_add_tcase(suite, tests);
    TCase *own = tcase_create("own fixtures");
    tcase_add_loop_test(own, threads_do_not_show, 0, TABLE_SIZE);
    tcase_add_loop_test(own, declared_inner_operations_are_all_used, 0,
                        TABLE_SIZE);
    suite_add_tcase(suite, own);
    return suite;
}
