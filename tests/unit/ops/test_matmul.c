/* SPDX-License-Identifier: Apache-2.0
 *
 * Products and the mean squared error.
 */
#include "unit/ops/cases.h"
#include "unit/ops/suites.h"

static const op_case_t matmul_cases[] = {
    {KC_OP_MATMUL, "f32[2,3] f32[3,4]", NULL, "f32[2, 4]", NULL},
    {KC_OP_MATMUL, "f32[5,2,3] f32[5,3,4]", NULL, "f32[5, 2, 4]", NULL},
    {KC_OP_MATMUL, "f32[N,3] f32[3,4]", NULL, "f32[N, 4]", NULL},
    {KC_OP_MATMUL, "f32[N,2,3] f32[N,3,4]", NULL, "f32[N, 2, 4]", NULL},
    {KC_OP_MATMUL, "f32[2,0] f32[0,4]", NULL, "f32[2, 4]", NULL},
    {KC_OP_MATMUL, "f32[0,3] f32[3,4]", NULL, "f32[0, 4]", NULL},
    {KC_OP_MATMUL, "f32[2,3] f32[4,3]", NULL, NULL,
     "expected equal inner extents of a and b, found [2, 3] and [4, 3]"},
    {KC_OP_MATMUL, "f32[5,2,3] f32[6,3,4]", NULL, NULL,
     "expected equal leading extents of a and b, found [5, 2, 3] and [6, 3, "
     "4]"},
    {KC_OP_MATMUL, "f32[5,2,3] f32[3,4]", NULL, NULL,
     "expected equal leading extents"},
    {KC_OP_MATMUL, "f32[1,2,3] f32[5,3,4]", NULL, NULL,
     "expected equal leading extents"},
    {KC_OP_MATMUL, "f32[3] f32[3,4]", NULL, NULL,
     "a: expected rank 2 or more, found [3]"},
    {KC_OP_MATMUL, "f32[2,3] f32[3]", NULL, NULL,
     "b: expected rank 2 or more, found [3]"},
    {KC_OP_MATMUL, "f32[2,3] f64[3,4]", NULL, NULL,
     "b: expected dtype f32 as a, found f64"},
    {KC_OP_MATMUL, "i32[2,3] i32[3,4]", NULL, NULL,
     "a: expected dtype f32 or f64"},
    {KC_OP_MATMUL, "f32[2,3] f32[N,4]", NULL, NULL, "found [2, 3] and [N, 4]"},
    {KC_OP_MATMUL, "f32[4294967296,0] f32[0,4294967296]", NULL, NULL,
     "result: too many elements"},
};

OP_CASES_TEST(matmul, matmul_cases)

static const op_case_t linear_cases[] = {
    {KC_OP_LINEAR, "f32[2,3] f32[4,3]", NULL, "f32[2, 4]", NULL},
    {KC_OP_LINEAR, "f32[2,3] f32[4,3] f32[4]", NULL, "f32[2, 4]", NULL},
    {KC_OP_LINEAR, "f32[3] f32[4,3] -", NULL, "f32[4]", NULL},
    {KC_OP_LINEAR, "f32[N,7,3] f32[4,3] f32[4]", NULL, "f32[N, 7, 4]", NULL},
    {KC_OP_LINEAR, "f32[2,0] f32[4,0]", NULL, "f32[2, 4]", NULL},
    {KC_OP_LINEAR, "f32[2,3] f32[3,4]", NULL, NULL,
     "weight: expected [out, in] with in the last extent of x, found [3, 4] "
     "with x [2, 3]"},
    {KC_OP_LINEAR, "f32[2,3] f32[3]", NULL, NULL, "weight: expected [out, in]"},
    {KC_OP_LINEAR, "f32[] f32[1,1]", NULL, NULL, "x: expected rank 1 or more"},
    {KC_OP_LINEAR, "f32[2,3] f32[4,3] f32[3]", NULL, NULL,
     "bias: expected shape [4], found [3]"},
    {KC_OP_LINEAR, "f32[2,3] f32[4,3] f32[4,1]", NULL, NULL,
     "bias: expected shape [4]"},
    {KC_OP_LINEAR, "f32[2,3] -", NULL, NULL, "weight is missing"},
    {KC_OP_LINEAR, "f32[2,3]", NULL, NULL, "expected 2 to 3 inputs, found 1"},
    {KC_OP_LINEAR, "f32[2,3] f32[N,3]", NULL, NULL,
     "a named extent may only lead"},
};

OP_CASES_TEST(linear, linear_cases)

static const op_case_t mse_loss_cases[] = {
    {KC_OP_MSE_LOSS, "f32[2,3] f32[2,3]", NULL, "f32[]", NULL},
    {KC_OP_MSE_LOSS, "f32[N] f32[N]", NULL, "f32[]", NULL},
    {KC_OP_MSE_LOSS, "f32[0] f32[0]", NULL, "f32[]", NULL},
    {KC_OP_MSE_LOSS, "f32[2,3] f32[2]", NULL, NULL,
     "expected a and b of equal shape, found [2, 3] and [2]"},
};

OP_CASES_TEST(mse_loss, mse_loss_cases)

Suite *suite_ops_matmul(void)
{
    Suite *suite = suite_create("ops/matmul");
    TCase *tcase = tcase_create("matmul");
    ADD_OP_CASES(tcase, matmul, matmul_cases);
    ADD_OP_CASES(tcase, linear, linear_cases);
    ADD_OP_CASES(tcase, mse_loss, mse_loss_cases);
    suite_add_tcase(suite, tcase);
    return suite;
}
