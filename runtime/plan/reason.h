/* SPDX-License-Identifier: Apache-2.0
 *
 * The reason codes as labels for JSON and as words for people.
 */
#ifndef KC_PLAN_REASON_H
#define KC_PLAN_REASON_H

#include <kcapsule/policy.h>

/* "too_many_elements"; "unknown" for what is no kc_reason_t. */
const char *kci_reason_label(int32_t reason);
/* "too many elements" */
const char *kci_reason_words(int32_t reason);

#endif
