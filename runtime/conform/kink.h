/* SPDX-License-Identifier: Apache-2.0
 *
 * Gradients where a derivative does not exist, or is infinite, or where what
 * is not selected must not be seen: small calls with the answer that the
 * written conventions give.
 */
#ifndef KC_CONFORM_KINK_H
#define KC_CONFORM_KINK_H

#include <stddef.h>
#include <stdint.h>
#include <kcapsule/attributes.h>

#define KCI_KINK_INPUTS   2
#define KCI_KINK_ELEMENTS 12

/* Operands of one shape, masks as 0 and 1; `has_sign`: zeros of the gradient
 * are +0, as a select gives them. */
typedef struct kci_kink {
    int32_t op;
    const char *name;
    int32_t rank;
    int64_t shape[3];
    int64_t out_rank;
    int64_t out_shape[3];
    size_t input_count;
    int second_is_mask;
    double inputs[KCI_KINK_INPUTS][KCI_KINK_ELEMENTS];
    double cotangent[KCI_KINK_ELEMENTS];
    double gradients[KCI_KINK_INPUTS][KCI_KINK_ELEMENTS];
    int has_sign;
    void (*set_attributes)(kc_attributes_t *attributes);
} kci_kink_t;

size_t kci_kink_count(void);
const kci_kink_t *kci_kink(size_t index);

#endif
