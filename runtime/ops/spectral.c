/* SPDX-License-Identifier: Apache-2.0
 *
 * Fourier transforms of real signals in the packed half spectrum
 * [..., n / 2 + 1, 2] and the spectral convolution built on them.
 */
#include "ops/entries.h"

#include <inttypes.h>

#include "ops/rule.h"

static kc_status_t check_extent(const kci_op_request_t *request, int32_t axis,
                                int64_t expected, kc_error_t *error)
{
    const kci_shape_t *x = &kci_rule_operand(request, 0)->shape;
    char text[KCI_RULE_SHAPE_SIZE];
    KC_RETURN_IF_ERROR(kci_rule_known(request, 0, axis, error));
    if (x->dims[axis] == expected) {
        return KC_OK;
    }
    kci_rule_format(request, x, text);
    return kci_rule_fail(request, error,
                         "x: expected extent %" PRId64 " on axis %" PRId32
                         " for attribute n, found %s",
                         expected, axis, text);
}

static kc_status_t infer_rfft(const kci_op_request_t *request, int64_t n,
                              kci_shape_t *out, kc_error_t *error)
{
    const kci_shape_t *x = &kci_rule_operand(request, 0)->shape;
    KC_RETURN_IF_ERROR(kci_rule_rank_at_least(request, 0, 1, error));
    KC_RETURN_IF_ERROR(check_extent(request, x->rank - 1, n, error));
    if (x->rank == KC_MAX_RANK) {
        return kci_rule_fail(request, error,
                             "x: expected rank %d or less, found %" PRId32,
                             KC_MAX_RANK - 1, x->rank);
    }
    *out = *x;
    out->dims[x->rank - 1] = n / 2 + 1;
    out->dims[out->rank++] = 2;
    return KC_OK;
}

static kc_status_t infer_irfft(const kci_op_request_t *request, int64_t n,
                               kci_shape_t *out, kc_error_t *error)
{
    const kci_shape_t *x = &kci_rule_operand(request, 0)->shape;
    char text[KCI_RULE_SHAPE_SIZE];
    KC_RETURN_IF_ERROR(kci_rule_rank_at_least(request, 0, 2, error));
    if (x->dims[x->rank - 1] != 2) {
        kci_rule_format(request, x, text);
        return kci_rule_fail(request, error,
                             "x: expected real and imaginary parts, extent 2, "
                             "on the last axis, found %s",
                             text);
    }
    KC_RETURN_IF_ERROR(check_extent(request, x->rank - 2, n / 2 + 1, error));
    *out = *x;
    out->rank--;
    out->dims[out->rank - 1] = n;
    return KC_OK;
}

/* x [grid, in], w_re and w_im [modes, in, out] to [grid, out]. */
static kc_status_t infer_spectral_conv(const kci_op_request_t *request,
                                       const kc_fft_attributes_t *fft,
                                       kci_shape_t *out, kc_error_t *error)
{
    const kci_shape_t *x = &kci_rule_operand(request, 0)->shape;
    char text[KCI_RULE_SHAPE_SIZE];
    if (x->rank != 2 || x->dims[1] == 0) {
        kci_rule_format(request, x, text);
        return kci_rule_fail(request, error,
                             "x: expected [grid, channels] with channels, "
                             "found %s",
                             text);
    }
    KC_RETURN_IF_ERROR(check_extent(request, 0, fft->n, error));
    if (fft->modes < 0 || fft->modes > fft->n / 2 + 1) {
        return kci_rule_fail(request, error,
                             "attribute modes: expected 0 to %" PRId64
                             ", found %" PRId64,
                             fft->n / 2 + 1, fft->modes);
    }
    kci_shape_t weight = kci_rule_operand(request, 1)->shape;
    if (weight.rank != 3 || weight.dims[2] == 0) {
        kci_rule_format(request, &weight, text);
        return kci_rule_fail(request, error,
                             "w_re: expected [modes, in, out] with channels, "
                             "found %s",
                             text);
    }
    weight.dims[0] = fft->modes;
    weight.dims[1] = x->dims[1];
    KC_RETURN_IF_ERROR(kci_rule_shape_is(request, 1, &weight, error));
    KC_RETURN_IF_ERROR(kci_rule_shape_is(request, 2, &weight, error));
    *out = *x;
    out->dims[1] = weight.dims[2];
    return KC_OK;
}

static kc_status_t check_weights(const kci_op_request_t *request,
                                 bool is_convolution, kc_error_t *error)
{
    for (size_t i = 1; i < 3; i++) {
        bool is_there = kci_rule_operand(request, i) != NULL;
        if (is_there != is_convolution) {
            return kci_rule_fail(
                request, error, "attribute transform: %s, found %s %s",
                is_convolution ? "spectral_conv1d takes w_re and w_im"
                               : "rfft and irfft take x only",
                is_there ? "a" : "no", i == 1 ? "w_re" : "w_im");
        }
    }
    return KC_OK;
}

static kc_status_t infer_fft(const kci_op_request_t *request,
                             kc_attributes_t *attributes,
                             kci_tensor_type_t *out_type, kc_error_t *error)
{
    const kc_fft_attributes_t *fft = &attributes->u.fft;
    bool is_convolution = fft->transform == KC_FFT_SPECTRAL_CONV1D;
    KC_RETURN_IF_ERROR(kci_rule_choice(request, "transform", fft->transform,
                                       KC_FFT_SPECTRAL_CONV1D + 1, error));
    KC_RETURN_IF_ERROR(check_weights(request, is_convolution, error));
    if (fft->n < 1) {
        return kci_rule_fail(request, error,
                             "attribute n: expected 1 or more, found %" PRId64,
                             fft->n);
    }
    if (is_convolution) {
        return infer_spectral_conv(request, fft, &out_type->shape, error);
    }
    if (fft->modes != 0) {
        return kci_rule_fail(request, error,
                             "attribute modes: only for spectral_conv1d, "
                             "found %" PRId64,
                             fft->modes);
    }
    return fft->transform == KC_FFT_RFFT
               ? infer_rfft(request, fft->n, &out_type->shape, error)
               : infer_irfft(request, fft->n, &out_type->shape, error);
}

static const char *const names[] = {"x", "w_re", "w_im"};
static const kci_operand_kind_t kinds[] = {KCI_OPERAND_FLOAT, KCI_OPERAND_FLOAT,
                                           KCI_OPERAND_FLOAT};
static const char *const transform_words[] = {"rfft", "irfft",
                                              "spectral_conv1d", NULL};
static const kci_attribute_info_t attributes_of_fft[] = {
    {"transform", KCI_ATTRIBUTE_WORD,
     offsetof(kc_attributes_t, u.fft.transform), NULL, transform_words,
     "forward, inverse, or the convolution"},
    {"n", KCI_ATTRIBUTE_INTEGER, offsetof(kc_attributes_t, u.fft.n), NULL, NULL,
     "length of the real signal"},
    {"modes", KCI_ATTRIBUTE_INTEGER, offsetof(kc_attributes_t, u.fft.modes),
     "0", NULL, "frequencies kept by spectral_conv1d"},
};

const kci_op_info_t kci_op_fft_fno = {
    .op = KC_OP_FFT_FNO,
    .input_min = 1,
    .input_max = 3,
    .input_names = names,
    .input_kinds = kinds,
    .attributes = attributes_of_fft,
    .attribute_count = 3,
    .requires_vjp = true,
    .doc = "real Fourier transform, its inverse, or a spectral convolution",
    .infer = infer_fft,
};
