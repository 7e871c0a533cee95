/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared and per-step coefficients of the recurrence.
 */
#include "unit/ops/cases.h"
#include "unit/ops/suites.h"

static const op_case_t scan_cases[] = {
    {KC_OP_SELECTIVE_SCAN, "f32[4] f32[4] f32[7,4] f32[4]", NULL, "f32[7, 4]",
     NULL},
    {KC_OP_SELECTIVE_SCAN, "f32[7,4] f32[7,4] f32[7,4] f32[4]", NULL,
     "f32[7, 4]", NULL},
    {KC_OP_SELECTIVE_SCAN, "f32[N,4] f32[N,4] f32[N,4] f32[4]", NULL,
     "f32[N, 4]", NULL},
    {KC_OP_SELECTIVE_SCAN, "f32[4] f32[4] f32[0,4] f32[4]", NULL, "f32[0, 4]",
     NULL},
    {KC_OP_SELECTIVE_SCAN, "f32[0] f32[0] f32[3,0] f32[0]", NULL, "f32[3, 0]",
     NULL},
    {KC_OP_SELECTIVE_SCAN, "f32[4] f32[7,4] f32[7,4] f32[4]", NULL, NULL,
     "b: expected shape [4], found [7, 4]"},
    {KC_OP_SELECTIVE_SCAN, "f32[7,4] f32[4] f32[7,4] f32[4]", NULL, NULL,
     "b: expected shape [7, 4], found [4]"},
    {KC_OP_SELECTIVE_SCAN, "f32[3] f32[4] f32[7,4] f32[4]", NULL, NULL,
     "a: expected shape [4], found [3]"},
    {KC_OP_SELECTIVE_SCAN, "f32[6,4] f32[7,4] f32[7,4] f32[4]", NULL, NULL,
     "a: expected shape [7, 4], found [6, 4]"},
    {KC_OP_SELECTIVE_SCAN, "f32[] f32[4] f32[7,4] f32[4]", NULL, NULL,
     "a: expected [states] or [steps, states], found []"},
    {KC_OP_SELECTIVE_SCAN, "f32[4] f32[4] f32[4] f32[4]", NULL, NULL,
     "x: expected [steps, states], found [4]"},
    {KC_OP_SELECTIVE_SCAN, "f32[4] f32[4] f32[7,4] f32[1,4]", NULL, NULL,
     "h0: expected shape [4], found [1, 4]"},
    {KC_OP_SELECTIVE_SCAN, "f32[4] f32[4] f32[7,4] f64[4]", NULL, NULL,
     "h0: expected dtype f32 as a"},
    {KC_OP_SELECTIVE_SCAN, "f32[4] f32[4] f32[7,4]", NULL, NULL,
     "expected 4 inputs, found 3"},
};

OP_CASES_TEST(scan, scan_cases)

Suite *suite_ops_scan(void)
{
    Suite *suite = suite_create("ops/scan");
    TCase *tcase = tcase_create("scan");
    ADD_OP_CASES(tcase, scan, scan_cases);
    suite_add_tcase(suite, tcase);
    return suite;
}
