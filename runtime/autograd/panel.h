/* SPDX-License-Identifier: Apache-2.0
 *
 * The inner loop of the derivatives of convolutions: rows of one operand times
 * a panel of the other, whose columns were gathered side by side. It exists
 * once for each width of vectors; which one runs never shows in a result.
 */
#ifndef KC_AUTOGRAD_PANEL_H
#define KC_AUTOGRAD_PANEL_H

#include <stddef.h>

/* One row of a panel; and terms of one panel, which so stays close to the
 * processor. */
#define KCI_PANEL_BYTES 64
#define KCI_PANEL_DEPTH 128

/* c[i][j] += a[i * a_row + k] * b[k][j] for k in order, two roundings a term.
 * Rows of b and c have KCI_PANEL_BYTES. */
typedef struct kci_panel_loops {
    void (*add_f32)(size_t rows, size_t depth, const float *a, size_t a_row,
                    const float *b, float *c);
    void (*add_f64)(size_t rows, size_t depth, const double *a, size_t a_row,
                    const double *b, double *c);
} kci_panel_loops_t;

/* Those with vectors of 16, 32 or 64 bytes; NULL if this machine has none. */
const kci_panel_loops_t *kci_panel_loops_of(size_t vector_bytes);
/* The widest. */
const kci_panel_loops_t *kci_panel_loops(void);

#endif
