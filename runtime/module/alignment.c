/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether each obligation of a contract makes the claim that belongs there,
 * about the capsule's own operation. A contract that does not is listed and
 * never planned.
 */
#include "module/module_file.h"

static bool is_about(const kc_contract_descriptor_t *descriptor,
                     const kc_capsule_record_t *capsule, int32_t claim)
{
    return descriptor->claim == claim && descriptor->op == capsule->op;
}

/* Any known layout will do. */
static bool is_layout_aligned(const kc_capsule_record_t *capsule)
{
    return is_about(&capsule->layout, capsule, KC_CLAIM_LAYOUT_COMPATIBILITY) &&
           capsule->layout.mode >= 0 && capsule->layout.mode < KC_LAYOUT_COUNT;
}

/* The claim's mode is the capsule's; no mode goes with "unavailable" only. */
static bool is_vjp_aligned(const kc_capsule_record_t *capsule)
{
    if (capsule->vjp_mode == KC_VJP_NONE) {
        return is_about(&capsule->vjp, capsule, KC_CLAIM_VJP_UNAVAILABLE);
    }
    return is_about(&capsule->vjp, capsule, KC_CLAIM_VJP_REFINEMENT) &&
           capsule->vjp.mode == capsule->vjp_mode;
}

static bool is_obligation_aligned(const kc_capsule_record_t *capsule,
                                  int32_t obligation)
{
    switch (obligation) {
    case KC_OBLIGATION_SHAPE:
        return is_about(&capsule->shape, capsule, KC_CLAIM_SHAPE_SAFETY);
    case KC_OBLIGATION_LAYOUT:
        return is_layout_aligned(capsule);
    case KC_OBLIGATION_VALUE:
        return is_about(&capsule->value, capsule, KC_CLAIM_VALUE_REFINEMENT);
    default:
        return is_vjp_aligned(capsule);
    }
}

bool kci_capsule_is_aligned(const kc_capsule_record_t *capsule,
                            int32_t *out_obligation)
{
    for (int32_t idx = 0; idx < KC_OBLIGATION_COUNT; idx++) {
        if (is_obligation_aligned(capsule, idx)) {
            continue;
        }
        if (out_obligation != NULL) {
            *out_obligation = idx;
        }
        return false;
    }
    return true;
}
