/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Central differences: (f(x+h) - f(x-h)) / 2h with h and h/2, extrapolated to
 * fourth order. */
#include <math.h>
#include <string.h>

#include "tensor/dtype.h"
#include "unit/autograd/rule_fixture.h"
#include "unit/expect.h"

/* sum of cotangent * forward, in double */
static double objective(rule_fixture_t *fixture,
                        const rule_operands_t *operands,
                        const kc_tensor_t *cotangent)
{
    kc_tensor_t *output = rule_forward(fixture, operands);
    double sum = 0;
    for (int64_t i = 0; i < kc_tensor_element_count(&output->view); i++) {
        sum += rule_element(output, i) * rule_element(cotangent, i);
    }
    kci_tensor_release(output);
    return sum;
}

static double slope(rule_fixture_t *fixture, const rule_operands_t *operands,
                    const kc_tensor_t *cotangent, double *element, double step)
{
    double here = *element;
    *element = here + step;
    double above = objective(fixture, operands, cotangent);
    *element = here - step;
    double below = objective(fixture, operands, cotangent);
    *element = here;
    return (above - below) / (2 * step);
}

static void check_input(rule_fixture_t *fixture,
                        const rule_operands_t *operands, size_t input,
                        const kc_tensor_t *cotangent, const kc_tensor_t *found,
                        double tolerance)
{
    kc_tensor_t *tensor = operands->inputs[input];
    double *elements = kc_tensor_data(&tensor->view);
    for (int64_t i = 0; i < kc_tensor_element_count(&tensor->view); i++) {
        double step = 1e-4 * (1 + fabs(elements[i]));
        double wide = slope(fixture, operands, cotangent, &elements[i], step);
        double narrow =
            slope(fixture, operands, cotangent, &elements[i], step / 2);
        double expected = (4 * narrow - wide) / 3;
        double value = rule_element(found, i);
        ck_assert_msg(fabs(value - expected) <=
                          tolerance * (1 + fabs(expected)),
                      "op %d input %zu element %lld: found %.17g, differences "
                      "give %.17g",
                      operands->op, input, (long long)i, value, expected);
    }
}

void rule_check_bits(const kc_tensor_t *found, const kc_tensor_t *expected)
{
    int64_t count = kc_tensor_element_count(&found->view);
    ck_assert_int_eq(count, kc_tensor_element_count(&expected->view));
    for (int64_t i = 0; i < count; i++) {
        double a = rule_element(found, i);
        double b = rule_element(expected, i);
        bool is_same =
            isnan(a) ? isnan(b) != 0 : a == b && signbit(a) == signbit(b);
        ck_assert_msg(is_same, "element %lld: found %.17g, expected %.17g",
                      (long long)i, a, b);
    }
}

static void release_all(kc_tensor_t **tensors, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        kci_tensor_release(tensors[i]);
        tensors[i] = NULL;
    }
}

void rule_check_differences(rule_fixture_t *fixture, rule_kind_t kind,
                            const rule_operands_t *operands, uint64_t seed,
                            double tolerance)
{
    const kci_vjp_info_t *info = kci_vjp_info(operands->op);
    kc_tensor_t *output = rule_forward(fixture, operands);
    kc_tensor_t *cotangent = rule_random(
        fixture, KC_DTYPE_F64, output->view.ndim, output->view.shape, seed);
    bool wanted[RULE_INPUTS_MAX] = {false};
    kc_tensor_t *all[RULE_INPUTS_MAX] = {NULL};
    kc_tensor_t *one[RULE_INPUTS_MAX] = {NULL};
    for (size_t i = 0; i < operands->input_count; i++) {
        wanted[i] =
            operands->inputs[i] != NULL && (info->inputs >> i & 1u) != 0;
    }
    rule_vjp(fixture, kind, operands, output, cotangent, wanted, all);
    for (size_t i = 0; i < operands->input_count; i++) {
        bool alone[RULE_INPUTS_MAX] = {false};
        if (!wanted[i]) {
            continue;
        }
        check_input(fixture, operands, i, cotangent, all[i], tolerance);
        alone[i] = true;
        rule_vjp(fixture, kind, operands, output, cotangent, alone, one);
        rule_check_bits(one[i], all[i]);
        release_all(one, operands->input_count);
    }
    release_all(all, operands->input_count);
    kci_tensor_release(cotangent);
    kci_tensor_release(output);
}
