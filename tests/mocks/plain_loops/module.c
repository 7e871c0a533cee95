/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Nothing is wrong with it: fft_fno and selective_scan on the cpu, which no
 * maintained module has, with the runtime's derivative rules. */
#include <math.h>
#include <stdbool.h>

#include "mocks/mock.h"

#define FLOATS (1u << KC_DTYPE_F32 | 1u << KC_DTYPE_F64)
#define LOOPS(inputs, outputs, label, operation)                               \
    MOCK_SAVING(                                                               \
        inputs, outputs, "plain_loops." label, operation, "acme",              \
        KC_VJP_TORCHLEAN_TAPE, .limits = {.dtypes = FLOATS},                   \
        .value = KC_VALUE_SUITE(operation, "mocks", "as the catalogue says"),  \
        .vjp = KC_VJP_SUITE(operation, KC_VJP_TORCHLEAN_TAPE, "mocks",         \
                            "the runtime's rule"))

KC_MODULE(MOCK_MODULE("plain_loops"));
KC_CAPSULES(LOOPS(7, 0, "fft_fno", KC_OP_FFT_FNO),
            LOOPS(15, 1, "selective_scan", KC_OP_SELECTIVE_SCAN));

typedef struct bin {
    double re;
    double im;
} bin_t;

static int64_t bins_of(int64_t n)
{
    return n / 2 + 1;
}

/* 1 for bins that stand for themselves only, else 2. */
static int weight_of(int64_t k, int64_t n)
{
    return k == 0 || 2 * k == n ? 1 : 2;
}

static double angle(int64_t k, int64_t t, int64_t n)
{
    return 2 * acos(-1.0) * (double)(k * t % n) / (double)n;
}

/* What bin k gives to place t of n, before the division. */
static double part_at(bin_t bin, int64_t k, int64_t t, int64_t n)
{
    const int weight = weight_of(k, n);
    const double im = weight == 2 ? bin.im : 0;
    return weight * (bin.re * cos(angle(k, t, n)) - im * sin(angle(k, t, n)));
}

#include "mocks/plain_loops/float32.h"
#include "mocks/plain_loops/float64.h"

static bool is_f64(const kc_call_t *call)
{
    return kc_tensor_dtype(call->outputs[0]) == KC_DTYPE_F64;
}

static kc_status_t scan(const kc_call_t *call)
{
    (is_f64(call) ? scan_f64 : scan_f32)(call);
    return KC_OK;
}

static kc_status_t fft(const kc_call_t *call)
{
    (is_f64(call) ? fft_f64 : fft_f32)(call);
    return KC_OK;
}

static const kc_handler_t fft_handler =
    MOCK_HANDLER(KC_OP_FFT_FNO, "acme", fft);
static const kc_handler_t scan_handler =
    MOCK_HANDLER(KC_OP_SELECTIVE_SCAN, "acme", scan);
static const kc_handler_t *const handlers[] = {&fft_handler, &scan_handler};

KC_MODULE_ENTRY(handlers, 2);
