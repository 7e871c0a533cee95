/* SPDX-License-Identifier: Apache-2.0
 *
 * The runtime's rule of attention, a loop over rows and keys on the cpu.
 * Called as a rule is (rule.h).
 */
#ifndef KC_AUTOGRAD_ATTENTION_ROWS_H
#define KC_AUTOGRAD_ATTENTION_ROWS_H

#include <kcapsule/handler.h>

KC_MUST_USE kc_status_t kci_attention_rows(const kc_call_t *call);
KC_MUST_USE kc_status_t kci_attention_rows_workspace(const kc_call_t *call,
                                                     size_t *out_size);

#endif
