/* SPDX-License-Identifier: Apache-2.0
 *
 * Gather and scatter-add.
 */
#include "unit/ops/cases.h"
#include "unit/ops/suites.h"

static const op_case_t gather_cases[] = {
    {KC_OP_GATHER, "f32[5,3] i64[4]", "{\"axis\": 0}", "f32[4, 3]", NULL},
    {KC_OP_GATHER, "f32[5,3] i32[0]", "{\"axis\": 1}", "f32[5, 0]", NULL},
    {KC_OP_GATHER, "bool[5] i64[2]", "{\"axis\": 0}", "bool[2]", NULL},
    {KC_OP_GATHER, "f32[N,3] i64[2]", "{\"axis\": 0}", "f32[2, 3]", NULL},
    {KC_OP_GATHER, "f32[5,3] i64[N]", "{\"axis\": 0}", "f32[N, 3]", NULL},
    {KC_OP_GATHER, "f32[5,3] i64[N]", "{\"axis\": 1}", NULL,
     "a named extent may only lead, found the result [5, N]"},
    {KC_OP_GATHER, "f32[5,3] f32[4]", "{\"axis\": 0}", NULL,
     "indices: expected dtype i32 or i64, found f32"},
    {KC_OP_GATHER, "f32[5,3] i64[2,2]", "{\"axis\": 0}", NULL,
     "indices: expected rank 1, found [2, 2]"},
    {KC_OP_GATHER, "f32[5,3] i64[]", "{\"axis\": 0}", NULL,
     "indices: expected rank 1, found []"},
    {KC_OP_GATHER, "f32[5,3] i64[2]", "{\"axis\": 2}", NULL,
     "axis 2 is out of range"},
    {KC_OP_GATHER, "f32[] i64[2]", "{\"axis\": 0}", NULL,
     "expected rank 1 or more"},
    {KC_OP_GATHER, "f32[5] i64[2]", NULL, NULL, "attribute axis is missing"},
};

OP_CASES_TEST(gather, gather_cases)

static const op_case_t scatter_add_cases[] = {
    {KC_OP_SCATTER_ADD, "f32[5,3] i64[2] f32[2,3]", "{\"axis\": 0}",
     "f32[5, 3]", NULL},
    {KC_OP_SCATTER_ADD, "f64[5,3] i32[0] f64[5,0]", "{\"axis\": 1}",
     "f64[5, 3]", NULL},
    {KC_OP_SCATTER_ADD, "f32[N,3] i64[2] f32[2,3]", "{\"axis\": 0}",
     "f32[N, 3]", NULL},
    {KC_OP_SCATTER_ADD, "f32[5,3] i64[2] f32[3,3]", "{\"axis\": 0}", NULL,
     "source: expected shape [2, 3], found [3, 3]"},
    {KC_OP_SCATTER_ADD, "f32[5,3] i64[2] f32[2,4]", "{\"axis\": 0}", NULL,
     "source: expected shape [2, 3], found [2, 4]"},
    {KC_OP_SCATTER_ADD, "f32[5,3] i64[2] f32[2]", "{\"axis\": 0}", NULL,
     "source: expected shape [2, 3], found [2]"},
    {KC_OP_SCATTER_ADD, "f32[5] i64[2] f64[2]", "{\"axis\": 0}", NULL,
     "source: expected dtype f32 as base, found f64"},
    {KC_OP_SCATTER_ADD, "i64[5] i64[2] i64[2]", "{\"axis\": 0}", NULL,
     "base: expected dtype f32 or f64, found i64"},
    {KC_OP_SCATTER_ADD, "f32[5] bool[2] f32[2]", "{\"axis\": 0}", NULL,
     "indices: expected dtype i32 or i64, found bool"},
    {KC_OP_SCATTER_ADD, "f32[5] i64[2] f32[2]", "{\"axis\": 1}", NULL,
     "axis 1 is out of range"},
    {KC_OP_SCATTER_ADD, "f32[] i64[1] f32[1]", "{\"axis\": 0}", NULL,
     "base: expected rank 1 or more"},
};

OP_CASES_TEST(scatter_add, scatter_add_cases)

Suite *suite_ops_index(void)
{
    Suite *suite = suite_create("ops/index");
    TCase *tcase = tcase_create("index");
    ADD_OP_CASES(tcase, gather, gather_cases);
    ADD_OP_CASES(tcase, scatter_add, scatter_add_cases);
    suite_add_tcase(suite, tcase);
    return suite;
}
