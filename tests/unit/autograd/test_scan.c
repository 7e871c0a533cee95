/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * The rule of selective_scan against the differences of its formula, which is
 * computed here: checked_cpu has no capsule for it. */
#include <math.h>
#include <string.h>

#include "autograd/rule.h"
#include "tensor/dtype.h"
#include "unit/autograd/rule_fixture.h"
#include "unit/autograd/suites.h"
#include "unit/expect.h"

static rule_fixture_t fixture;

static void begin(void)
{
    rule_fixture_begin(&fixture, 2);
}

static void end(void)
{
    rule_fixture_end(&fixture);
}

enum { A, B, X, H0, INPUTS };

typedef struct scan {
    int64_t steps;
    int64_t states;
    bool is_shared;
    rule_operands_t operands;
    kc_tensor_t *output;
    kc_tensor_t *cotangent;
    kc_tensor_t *found[INPUTS];
} scan_t;

/* Element `state` of row `t`, of coefficients also where they are shared. */
static double at(const kc_tensor_t *tensor, const scan_t *scan, int64_t t,
                 int64_t state)
{
    int64_t row = tensor->view.ndim == 1 ? 0 : t;
    return rule_element(tensor, row * scan->states + state);
}

static void set(kc_tensor_t *tensor, int64_t place, double value)
{
    if (kc_tensor_dtype(&tensor->view) == KC_DTYPE_F32) {
        ((float *)kc_tensor_data(&tensor->view))[place] = (float)value;
    } else {
        ((double *)kc_tensor_data(&tensor->view))[place] = value;
    }
}

/* One rounding of the element type. */
static double rounded(const kc_tensor_t *like, double value)
{
    return kc_tensor_dtype(&like->view) == KC_DTYPE_F32 ? (float)value : value;
}

static void forward(scan_t *scan)
{
    kc_tensor_t *const *inputs = scan->operands.inputs;
    for (int64_t j = 0; j < scan->states; j++) {
        double h = rule_element(inputs[H0], j);
        for (int64_t t = 0; t < scan->steps; t++) {
            double kept = rounded(inputs[X], at(inputs[A], scan, t, j) * h);
            double written = rounded(inputs[X], at(inputs[B], scan, t, j) *
                                                    at(inputs[X], scan, t, j));
            h = rounded(inputs[X], kept + written);
            set(scan->output, t * scan->states + j, h);
        }
    }
}

static void scan_begin(scan_t *scan, int32_t dtype, int64_t steps,
                       int64_t states, bool is_shared, uint64_t seed)
{
    const int64_t rows[] = {steps, states};
    const int64_t *vector = rows + 1;
    *scan = (scan_t){.steps = steps, .states = states, .is_shared = is_shared};
    scan->operands.op = KC_OP_SELECTIVE_SCAN;
    scan->operands.input_count = INPUTS;
    for (size_t i = 0; i < INPUTS; i++) {
        bool is_vector = i == H0 || (i != X && is_shared);
        scan->operands.inputs[i] =
            rule_random(&fixture, dtype, is_vector ? 1 : 2,
                        is_vector ? vector : rows, seed + i);
    }
    scan->output = rule_tensor(&fixture, dtype, 2, rows, NULL);
    scan->cotangent = rule_random(&fixture, dtype, 2, rows, seed + INPUTS);
    forward(scan);
}

static void run(scan_t *scan, const bool *wanted, kc_tensor_t **found)
{
    rule_vjp(&fixture, RULE_RUNTIME, &scan->operands, scan->output,
             scan->cotangent, wanted, found);
}

static void release_all(kc_tensor_t **tensors)
{
    for (size_t i = 0; i < INPUTS; i++) {
        kci_tensor_release(tensors[i]);
        tensors[i] = NULL;
    }
}

static void scan_end(scan_t *scan)
{
    release_all(scan->operands.inputs);
    release_all(scan->found);
    kci_tensor_release(scan->output);
    kci_tensor_release(scan->cotangent);
}

static double objective(scan_t *scan)
{
    double sum = 0;
    forward(scan);
    for (int64_t i = 0; i < scan->steps * scan->states; i++) {
        sum += rule_element(scan->cotangent, i) * rule_element(scan->output, i);
    }
    return sum;
}

/* A polynomial of degree steps + 1 in one element: what the extrapolation
 * leaves is about (1e-3)^4, rounding 1e-16 / 1e-3. */
static void check_differences(scan_t *scan, size_t input)
{
    kc_tensor_t *tensor = scan->operands.inputs[input];
    const double step = 1e-3;
    for (int64_t i = 0; i < kc_tensor_element_count(&tensor->view); i++) {
        double here = rule_element(tensor, i);
        double slopes[2];
        for (int half = 0; half < 2; half++) {
            double width = half ? step / 2 : step;
            set(tensor, i, here + width);
            double above = objective(scan);
            set(tensor, i, here - width);
            slopes[half] = (above - objective(scan)) / (2 * width);
        }
        set(tensor, i, here);
        double expected = (4 * slopes[1] - slopes[0]) / 3;
        double found = rule_element(scan->found[input], i);
        ck_assert_msg(fabs(found - expected) <= 1e-10 * (1 + fabs(expected)),
                      "input %zu element %lld: found %.17g, expected %.17g",
                      input, (long long)i, found, expected);
    }
    forward(scan);
}

