/* SPDX-License-Identifier: Apache-2.0
 *
 * Reshape, broadcast, permute, concat and slice, with named extents.
 */
#include "unit/ops/cases.h"
#include "unit/ops/suites.h"

static const op_case_t reshape_cases[] = {
    {KC_OP_RESHAPE, "f32[2,3]", "{\"shape\": [3,2]}", "f32[3, 2]", NULL},
    {KC_OP_RESHAPE, "f32[]", "{\"shape\": [1,1]}", "f32[1, 1]", NULL},
    {KC_OP_RESHAPE, "bool[2,3]", "{\"shape\": [6]}", "bool[6]", NULL},
    {KC_OP_RESHAPE, "i64[0,3]", "{\"shape\": [5,0]}", "i64[5, 0]", NULL},
    {KC_OP_RESHAPE, "f32[1]", "{\"shape\": []}", "f32[]", NULL},
    {KC_OP_RESHAPE, "f32[2,3]", "{\"shape\": [4,2]}", NULL,
     "expected equal element counts, found [2, 3] to [4, 2]"},
    {KC_OP_RESHAPE, "f32[2,3]", "{\"shape\": [0]}", NULL,
     "expected equal element counts"},
    {KC_OP_RESHAPE, "f32[2,3]", "{\"shape\": [-1,3]}", NULL,
     "attribute shape: expected extents of 0 or more, found -1"},
    {KC_OP_RESHAPE, "f32[2,3]", "{\"shape\": 6}", NULL,
     "attribute shape: expected a list of at most 16 extents, found 6"},
    {KC_OP_RESHAPE, "f32[2,3]", "{\"shape\": [2.0,3]}", NULL,
     "attribute shape: expected a list of integers, found the real number 2"},
    {KC_OP_RESHAPE, "f32[0]", "{\"shape\": [0,4294967296,4294967296]}", NULL,
     "too many elements"},
    {KC_OP_RESHAPE, "f32[1]",
     "{\"shape\": [1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]}", NULL,
     "found a list of 17"},
    {KC_OP_RESHAPE, "f32[N,3]", "{\"shape\": [3]}", NULL,
     "the name of an extent must lead on both sides, found [N, 3] to [3]"},
    {KC_OP_RESHAPE, "f32[2,3]", NULL, NULL, "attribute shape is missing"},
};

OP_CASES_TEST(reshape, reshape_cases)

static const op_case_t broadcast_cases[] = {
    {KC_OP_BROADCAST, "f32[3]", "{\"shape\": [2,3]}", "f32[2, 3]", NULL},
    {KC_OP_BROADCAST, "f32[]", "{\"shape\": [2,3]}", "f32[2, 3]", NULL},
    {KC_OP_BROADCAST, "f32[2,1]", "{\"shape\": [2,5]}", "f32[2, 5]", NULL},
    {KC_OP_BROADCAST, "f32[1]", "{\"shape\": [0]}", "f32[0]", NULL},
    {KC_OP_BROADCAST, "bool[2]", "{\"shape\": [2]}", "bool[2]", NULL},
    {KC_OP_BROADCAST, "f32[0]", "{\"shape\": [4,0]}", "f32[4, 0]", NULL},
    {KC_OP_BROADCAST, "f32[3]", "{\"shape\": [2,4]}", NULL,
     "right-aligned extents must be equal or 1, found [3] to [2, 4]"},
    {KC_OP_BROADCAST, "f32[2]", "{\"shape\": [0]}", NULL, "[2] to [0]"},
    {KC_OP_BROADCAST, "f32[1,3]", "{\"shape\": [3]}", NULL, "[1, 3] to [3]"},
    {KC_OP_BROADCAST, "f32[N,3]", "{\"shape\": [4,3]}", NULL,
     "[N, 3] to [4, 3]"},
    {KC_OP_BROADCAST, "f32[1]", "{\"shape\": [4294967296,4294967296]}", NULL,
     "too many elements"},
};

OP_CASES_TEST(broadcast, broadcast_cases)

