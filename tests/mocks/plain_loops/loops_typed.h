/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Template: the recurrence, and the transforms term by term. Sums are in
 * double and rounded once. */

/* Operands: a, b, x, first state. h = a h + b x. */
static void TYPED(scan)(const kc_call_t *call)
{
    const REAL *a = kc_tensor_data(call->inputs[0]);
    const REAL *b = kc_tensor_data(call->inputs[1]);
    const REAL *x = kc_tensor_data(call->inputs[2]);
    const REAL *first = kc_tensor_data(call->inputs[3]);
    REAL *h = kc_tensor_data(call->outputs[0]);
    const bool is_shared = call->inputs[0]->ndim == 1;
    const int64_t steps = call->inputs[2]->shape[0];
    const int64_t states = call->inputs[2]->shape[1];
    for (int64_t t = 0; t < steps; t++) {
        for (int64_t s = 0; s < states; s++) {
            const int64_t at = t * states + s;
            const int64_t from = is_shared ? s : at;
            const REAL before = t == 0 ? first[s] : h[at - states];
            const REAL kept = a[from] * before;
            const REAL added = b[from] * x[at];
            h[at] = kept + added;
        }
    }
}

/* Bin k of n numbers that lie `stride` apart. */
static bin_t TYPED(bin)(const REAL *x, int64_t stride, int64_t n, int64_t k)
{
    bin_t sum = {0, 0};
    for (int64_t t = 0; t < n; t++) {
        sum.re += (double)x[t * stride] * cos(angle(k, t, n));
        sum.im -= (double)x[t * stride] * sin(angle(k, t, n));
    }
    sum.im = weight_of(k, n) == 1 ? 0 : sum.im;
    return sum;
}

static void TYPED(rfft)(const kc_call_t *call)
{
    const int64_t n = call->attributes->u.fft.n;
    const REAL *x = kc_tensor_data(call->inputs[0]);
    REAL *y = kc_tensor_data(call->outputs[0]);
    const int64_t count = kc_tensor_element_count(call->outputs[0]) / 2;
    for (int64_t i = 0; i < count; i++) {
        const bin_t bin =
            TYPED(bin)(x + i / bins_of(n) * n, 1, n, i % bins_of(n));
        y[2 * i] = (REAL)bin.re;
        y[2 * i + 1] = (REAL)bin.im;
    }
}

static void TYPED(irfft)(const kc_call_t *call)
{
    const int64_t n = call->attributes->u.fft.n;
    const REAL *x = kc_tensor_data(call->inputs[0]);
    REAL *y = kc_tensor_data(call->outputs[0]);
    const int64_t count = kc_tensor_element_count(call->outputs[0]);
    for (int64_t i = 0; i < count; i++) {
        const REAL *row = x + i / n * bins_of(n) * 2;
        double sum = 0;
        for (int64_t k = 0; k < bins_of(n); k++) {
            const bin_t bin = {(double)row[2 * k], (double)row[2 * k + 1]};
            sum += part_at(bin, k, i % n, n);
        }
        y[i] = (REAL)(sum / (double)n);
    }
}

/* Bin k of output channel o: the weights are [modes, in, out]. */
static bin_t TYPED(mixed)(const kc_call_t *call, int64_t k, int64_t o)
{
    const int64_t n = call->attributes->u.fft.n;
    const int64_t in = call->inputs[1]->shape[1];
    const int64_t out = call->inputs[1]->shape[2];
    const REAL *x = kc_tensor_data(call->inputs[0]);
    const REAL *re = kc_tensor_data(call->inputs[1]);
    const REAL *im = kc_tensor_data(call->inputs[2]);
    bin_t sum = {0, 0};
    for (int64_t c = 0; c < in; c++) {
        const bin_t bin = TYPED(bin)(x + c, in, n, k);
        const int64_t at = (k * in + c) * out + o;
        sum.re += bin.re * (double)re[at] - bin.im * (double)im[at];
        sum.im += bin.re * (double)im[at] + bin.im * (double)re[at];
    }
    return sum;
}

static void TYPED(convolve)(const kc_call_t *call)
{
    const int64_t n = call->attributes->u.fft.n;
    const int64_t out = call->inputs[1]->shape[2];
    REAL *y = kc_tensor_data(call->outputs[0]);
    for (int64_t t = 0; t < n; t++) {
        for (int64_t o = 0; o < out; o++) {
            double sum = 0;
            for (int64_t k = 0; k < call->attributes->u.fft.modes; k++) {
                sum += part_at(TYPED(mixed)(call, k, o), k, t, n);
            }
            y[t * out + o] = (REAL)(sum / (double)n);
        }
    }
}

static void TYPED(fft)(const kc_call_t *call)
{
    switch (call->attributes->u.fft.transform) {
    case KC_FFT_RFFT:
        TYPED(rfft)(call);
        break;
    case KC_FFT_IRFFT:
        TYPED(irfft)(call);
        break;
    default:
        TYPED(convolve)(call);
        break;
    }
}
