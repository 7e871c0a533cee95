/* SPDX-License-Identifier: Apache-2.0
 *
 * Layer and batch normalisation.
 */
#include "unit/ops/cases.h"
#include "unit/ops/suites.h"

static const op_case_t layer_norm_cases[] = {
    {KC_OP_LAYER_NORM, "f32[2,3]", "{\"axis\": 1}", "f32[2, 3]", NULL},
    {KC_OP_LAYER_NORM, "f32[2,3,4] f32[3,4] f32[3,4]", "{\"axis\": 1}",
     "f32[2, 3, 4]", NULL},
    {KC_OP_LAYER_NORM, "f32[N,3] f32[3] f32[3]", "{\"axis\": 1}", "f32[N, 3]",
     NULL},
    {KC_OP_LAYER_NORM, "f32[2,3]", "{\"axis\": 0, \"eps\": 1}", "f32[2, 3]",
     NULL},
    {KC_OP_LAYER_NORM, "f32[2,3]", NULL, NULL, "attribute axis is missing"},
    {KC_OP_LAYER_NORM, "f32[2,3]", "{\"axis\": 2}", NULL,
     "axis 2 is out of range"},
    {KC_OP_LAYER_NORM, "f32[]", "{\"axis\": 0}", NULL,
     "x: expected rank 1 or more"},
    {KC_OP_LAYER_NORM, "f32[2,3] f32[3]", "{\"axis\": 1}", NULL,
     "expected gamma and beta, or neither"},
    {KC_OP_LAYER_NORM, "f32[2,3] - f32[3]", "{\"axis\": 1}", NULL,
     "expected gamma and beta, or neither"},
    {KC_OP_LAYER_NORM, "f32[2,3] f32[2] f32[3]", "{\"axis\": 1}", NULL,
     "gamma: expected shape [3], found [2]"},
    {KC_OP_LAYER_NORM, "f32[2,3] f32[3] f32[1]", "{\"axis\": 1}", NULL,
     "beta: expected shape [3], found [1]"},
    {KC_OP_LAYER_NORM, "f32[2,3] f64[3] f64[3]", "{\"axis\": 1}", NULL,
     "gamma: expected dtype f32 as x"},
    {KC_OP_LAYER_NORM, "f32[0,3]", "{\"axis\": 1}", NULL,
     "x: expected extents above 0, found [0, 3] with 0 on axis 0"},
    {KC_OP_LAYER_NORM, "f32[2,0]", "{\"axis\": 1}", NULL, "with 0 on axis 1"},
    {KC_OP_LAYER_NORM, "f32[2,3]", "{\"axis\": 1, \"eps\": 0}", NULL,
     "attribute eps: expected a finite number other than 0 in float32, found "
     "0"},
    {KC_OP_LAYER_NORM, "f32[2,3]", "{\"axis\": 1, \"eps\": -0.5}", NULL,
     "attribute eps: expected a number above 0, found -0.5"},
    {KC_OP_LAYER_NORM, "f32[2,3]", "{\"axis\": 1, \"eps\": 1e-50}", NULL,
     "found 1e-50"},
    {KC_OP_LAYER_NORM, "f32[2,3]", "{\"axis\": 1, \"eps\": \"nan\"}", NULL,
     "found nan"},
    {KC_OP_LAYER_NORM, "f32[2,3]", "{\"axis\": 1, \"eps\": \"inf\"}", NULL,
     "found inf"},
};

OP_CASES_TEST(layer_norm, layer_norm_cases)