static const op_case_t permute_cases[] = {
    {KC_OP_PERMUTE, "f32[2,3,4]", "{\"perm\": [2,0,1]}", "f32[4, 2, 3]", NULL},
    {KC_OP_PERMUTE, "f32[]", "{\"perm\": []}", "f32[]", NULL},
    {KC_OP_PERMUTE, "bool[2,3]", "{\"perm\": [1,0]}", "bool[3, 2]", NULL},
    {KC_OP_PERMUTE, "f32[N,3,4]", "{\"perm\": [0,2,1]}", "f32[N, 4, 3]", NULL},
    {KC_OP_PERMUTE, "f32[2,3]", "{\"perm\": [0,0]}", NULL,
     "attribute perm: not a permutation, axis 0 comes twice"},
    {KC_OP_PERMUTE, "f32[2,3]", "{\"perm\": [0,2]}", NULL,
     "attribute perm: axis 2 is out of range"},
    {KC_OP_PERMUTE, "f32[2,3]", "{\"perm\": [0,-1]}", NULL,
     "attribute perm: axis -1 is out of range"},
    {KC_OP_PERMUTE, "f32[2,3]", "{\"perm\": [0]}", NULL,
     "attribute perm: expected 2 axes, found 1"},
    {KC_OP_PERMUTE, "f32[2,3]", "{\"perm\": 0}", NULL,
     "attribute perm: expected a list"},
    {KC_OP_PERMUTE, "f32[2,3]", NULL, NULL, "attribute perm is missing"},
    {KC_OP_PERMUTE, "f32[N,3]", "{\"perm\": [1,0]}", NULL,
     "a named extent may only lead, found the result [3, N]"},
};

OP_CASES_TEST(permute, permute_cases)

static const op_case_t concat_cases[] = {
    {KC_OP_CONCAT, "f32[2,3] f32[4,3]", "{\"axis\": 0}", "f32[6, 3]", NULL},
    {KC_OP_CONCAT, "f32[2,1] f32[2,0] f32[2,5]", "{\"axis\": 1}", "f32[2, 6]",
     NULL},
    {KC_OP_CONCAT, "bool[1] bool[2]", "{\"axis\": 0}", "bool[3]", NULL},
    {KC_OP_CONCAT, "f32[N,1] f32[N,2]", "{\"axis\": 1}", "f32[N, 3]", NULL},
    {KC_OP_CONCAT,
     "f32[1] f32[1] f32[1] f32[1] f32[1] f32[1] f32[1] f32[1] f32[1] f32[1] "
     "f32[1] f32[1] f32[1] f32[1] f32[1] f32[1] f32[1] f32[1] f32[1] f32[1] "
     "f32[1] f32[1] f32[1] f32[1] f32[1] f32[1] f32[1] f32[1] f32[1] f32[1] "
     "f32[1] f32[1] f32[1] f32[1] f32[1] f32[1] f32[1] f32[1] f32[1] f32[1] "
     "f32[1] f32[1] f32[1] f32[1] f32[1] f32[1] f32[1] f32[1] f32[1] f32[1] "
     "f32[1] f32[1] f32[1] f32[1] f32[1] f32[1] f32[1] f32[1] f32[1] f32[1] "
     "f32[1] f32[1] f32[1] f32[1]",
     "{\"axis\": 0}", "f32[64]", NULL},
    {KC_OP_CONCAT, "f32[2]", "{\"axis\": 0}", NULL,
     "expected 2 to 64 inputs, found 1"},
    {KC_OP_CONCAT, "f32[2] -", "{\"axis\": 0}", NULL, "input is missing"},
    {KC_OP_CONCAT, "f32[2] f32[2] -", "{\"axis\": 0}", NULL,
     "input 2 is missing"},
    {KC_OP_CONCAT, "f32[2,3] f32[2,4]", "{\"axis\": 0}", NULL,
     "input 1: expected the shape of input 0 but for axis 0, found [2, 3] and "
     "[2, 4]"},
    {KC_OP_CONCAT, "f32[2,3] f32[2]", "{\"axis\": 0}", NULL,
     "found [2, 3] and [2]"},
    {KC_OP_CONCAT, "f32[] f32[]", "{\"axis\": 0}", NULL,
     "expected rank 1 or more, found []"},
    {KC_OP_CONCAT, "f32[2] f32[2]", "{\"axis\": 1}", NULL,
     "axis 1 is out of range"},
    {KC_OP_CONCAT, "f32[2] bool[2]", "{\"axis\": 0}", NULL,
     "expected dtype f32 as the first, found bool"},
    {KC_OP_CONCAT, "f32[9223372036854775807] f32[1]", "{\"axis\": 0}", NULL,
     "the sum of extents overflows"},
    {KC_OP_CONCAT,
     "f32[4611686018427387904,1] f32[4611686018427387903,1] f32[1,1]",
     "{\"axis\": 0}", NULL, "overflows"},
    {KC_OP_CONCAT, "f32[N,1] f32[N,1]", "{\"axis\": 0}", NULL,
     "axis 0 of [N, 1] needs a number here"},
    {KC_OP_CONCAT, "f32[2,1] f32[N,1]", "{\"axis\": 0}", NULL,
     "axis 0 of [N, 1] needs a number here"},
};

