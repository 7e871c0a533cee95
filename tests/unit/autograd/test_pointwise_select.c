/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Rules that select, by hand at every kink: exactly +0 where nothing is
 * selected, whatever the cotangent holds. gelu against differences and
 * numbers of its formula. */
#include <math.h>
#include <string.h>

#include "autograd/rule.h"
#include "unit/autograd/rule_spec.h"
#include "unit/autograd/suites.h"
#include "unit/expect.h"

/* Differences of pieces that are straight err by rounding alone, those of
 * gelu also by the fifth derivative times 1e-16: some 2^-53 / 1e-4. */
#define TOLERANCE 1e-9

static rule_fixture_t fixture;

static void begin(void)
{
    rule_fixture_begin(&fixture, 2);
}

static void end(void)
{
    rule_fixture_end(&fixture);
}

static kc_attributes_t clamp_to(double lo, double hi)
{
    return (kc_attributes_t){.struct_size = sizeof(kc_attributes_t),
                             .op = KC_OP_CLAMP,
                             .u.clamp = {lo, hi}};
}

static kc_attributes_t gelu_of(int32_t form)
{
    return (kc_attributes_t){.struct_size = sizeof(kc_attributes_t),
                             .op = KC_OP_GELU,
                             .u.gelu = {form}};
}

static kc_attributes_t attributes_of(int32_t op)
{
    return op == KC_OP_CLAMP  ? clamp_to(-0.5, 0.25)
           : op == KC_OP_GELU ? gelu_of(KC_GELU_TANH)
                              : (kc_attributes_t){0};
}

static const int32_t unary[] = {KC_OP_ABS, KC_OP_RELU, KC_OP_CLAMP, KC_OP_GELU};
static const int32_t pairs[] = {KC_OP_MAX, KC_OP_MIN};

static const struct {
    int32_t rank;
    int64_t dims[3];
} shapes[] = {{0, {0}},       {1, {1}},    {1, {9}},   {2, {3, 4}},
              {3, {2, 1, 3}}, {2, {0, 3}}, {3, {2, 0}}};
#define SHAPE_COUNT (sizeof shapes / sizeof *shapes)

static rule_spec_t unary_spec(int32_t op, int32_t rank, const int64_t *dims)
{
    rule_spec_t spec = {.op = op,
                        .kind = RULE_RUNTIME,
                        .attributes = attributes_of(op),
                        .input_count = 1,
                        .inputs = {{.rank = rank}}};
    memcpy(spec.inputs[0].dims, dims, (size_t)rank * sizeof *dims);
    return spec;
}

/* Every place is at least 0.05 away from 0 and from the bounds of clamp. */
START_TEST(unary_rules_agree_with_differences)
{
    static const double places[] = {-1.3, -0.6, -0.4, -0.06, 0.06,
                                    0.2,  0.3,  0.9,  2.5};
    for (size_t s = 0; s < SHAPE_COUNT; s++) {
        double elements[16];
        rule_spec_t spec =
            unary_spec(unary[_i], shapes[s].rank, shapes[s].dims);
        for (size_t i = 0; i < 16; i++) {
            elements[i] = places[(i * 4 + s) % 9];
        }
        spec.inputs[0].elements = elements;
        rule_spec_differences(&fixture, &spec, 60 + s, TOLERANCE);
    }
}
END_TEST

START_TEST(pair_rules_agree_with_differences)
{
    for (size_t s = 0; s < SHAPE_COUNT; s++) {
        double a[16];
        double b[16];
        rule_spec_t spec =
            unary_spec(pairs[_i], shapes[s].rank, shapes[s].dims);
        for (size_t i = 0; i < 16; i++) {
            a[i] = 0.3 * (double)i - 2;
            b[i] = a[i] + (i * 7 % 3 == 1 ? 0.4 : -0.1);
        }
        spec.input_count = 2;
        spec.inputs[1] = spec.inputs[0];
        spec.inputs[0].elements = a;
        spec.inputs[1].elements = b;
        rule_spec_differences(&fixture, &spec, 80 + s, TOLERANCE);
    }
}
END_TEST

#define FOUR(...) ((const double[4]){__VA_ARGS__})

static void check_four(int32_t op, const kc_attributes_t *attributes,
                       const double *x, const double *g, const double *expected)
{
    rule_spec_t spec = unary_spec(op, 1, (const int64_t[]){4});
    const double *const all[] = {expected};
    spec.inputs[0].elements = x;
    if (attributes != NULL) {
        spec.attributes = *attributes;
    }
    rule_spec_values(&fixture, &spec, g, all);
}

