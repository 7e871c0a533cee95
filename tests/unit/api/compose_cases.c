/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Operands of the compositions and what they have to give, written out in
 * double. */
#include <math.h>
#include <stdbool.h>

#include "unit/api/compose_fixture.h"
#include "unit/expect.h"

#define PI 3.14159265358979323846

const compose_case_t compose_cases[COMPOSED] = {
    {"scan", 4, {{1, {3}}, {1, {3}}, {2, {5, 3}}, {1, {3}}}, {2, {5, 3}}},
    {"rfft", 1, {{2, {2, COMPOSE_N}}}, {3, {2, COMPOSE_N / 2 + 1, 2}}},
    {"irfft", 1, {{3, {2, COMPOSE_N / 2 + 1, 2}}}, {2, {2, COMPOSE_N}}},
    {"spectral_conv",
     3,
     {{2, {COMPOSE_N, 2}},
      {3, {COMPOSE_MODES, 2, 3}},
      {3, {COMPOSE_MODES, 2, 3}}},
     {2, {COMPOSE_N, 3}}},
};

int64_t compose_count(const compose_operand_t *operand)
{
    int64_t count = 1;
    for (int32_t axis = 0; axis < operand->rank; axis++) {
        count *= operand->dims[axis];
    }
    return count;
}

double *compose_elements(kc_tensor_t *tensor)
{
    return kc_tensor_data(kc_tensor_view(tensor));
}

/* Numbers in [-1, 1) that follow from the seed. */
kc_tensor_t *compose_draw(compose_at_t *at, const compose_operand_t *operand,
                          uint64_t seed)
{
    kc_tensor_t *tensor = NULL;
    EXPECT_OK(at->error,
              kc_tensor_create(at->runtime, KC_DTYPE_F64, operand->rank,
                               operand->dims, &tensor, &at->error));
    uint64_t state = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    for (int64_t i = 0; i < compose_count(operand); i++) {
        state = state * UINT64_C(6364136223846793005) + 1;
        compose_elements(tensor)[i] =
            (double)(state >> 11) / 4503599627370496.0 - 1.0;
    }
    return tensor;
}

void compose_draw_all(compose_at_t *at, composed_t which,
                      kc_tensor_t **out_tensors)
{
    for (size_t i = 0; i < compose_cases[which].count; i++) {
        out_tensors[i] = compose_draw(at, &compose_cases[which].operands[i],
                                      10 * (uint64_t)which + i);
    }
}

void compose_release(kc_tensor_t **tensors, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        kc_tensor_release(tensors[i]);
        tensors[i] = NULL;
    }
}

/* The formulas of the operation catalogue, 7.9 and 7.10. */
static void expected_scan(kc_tensor_t *const *in, double *out)
{
    const int64_t steps = compose_cases[SCAN].result.dims[0];
    const int64_t states = compose_cases[SCAN].result.dims[1];
    for (int64_t i = 0; i < steps * states; i++) {
        int64_t j = i % states;
        double before =
            i < states ? compose_elements(in[3])[j] : out[i - states];
        out[i] = compose_elements(in[0])[j] * before +
                 compose_elements(in[1])[j] * compose_elements(in[2])[i];
    }
}

static double angle(int64_t k, int64_t t)
{
    return 2 * PI * (double)(k * t % COMPOSE_N) / (double)COMPOSE_N;
}

static bool has_imaginary(int64_t k)
{
    return k != 0 && 2 * k != COMPOSE_N;
}

static void bin(const double *x, int64_t stride, int64_t k, double *out)
{
    out[0] = 0;
    out[1] = 0;
    for (int64_t t = 0; t < COMPOSE_N; t++) {
        out[0] += x[t * stride] * cos(angle(k, t));
        out[1] -= has_imaginary(k) ? x[t * stride] * sin(angle(k, t)) : 0;
    }
}

static double share(int64_t k, int64_t t, double re, double im)
{
    return (has_imaginary(k)
                ? 2 * (re * cos(angle(k, t)) - im * sin(angle(k, t)))
                : re * cos(angle(k, t))) /
           COMPOSE_N;
}

static void expected_rfft(kc_tensor_t *const *in, double *out)
{
    const int64_t bins = COMPOSE_N / 2 + 1;
    for (int64_t i = 0; i < compose_cases[RFFT].result.dims[0] * bins; i++) {
        bin(compose_elements(in[0]) + i / bins * COMPOSE_N, 1, i % bins,
            out + 2 * i);
    }
}

static void expected_irfft(kc_tensor_t *const *in, double *out)
{
    const int64_t bins = COMPOSE_N / 2 + 1;
    for (int64_t i = 0; i < compose_cases[IRFFT].result.dims[0] * COMPOSE_N;
         i++) {
        const double *packed =
            compose_elements(in[0]) + i / COMPOSE_N * bins * 2;
        out[i] = 0;
        for (int64_t k = 0; k < bins; k++) {
            out[i] += share(k, i % COMPOSE_N, packed[2 * k], packed[2 * k + 1]);
        }
    }
}

static void expected_convolution(kc_tensor_t *const *in, double *out)
{
    const int64_t cin = compose_cases[CONVOLUTION].operands[0].dims[1];
    const int64_t cout = compose_cases[CONVOLUTION].result.dims[1];
    for (int64_t i = 0; i < COMPOSE_N * cout; i++) {
        out[i] = 0;
        for (int64_t w = 0; w < COMPOSE_MODES * cin; w++) {
            double x[2];
            double re = compose_elements(in[1])[w * cout + i % cout];
            double im = compose_elements(in[2])[w * cout + i % cout];
            bin(compose_elements(in[0]) + w % cin, cin, w / cin, x);
            out[i] += share(w / cin, i / cout, x[0] * re - x[1] * im,
                            x[0] * im + x[1] * re);
        }
    }
}

static void (*const expectations[COMPOSED])(kc_tensor_t *const *, double *) = {
    expected_scan, expected_rfft, expected_irfft, expected_convolution};

/* Sums of some tens of numbers around 1, in double. */
void compose_expect_values(composed_t which, kc_tensor_t *const *in,
                           kc_tensor_t *found)
{
    double expected[64];
    int64_t count = compose_count(&compose_cases[which].result);
    ck_assert_int_eq(kc_tensor_element_count(kc_tensor_view(found)), count);
    ck_assert_int_eq(kc_tensor_view(found)->ndim,
                     compose_cases[which].result.rank);
    expectations[which](in, expected);
    for (int64_t i = 0; i < count; i++) {
        ck_assert_msg(fabs(compose_elements(found)[i] - expected[i]) < 1e-12,
                      "%s element %lld: found %.17g, expected %.17g",
                      compose_cases[which].name, (long long)i,
                      compose_elements(found)[i], expected[i]);
    }
}
