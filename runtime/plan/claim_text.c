/* SPDX-License-Identifier: Apache-2.0
 *
 * Compact texts of claims, made and expected.
 */
#include "plan/claim_text.h"

#include <stdio.h>
#include "base/label.h"

const kc_contract_descriptor_t *
kci_capsule_obligation(const kc_capsule_record_t *capsule, int32_t obligation)
{
    const kc_contract_descriptor_t *const descriptors[] = {
        [KC_OBLIGATION_SHAPE] = &capsule->shape,
        [KC_OBLIGATION_LAYOUT] = &capsule->layout,
        [KC_OBLIGATION_VALUE] = &capsule->value,
        [KC_OBLIGATION_VJP] = &capsule->vjp,
    };
    return descriptors[obligation];
}

static void format(int32_t claim, int32_t op, const char *mode, char *out,
                   size_t size)
{
    snprintf(out, size, "%s(%s%s%s)", kci_label(&kci_claims, claim),
             kci_label(&kci_ops, op), mode != NULL ? ", " : "",
             mode != NULL ? mode : "");
}

void kci_claim_format(const kc_contract_descriptor_t *descriptor, char *out,
                      size_t size)
{
    const char *mode = NULL;
    if (descriptor->claim == KC_CLAIM_LAYOUT_COMPATIBILITY) {
        mode = kci_label(&kci_layouts, descriptor->mode);
    }
    if (descriptor->claim == KC_CLAIM_VJP_REFINEMENT) {
        mode = kci_label(&kci_vjp_modes, descriptor->mode);
    }
    format(descriptor->claim, descriptor->op, mode, out, size);
}

void kci_claim_format_expected(const kc_capsule_record_t *capsule,
                               int32_t obligation, char *out, size_t size)
{
    switch (obligation) {
    case KC_OBLIGATION_SHAPE:
        format(KC_CLAIM_SHAPE_SAFETY, capsule->op, NULL, out, size);
        return;
    case KC_OBLIGATION_LAYOUT:
        format(KC_CLAIM_LAYOUT_COMPATIBILITY, capsule->op, "any", out, size);
        return;
    case KC_OBLIGATION_VALUE:
        format(KC_CLAIM_VALUE_REFINEMENT, capsule->op, NULL, out, size);
        return;
    default:
        break;
    }
    if (capsule->vjp_mode == KC_VJP_NONE) {
        format(KC_CLAIM_VJP_UNAVAILABLE, capsule->op, NULL, out, size);
        return;
    }
    format(KC_CLAIM_VJP_REFINEMENT, capsule->op,
           kci_label(&kci_vjp_modes, capsule->vjp_mode), out, size);
}
