/* SPDX-License-Identifier: Apache-2.0
 *
 * One axis summed away.
 */
#include "unit/ops/cases.h"
#include "unit/ops/suites.h"

static const op_case_t axes_cases[] = {
    {KC_OP_REDUCE_SUM, "f32[2,3,4]", "{\"axis\": 1}", "f32[2, 4]", NULL},
    {KC_OP_REDUCE_MEAN, "f32[2,3,4]", "{\"axis\": 2}", "f32[2, 3]", NULL},
    {KC_OP_REDUCE_SUM, "f32[4]", "{\"axis\": 0}", "f32[]", NULL},
    {KC_OP_REDUCE_SUM, "f32[0,4]", "{\"axis\": 0}", "f32[4]", NULL},
    {KC_OP_REDUCE_MEAN, "f32[3,0]", "{\"axis\": 1}", "f32[3]", NULL},
    {KC_OP_REDUCE_SUM, "f32[N,4]", "{\"axis\": 1}", "f32[N]", NULL},
    {KC_OP_REDUCE_SUM, "f32[N,4]", "{\"axis\": 0}", "f32[4]", NULL},
    {KC_OP_REDUCE_SUM, "f32[]", "{\"axis\": 0}", NULL,
     "x: expected rank 1 or more, found []"},
    {KC_OP_REDUCE_SUM, "f32[2,3]", "{\"axis\": 2}", NULL,
     "axis 2 is out of range"},
    {KC_OP_REDUCE_MEAN, "f32[2,3]", "{\"axis\": -1}", NULL,
     "axis -1 is out of range"},
    {KC_OP_REDUCE_MEAN, "f32[2,3]", "{\"axis\": 9223372036854775807}", NULL,
     "axis 9223372036854775807 is out of range"},
    {KC_OP_REDUCE_SUM, "f32[2]", NULL, NULL, "attribute axis is missing"},
    {KC_OP_REDUCE_SUM, "i64[2]", "{\"axis\": 0}", NULL,
     "expected dtype f32 or f64"},
};

OP_CASES_TEST(axes, axes_cases)

Suite *suite_ops_reduce(void)
{
    Suite *suite = suite_create("ops/reduce");
    TCase *tcase = tcase_create("reduce");
    ADD_OP_CASES(tcase, axes, axes_cases);
    suite_add_tcase(suite, tcase);
    return suite;
}
