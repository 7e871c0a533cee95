/* SPDX-License-Identifier: Apache-2.0
 *
 * The real Fourier transform as products with matrices (ops.md 7.9), of
 * which the transforms, the spectral convolution and their derivatives are
 * made. The first `modes` frequencies have a real part each, but only their
 * inner ones an imaginary part: frequency 0, and n / 2 of an even n, have
 * none in a real signal, and none is ever read or computed.
 */
#ifndef KC_COMPOSE_TRANSFORM_H
#define KC_COMPOSE_TRANSFORM_H

#include "compose/composition.h"

/* n / 2 + 1 */
int64_t kci_transform_frequencies(int64_t n);

/* Frequencies along axis 0. `imaginary` has the inner ones, which are those
 * from 1 on; KCI_NO_TERM where there are none. */
typedef struct kci_spectrum {
    kci_term_t real;
    kci_term_t imaginary;
    int64_t modes; /* rows of `real`; above 0 */
    int64_t inner; /* rows of `imaginary` */
} kci_spectrum_t;

/* What frequency k counts: 1, or its share in the inverse, which is 1 / n
 * and for inner ones 2 / n. */
typedef enum kci_spectral_weight {
    KCI_SPECTRAL_PLAIN,
    KCI_SPECTRAL_SHARE
} kci_spectral_weight_t;

/* signal [n, c] to parts of c columns, sums over t ascending: plainly the
 * transform, by shares the adjoint of its inverse. */
kci_spectrum_t kci_transform_analyse(kci_composition_t *composition,
                                     kci_term_t signal, int64_t modes,
                                     kci_spectral_weight_t weight);
/* Back to [n, c], sums over k ascending, the real ones first: by shares the
 * inverse, plainly the adjoint of the transform. */
kci_term_t kci_transform_synthesise(kci_composition_t *composition,
                                    const kci_spectrum_t *spectrum, int64_t n,
                                    kci_spectral_weight_t weight);

/* The whole of [..., n] into the packed form [..., n / 2 + 1, 2], and back. */
kci_term_t kci_transform_pack(kci_composition_t *composition, kci_term_t x,
                              kci_spectral_weight_t weight);
kci_term_t kci_transform_unpack(kci_composition_t *composition,
                                kci_term_t packed, int64_t n,
                                kci_spectral_weight_t weight);

/* The inner ones of a term whose axis 0 has the modes of the spectrum, and
 * such a term of inner ones with zeros for the others. */
kci_term_t kci_spectrum_take_inner(kci_composition_t *composition,
                                   const kci_spectrum_t *spectrum,
                                   kci_term_t whole);
kci_term_t kci_spectrum_put_inner(kci_composition_t *composition,
                                  const kci_spectrum_t *spectrum,
                                  kci_term_t inner);

#endif
