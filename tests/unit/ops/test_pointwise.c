/* SPDX-License-Identifier: Apache-2.0
 *
 * Element-wise operations: equal shapes in, the same shape out.
 */
#include "unit/ops/cases.h"
#include "unit/ops/suites.h"

static const op_case_t unary_keep_the_shape_cases[] = {
    {KC_OP_ABS, "f32[2,3]", NULL, "f32[2, 3]", NULL},
    {KC_OP_SQRT, "f32[2,3]", NULL, "f32[2, 3]", NULL},
    {KC_OP_RELU, "f32[2,3]", NULL, "f32[2, 3]", NULL},
    {KC_OP_SIGMOID, "f32[2,3]", NULL, "f32[2, 3]", NULL},
    {KC_OP_TANH, "f32[2,3]", NULL, "f32[2, 3]", NULL},
    {KC_OP_SOFTPLUS, "f32[2,3]", NULL, "f32[2, 3]", NULL},
    {KC_OP_EXP, "f32[2,3]", NULL, "f32[2, 3]", NULL},
    {KC_OP_LOG, "f32[2,3]", NULL, "f32[2, 3]", NULL},
    {KC_OP_SIN, "f32[2,3]", NULL, "f32[2, 3]", NULL},
    {KC_OP_COS, "f32[2,3]", NULL, "f32[2, 3]", NULL},
    {KC_OP_INV, "f32[2,3]", NULL, "f32[2, 3]", NULL},
    {KC_OP_GELU, "f32[2,3]", NULL, "f32[2, 3]", NULL},
    {KC_OP_RELU, "f64[]", NULL, "f64[]", NULL},
    {KC_OP_RELU, "f32[0,5]", NULL, "f32[0, 5]", NULL},
    {KC_OP_EXP, "f32[N,5]", NULL, "f32[N, 5]", NULL},
    {KC_OP_RELU, "bool[2]", NULL, NULL,
     "x: expected dtype f32 or f64, found bool"},
    {KC_OP_RELU, "i64[2]", NULL, NULL, "found i64"},
    {KC_OP_ABS, "", NULL, NULL, "expected 1 inputs, found 0"},
    {KC_OP_ABS, "f32[1] f32[1]", NULL, NULL, "found 2"},
    {KC_OP_ABS, "f32[1]", "{\"axis\": 0}", NULL,
     "unknown attribute `axis` (known: none)"},
};

OP_CASES_TEST(unary_keep_the_shape, unary_keep_the_shape_cases)

static const op_case_t binary_need_equal_shapes_cases[] = {
    {KC_OP_ADD, "f32[2,3] f32[2,3]", NULL, "f32[2, 3]", NULL},
    {KC_OP_SUB, "f32[2,3] f32[2,3]", NULL, "f32[2, 3]", NULL},
    {KC_OP_MUL, "f32[2,3] f32[2,3]", NULL, "f32[2, 3]", NULL},
    {KC_OP_MAX, "f32[2,3] f32[2,3]", NULL, "f32[2, 3]", NULL},
    {KC_OP_MIN, "f32[2,3] f32[2,3]", NULL, "f32[2, 3]", NULL},
    {KC_OP_ADD, "f32[2,3] f32[3,2]", NULL, NULL,
     "expected a and b of equal shape, found [2, 3] and [3, 2]"},
    {KC_OP_SUB, "f32[2,3] f32[3,2]", NULL, NULL,
     "expected a and b of equal shape, found [2, 3] and [3, 2]"},
    {KC_OP_MUL, "f32[2,3] f32[3,2]", NULL, NULL,
     "expected a and b of equal shape, found [2, 3] and [3, 2]"},
    {KC_OP_MAX, "f32[2,3] f32[3,2]", NULL, NULL,
     "expected a and b of equal shape, found [2, 3] and [3, 2]"},
    {KC_OP_MIN, "f32[2,3] f32[3,2]", NULL, NULL,
     "expected a and b of equal shape, found [2, 3] and [3, 2]"},
    {KC_OP_ADD, "f64[] f64[]", NULL, "f64[]", NULL},
    {KC_OP_ADD, "f32[N,2] f32[N,2]", NULL, "f32[N, 2]", NULL},
    {KC_OP_ADD, "f32[N,2] f32[M,2]", NULL, NULL, "[N, 2] and [M, 2]"},
    {KC_OP_ADD, "f32[N,2] f32[4,2]", NULL, NULL, "[N, 2] and [4, 2]"},
    {KC_OP_ADD, "f32[2] f64[2]", NULL, NULL,
     "b: expected dtype f32 as a, found f64"},
    {KC_OP_ADD, "f32[2,3] f32[3]", NULL, NULL, "[2, 3] and [3]"},
    {KC_OP_ADD, "f32[2] f32[1]", NULL, NULL, "[2] and [1]"},
    {KC_OP_MUL, "f32[2] -", NULL, NULL, "b is missing"},
    {KC_OP_MUL, "f32[2]", NULL, NULL, "expected 2 inputs, found 1"},
};

