/* SPDX-License-Identifier: Apache-2.0
 *
 * Transforms and spectral convolution.
 */
#include "unit/ops/cases.h"
#include "unit/ops/suites.h"

static const op_case_t transforms_cases[] = {
    {KC_OP_FFT_FNO, "f32[2,4]", "{\"transform\": \"rfft\", \"n\": 4}",
     "f32[2, 3, 2]", NULL},
    {KC_OP_FFT_FNO, "f32[5]", "{\"transform\": \"rfft\", \"n\": 5}",
     "f32[3, 2]", NULL},
    {KC_OP_FFT_FNO, "f32[N,1]", "{\"transform\": \"rfft\", \"n\": 1}",
     "f32[N, 1, 2]", NULL},
    {KC_OP_FFT_FNO, "f32[2,3,2]", "{\"transform\": \"irfft\", \"n\": 4}",
     "f32[2, 4]", NULL},
    {KC_OP_FFT_FNO, "f32[2,3,2]", "{\"transform\": \"irfft\", \"n\": 5}",
     "f32[2, 5]", NULL},
    {KC_OP_FFT_FNO, "f32[0,4]", "{\"transform\": \"rfft\", \"n\": 4}",
     "f32[0, 3, 2]", NULL},
    {KC_OP_FFT_FNO, "f32[2,4]", "{\"n\": 4}", NULL,
     "attribute transform is missing"},
    {KC_OP_FFT_FNO, "f32[2,4]", "{\"transform\": \"rfft\"}", NULL,
     "attribute n is missing"},
    {KC_OP_FFT_FNO, "f32[2,4]", "{\"transform\": \"dct\", \"n\": 4}", NULL,
     "attribute transform: expected \"rfft\" or \"irfft\" or "
     "\"spectral_conv1d\", found \"dct\""},
    {KC_OP_FFT_FNO, "f32[2,0]", "{\"transform\": \"rfft\", \"n\": 0}", NULL,
     "attribute n: expected 1 or more, found 0"},
    {KC_OP_FFT_FNO, "f32[2,4]", "{\"transform\": \"rfft\", \"n\": -4}", NULL,
     "attribute n"},
    {KC_OP_FFT_FNO, "f32[2,4]", "{\"transform\": \"rfft\", \"n\": 5}", NULL,
     "x: expected extent 5 on axis 1 for attribute n, found [2, 4]"},
    {KC_OP_FFT_FNO, "f32[]", "{\"transform\": \"rfft\", \"n\": 1}", NULL,
     "x: expected rank 1 or more"},
    {KC_OP_FFT_FNO, "f32[N]", "{\"transform\": \"rfft\", \"n\": 4}", NULL,
     "x: axis 0 of [N] needs a number here"},
    {KC_OP_FFT_FNO, "f32[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]",
     "{\"transform\": \"rfft\", \"n\": 1}", NULL,
     "x: expected rank 15 or less, found 16"},
    {KC_OP_FFT_FNO, "f32[2,3,2]", "{\"transform\": \"irfft\", \"n\": 6}", NULL,
     "x: expected extent 4 on axis 1 for attribute n"},
    {KC_OP_FFT_FNO, "f32[2,3,3]", "{\"transform\": \"irfft\", \"n\": 4}", NULL,
     "x: expected real and imaginary parts, extent 2"},
    {KC_OP_FFT_FNO, "f32[2]", "{\"transform\": \"irfft\", \"n\": 1}", NULL,
     "x: expected rank 2 or more"},
    {KC_OP_FFT_FNO, "f32[2,4]",
     "{\"transform\": \"rfft\", \"n\": 4, \"modes\": 1}", NULL,
     "attribute modes: only for spectral_conv1d, found 1"},
    {KC_OP_FFT_FNO, "f32[2,4] f32[1,1,1] f32[1,1,1]",
     "{\"transform\": \"rfft\", \"n\": 4}", NULL,
     "attribute transform: rfft and irfft take x only, found a w_re"},
};