START_TEST(abs_has_the_sign)
{
    check_four(KC_OP_ABS, NULL, FOUR(2, -2, 0, -0.0), FOUR(3, 3, 3, 3),
               FOUR(3, -3, 0, 0));
    check_four(KC_OP_ABS, NULL, FOUR(NAN, 0, -0.0, NAN),
               FOUR(3, INFINITY, NAN, -INFINITY), FOUR(0, 0, 0, 0));
    check_four(KC_OP_ABS, NULL, FOUR(INFINITY, -INFINITY, -1, 1),
               FOUR(2, INFINITY, NAN, -INFINITY),
               FOUR(2, -INFINITY, NAN, -INFINITY));
    check_four(KC_OP_ABS, NULL, FOUR(1, 1, -1, -1), FOUR(0, -0.0, 0, -0.0),
               FOUR(0, -0.0, -0.0, 0));
}
END_TEST

START_TEST(relu_is_zero_from_zero_down)
{
    check_four(KC_OP_RELU, NULL, FOUR(2, -2, 0, -0.0), FOUR(-3, -3, -3, -3),
               FOUR(-3, 0, 0, 0));
    check_four(KC_OP_RELU, NULL, FOUR(NAN, 0, -1, -INFINITY),
               FOUR(-3, INFINITY, NAN, -INFINITY), FOUR(0, 0, 0, 0));
    check_four(KC_OP_RELU, NULL, FOUR(INFINITY, 1, 1, 0x1p-149),
               FOUR(2, INFINITY, NAN, -0.0), FOUR(2, INFINITY, NAN, -0.0));
}
END_TEST

START_TEST(clamp_passes_at_its_bounds)
{
    const kc_attributes_t usual = clamp_to(-1, 2);
    const kc_attributes_t turned = clamp_to(2, -1);
    const kc_attributes_t point = clamp_to(0, 0);
    const kc_attributes_t open = clamp_to(-INFINITY, INFINITY);
    const kc_attributes_t unknown = clamp_to(NAN, 2);
    check_four(KC_OP_CLAMP, &usual, FOUR(-1, 2, 0, 1), FOUR(3, -3, -0.0, NAN),
               FOUR(3, -3, -0.0, NAN));
    check_four(KC_OP_CLAMP, &usual, FOUR(-1.5, 2.5, NAN, INFINITY),
               FOUR(-3, INFINITY, NAN, -INFINITY), FOUR(0, 0, 0, 0));
    check_four(KC_OP_CLAMP, &turned, FOUR(-1, 2, 0, 3),
               FOUR(3, 3, NAN, INFINITY), FOUR(0, 0, 0, 0));
    check_four(KC_OP_CLAMP, &point, FOUR(0, -0.0, 0x1p-149, -1),
               FOUR(3, 4, 5, 6), FOUR(3, 4, 0, 0));
    check_four(KC_OP_CLAMP, &open, FOUR(-INFINITY, INFINITY, 0, NAN),
               FOUR(3, 4, 5, 6), FOUR(3, 4, 5, 0));
    check_four(KC_OP_CLAMP, &unknown, FOUR(-1, 2, 0, NAN), FOUR(3, 4, 5, 6),
               FOUR(0, 0, 0, 0));
}
END_TEST

/* The forward rounds the bounds to the element type; so must the rule. */
START_TEST(clamp_bounds_are_of_the_element_type)
{
    const kc_attributes_t tenth = clamp_to(-1, 0.1);
    rule_spec_t spec = unary_spec(KC_OP_CLAMP, 1, (const int64_t[]){2});
    const double x[] = {(double)0.1f, 0.1};
    rule_operands_t operands;
    const bool wanted[RULE_INPUTS_MAX] = {true};
    kc_tensor_t *found[RULE_INPUTS_MAX];
    spec.attributes = tenth;
    spec.inputs[0].elements = x;
    for (size_t i = 0; i < 2; i++) {
        const int32_t dtype = i == 0 ? KC_DTYPE_F32 : KC_DTYPE_F64;
        rule_spec_make(&fixture, &spec, dtype, 1, &operands);
        kc_tensor_t *y = rule_forward(&fixture, &operands);
        rule_vjp(&fixture, RULE_RUNTIME, &operands, y, y, wanted, found);
        /* 0.1f is above 0.1: in float64 it is out of bounds. */
        ck_assert_double_eq(rule_element(found[0], 0),
                            dtype == KC_DTYPE_F32 ? (double)0.1f : 0);
        ck_assert_double_eq(rule_element(found[0], 1), rule_element(y, 1));
        kci_tensor_release(found[0]);
        kci_tensor_release(y);
        rule_operands_release(&operands);
    }
}
END_TEST

