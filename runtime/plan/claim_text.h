/* SPDX-License-Identifier: Apache-2.0
 *
 * Claims in their compact form, as explanations and refusals quote them.
 */
#ifndef KC_PLAN_CLAIM_TEXT_H
#define KC_PLAN_CLAIM_TEXT_H

#include <stddef.h>
#include <kcapsule/capsule.h>

/* The descriptor of a valid obligation. */
const kc_contract_descriptor_t *
kci_capsule_obligation(const kc_capsule_record_t *capsule, int32_t obligation);

/* "valueRefinement(matmul)", "layoutCompatibility(matmul, flat-row-major)",
 * "vjpRefinement(matmul, torchlean-tape)". */
void kci_claim_format(const kc_contract_descriptor_t *descriptor, char *out,
                      size_t size);
/* The claim that alignment wants of a capsule in that field. */
void kci_claim_format_expected(const kc_capsule_record_t *capsule,
                               int32_t obligation, char *out, size_t size);

#endif