OP_CASES_TEST(concat, concat_cases)

static const op_case_t slice_cases[] = {
    {KC_OP_SLICE, "f32[5,3]", "{\"axis\": 0, \"start\": 1, \"length\": 4}",
     "f32[4, 3]", NULL},
    {KC_OP_SLICE, "f32[5,3]", "{\"axis\": 1, \"start\": 3, \"length\": 0}",
     "f32[5, 0]", NULL},
    {KC_OP_SLICE, "f32[N,3]", "{\"axis\": 1, \"start\": 0, \"length\": 2}",
     "f32[N, 2]", NULL},
    {KC_OP_SLICE, "i32[5]", "{\"axis\": 0, \"start\": 0, \"length\": 5}",
     "i32[5]", NULL},
    {KC_OP_SLICE, "f32[5,3]", "{\"axis\": 0, \"start\": 2, \"length\": 4}",
     NULL,
     "attributes start and length: 2 and 4 reach past the extent 5 of axis 0"},
    {KC_OP_SLICE, "f32[5]",
     "{\"axis\": 0, \"start\": 9223372036854775807, \"length\": "
     "9223372036854775807}",
     NULL, "reach past the extent"},
    {KC_OP_SLICE, "f32[5]", "{\"axis\": 0, \"start\": -1, \"length\": 2}", NULL,
     "attribute start: expected 0 or more, found -1"},
    {KC_OP_SLICE, "f32[5]", "{\"axis\": 0, \"start\": 1, \"length\": -2}", NULL,
     "attribute length: expected 0 or more, found -2"},
    {KC_OP_SLICE, "f32[5]", "{\"axis\": 1, \"start\": 0, \"length\": 1}", NULL,
     "axis 1 is out of range"},
    {KC_OP_SLICE, "f32[]", "{\"axis\": 0, \"start\": 0, \"length\": 0}", NULL,
     "expected rank 1 or more"},
    {KC_OP_SLICE, "f32[5]", "{\"axis\": 0, \"start\": 0}", NULL,
     "attribute length is missing"},
    {KC_OP_SLICE, "f32[5]", "{\"axis\": 0, \"length\": 1}", NULL,
     "attribute start is missing"},
    {KC_OP_SLICE, "f32[5]",
     "{\"axis\": 0, \"start\": 0, \"length\": 1, \"step\": 2}", NULL,
     "unknown attribute `step` (known: axis, start, length)"},
    {KC_OP_SLICE, "f32[N,3]", "{\"axis\": 0, \"start\": 0, \"length\": 1}",
     NULL, "axis 0 of [N, 3] needs a number here"},
};

OP_CASES_TEST(slice, slice_cases)

Suite *suite_ops_layout(void)
{
    Suite *suite = suite_create("ops/layout");
    TCase *tcase = tcase_create("layout");
    ADD_OP_CASES(tcase, reshape, reshape_cases);
    ADD_OP_CASES(tcase, broadcast, broadcast_cases);
    ADD_OP_CASES(tcase, permute, permute_cases);
    ADD_OP_CASES(tcase, concat, concat_cases);
    ADD_OP_CASES(tcase, slice, slice_cases);
    suite_add_tcase(suite, tcase);
    return suite;
}
