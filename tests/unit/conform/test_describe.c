/* SPDX-License-Identifier: Apache-2.0
 *
 * Lines about cases.
 */
#include "conform/describe.h"

#include <math.h>
#include <string.h>

#include "unit/conform/suites.h"
#include "unit/expect.h"

START_TEST(lines_are_cut)
{
    kci_line_t line = {0};
    for (int i = 0; i < 200; i++) {
        kci_line_add(&line, "0123456789");
    }
    ck_assert_uint_eq(strlen(line.text), KCI_LINE_SIZE - 1);
    ck_assert_uint_eq(line.length, KCI_LINE_SIZE - 1);
}
END_TEST

START_TEST(indices)
{
    kci_line_t line = {0};
    const int64_t shape[] = {2, 3, 4};
    kci_line_add_index(&line, 3, shape, 23);
    kci_line_add_index(&line, 0, shape, 0);
    ck_assert_str_eq(line.text, "[1, 2, 3][]");
}
END_TEST

START_TEST(numbers)
{
    kci_line_t line = {0};
    kci_line_add_number(&line, 0.5);
    kci_line_add(&line, " ");
    kci_line_add_number(&line, 0.1);
    kci_line_add(&line, " ");
    kci_line_add_number(&line, (double)0.1F);
    kci_line_add(&line, " ");
    kci_line_add_number(&line, -INFINITY);
    ck_assert_str_eq(line.text, "0.5 0.1 0.10000000149011612 -inf");
}
END_TEST

START_TEST(a_case)
{
    kci_line_t line = {0};
    kci_case_t trial = {.op = KC_OP_REDUCE_SUM,
                        .dtype = KC_DTYPE_F64,
                        .seed = 17,
                        .input_count = 2};
    trial.attributes.op = KC_OP_REDUCE_SUM;
    trial.attributes.u.axis.axis = 1;
    trial.operands[0] = (kci_operand_t){.is_present = true,
                                        .rank = 2,
                                        .shape = {3, 7},
                                        .layout = KCI_CASE_ROW_PADDED};
    kci_line_add_case(&line, &trial);
    ck_assert_str_eq(line.text, "reduce_sum f64 seed 17: [3, 7] row-padded, "
                                "absent; axis 1");
}
END_TEST

/* Every operation has its words, in one line that is not cut. */
START_TEST(every_operation)
{
    for (int32_t op = 0; op < KC_OP_COUNT; op++) {
        kc_error_t error = KC_ERROR_INIT;
        kci_case_t *trial = NULL;
        kci_line_t line = {0};
        EXPECT_OK(error, kci_case_create(op, KC_DTYPE_F32, 3, &trial, &error));
        kci_line_add_case(&line, trial);
        ck_assert(strstr(line.text, "seed 3:") != NULL);
        ck_assert(strchr(line.text, '\n') == NULL);
        ck_assert_uint_lt(line.length, 400);
        kci_case_release(trial);
    }
}
END_TEST

CONFORM_SUITE(describe, lines_are_cut, indices, numbers, a_case,
              every_operation)
