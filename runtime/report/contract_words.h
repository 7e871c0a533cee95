/* SPDX-License-Identifier: Apache-2.0
 *
 * Words for the optional statements of a contract, and what the host grants
 * to an obligation.
 */
#ifndef KC_REPORT_CONTRACT_WORDS_H
#define KC_REPORT_CONTRACT_WORDS_H

#include "audit/audit.h"

const char *kci_rounding_word(int32_t value);
const char *kci_subnormals_word(int32_t value);
const char *kci_contraction_word(int32_t value);
const char *kci_accumulation_word(int32_t value);
const char *kci_reduced_precision_word(int32_t value);
const char *kci_mask_polarity_word(int32_t value);

/* "guard" or "none", and the same as a sentence with the reason. */
const char *kci_grant_label(const kc_capsule_module_t *module,
                            const kc_capsule_record_t *capsule,
                            int32_t obligation);
const char *kci_grant_sentence(const kc_capsule_module_t *module,
                               const kc_capsule_record_t *capsule,
                               int32_t obligation);

#endif