static const op_case_t batch_norm_cases[] = {
    {KC_OP_BATCH_NORM, "f32[3,8] f32[3] f32[3]",
     "{\"mode\": \"sample\", \"channel_axis\": 0}", "f32[3, 8]", NULL},
    {KC_OP_BATCH_NORM, "f32[2,3,8] f32[3] f32[3]",
     "{\"mode\": \"batch\", \"channel_axis\": 1}", "f32[2, 3, 8]", NULL},
    {KC_OP_BATCH_NORM, "f32[2,3] f32[3] f32[3] f32[3] f32[3]",
     "{\"mode\": \"eval\", \"channel_axis\": 1}", "f32[2, 3]", NULL},
    {KC_OP_BATCH_NORM, "f32[N,3] f32[3] f32[3]",
     "{\"mode\": \"batch\", \"channel_axis\": 1}", "f32[N, 3]", NULL},
    {KC_OP_BATCH_NORM, "f32[2,3] f32[3] f32[3]", "{\"channel_axis\": 1}", NULL,
     "attribute mode is missing"},
    {KC_OP_BATCH_NORM, "f32[2,3] f32[3] f32[3]", "{\"mode\": \"batch\"}", NULL,
     "attribute channel_axis is missing"},
    {KC_OP_BATCH_NORM, "f32[2,3] f32[3] f32[3]",
     "{\"mode\": \"train\", \"channel_axis\": 1}", NULL,
     "attribute mode: expected \"sample\" or \"batch\" or \"eval\", found "
     "\"train\""},
    {KC_OP_BATCH_NORM, "f32[2,3] f32[3] f32[3]",
     "{\"mode\": \"batch\", \"channel_axis\": 2}", NULL,
     "attribute channel_axis: axis 2 is out of range"},
    {KC_OP_BATCH_NORM, "f32[2,3] f32[2] f32[2]",
     "{\"mode\": \"batch\", \"channel_axis\": 0}", NULL,
     "attribute channel_axis: axis 0 is the batch"},
    {KC_OP_BATCH_NORM, "f32[2,3] f32[3] f32[3]",
     "{\"mode\": \"eval\", \"channel_axis\": 1}", NULL,
     "attribute mode: eval takes its statistics as inputs 3 and 4, found none"},
    {KC_OP_BATCH_NORM, "f32[2,3] f32[3] f32[3] f32[3]",
     "{\"mode\": \"eval\", \"channel_axis\": 1}", NULL,
     "eval takes its statistics"},
    {KC_OP_BATCH_NORM, "f32[2,3] f32[3] f32[3] f32[3] f32[3]",
     "{\"mode\": \"batch\", \"channel_axis\": 1}", NULL,
     "attribute mode: sample and batch take no statistics"},
    {KC_OP_BATCH_NORM, "f32[2,3] f32[2] f32[3]",
     "{\"mode\": \"batch\", \"channel_axis\": 1}", NULL,
     "gamma: expected shape [3], found [2]"},
    {KC_OP_BATCH_NORM, "f32[2,3] f32[3] f32[2]",
     "{\"mode\": \"batch\", \"channel_axis\": 1}", NULL,
     "beta: expected shape [3]"},
    {KC_OP_BATCH_NORM, "f32[2,3] f32[3] f32[3] f32[2] f32[3]",
     "{\"mode\": \"eval\", \"channel_axis\": 1}", NULL,
     "mean: expected shape [3]"},
    {KC_OP_BATCH_NORM, "f32[2,3] f32[3] f32[3] f32[3] f32[2]",
     "{\"mode\": \"eval\", \"channel_axis\": 1}", NULL,
     "var: expected shape [3]"},
    {KC_OP_BATCH_NORM, "f32[2,0] f32[0] f32[0]",
     "{\"mode\": \"batch\", \"channel_axis\": 1}", NULL,
     "x: expected extents above 0"},
    {KC_OP_BATCH_NORM, "f32[0,3] f32[3] f32[3]",
     "{\"mode\": \"batch\", \"channel_axis\": 1}", NULL, "with 0 on axis 0"},
    {KC_OP_BATCH_NORM, "f32[] f32[] f32[]",
     "{\"mode\": \"sample\", \"channel_axis\": 0}", NULL,
     "x: expected rank 1 or more"},
    {KC_OP_BATCH_NORM, "f32[2,3] f32[3] f32[3]",
     "{\"mode\": \"batch\", \"channel_axis\": 1, \"eps\": 0}", NULL,
     "attribute eps"},
    {KC_OP_BATCH_NORM, "f32[2,3] f32[3]",
     "{\"mode\": \"batch\", \"channel_axis\": 1}", NULL,
     "expected 3 to 5 inputs, found 2"},
};

OP_CASES_TEST(batch_norm, batch_norm_cases)

Suite *suite_ops_norm(void)
{
    Suite *suite = suite_create("ops/norm");
    TCase *tcase = tcase_create("norm");
    ADD_OP_CASES(tcase, layer_norm, layer_norm_cases);
    ADD_OP_CASES(tcase, batch_norm, batch_norm_cases);
    suite_add_tcase(suite, tcase);
    return suite;
}