static void check_pair(int32_t op, const double *a, const double *b,
                       const double *g, const double *of_a, const double *of_b)
{
    const double *const expected[] = {of_a, of_b};
    rule_spec_t spec = {.op = op,
                        .kind = RULE_RUNTIME,
                        .input_count = 2,
                        .inputs = {{.rank = 1, .dims = {4}, .elements = a},
                                   {.rank = 1, .dims = {4}, .elements = b}}};
    rule_spec_values(&fixture, &spec, g, expected);
}

/* For both operations, the operands of min turned round. */
static void check_both(const double *a, const double *b, const double *g,
                       const double *of_larger, const double *of_smaller)
{
    check_pair(KC_OP_MAX, a, b, g, of_larger, of_smaller);
    check_pair(KC_OP_MIN, b, a, g, of_larger, of_smaller);
}

START_TEST(extrema_route_and_halve_ties)
{
    check_both(FOUR(3, 2, -1, INFINITY), FOUR(3, 1, -2, 1), FOUR(1, 5, -7, 2),
               FOUR(0.5, 5, -7, 2), FOUR(0.5, 0, 0, 0));
    check_both(FOUR(1, 1, 1, 1), FOUR(0, 0, 0, 0),
               FOUR(INFINITY, NAN, -INFINITY, -0.0),
               FOUR(INFINITY, NAN, -INFINITY, -0.0), FOUR(0, 0, 0, 0));
    /* Zeros of either sign are equal; NaN is not ordered. */
    check_both(FOUR(0, -0.0, NAN, 1), FOUR(-0.0, 0, 1, NAN), FOUR(2, 2, 2, 2),
               FOUR(1, 1, 1, 1), FOUR(1, 1, 1, 1));
    check_both(FOUR(NAN, INFINITY, 4, 4), FOUR(NAN, INFINITY, 4, 4),
               FOUR(2, 3, INFINITY, -0.0), FOUR(1, 1.5, INFINITY, -0.0),
               FOUR(1, 1.5, INFINITY, -0.0));
}
END_TEST

START_TEST(gelu_at_zero_is_half_and_flat_far_out)
{
    for (int32_t form = KC_GELU_TANH; form <= KC_GELU_ERF; form++) {
        const kc_attributes_t gelu = gelu_of(form);
        check_four(KC_OP_GELU, &gelu, FOUR(0, -0.0, 100, -100),
                   FOUR(1, 2, 3, 4), FOUR(0.5, 1, 3, 0));
        /* The square of 1e30 is beyond float32, of 1e300 beyond float64. */
        check_four(KC_OP_GELU, &gelu, FOUR(0x1p100, -0x1p100, NAN, 0),
                   FOUR(1, 1, 1, INFINITY), FOUR(1, 0, NAN, INFINITY));
        /* inf * 0 of the raw formula */
        check_four(KC_OP_GELU, &gelu, FOUR(INFINITY, -INFINITY, 0, 0),
                   FOUR(1, 1, NAN, 0), FOUR(NAN, NAN, NAN, 0));
    }
}
END_TEST

START_TEST(gelu_has_a_slope_at_huge_doubles)
{
    for (int32_t form = KC_GELU_TANH; form <= KC_GELU_ERF; form++) {
        rule_spec_t spec = unary_spec(KC_OP_GELU, 1, (const int64_t[]){4});
        rule_operands_t operands;
        const bool wanted[RULE_INPUTS_MAX] = {true};
        kc_tensor_t *found[RULE_INPUTS_MAX];
        spec.attributes = gelu_of(form);
        spec.inputs[0].elements = FOUR(1e300, -1e300, 1e160, -1e160);
        rule_spec_make(&fixture, &spec, KC_DTYPE_F64, 1, &operands);
        kc_tensor_t *y = rule_forward(&fixture, &operands);
        kc_tensor_t *g = rule_tensor(&fixture, KC_DTYPE_F64, 1,
                                     (const int64_t[]){4}, FOUR(1, 1, 1, 1));
        rule_vjp(&fixture, RULE_RUNTIME, &operands, y, g, wanted, found);
        for (int64_t i = 0; i < 4; i++) {
            ck_assert_double_eq(rule_element(found[0], i), 1 - (double)(i % 2));
        }
        kci_tensor_release(found[0]);
        kci_tensor_release(g);
        kci_tensor_release(y);
        rule_operands_release(&operands);
    }
}
END_TEST

