/* SPDX-License-Identifier: Apache-2.0
 *
 * Geometry of convolutions (also of those that do not fit).
 */
#include "unit/ops/cases.h"
#include "unit/ops/suites.h"

static const op_case_t conv_cases[] = {
    {KC_OP_CONV, "f32[3,8,8] f32[4,3,3,3]", NULL, "f32[4, 6, 6]", NULL},
    {KC_OP_CONV, "f32[3,8,8] f32[4,3,3,3] f32[4]", "{\"padding\": 1}",
     "f32[4, 8, 8]", NULL},
    {KC_OP_CONV, "f32[N,3,8] f32[4,3,3]", "{\"stride\": 2}", "f32[N, 4, 3]",
     NULL},
    {KC_OP_CONV, "f32[5,2,3,8,8] f32[4,3,3,3]",
     "{\"stride\": [2,1], \"padding\": [1,0]}", "f32[5, 2, 4, 4, 6]", NULL},
    {KC_OP_CONV, "f32[1,5] f32[1,1,2]",
     "{\"padding\": 1, \"padding_after\": 0}", "f32[1, 5]", NULL},
    {KC_OP_CONV, "f32[4,5] f32[6,2,1]", "{\"groups\": 2}", "f32[6, 5]", NULL},
    {KC_OP_CONV, "f32[1,9] f32[1,1,3]", "{\"dilation\": 4}", "f32[1, 1]", NULL},
    {KC_OP_CONV, "f32[0,5] f32[2,0,3]", NULL, "f32[2, 3]", NULL},
    {KC_OP_CONV, "f32[1,5] f32[0,1,3]", NULL, "f32[0, 3]", NULL},
    {KC_OP_CONV, "f64[1,0] f64[1,1,2]", "{\"padding\": 1}", "f64[1, 1]", NULL},
    {KC_OP_CONV, "f32[1,2,2] f32[1,1,3,3]", NULL, NULL,
     "the window does not fit on spatial axis 0: kernel 3, found extent 2 with "
     "padding 0 and 0"},
    {KC_OP_CONV, "f32[3,8,8] f32[4,3,3,3]", "{\"stride\": 0}", NULL,
     "attribute stride: expected 1 to 1073741824, found 0 on spatial axis 0"},
    {KC_OP_CONV, "f32[3,8,8] f32[4,3,3,3]", "{\"stride\": [1,-1]}", NULL,
     "attribute stride: expected 1 to 1073741824, found -1 on spatial axis 1"},
    {KC_OP_CONV, "f32[3,8,8] f32[4,3,3,3]", "{\"dilation\": 0}", NULL,
     "attribute dilation"},
    {KC_OP_CONV, "f32[3,8,8] f32[4,3,3,3]",
     "{\"dilation\": 9223372036854775807}", NULL,
     "attribute dilation: expected 1 to 1073741824, found 9223372036854775807"},
    {KC_OP_CONV, "f32[3,8,8] f32[4,3,3,3]", "{\"dilation\": 1073741824}", NULL,
     "the window does not fit"},
    {KC_OP_CONV, "f32[3,8,8] f32[4,3,3,3]", "{\"padding\": -1}", NULL,
     "attribute padding: expected 0 to 1073741824, found -1"},
    {KC_OP_CONV, "f32[3,8,8] f32[4,3,3,3]", "{\"padding\": 2147483647}", NULL,
     "attribute padding: expected 0 to 1073741824, found 2147483647"},
    {KC_OP_CONV, "f32[1,2,2] f32[1,1,3,3]", "{\"padding\": 2147483647}", NULL,
     "attribute padding"},
    {KC_OP_CONV, "f32[3,8,8] f32[4,3,1,1]", "{\"padding\": 1073741824}", NULL,
     "attribute padding: the result [4, 2147483656, 2147483656] has too many "
     "elements"},
    {KC_OP_CONV, "f32[3,8,8] f32[4,3,3,3]", "{\"padding_after\": -1}", NULL,
     "attribute padding_after"},
    {KC_OP_CONV, "f32[1,9223372036854775807] f32[1,1,1]", "{\"padding\": 1}",
     NULL, "overflows"},
    {KC_OP_CONV, "f32[3,8,8] f32[4,3,3,3]", "{\"groups\": 0}", NULL,
     "attribute groups: expected 1 or more, found 0"},
    {KC_OP_CONV, "f32[3,8,8] f32[4,3,3,3]", "{\"groups\": -3}", NULL,
     "attribute groups: expected 1 or more, found -3"},
    {KC_OP_CONV, "f32[4,5] f32[6,2,1]", "{\"groups\": 3}", NULL,
     "attribute groups: 3 does not divide the channels, 4 of x and 6 of the "
     "result"},
    {KC_OP_CONV, "f32[6,5] f32[4,2,1]", "{\"groups\": 3}", NULL,
     "attribute groups: 3 does not divide"},
    {KC_OP_CONV, "f32[4,5] f32[6,4,1]", "{\"groups\": 2}", NULL,
     "weight: expected 2 channels (4 of x in 2 groups), found 4"},
    {KC_OP_CONV, "f32[2,8,8] f32[4,3,3,3]", NULL, NULL,
     "weight: expected 2 channels (2 of x in 1 groups), found 3"},
    {KC_OP_CONV, "f32[3,8,8] f32[4,3,0,3]", NULL, NULL,
     "weight: expected a kernel of 1 to 1073741824, found 0 on spatial axis 0"},
    {KC_OP_CONV, "f32[3,8,8] f32[4,3]", NULL, NULL,
     "weight: expected rank 3 or more, found [4, 3]"},
    {KC_OP_CONV, "f32[8] f32[4,1,3]", NULL, NULL,
     "x: expected rank 2 or more, found [8]"},
    {KC_OP_CONV, "f32[3,8,8] f32[4,3,3,3] f32[3]", NULL, NULL,
     "bias: expected shape [4], found [3]"},
    {KC_OP_CONV, "f32[3,8,8]", NULL, NULL, "weight is missing"},
    {KC_OP_CONV, "f32[3,8,8] f32[4,3,3,3]", "{\"stride\": [1,1,1]}", NULL,
     "attribute stride: expected an integer or a list of 2, found a list of 3"},
    {KC_OP_CONV, "f32[3,8,8] f32[4,3,3,3]", "{\"stride\": 1.0}", NULL,
     "attribute stride: expected an integer"},
    {KC_OP_CONV, "f32[3,8,8] f32[4,3,3,3]", "{\"kernel\": 3}", NULL,
     "unknown attribute `kernel`"},
    {KC_OP_CONV, "f32[N,8] f32[1,3,3]", NULL, NULL,
     "x: axis 0 of [N, 8] needs a number here"},
    {KC_OP_CONV, "f32[3,8] f32[N,3,3]", NULL, NULL,
     "weight: axis 0 of [N, 3, 3] needs a number here"},
};

