/* SPDX-License-Identifier: Apache-2.0
 *
 * Real Fourier transforms and the spectral convolution, in the packed form
 * and with the conditions of fft_fno (ops.md 7.9).
 */
#include "compose/compositions.h"
#include "compose/operand_check.h"
#include "compose/transform.h"

static kc_attributes_t fft_attributes(int32_t transform, int64_t n,
                                      int64_t modes)
{
    kc_attributes_t attributes = {.struct_size = sizeof attributes,
                                  .op = KC_OP_FFT_FNO};
    attributes.u.fft = (kc_fft_attributes_t){transform, n, modes};
    return attributes;
}

/* An extent of an operand; where it has none, one that the check refuses. */
static int64_t extent(const kci_composition_t *composition, kci_term_t term,
                      bool is_last)
{
    if (composition->status != KC_OK) {
        return 0;
    }
    const kci_shape_t *shape = &kci_term_type(composition, term)->shape;
    if (shape->rank == 0) {
        return 1;
    }
    return shape->dims[is_last ? shape->rank - 1 : 0];
}

kci_term_t kci_compose_rfft(kci_composition_t *composition, kci_term_t x)
{
    int64_t n = extent(composition, x, true);
    kc_attributes_t attributes = fft_attributes(KC_FFT_RFFT, n, 0);
    return kci_compose_takes(composition, KC_OP_FFT_FNO, &attributes, &x, 1)
               ? kci_transform_pack(composition, x, KCI_SPECTRAL_PLAIN)
               : KCI_NO_TERM;
}

kci_term_t kci_compose_irfft(kci_composition_t *composition, kci_term_t packed,
                             int64_t n)
{
    kc_attributes_t attributes = fft_attributes(KC_FFT_IRFFT, n, 0);
    return kci_compose_takes(composition, KC_OP_FFT_FNO, &attributes, &packed,
                             1)
               ? kci_transform_unpack(composition, packed, n,
                                      KCI_SPECTRAL_SHARE)
               : KCI_NO_TERM;
}

/* [modes, cin] times one matrix [cin, cout] a mode. */
static kci_term_t mix(kci_composition_t *composition, kci_term_t part,
                      kci_term_t weights)
{
    if (composition->status != KC_OK) {
        return KCI_NO_TERM;
    }
    const kci_shape_t *weight = &kci_term_type(composition, weights)->shape;
    int64_t modes = weight->dims[0];
    kci_shape_t result = {.rank = 2, .dims = {modes, weight->dims[2]}};
    kci_shape_t rows = {.rank = 3, .dims = {modes, 1, weight->dims[1]}};
    kci_term_t product = kci_compose_binary(
        composition, KC_OP_MATMUL,
        kci_compose_reshape(composition, part, &rows), weights);
    return kci_compose_reshape(composition, product, &result);
}

/* z = x w by complex products. What an imaginary part is multiplied with is
 * left out where there is none. */
static kci_spectrum_t weigh(kci_composition_t *composition,
                            const kci_spectrum_t *x, kci_term_t w_re,
                            kci_term_t w_im)
{
    kci_spectrum_t z = *x;
    z.real = mix(composition, x->real, w_re);
    if (x->inner == 0) {
        return z;
    }
    kci_term_t inner_re = kci_spectrum_take_inner(composition, x, w_re);
    kci_term_t inner_im = kci_spectrum_take_inner(composition, x, w_im);
    kci_term_t inner_x = kci_spectrum_take_inner(composition, x, x->real);
    kci_term_t turned = mix(composition, x->imaginary, inner_im);
    z.real = kci_compose_binary(composition, KC_OP_SUB, z.real,
                                kci_spectrum_put_inner(composition, x, turned));
    z.imaginary = kci_compose_binary(composition, KC_OP_ADD,
                                     mix(composition, inner_x, inner_im),
                                     mix(composition, x->imaginary, inner_re));
    return z;
}

/* Zeros, out of no row of each operand: a cotangent of zeros reaches all. */
static kci_term_t no_modes(kci_composition_t *composition,
                           const kci_term_t *operands, int64_t n)
{
    kci_term_t rows = kci_compose_slice(composition, operands[0], 0, 0, 0);
    kci_term_t none = kci_compose_binary(composition, KC_OP_ADD,
                                         mix(composition, rows, operands[1]),
                                         mix(composition, rows, operands[2]));
    kci_tensor_type_t type = {
        .dtype = kci_term_type(composition, operands[0])->dtype,
        .shape = {.rank = 2, .dims = {n, 0}}};
    return kci_compose_binary(composition, KC_OP_MATMUL,
                              kci_compose_fill(composition, &type, 0), none);
}

kci_term_t kci_compose_spectral_conv(kci_composition_t *composition,
                                     kci_term_t x, kci_term_t w_re,
                                     kci_term_t w_im)
{
    const kci_term_t operands[] = {x, w_re, w_im};
    int64_t n = extent(composition, x, false);
    int64_t modes = extent(composition, w_re, false);
    kc_attributes_t attributes =
        fft_attributes(KC_FFT_SPECTRAL_CONV1D, n, modes);
    if (!kci_compose_takes(composition, KC_OP_FFT_FNO, &attributes, operands,
                           3)) {
        return KCI_NO_TERM;
    }
    if (modes == 0) {
        return no_modes(composition, operands, n);
    }
    kci_spectrum_t spectrum =
        kci_transform_analyse(composition, x, modes, KCI_SPECTRAL_PLAIN);
    kci_spectrum_t weighed = weigh(composition, &spectrum, w_re, w_im);
    return kci_transform_synthesise(composition, &weighed, n,
                                    KCI_SPECTRAL_SHARE);
}
