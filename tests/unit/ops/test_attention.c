/* SPDX-License-Identifier: Apache-2.0
 *
 * Extents, masks and the default scale of attention.
 */
#include <math.h>

#include "unit/expect.h"
#include "unit/ops/cases.h"
#include "unit/ops/suites.h"

static const op_case_t extents_cases[] = {
    {KC_OP_SCALED_DOT_PRODUCT_ATTENTION,
     "f32[2,3,5,8] f32[2,3,7,8] f32[2,3,7,4]", NULL, "f32[2, 3, 5, 4]", NULL},
    {KC_OP_SCALED_DOT_PRODUCT_ATTENTION, "f32[5,8] f32[7,8] f32[7,4]",
     "{\"causal\": true}", "f32[5, 4]", NULL},
    {KC_OP_SCALED_DOT_PRODUCT_ATTENTION,
     "f32[N,3,5,8] f32[N,3,7,8] f32[N,3,7,4]", "{\"scale\": 0.5}",
     "f32[N, 3, 5, 4]", NULL},
    {KC_OP_SCALED_DOT_PRODUCT_ATTENTION, "f32[N,8] f32[N,8] f32[N,4]", NULL,
     "f32[N, 4]", NULL},
    {KC_OP_SCALED_DOT_PRODUCT_ATTENTION, "f32[5,0] f32[7,0] f32[7,4]", NULL,
     "f32[5, 4]", NULL},
    {KC_OP_SCALED_DOT_PRODUCT_ATTENTION, "f32[0,5,8] f32[0,7,8] f32[0,7,0]",
     NULL, "f32[0, 5, 0]", NULL},
    {KC_OP_SCALED_DOT_PRODUCT_ATTENTION, "f32[8] f32[7,8] f32[7,4]", NULL, NULL,
     "q: expected rank 2 or more, found [8]"},
    {KC_OP_SCALED_DOT_PRODUCT_ATTENTION, "f32[5,8] f32[7] f32[7,4]", NULL, NULL,
     "k: expected rank 2 or more"},
    {KC_OP_SCALED_DOT_PRODUCT_ATTENTION, "f32[5,8] f32[7,8] f32[7]", NULL, NULL,
     "v: expected rank 2 or more"},
    {KC_OP_SCALED_DOT_PRODUCT_ATTENTION, "f32[0,8] f32[7,8] f32[7,4]", NULL,
     NULL, "q: expected 1 or more queries, found [0, 8]"},
    {KC_OP_SCALED_DOT_PRODUCT_ATTENTION, "f32[5,8] f32[0,8] f32[0,4]", NULL,
     NULL, "k: expected 1 or more keys, found [0, 8]"},
    {KC_OP_SCALED_DOT_PRODUCT_ATTENTION, "f32[5,8] f32[7,9] f32[7,4]", NULL,
     NULL, "expected equal last extents of q and k, found [5, 8] and [7, 9]"},
    {KC_OP_SCALED_DOT_PRODUCT_ATTENTION, "f32[5,8] f32[7,8] f32[6,4]", NULL,
     NULL,
     "expected equal numbers of keys of k and v, found [7, 8] and [6, 4]"},
    {KC_OP_SCALED_DOT_PRODUCT_ATTENTION, "f32[2,5,8] f32[3,7,8] f32[2,7,4]",
     NULL, NULL,
     "expected equal leading extents of q and k, found [2, 5, 8] and [3, 7, "
     "8]"},
    {KC_OP_SCALED_DOT_PRODUCT_ATTENTION, "f32[2,5,8] f32[2,7,8] f32[7,4]", NULL,
     NULL, "expected equal leading extents of q and v"},
    {KC_OP_SCALED_DOT_PRODUCT_ATTENTION, "f32[5,8] f64[7,8] f32[7,4]", NULL,
     NULL, "k: expected dtype f32 as q"},
    {KC_OP_SCALED_DOT_PRODUCT_ATTENTION, "f32[5,8] f32[7,8]", NULL, NULL,
     "expected 3 to 4 inputs, found 2"},
    {KC_OP_SCALED_DOT_PRODUCT_ATTENTION, "f32[5,8] f32[7,8] f32[7,4]",
     "{\"scale\": \"nan\"}", NULL,
     "attribute scale: expected a number, found \"nan\""},
    {KC_OP_SCALED_DOT_PRODUCT_ATTENTION, "f32[5,8] f32[7,8] f32[7,4]",
     "{\"scale\": \"inf\"}", NULL,
     "attribute scale: expected a finite number, found inf"},
    {KC_OP_SCALED_DOT_PRODUCT_ATTENTION, "f32[5,8] f32[7,8] f32[7,4]",
     "{\"causal\": 1}", NULL,
     "attribute causal: expected true or false, found 1"},
    {KC_OP_SCALED_DOT_PRODUCT_ATTENTION, "f32[5,8] f32[7,8] f32[7,4]",
     "{\"dropout\": 0}", NULL,
     "unknown attribute `dropout` (known: scale, causal)"},
};

OP_CASES_TEST(extents, extents_cases)