OP_CASES_TEST(conv, conv_cases)

static const op_case_t conv_transpose_cases[] = {
    {KC_OP_CONV_TRANSPOSE, "f32[1,3] f32[1,1,3]",
     "{\"stride\": 2, \"padding\": 1}", "f32[1, 5]", NULL},
    {KC_OP_CONV_TRANSPOSE, "f32[N,3,4,4] f32[3,5,2,2]", "{\"stride\": 2}",
     "f32[N, 5, 8, 8]", NULL},
    {KC_OP_CONV_TRANSPOSE, "f32[1,0] f32[1,2,3] f32[2]", NULL, "f32[2, 0]",
     NULL},
    {KC_OP_CONV_TRANSPOSE, "f32[1,3] f32[2,1,3]", NULL, NULL,
     "weight: expected 1 input channels first, found 2"},
    {KC_OP_CONV_TRANSPOSE, "f32[1,3] f32[1,2,3] f32[1]", NULL, NULL,
     "bias: expected shape [2], found [1]"},
    {KC_OP_CONV_TRANSPOSE, "f32[1,1] f32[1,1,2]", "{\"padding\": 1}", NULL,
     "attribute padding: 1 on both sides leaves nothing of 2 on spatial axis "
     "0"},
    {KC_OP_CONV_TRANSPOSE, "f32[1,3] f32[1,1,3]", "{\"stride\": 0}", NULL,
     "attribute stride"},
    {KC_OP_CONV_TRANSPOSE, "f32[1,3] f32[1,1,3]", "{\"padding\": -1}", NULL,
     "attribute padding"},
    {KC_OP_CONV_TRANSPOSE, "f32[1,3] f32[1,1,0]", NULL, NULL,
     "weight: expected a kernel of 1"},
    {KC_OP_CONV_TRANSPOSE, "f32[1,3] f32[1,1,3]", "{\"groups\": 1}", NULL,
     "unknown attribute `groups` (known: stride, padding)"},
    {KC_OP_CONV_TRANSPOSE, "f32[1,4611686018427387904] f32[1,1,3]",
     "{\"stride\": 1073741824}", NULL,
     "attribute stride: 1073741824 with extent 4611686018427387904 overflows"},
    {KC_OP_CONV_TRANSPOSE, "f32[1,4294967296,4294967296] f32[1,1,1,1]",
     "{\"stride\": 2}", NULL, "attribute stride: the result"},
    {KC_OP_CONV_TRANSPOSE, "f32[3] f32[1,1,3]", NULL, NULL,
     "x: expected rank 2 or more"},
};

OP_CASES_TEST(conv_transpose, conv_transpose_cases)

Suite *suite_ops_conv(void)
{
    Suite *suite = suite_create("ops/conv");
    TCase *tcase = tcase_create("conv");
    ADD_OP_CASES(tcase, conv, conv_cases);
    ADD_OP_CASES(tcase, conv_transpose, conv_transpose_cases);
    suite_add_tcase(suite, tcase);
    return suite;
}