OP_CASES_TEST(transforms, transforms_cases)

static const op_case_t convolution_cases[] = {
    {KC_OP_FFT_FNO, "f32[8,2] f32[3,2,5] f32[3,2,5]",
     "{\"transform\": \"spectral_conv1d\", \"n\": 8, \"modes\": 3}",
     "f32[8, 5]", NULL},
    {KC_OP_FFT_FNO, "f32[8,2] f32[0,2,5] f32[0,2,5]",
     "{\"transform\": \"spectral_conv1d\", \"n\": 8}", "f32[8, 5]", NULL},
    {KC_OP_FFT_FNO, "f32[8,2]",
     "{\"transform\": \"spectral_conv1d\", \"n\": 8, \"modes\": 3}", NULL,
     "attribute transform: spectral_conv1d takes w_re and w_im, found no w_re"},
    {KC_OP_FFT_FNO, "f32[8,2] f32[3,2,5]",
     "{\"transform\": \"spectral_conv1d\", \"n\": 8, \"modes\": 3}", NULL,
     "found no w_im"},
    {KC_OP_FFT_FNO, "f32[8,2] f32[6,2,5] f32[6,2,5]",
     "{\"transform\": \"spectral_conv1d\", \"n\": 8, \"modes\": 6}", NULL,
     "attribute modes: expected 0 to 5, found 6"},
    {KC_OP_FFT_FNO, "f32[8,2] f32[6,2,5] f32[6,2,5]",
     "{\"transform\": \"spectral_conv1d\", \"n\": 8, \"modes\": -1}", NULL,
     "attribute modes"},
    {KC_OP_FFT_FNO, "f32[7,2] f32[3,2,5] f32[3,2,5]",
     "{\"transform\": \"spectral_conv1d\", \"n\": 8, \"modes\": 3}", NULL,
     "x: expected extent 8 on axis 0"},
    {KC_OP_FFT_FNO, "f32[2] f32[3,2,5] f32[3,2,5]",
     "{\"transform\": \"spectral_conv1d\", \"n\": 8, \"modes\": 3}", NULL,
     "x: expected [grid, channels]"},
    {KC_OP_FFT_FNO, "f32[8,0] f32[3,0,5] f32[3,0,5]",
     "{\"transform\": \"spectral_conv1d\", \"n\": 8, \"modes\": 3}", NULL,
     "x: expected [grid, channels] with channels, found [8, 0]"},
    {KC_OP_FFT_FNO, "f32[8,2] f32[3,2] f32[3,2]",
     "{\"transform\": \"spectral_conv1d\", \"n\": 8, \"modes\": 3}", NULL,
     "w_re: expected [modes, in, out] with channels, found [3, 2]"},
    {KC_OP_FFT_FNO, "f32[8,2] f32[3,2,0] f32[3,2,0]",
     "{\"transform\": \"spectral_conv1d\", \"n\": 8, \"modes\": 3}", NULL,
     "w_re: expected [modes, in, out] with channels"},
    {KC_OP_FFT_FNO, "f32[8,2] f32[2,2,5] f32[2,2,5]",
     "{\"transform\": \"spectral_conv1d\", \"n\": 8, \"modes\": 3}", NULL,
     "w_re: expected shape [3, 2, 5], found [2, 2, 5]"},
    {KC_OP_FFT_FNO, "f32[8,2] f32[3,2,5] f32[3,2,4]",
     "{\"transform\": \"spectral_conv1d\", \"n\": 8, \"modes\": 3}", NULL,
     "w_im: expected shape [3, 2, 5], found [3, 2, 4]"},
};

OP_CASES_TEST(convolution, convolution_cases)

Suite *suite_ops_spectral(void)
{
    Suite *suite = suite_create("ops/spectral");
    TCase *tcase = tcase_create("spectral");
    ADD_OP_CASES(tcase, transforms, transforms_cases);
    ADD_OP_CASES(tcase, convolution, convolution_cases);
    suite_add_tcase(suite, tcase);
    return suite;
}
