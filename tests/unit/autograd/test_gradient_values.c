/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Planned gradients as numbers: shared operands, broadcasts, outputs and
 * wanted nodes of all sorts. */
#include <stdio.h>
#include <string.h>

#include "unit/autograd/gradient_fixture.h"
#include "unit/autograd/suites.h"
#include "unit/expect.h"

/* a * b + a with both the same x = 3: 2 x + 1. */
START_TEST(one_tensor_in_two_places)
{
    gradient_case_t at;
    gradient_case_begin(
        &at,
        "{'id': 0, 'op': 'input', 'shape': [], 'name': 'x'},"
        "{'id': 1, 'op': 'mul_elem', 'parents': [0, 0], 'shape': []},"
        "{'id': 2, 'op': 'add', 'parents': [1, 0], 'shape': []}",
        "{'name': 'y', 'node': 2}");
    gradient_fill(&at.values, 0, 3);
    gradient_case_run(&at, &(kci_gradient_request_t){NODES(0)});
    gradient_case_expect(&at, 0, 1, 7);
    gradient_case_end(&at);
}
END_TEST

#define ATTENTION "'op': 'scaled_dot_product_attention', 'shape': [3, 2],"

/* The gradient of attention(x, x, x) is the sum of the three gradients from
 * separate copies, added in the order of the places. */
START_TEST(query_key_and_value_are_one_tensor)
{
    gradient_case_t shared;
    gradient_case_t copies;
    gradient_case_begin(
        &shared,
        "{'id': 0, 'op': 'input', 'shape': [3, 2], 'name': 'x'},"
        "{'id': 1, " ATTENTION " 'parents': [0, 0, 0]}",
        "{'name': 'y', 'node': 1}");
    gradient_case_begin(
        &copies,
        "{'id': 0, 'op': 'input', 'shape': [3, 2], 'name': 'q'},"
        "{'id': 1, 'op': 'input', 'shape': [3, 2], 'name': 'k'},"
        "{'id': 2, 'op': 'input', 'shape': [3, 2], 'name': 'v'},"
        "{'id': 3, " ATTENTION " 'parents': [0, 1, 2]}",
        "{'name': 'y', 'node': 3}");
    const float *x = kc_tensor_data(&shared.values.tensors[0]->view);
    for (uint32_t node = 0; node < 3; node++) {
        memcpy(kc_tensor_data(&copies.values.tensors[node]->view), x,
               6 * sizeof *x);
    }
    gradient_case_run(&shared, &(kci_gradient_request_t){NODES(0)});
    gradient_case_run(&copies, &(kci_gradient_request_t){NODES(0, 1, 2)});
    for (int64_t i = 0; i < 6; i++) {
        float sum = (float)gradient_element(&copies.found, 0, i);
        sum += (float)gradient_element(&copies.found, 1, i);
        sum += (float)gradient_element(&copies.found, 2, i);
        ck_assert_float_eq((float)gradient_element(&shared.found, 0, i), sum);
    }
    gradient_case_end(&shared);
    gradient_case_end(&copies);
}
END_TEST

static void expect_broadcast(const char *op, const char *small,
                             const char *parents, int64_t count, double number)
{
    gradient_case_t at;
    char nodes[640];
    snprintf(nodes, sizeof nodes,
             "{'id': 0, 'op': 'input', 'shape': [2, 3], 'name': 'a'},"
             "{'id': 1, 'op': 'input', 'shape': %s, 'name': 'b'},"
             "{'id': 2, 'op': 'broadcast_to', 'parents': [1],"
             " 'shape': [2, 3]},"
             "{'id': 3, 'op': '%s', 'parents': %s, 'shape': [2, 3]}",
             small, op, parents);
    gradient_case_begin(&at, nodes, "{'name': 'y', 'node': 3}");
    gradient_fill(&at.values, 0, 2);
    gradient_case_run(&at, &(kci_gradient_request_t){NODES(1, 0)});
    gradient_case_expect(&at, 0, count, number);
    ck_assert_int_eq(kc_tensor_element_count(&at.found.gradients[1]->view), 6);
    gradient_case_end(&at);
}

