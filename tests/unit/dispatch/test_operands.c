/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * How operands are called and what a refusal looks like. */
#include "dispatch/operands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit/guards.h"
#include "unit/dispatch/suites.h"
#include "unit/expect.h"

START_TEST(operands_have_the_names_of_the_catalogue)
{
    char name[KCI_OPERAND_NAME_SIZE];
    kci_operand_name(KC_OP_SCALED_DOT_PRODUCT_ATTENTION, 3, name, sizeof name);
    ck_assert_str_eq(name, "mask");
    kci_operand_name(KC_OP_CONCAT, 5, name, sizeof name);
    ck_assert_str_eq(name, "input 5");
    kci_operand_name(KC_OP_RELU, 7, name, sizeof name);
    ck_assert_str_eq(name, "input 7");
    kci_operand_name(KC_OP_RELU, KCI_OUTPUT_OPERAND, name, sizeof name);
    ck_assert_str_eq(name, "output");
}
END_TEST

START_TEST(absent_inputs_at_the_end_do_not_count)
{
    const DLTensor tensor = {.ndim = 0};
    const DLTensor *const inputs[] = {&tensor, NULL, &tensor, NULL, NULL};
    ck_assert_uint_eq(kci_present_inputs(inputs, 5), 3);
    ck_assert_uint_eq(kci_present_inputs(inputs, 3), 3);
    ck_assert_uint_eq(kci_present_inputs(inputs, 2), 1);
    ck_assert_uint_eq(kci_present_inputs(inputs + 3, 2), 0);
    ck_assert_uint_eq(kci_present_inputs(NULL, 0), 0);
}
END_TEST

START_TEST(a_refusal_begins_with_the_guard)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_operands_t operands = {.op = KC_OP_RELU};
    EXPECT_FAILURE(
        error, KC_ERR_TENSOR, "dispatch.some: relu output: expected 1, found 2",
        kci_guard_fail("dispatch.some", &operands, KCI_OUTPUT_OPERAND, &error,
                       "expected %d, found %d", 1, 2));
    ck_assert_ptr_eq(strstr(error.message, "dispatch.some"), error.message);
    ck_assert_int_eq(
        kci_guard_fail("g", &operands, KCI_OUTPUT_OPERAND, NULL, "x"),
        KC_ERR_TENSOR);
}
END_TEST

/* The names stand in guard.h and in the list of those that are granted: what
 * the gate performs is in both. */
START_TEST(guards_of_the_gate_are_those_that_are_granted)
{
    char path[512];
    char line[256];
    char name[64];
    size_t of_the_gate = 0;
    size_t granted = 0;
    const char *folder = getenv("KC_SRCDIR");
    ck_assert_ptr_nonnull(folder);
    snprintf(path, sizeof path, "%s/runtime/dispatch/guard.h", folder);
    FILE *header = fopen(path, "r");
    ck_assert_ptr_nonnull(header);
    while (fgets(line, sizeof line, header) != NULL) {
        if (sscanf(line, "#define KCI_GUARD_%*[A-Z_] \"%63[^\"]\"", name) ==
            1) {
            ck_assert_msg(kci_guard_is_known(name), "not granted: %s", name);
            of_the_gate++;
        }
    }
    fclose(header);
    for (size_t i = 0; i < kci_guard_count(); i++) {
        granted += strncmp(kci_guard_name(i), "dispatch.", 9) == 0;
    }
    ck_assert_uint_ge(of_the_gate, 1);
    ck_assert_uint_eq(of_the_gate, granted);
}
END_TEST

Suite *suite_dispatch_operands(void)
{
    Suite *suite = suite_create("dispatch/operands");
    TCase *tcase = tcase_create("operands");
    tcase_add_test(tcase, operands_have_the_names_of_the_catalogue);
    tcase_add_test(tcase, absent_inputs_at_the_end_do_not_count);
    tcase_add_test(tcase, a_refusal_begins_with_the_guard);
    tcase_add_test(tcase, guards_of_the_gate_are_those_that_are_granted);
    suite_add_tcase(suite, tcase);
    return suite;
}
