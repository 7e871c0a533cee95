/* SPDX-License-Identifier: Apache-2.0
 *
 * What the runtime itself composes. One file a family, the same names as in
 * runtime/ops.
 */
#ifndef KC_COMPOSE_COMPOSITIONS_H
#define KC_COMPOSE_COMPOSITIONS_H

#include "compose/composition.h"

/* The forward of an operation from others, for capsules of the provider
 * torchlean; KCI_NO_TERM operands are absent. The operation has one where
 * kci_composition_inner_ops says so. */
kci_term_t kci_compose_forward(kci_composition_t *composition, int32_t op,
                               const kc_attributes_t *attributes,
                               const kci_term_t *operands, size_t count);

/* attention.c: products and a (masked) softmax, ops.md 7.11. The weights of
 * scores that are blocked by mask or causal order are exact zeros; products
 * cannot skip, so where something is blocked k and v have to be finite, and
 * for the rule q, the cotangent, and products of them: exec/composed_operands.h
 * refuses others. */
kci_term_t kci_compose_attention(kci_composition_t *composition,
                                 const kc_attributes_t *attributes,
                                 const kci_term_t *operands, size_t count);
/* The weights alone, [..., nQ, nK]. `mask` may be KCI_NO_TERM. */
kci_term_t kci_compose_attention_weights(kci_composition_t *composition,
                                         const kc_attributes_t *attributes,
                                         kci_term_t q, kci_term_t k,
                                         kci_term_t mask);

/* scan.c: h_t = a h_(t-1) + b x_t unrolled over t; operands as those of
 * selective_scan, ops.md 7.10. */
kci_term_t kci_compose_scan(kci_composition_t *composition, kci_term_t a,
                            kci_term_t b, kci_term_t x, kci_term_t h0);

/* spectral.c: products with the matrices of the transform, ops.md 7.9.
 * x [..., n] to [..., n/2 + 1, 2], and back. */
kci_term_t kci_compose_rfft(kci_composition_t *composition, kci_term_t x);
kci_term_t kci_compose_irfft(kci_composition_t *composition, kci_term_t packed,
                             int64_t n);
/* x [n, cin], weights [modes, cin, cout], to [n, cout]. */
kci_term_t kci_compose_spectral_conv(kci_composition_t *composition,
                                     kci_term_t x, kci_term_t w_re,
                                     kci_term_t w_im);

#endif