START_TEST(a_broadcast_operand_has_a_gradient_of_its_own_shape)
{
    expect_broadcast("add", "[1, 3]", "[0, 2]", 3, 2);
    expect_broadcast("mul_elem", "[2, 1]", "[0, 2]", 2, 6);
    expect_broadcast("add", "[]", "[2, 0]", 1, 6);
    expect_broadcast("add", "[3]", "[0, 2]", 3, 2);
}
END_TEST

START_TEST(both_operands_are_broadcast)
{
    gradient_case_t at;
    gradient_case_begin(
        &at,
        "{'id': 0, 'op': 'input', 'shape': [1, 3], 'name': 'a'},"
        "{'id': 1, 'op': 'input', 'shape': [2, 1], 'name': 'b'},"
        "{'id': 2, 'op': 'broadcast_to', 'parents': [0], 'shape': [2, 3]},"
        "{'id': 3, 'op': 'broadcast_to', 'parents': [1], 'shape': [2, 3]},"
        "{'id': 4, 'op': 'add', 'parents': [2, 3], 'shape': [2, 3]}",
        "{'name': 'y', 'node': 4}");
    gradient_case_run(&at, &(kci_gradient_request_t){NODES(0, 1)});
    gradient_case_expect(&at, 0, 3, 2);
    gradient_case_expect(&at, 1, 2, 3);
    gradient_case_end(&at);
}
END_TEST

/* y is read by z; both are outputs, y under two names. */
#define OUTPUT_NODES                                                           \
    "{'id': 0, 'op': 'input', 'shape': [2], 'name': 'x'},"                     \
    "{'id': 1, 'op': 'add', 'parents': [0, 0], 'shape': [2]},"                 \
    "{'id': 2, 'op': 'add', 'parents': [1, 0], 'shape': [2]}"

START_TEST(only_chosen_outputs_count)
{
    gradient_case_t at;
    gradient_case_begin(&at, OUTPUT_NODES,
                        "{'name': 'y', 'node': 1},"
                        "{'name': 'z', 'node': 2},"
                        "{'name': 'again', 'node': 1},"
                        "{'name': 'x', 'node': 0}");
    gradient_case_run(&at, &(kci_gradient_request_t){OUTPUTS(0), NODES(0)});
    gradient_case_expect(&at, 0, 2, 2);
    gradient_case_run(&at, &(kci_gradient_request_t){OUTPUTS(1), NODES(0)});
    gradient_case_expect(&at, 0, 2, 3);
    gradient_case_run(&at, &(kci_gradient_request_t){OUTPUTS(0, 2), NODES(0)});
    gradient_case_expect(&at, 0, 2, 4);
    gradient_case_run(&at, &(kci_gradient_request_t){OUTPUTS(3), NODES(0)});
    gradient_case_expect(&at, 0, 2, 1);
    gradient_case_run(&at, &(kci_gradient_request_t){NODES(0)});
    gradient_case_expect(&at, 0, 2, 8);
    gradient_case_end(&at);
}
END_TEST

START_TEST(an_intermediate_is_wanted)
{
    gradient_case_t at;
    gradient_case_begin(&at, OUTPUT_NODES, "{'name': 'z', 'node': 2}");
    gradient_case_run(&at, &(kci_gradient_request_t){NODES(2, 1, 0)});
    gradient_case_expect(&at, 0, 2, 1);
    gradient_case_expect(&at, 1, 2, 1);
    gradient_case_expect(&at, 2, 2, 3);
    gradient_case_end(&at);
}
END_TEST

START_TEST(a_gradient_stops_at_detach_and_nothing_is_zero)
{
    gradient_case_t at;
    gradient_case_begin(
        &at,
        "{'id': 0, 'op': 'input', 'shape': [2], 'name': 'x'},"
        "{'id': 1, 'op': 'detach', 'parents': [0], 'shape': [2]},"
        "{'id': 2, 'op': 'mul_elem', 'parents': [1, 0], 'shape': [2]},"
        "{'id': 3, 'op': 'input', 'shape': [2], 'name': 'unread'}",
        "{'name': 'y', 'node': 2}");
    gradient_fill(&at.values, 0, 5);
    gradient_case_run(&at, &(kci_gradient_request_t){NODES(0, 1, 3)});
    gradient_case_expect(&at, 0, 2, 5);
    gradient_case_expect(&at, 1, 2, 5);
    gradient_case_expect(&at, 2, 2, 0);
    gradient_case_end(&at);
}
END_TEST