OP_CASES_TEST(binary_need_equal_shapes, binary_need_equal_shapes_cases)

static const op_case_t constants_are_attributes_cases[] = {
    {KC_OP_SCALE, "f32[2]", "{\"factor\": 0.5}", "f32[2]", NULL},
    {KC_OP_SCALE, "f32[2]", "{\"factor\": \"nan\"}", "f32[2]", NULL},
    {KC_OP_SCALE, "f32[2]", "{\"factor\": \"-inf\"}", "f32[2]", NULL},
    {KC_OP_SCALE, "f32[2]", NULL, NULL, "attribute factor is missing"},
    {KC_OP_SCALE, "f32[2]", "{\"factor\": true}", NULL,
     "attribute factor: expected a number"},
    {KC_OP_CLAMP, "f32[2]", "{\"lo\": \"-inf\", \"hi\": 6}", "f32[2]", NULL},
    {KC_OP_CLAMP, "f32[2]", "{\"lo\": 2, \"hi\": 1}", "f32[2]", NULL},
    {KC_OP_CLAMP, "f32[2]", "{\"lo\": 1}", NULL, "attribute hi is missing"},
    {KC_OP_CLAMP, "f32[2]", "{\"hi\": 1}", NULL, "attribute lo is missing"},
    {KC_OP_GELU, "f32[2]", "{\"approximate\": \"none\"}", "f32[2]", NULL},
    {KC_OP_GELU, "f32[2]", "{\"approximate\": \"erf\"}", NULL,
     "attribute approximate: expected \"tanh\" or \"none\", found \"erf\""},
    {KC_OP_SAFE_LOG, "f32[2,3] f32[]", NULL, "f32[2, 3]", NULL},
    {KC_OP_SAFE_LOG, "f32[2,3] f32[1]", NULL, NULL,
     "eps: expected a scalar, [], found [1]"},
    {KC_OP_SAFE_LOG, "f32[2] f64[]", NULL, NULL,
     "eps: expected dtype f32 as x, found f64"},
    {KC_OP_SAFE_LOG, "f32[2]", NULL, NULL, "expected 2 inputs, found 1"},
};

OP_CASES_TEST(constants_are_attributes, constants_are_attributes_cases)

Suite *suite_ops_pointwise(void)
{
    Suite *suite = suite_create("ops/pointwise");
    TCase *tcase = tcase_create("pointwise");
    ADD_OP_CASES(tcase, unary_keep_the_shape, unary_keep_the_shape_cases);
    ADD_OP_CASES(tcase, binary_need_equal_shapes,
                 binary_need_equal_shapes_cases);
    ADD_OP_CASES(tcase, constants_are_attributes,
                 constants_are_attributes_cases);
    suite_add_tcase(suite, tcase);
    return suite;
}