/* The slopes as ops.md 7.3 writes them, without the rearrangement that keeps
 * 1 + t from cancelling. */
static double written_slope(int32_t form, double x)
{
    const double k = sqrt(2 / acos(-1.0));
    const double c = 0.044715;
    double t = tanh(k * (x + c * x * x * x));
    if (form == KC_GELU_ERF) {
        return 0.5 * (1 + erf(x / sqrt(2.0))) +
               x * exp(-x * x / 2) / sqrt(2 * acos(-1.0));
    }
    return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * k * (1 + 3 * c * x * x);
}

/* Evaluated in double, float32 is within half a unit and what 1e-14 of
 * cancellation in the written form can add. */
START_TEST(gelu_is_rounded_once)
{
    for (int32_t form = KC_GELU_TANH; form <= KC_GELU_ERF; form++) {
        rule_spec_t spec = unary_spec(KC_OP_GELU, 1, (const int64_t[]){500});
        rule_operands_t operands;
        const bool wanted[RULE_INPUTS_MAX] = {true};
        kc_tensor_t *found[RULE_INPUTS_MAX];
        spec.attributes = gelu_of(form);
        spec.inputs[0].lo = -6;
        spec.inputs[0].hi = 6;
        rule_spec_make(&fixture, &spec, KC_DTYPE_F32, 3, &operands);
        kc_tensor_t *y = rule_forward(&fixture, &operands);
        kc_tensor_t *g =
            rule_random(&fixture, KC_DTYPE_F32, 1, (const int64_t[]){500}, 4);
        rule_vjp(&fixture, RULE_RUNTIME, &operands, y, g, wanted, found);
        for (int64_t i = 0; i < 500; i++) {
            double expected =
                rule_element(g, i) *
                written_slope(form, rule_element(operands.inputs[0], i));
            double error = fabs(rule_element(found[0], i) - expected);
            ck_assert_msg(error <= 0x1p-24 * fabs(expected) + 1e-14,
                          "form %d element %lld: off by %g of %g", form,
                          (long long)i, error, expected);
        }
        kci_tensor_release(found[0]);
        kci_tensor_release(g);
        kci_tensor_release(y);
        rule_operands_release(&operands);
    }
}
END_TEST

/* Of several tiles each. */
START_TEST(threads_do_not_show)
{
    static const int32_t all[] = {KC_OP_ABS,  KC_OP_RELU, KC_OP_CLAMP,
                                  KC_OP_GELU, KC_OP_MAX,  KC_OP_MIN};
    rule_spec_t spec = unary_spec(all[_i], 2, (const int64_t[]){129, 301});
    spec.input_count = _i < 4 ? 1 : 2;
    spec.inputs[1] = spec.inputs[0];
    rule_spec_threads(&spec, 91);
}
END_TEST

START_TEST(erf_form_agrees_with_differences)
{
    rule_spec_t spec = unary_spec(KC_OP_GELU, 2, (const int64_t[]){5, 6});
    spec.attributes = gelu_of(KC_GELU_ERF);
    spec.inputs[0].lo = -4;
    spec.inputs[0].hi = 4;
    rule_spec_differences(&fixture, &spec, 17, TOLERANCE);
}
END_TEST

Suite *suite_autograd_pointwise_select(void)
{
    Suite *suite = suite_create("autograd/pointwise_select");
    TCase *tests = tcase_create("select");
    tcase_add_checked_fixture(tests, begin, end);
    tcase_add_loop_test(tests, unary_rules_agree_with_differences, 0, 4);
    tcase_add_loop_test(tests, pair_rules_agree_with_differences, 0, 2);
    tcase_add_test(tests, abs_has_the_sign);
    tcase_add_test(tests, relu_is_zero_from_zero_down);
    tcase_add_test(tests, clamp_passes_at_its_bounds);
    tcase_add_test(tests, clamp_bounds_are_of_the_element_type);
    tcase_add_test(tests, extrema_route_and_halve_ties);
    tcase_add_test(tests, gelu_at_zero_is_half_and_flat_far_out);
    tcase_add_test(tests, gelu_has_a_slope_at_huge_doubles);
    tcase_add_test(tests, gelu_is_rounded_once);
    tcase_add_test(tests, erf_form_agrees_with_differences);
    suite_add_tcase(suite, tests);
    TCase *own = tcase_create("own fixtures");
    tcase_add_loop_test(own, threads_do_not_show, 0, 6);
    suite_add_tcase(suite, own);
    return suite;
}
