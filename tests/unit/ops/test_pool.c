/* SPDX-License-Identifier: Apache-2.0
 *
 * Geometry of pools.
 */
#include "unit/ops/cases.h"
#include "unit/ops/suites.h"

static const op_case_t geometry_cases[] = {
    {KC_OP_MAX_POOL, "f32[3]", "{\"kernel\": [2], \"stride\": 1}", "f32[2]",
     NULL},
    {KC_OP_AVG_POOL, "f32[3]",
     "{\"kernel\": [3], \"stride\": [1], \"padding\": [1]}", "f32[3]", NULL},
    {KC_OP_MAX_POOL, "f32[N,3,8,9]", "{\"kernel\": [2,3]}", "f32[N, 3, 4, 3]",
     NULL},
    {KC_OP_AVG_POOL, "f32[0,4]", "{\"kernel\": [2]}", "f32[0, 2]", NULL},
    {KC_OP_SMOOTH_MAX_POOL, "f32[1]",
     "{\"kernel\": [3], \"padding\": 1, \"beta\": 1}", "f32[1]", NULL},
    {KC_OP_MAX_POOL, "f32[2,2]", "{\"kernel\": [1,1], \"stride\": 5}",
     "f32[1, 1]", NULL},
    {KC_OP_MAX_POOL, "f32[8]", NULL, NULL, "attribute kernel is missing"},
    {KC_OP_MAX_POOL, "f32[8]", "{\"kernel\": 2}", NULL,
     "attribute kernel: expected a list"},
    {KC_OP_MAX_POOL, "f32[8]", "{\"kernel\": []}", NULL,
     "attribute kernel: expected one entry a spatial axis, found none"},
    {KC_OP_MAX_POOL, "f32[8]", "{\"kernel\": [2,2]}", NULL,
     "x: expected rank 2 or more for attribute kernel, found 1"},
    {KC_OP_MAX_POOL, "f32[8]", "{\"kernel\": [0]}", NULL,
     "attribute kernel: expected 1 to 1073741824, found 0"},
    {KC_OP_MAX_POOL, "f32[8]", "{\"kernel\": [-2]}", NULL, "attribute kernel"},
    {KC_OP_AVG_POOL, "f32[8]", "{\"kernel\": [2], \"stride\": 0}", NULL,
     "attribute stride: expected 1 to 1073741824, found 0"},
    {KC_OP_AVG_POOL, "f32[8]", "{\"kernel\": [2], \"padding\": -1}", NULL,
     "attribute padding: expected 0"},
    {KC_OP_AVG_POOL, "f32[8]", "{\"kernel\": [3], \"padding\": 2}", NULL,
     "attribute padding: expected at most half the kernel 3, found 2 on "
     "spatial axis 0"},
    {KC_OP_AVG_POOL, "f32[8]", "{\"kernel\": [2], \"padding\": 2147483647}",
     NULL, "attribute padding: expected 0 to 1073741824"},
    {KC_OP_MAX_POOL, "f32[2,8]", "{\"kernel\": [3,3]}", NULL,
     "the window does not fit on spatial axis 0: kernel 3, found extent 2"},
    {KC_OP_MAX_POOL, "f32[0]", "{\"kernel\": [2], \"padding\": 1}", NULL,
     "the window does not fit on spatial axis 0: kernel 2, found extent 0"},
    {KC_OP_MAX_POOL, "f32[8]", "{\"kernel\": [2], \"stride\": [1,1]}", NULL,
     "attribute stride: expected an integer or a list of 1, found a list of 2"},
    {KC_OP_MAX_POOL, "f32[8]", "{\"kernel\": [2], \"dilation\": 2}", NULL,
     "unknown attribute `dilation`"},
    {KC_OP_MAX_POOL, "f32[8]", "{\"kernel\": [2], \"beta\": 2}", NULL,
     "unknown attribute `beta`"},
    {KC_OP_MAX_POOL, "f32[8,8,8]",
     "{\"kernel\": [1073741824,1073741824,1073741824]}", NULL,
     "attribute kernel: the window has too many cells"},
    {KC_OP_MAX_POOL, "f32[N]", "{\"kernel\": [2]}", NULL,
     "x: axis 0 of [N] needs a number here"},
    {KC_OP_AVG_POOL, "bool[8]", "{\"kernel\": [2]}", NULL,
     "expected dtype f32 or f64"},
};

OP_CASES_TEST(geometry, geometry_cases)

static const op_case_t beta_cases[] = {
    {KC_OP_SMOOTH_MAX_POOL, "f32[4]", "{\"kernel\": [2], \"beta\": -3.5}",
     "f32[2]", NULL},
    {KC_OP_SMOOTH_MAX_POOL, "f32[4]", "{\"kernel\": [2], \"beta\": 1e-45}",
     "f32[2]", NULL},
    {KC_OP_SMOOTH_MAX_POOL, "f32[4]", "{\"kernel\": [2]}", NULL,
     "attribute beta is missing"},
    {KC_OP_SMOOTH_MAX_POOL, "f32[4]", "{\"kernel\": [2], \"beta\": 0}", NULL,
     "attribute beta: expected a finite number other than 0 in float32, found "
     "0"},
    {KC_OP_SMOOTH_MAX_POOL, "f32[4]", "{\"kernel\": [2], \"beta\": 1e-50}",
     NULL,
     "attribute beta: expected a finite number other than 0 in float32, found "
     "1e-50"},
    {KC_OP_SMOOTH_MAX_POOL, "f32[4]", "{\"kernel\": [2], \"beta\": 1e39}", NULL,
     "attribute beta: expected a finite number other than 0 in float32, found "
     "1e+39"},
    {KC_OP_SMOOTH_MAX_POOL, "f32[4]", "{\"kernel\": [2], \"beta\": -1e39}",
     NULL,
     "attribute beta: expected a finite number other than 0 in float32, found "
     "-1e+39"},
    {KC_OP_SMOOTH_MAX_POOL, "f32[4]", "{\"kernel\": [2], \"beta\": \"inf\"}",
     NULL,
     "attribute beta: expected a finite number other than 0 in float32, found "
     "inf"},
    {KC_OP_SMOOTH_MAX_POOL, "f32[4]", "{\"kernel\": [2], \"beta\": \"-inf\"}",
     NULL,
     "attribute beta: expected a finite number other than 0 in float32, found "
     "-inf"},
    {KC_OP_SMOOTH_MAX_POOL, "f32[4]", "{\"kernel\": [2], \"beta\": \"nan\"}",
     NULL,
     "attribute beta: expected a finite number other than 0 in float32, found "
     "nan"},
};

OP_CASES_TEST(beta, beta_cases)

Suite *suite_ops_pool(void)
{
    Suite *suite = suite_create("ops/pool");
    TCase *tcase = tcase_create("pool");
    ADD_OP_CASES(tcase, geometry, geometry_cases);
    ADD_OP_CASES(tcase, beta, beta_cases);
    suite_add_tcase(suite, tcase);
    return suite;
}