static const op_case_t masks_cases[] = {
    {KC_OP_SCALED_DOT_PRODUCT_ATTENTION,
     "f32[2,3,5,8] f32[2,3,7,8] f32[2,3,7,4] bool[5,7]", NULL,
     "f32[2, 3, 5, 4]", NULL},
    {KC_OP_SCALED_DOT_PRODUCT_ATTENTION,
     "f32[2,3,5,8] f32[2,3,7,8] f32[2,3,7,4] bool[7]", NULL, "f32[2, 3, 5, 4]",
     NULL},
    {KC_OP_SCALED_DOT_PRODUCT_ATTENTION,
     "f32[2,3,5,8] f32[2,3,7,8] f32[2,3,7,4] bool[]", NULL, "f32[2, 3, 5, 4]",
     NULL},
    {KC_OP_SCALED_DOT_PRODUCT_ATTENTION,
     "f32[2,3,5,8] f32[2,3,7,8] f32[2,3,7,4] bool[1,7]", NULL,
     "f32[2, 3, 5, 4]", NULL},
    {KC_OP_SCALED_DOT_PRODUCT_ATTENTION,
     "f32[2,3,5,8] f32[2,3,7,8] f32[2,3,7,4] bool[5,1]", NULL,
     "f32[2, 3, 5, 4]", NULL},
    {KC_OP_SCALED_DOT_PRODUCT_ATTENTION,
     "f32[2,3,5,8] f32[2,3,7,8] f32[2,3,7,4] bool[1,1]", NULL,
     "f32[2, 3, 5, 4]", NULL},
    {KC_OP_SCALED_DOT_PRODUCT_ATTENTION,
     "f32[2,3,5,8] f32[2,3,7,8] f32[2,3,7,4] bool[2,3,5,7]", NULL,
     "f32[2, 3, 5, 4]", NULL},
    {KC_OP_SCALED_DOT_PRODUCT_ATTENTION,
     "f32[2,3,5,8] f32[2,3,7,8] f32[2,3,7,4] bool[1,3,5,7]", NULL,
     "f32[2, 3, 5, 4]", NULL},
    {KC_OP_SCALED_DOT_PRODUCT_ATTENTION,
     "f32[2,3,5,8] f32[2,3,7,8] f32[2,3,7,4] bool[2,1,1,1]", NULL,
     "f32[2, 3, 5, 4]", NULL},
    {KC_OP_SCALED_DOT_PRODUCT_ATTENTION,
     "f32[2,3,5,8] f32[2,3,7,8] f32[2,3,7,4] bool[3,5,7]", NULL,
     "f32[2, 3, 5, 4]", NULL},
    {KC_OP_SCALED_DOT_PRODUCT_ATTENTION,
     "f32[2,3,5,8] f32[2,3,7,8] f32[2,3,7,4] bool[7,5]", NULL, NULL,
     "mask: expected [2, 3, 5, 7], right-aligned, axes missing or 1, found [7, "
     "5]"},
    {KC_OP_SCALED_DOT_PRODUCT_ATTENTION,
     "f32[2,3,5,8] f32[2,3,7,8] f32[2,3,7,4] bool[5]", NULL, NULL,
     "mask: expected [2, 3, 5, 7], right-aligned, axes missing or 1, found "
     "[5]"},
    {KC_OP_SCALED_DOT_PRODUCT_ATTENTION,
     "f32[2,3,5,8] f32[2,3,7,8] f32[2,3,7,4] bool[2,5,7]", NULL, NULL,
     "mask: expected [2, 3, 5, 7], right-aligned, axes missing or 1, found [2, "
     "5, 7]"},
    {KC_OP_SCALED_DOT_PRODUCT_ATTENTION,
     "f32[2,3,5,8] f32[2,3,7,8] f32[2,3,7,4] bool[1,2,3,5,7]", NULL, NULL,
     "mask: expected [2, 3, 5, 7], right-aligned, axes missing or 1, found [1, "
     "2, 3, 5, 7]"},
    {KC_OP_SCALED_DOT_PRODUCT_ATTENTION,
     "f32[2,3,5,8] f32[2,3,7,8] f32[2,3,7,4] bool[5,0]", NULL, NULL,
     "mask: expected [2, 3, 5, 7], right-aligned, axes missing or 1, found [5, "
     "0]"},
    {KC_OP_SCALED_DOT_PRODUCT_ATTENTION, "f32[5,8] f32[7,8] f32[7,4] f32[5,7]",
     NULL, NULL, "mask: expected dtype bool, found f32"},
    {KC_OP_SCALED_DOT_PRODUCT_ATTENTION,
     "f32[N,5,8] f32[N,7,8] f32[N,7,4] bool[N,1,7]", NULL, "f32[N, 5, 4]",
     NULL},
};

OP_CASES_TEST(masks, masks_cases)

static double scale_of(const char *inputs, const char *attributes)
{
    operand_list_t list;
    kc_attributes_t record;
    kci_tensor_type_t type;
    kc_error_t error = KC_ERROR_INIT;
    operand_list_parse(&list, KC_OP_SCALED_DOT_PRODUCT_ATTENTION, inputs);
    EXPECT_OK(error, infer_text(&list, attributes, &record, &type, &error));
    return record.u.attention.scale;
}

/* 1/sqrt(3) in float32, not in double. */
START_TEST(the_default_scale_is_resolved)
{
    const char *of_three = "f32[5,3] f32[7,3] f32[7,4]";
    double expected = (double)(1.0f / sqrtf(3.0f));
    ck_assert(scale_of(of_three, NULL) == expected);
    ck_assert(expected != 1.0 / sqrt(3.0));
    ck_assert(scale_of("f32[5,64] f32[7,64] f32[7,4]", NULL) == 0.125);
    ck_assert(scale_of("f32[5,0] f32[7,0] f32[7,4]", NULL) == 1.0);
    ck_assert(scale_of(of_three, "{\"scale\": 0.25}") == 0.25);
    ck_assert(scale_of(of_three, "{\"scale\": 0}") == 0.0);
}
END_TEST

Suite *suite_ops_attention(void)
{
    Suite *suite = suite_create("ops/attention");
    TCase *tcase = tcase_create("attention");
    ADD_OP_CASES(tcase, extents, extents_cases);
    ADD_OP_CASES(tcase, masks, masks_cases);
    tcase_add_test(tcase, the_default_scale_is_resolved);
    suite_add_tcase(suite, tcase);
    return suite;
}
