/* SPDX-License-Identifier: Apache-2.0
 *
 * Rules of fft_fno (ops.md 7.9), made of the same products with matrices as
 * the compositions of its transforms: they need no capsule of fft_fno.
 */
#include "autograd/rules.h"
#include "compose/transform.h"

/* x [m, k] and y [m, l] to a matrix [k, l] for each mode. */
static kci_term_t outer(kci_composition_t *composition, kci_term_t x,
                        kci_term_t y)
{
    if (composition->status != KC_OK) {
        return KCI_NO_TERM;
    }
    kci_shape_t columns = kci_term_type(composition, x)->shape;
    kci_shape_t rows = kci_term_type(composition, y)->shape;
    columns.dims[columns.rank++] = 1;
    rows.dims[2] = rows.dims[1];
    rows.dims[1] = 1;
    rows.rank = 3;
    return kci_compose_binary(composition, KC_OP_MATMUL,
                              kci_compose_reshape(composition, x, &columns),
                              kci_compose_reshape(composition, y, &rows));
}

/* z [m, cout] times w [m, cin, cout], summed over cout: [m, cin]. */
static kci_term_t through(kci_composition_t *composition, kci_term_t z,
                          kci_term_t w)
{
    if (composition->status != KC_OK) {
        return KCI_NO_TERM;
    }
    const kci_shape_t *weight = &kci_term_type(composition, w)->shape;
    kci_shape_t column = {.rank = 3,
                          .dims = {weight->dims[0], weight->dims[2], 1}};
    kci_shape_t result = {.rank = 2,
                          .dims = {weight->dims[0], weight->dims[1]}};
    kci_term_t product =
        kci_compose_binary(composition, KC_OP_MATMUL, w,
                           kci_compose_reshape(composition, z, &column));
    return kci_compose_reshape(composition, product, &result);
}

static kci_term_t add(kci_composition_t *composition, kci_term_t a,
                      kci_term_t b)
{
    return kci_compose_binary(composition, KC_OP_ADD, a, b);
}

static kci_term_t sub(kci_composition_t *composition, kci_term_t a,
                      kci_term_t b)
{
    return kci_compose_binary(composition, KC_OP_SUB, a, b);
}

/* dX = dZ times the conjugate of W, back through the transform. */
static kci_term_t cotangent_of_signal(kci_composition_t *composition,
                                      const kci_rule_terms_t *terms,
                                      const kci_spectrum_t *dz, int64_t n)
{
    kci_term_t w_re = terms->inputs[1];
    kci_term_t w_im = terms->inputs[2];
    kci_spectrum_t dx = *dz;
    dx.real = through(composition, dz->real, w_re);
    if (dz->inner > 0) {
        kci_term_t inner_re = kci_spectrum_take_inner(composition, dz, w_re);
        kci_term_t inner_im = kci_spectrum_take_inner(composition, dz, w_im);
        kci_term_t inner_z = kci_spectrum_take_inner(composition, dz, dz->real);
        kci_term_t turned = through(composition, dz->imaginary, inner_im);
        dx.real = add(composition, dx.real,
                      kci_spectrum_put_inner(composition, dz, turned));
        dx.imaginary =
            sub(composition, through(composition, dz->imaginary, inner_re),
                through(composition, inner_z, inner_im));
    }
    return kci_transform_synthesise(composition, &dx, n, KCI_SPECTRAL_PLAIN);
}

/* Re X Re dZ + Im X Im dZ */
static kci_term_t cotangent_of_w_re(kci_composition_t *composition,
                                    const kci_spectrum_t *x,
                                    const kci_spectrum_t *dz)
{
    kci_term_t real = outer(composition, x->real, dz->real);
    if (x->inner == 0) {
        return real;
    }
    kci_term_t turned = outer(composition, x->imaginary, dz->imaginary);
    return add(composition, real,
               kci_spectrum_put_inner(composition, x, turned));
}

/* Re X Im dZ - Im X Re dZ, and nothing where the signal has no Im X. */
static kci_term_t cotangent_of_w_im(kci_composition_t *composition,
                                    const kci_spectrum_t *x,
                                    const kci_spectrum_t *dz)
{
    if (x->inner == 0) {
        return KCI_NO_TERM;
    }
    kci_term_t inner_x = kci_spectrum_take_inner(composition, x, x->real);
    kci_term_t inner_z = kci_spectrum_take_inner(composition, x, dz->real);
    kci_term_t inner =
        sub(composition, outer(composition, inner_x, dz->imaginary),
            outer(composition, x->imaginary, inner_z));
    return kci_spectrum_put_inner(composition, x, inner);
}

static void compose_convolution(kci_composition_t *composition,
                                const kci_rule_terms_t *terms,
                                kci_term_t *cotangents)
{
    int64_t n = terms->attributes->u.fft.n;
    int64_t modes = terms->attributes->u.fft.modes;
    if (modes == 0) {
        return; /* zeros for all */
    }
    kci_spectrum_t dz = kci_transform_analyse(composition, terms->cotangent,
                                              modes, KCI_SPECTRAL_SHARE);
    if (terms->wanted[0]) {
        cotangents[0] = cotangent_of_signal(composition, terms, &dz, n);
    }
    if (!terms->wanted[1] && !terms->wanted[2]) {
        return;
    }
    kci_spectrum_t x = kci_transform_analyse(composition, terms->inputs[0],
                                             modes, KCI_SPECTRAL_PLAIN);
    if (terms->wanted[1]) {
        cotangents[1] = cotangent_of_w_re(composition, &x, &dz);
    }
    if (terms->wanted[2]) {
        cotangents[2] = cotangent_of_w_im(composition, &x, &dz);
    }
}

static void compose_fft(kci_composition_t *composition,
                        const kci_rule_terms_t *terms, kci_term_t *cotangents)
{
    const kc_fft_attributes_t *fft = &terms->attributes->u.fft;
    for (size_t i = 0; i < terms->input_count; i++) {
        if (terms->wanted[i]) {
            cotangents[i] = KCI_NO_TERM;
        }
    }
    if (fft->transform == KC_FFT_SPECTRAL_CONV1D) {
        compose_convolution(composition, terms, cotangents);
    } else if (terms->wanted[0]) {
        cotangents[0] =
            fft->transform == KC_FFT_RFFT
                ? kci_transform_unpack(composition, terms->cotangent, fft->n,
                                       KCI_SPECTRAL_PLAIN)
                : kci_transform_pack(composition, terms->cotangent,
                                     KCI_SPECTRAL_SHARE);
    }
}
const kci_rule_t kci_rule_fft_fno = {compose_fft, NULL, NULL};
