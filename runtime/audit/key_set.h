/* SPDX-License-Identifier: Apache-2.0
 *
 * A set of numbers: what was seen already, in lists too long to search.
 */
#ifndef KC_AUDIT_KEY_SET_H
#define KC_AUDIT_KEY_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <kcapsule/status.h>

/* Starts as zeros. */
typedef struct kci_key_set {
    uint64_t *slots; /* owned; a power of two of them, 0 is free */
    size_t slot_count;
    size_t used_count;
} kci_key_set_t;

/* Keys are below UINT64_MAX. `*out_is_new`: whether it was not there. */
KC_MUST_USE kc_status_t kci_key_set_add(kci_key_set_t *set, uint64_t key,
                                        bool *out_is_new, kc_error_t *error);
void kci_key_set_release(kci_key_set_t *set);

#endif