START_TEST(a_random_mask_is_the_factor_of_its_reader)
{
    gradient_case_t at;
    gradient_case_begin(
        &at,
        "{'id': 0, 'op': 'input', 'shape': [8], 'name': 'x'},"
        "{'id': 1, 'op': 'rand_uniform', 'shape': [8],"
        " 'attrs': {'seed': 3}},"
        "{'id': 2, 'op': 'mul_elem', 'parents': [1, 0], 'shape': [8]}",
        "{'name': 'y', 'node': 2}");
    gradient_fill(&at.values, 0, 2);
    gradient_case_run(&at, &(kci_gradient_request_t){NODES(1, 0)});
    gradient_case_expect(&at, 0, 8, 2);
    bool differs = false;
    for (int64_t i = 0; i < 8; i++) {
        double factor = gradient_element(&at.found, 1, i);
        ck_assert_double_ge(factor, 0);
        ck_assert_double_le(factor, 1);
        differs |= factor != gradient_element(&at.found, 1, 0);
    }
    ck_assert(differs);
    gradient_case_end(&at);
}
END_TEST

START_TEST(empty_tensors_have_empty_gradients)
{
    gradient_case_t at;
    gradient_case_begin(
        &at,
        "{'id': 0, 'op': 'input', 'shape': [0, 3], 'name': 'x'},"
        "{'id': 1, 'op': 'input', 'shape': [2, 3], 'name': 'w'},"
        "{'id': 2, 'op': 'linear', 'parents': [0, 1], 'shape': [0, 2]},"
        "{'id': 3, 'op': 'relu', 'parents': [2], 'shape': [0, 2]},"
        "{'id': 4, 'op': 'sum', 'parents': [3], 'shape': []}",
        "{'name': 'y', 'node': 4}");
    gradient_case_run(&at, &(kci_gradient_request_t){NODES(0, 1)});
    gradient_case_expect(&at, 0, 0, 0);
    gradient_case_expect(&at, 1, 6, 0);
    gradient_case_end(&at);
}
END_TEST

/* The sum of squares of the matrix [[0, 1, 2], [3, 4, 5]]. */
START_TEST(a_sum_gives_back_the_shape)
{
    gradient_case_t at;
    gradient_case_begin(
        &at,
        "{'id': 0, 'op': 'input', 'shape': [2, 3], 'name': 'x'},"
        "{'id': 1, 'op': 'mul_elem', 'parents': [0, 0], 'shape': [2, 3]},"
        "{'id': 2, 'op': 'sum', 'parents': [1], 'shape': []}",
        "{'name': 'y', 'node': 2}");
    for (int i = 0; i < 6; i++) {
        float *x = kc_tensor_data(&at.values.tensors[0]->view);
        x[i] = (float)i;
    }
    gradient_case_run(&at, &(kci_gradient_request_t){NODES(0, 1)});
    for (int i = 0; i < 6; i++) {
        ck_assert_double_eq(gradient_element(&at.found, 0, i), 2.0 * i);
    }
    gradient_case_expect(&at, 1, 6, 1);
    gradient_case_end(&at);
}
END_TEST

Suite *suite_autograd_gradient_values(void)
{
    Suite *suite = suite_create("autograd.gradient_values");
    TCase *tests = tcase_create("gradients");
    tcase_add_test(tests, one_tensor_in_two_places);
    tcase_add_test(tests, query_key_and_value_are_one_tensor);
    tcase_add_test(tests, a_broadcast_operand_has_a_gradient_of_its_own_shape);
    tcase_add_test(tests, both_operands_are_broadcast);
    tcase_add_test(tests, only_chosen_outputs_count);
    tcase_add_test(tests, an_intermediate_is_wanted);
    tcase_add_test(tests, a_gradient_stops_at_detach_and_nothing_is_zero);
    tcase_add_test(tests, a_random_mask_is_the_factor_of_its_reader);
    tcase_add_test(tests, empty_tensors_have_empty_gradients);
    tcase_add_test(tests, a_sum_gives_back_the_shape);
    suite_add_tcase(suite, tests);
    return suite;
}
