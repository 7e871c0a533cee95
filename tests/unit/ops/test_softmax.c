/* SPDX-License-Identifier: Apache-2.0
 *
 * Axes and masks of the normalised exponentials.
 */
#include "unit/ops/cases.h"
#include "unit/ops/suites.h"

static const op_case_t axes_cases[] = {
    {KC_OP_SOFTMAX, "f32[2,3]", "{\"axis\": 1}", "f32[2, 3]", NULL},
    {KC_OP_LOG_SOFTMAX, "f32[2,3]", "{\"axis\": 1}", "f32[2, 3]", NULL},
    {KC_OP_SOFTMAX, "f32[2,3]", "{\"axis\": 2}", NULL,
     "attribute axis: axis 2 is out of range for x of rank 2 ([2, 3])"},
    {KC_OP_LOG_SOFTMAX, "f32[2,3]", "{\"axis\": 2}", NULL,
     "attribute axis: axis 2 is out of range for x of rank 2 ([2, 3])"},
    {KC_OP_SOFTMAX, "f32[2,3]", "{\"axis\": -1}", NULL,
     "axis -1 is out of range"},
    {KC_OP_SOFTMAX, "f32[2,3]", NULL, NULL, "attribute axis is missing"},
    {KC_OP_SOFTMAX, "f32[2,3]", "{\"axis\": 1.0}", NULL,
     "attribute axis: expected an integer, found the real number 1"},
    {KC_OP_SOFTMAX, "f32[]", "{\"axis\": 0}", "f32[]", NULL},
    {KC_OP_SOFTMAX, "f32[]", "{\"axis\": 1}", NULL,
     "axis 1 is out of range for x of rank 0"},
    {KC_OP_SOFTMAX, "f64[0,3]", "{\"axis\": 0}", "f64[0, 3]", NULL},
    {KC_OP_SOFTMAX, "f32[N,3]", "{\"axis\": 0}", "f32[N, 3]", NULL},
};

OP_CASES_TEST(axes, axes_cases)

static const op_case_t masks_cases[] = {
    {KC_OP_HARD_MASKED_SOFTMAX, "f32[2,3] bool[2,3]", NULL, "f32[2, 3]", NULL},
    {KC_OP_HARD_MASKED_SOFTMAX, "f32[] bool[]", NULL, "f32[]", NULL},
    {KC_OP_HARD_MASKED_SOFTMAX, "f32[N,3] bool[N,3]", NULL, "f32[N, 3]", NULL},
    {KC_OP_HARD_MASKED_SOFTMAX, "f32[2,3] f32[2,3]", NULL, NULL,
     "mask: expected dtype bool, found f32"},
    {KC_OP_HARD_MASKED_SOFTMAX, "f32[2,3] bool[3]", NULL, NULL,
     "expected x and mask of equal shape, found [2, 3] and [3]"},
    {KC_OP_HARD_MASKED_SOFTMAX, "f32[2,3] bool[2,1]", NULL, NULL,
     "[2, 3] and [2, 1]"},
    {KC_OP_HARD_MASKED_SOFTMAX, "f32[2,3] bool[2,3]", "{\"axis\": 1}", NULL,
     "unknown attribute `axis`"},
};

OP_CASES_TEST(masks, masks_cases)

Suite *suite_ops_softmax(void)
{
    Suite *suite = suite_create("ops/softmax");
    TCase *tcase = tcase_create("softmax");
    ADD_OP_CASES(tcase, axes, axes_cases);
    ADD_OP_CASES(tcase, masks, masks_cases);
    suite_add_tcase(suite, tcase);
    return suite;
}
