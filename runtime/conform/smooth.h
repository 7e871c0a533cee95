/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers at which every operation can be differenced: all different, none
 * near a kink, a pole or another one, so that a small step in any of them
 * crosses nothing.
 */
#ifndef KC_CONFORM_SMOOTH_H
#define KC_CONFORM_SMOOTH_H

#include "conform/case.h"

/* Floating-point elements of a smooth case, all operands together. */
#define KCI_SMOOTH_ELEMENTS_MAX 150
#define KCI_SMOOTH_ATTEMPTS     200

/* After the draw of shapes: tames the attributes and makes ready to draw
 * values. False when there are too many of them. */
bool kci_smooth_begin(kci_case_t *trial);
/* The distance of the two nearest values. */
double kci_smooth_spacing(const kci_case_t *trial);
/* The next value: of n in [-2, 2), each once, in an order of the seed, at
 * least 4/n apart and 1/n from 0; moved to where the operation is smooth. */
double kci_smooth_next(kci_case_t *trial, const kci_operand_t *operand);

#endif