/* Every input, then each alone with the same bits. */
START_TEST(agrees_with_differences)
{
    static const bool all[INPUTS] = {true, true, true, true};
    static const int64_t extents[][2] = {{1, 1}, {5, 3}, {2, 40}, {7, 33}};
    for (size_t i = 0; i < sizeof extents / sizeof *extents; i++) {
        for (int shared = 0; shared < 2; shared++) {
            scan_t scan;
            scan_begin(&scan, KC_DTYPE_F64, extents[i][0], extents[i][1],
                       shared != 0, 10 * i);
            run(&scan, all, scan.found);
            for (size_t input = 0; input < INPUTS; input++) {
                kc_tensor_t *one[INPUTS] = {NULL};
                bool alone[INPUTS] = {false};
                alone[input] = true;
                check_differences(&scan, input);
                run(&scan, alone, one);
                rule_check_bits(one[input], scan.found[input]);
                release_all(one);
            }
            scan_end(&scan);
        }
    }
}
END_TEST

/* Exactly as written: t descending, two roundings a term. */
static void expect_bits(scan_t *scan, int64_t state)
{
    const kc_tensor_t *const *inputs =
        (const kc_tensor_t *const *)scan->operands.inputs;
    float carry = 0;
    float sum_a = 0;
    float sum_b = 0;
    for (int64_t t = scan->steps; t-- > 0;) {
        int64_t place = t * scan->states + state;
        float g = (float)rule_element(scan->cotangent, place) + carry;
        float before = (float)(t == 0 ? rule_element(inputs[H0], state)
                                      : at(scan->output, scan, t - 1, state));
        float of_a = g * before;
        float of_b = g * (float)rule_element(inputs[X], place);
        float of_x = g * (float)at(inputs[B], scan, t, state);
        ck_assert(rule_element(scan->found[X], place) == of_x);
        sum_a += of_a;
        sum_b += of_b;
        if (!scan->is_shared) {
            ck_assert(rule_element(scan->found[A], place) == of_a);
            ck_assert(rule_element(scan->found[B], place) == of_b);
        }
        carry = g * (float)at(inputs[A], scan, t, state);
    }
    ck_assert(rule_element(scan->found[H0], state) == carry);
    if (scan->is_shared) {
        ck_assert(rule_element(scan->found[A], state) == sum_a);
        ck_assert(rule_element(scan->found[B], state) == sum_b);
    }
}

/* Wide and long enough for several tiles, at any number of threads. */
START_TEST(keeps_the_written_order_on_any_threads)
{
    static const bool all[INPUTS] = {true, true, true, true};
    static const uint32_t threads[] = {1, 2, 7};
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
        for (int shared = 0; shared < 2; shared++) {
            scan_t scan;
            rule_fixture_end(&fixture);
            rule_fixture_begin(&fixture, threads[i]);
            scan_begin(&scan, KC_DTYPE_F32, 60, 333, shared != 0, 77);
            run(&scan, all, scan.found);
            for (int64_t state = 0; state < scan.states; state++) {
                expect_bits(&scan, state);
            }
            scan_end(&scan);
        }
    }
}
END_TEST

/* ops.md 9 */
START_TEST(gives_the_golden_gradients)
{
    static const bool all[INPUTS] = {true, true, true, true};
    static const double dx[] = {1.75, 1.5, 1};
    scan_t scan;
    scan_begin(&scan, KC_DTYPE_F32, 3, 1, true, 1);
    set(scan.operands.inputs[A], 0, 0.5);
    set(scan.operands.inputs[B], 0, 1);
    set(scan.operands.inputs[H0], 0, 0);
    for (int64_t t = 0; t < 3; t++) {
        set(scan.operands.inputs[X], t, 1);
        set(scan.cotangent, t, 1);
    }
    forward(&scan);
    run(&scan, all, scan.found);
    for (int64_t t = 0; t < 3; t++) {
        ck_assert_double_eq(rule_element(scan.found[X], t), dx[t]);
    }
    ck_assert_double_eq(rule_element(scan.found[A], 0), 3.0);
    ck_assert_double_eq(rule_element(scan.found[B], 0), 4.25);
    ck_assert_double_eq(rule_element(scan.found[H0], 0), 0.875);
    scan_end(&scan);
}
END_TEST

/* Without steps every sum is +0 (the fixture fills results with rubbish). */
START_TEST(without_steps_or_states)
{
    static const bool all[INPUTS] = {true, true, true, true};
    static const int64_t extents[][2] = {{0, 3}, {3, 0}, {0, 0}};
    for (size_t i = 0; i < 3; i++) {
        for (int shared = 0; shared < 2; shared++) {
            scan_t scan;
            scan_begin(&scan, KC_DTYPE_F64, extents[i][0], extents[i][1],
                       shared != 0, i);
            run(&scan, all, scan.found);
            for (int64_t j = 0; j < scan.states && scan.steps == 0; j++) {
                ck_assert(rule_element(scan.found[H0], j) == 0);
                ck_assert(!signbit(rule_element(scan.found[H0], j)));
                for (size_t k = A; k <= B && shared != 0; k++) {
                    ck_assert(rule_element(scan.found[k], j) == 0);
                }
            }
            scan_end(&scan);
        }
    }
}
END_TEST

Suite *suite_autograd_scan(void)
{
    Suite *suite = suite_create("autograd/scan");
    TCase *tcase = tcase_create("rules");
    tcase_add_checked_fixture(tcase, begin, end);
    tcase_add_test(tcase, agrees_with_differences);
    tcase_add_test(tcase, keeps_the_written_order_on_any_threads);
    tcase_add_test(tcase, gives_the_golden_gradients);
    tcase_add_test(tcase, without_steps_or_states);
    suite_add_tcase(suite, tcase);
    return suite;
}
