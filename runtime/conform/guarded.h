/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory between guard bytes. An implementation that writes one element too
 * many, into a gap of an operand, or nothing at all, is found by it.
 */
#ifndef KC_CONFORM_GUARDED_H
#define KC_CONFORM_GUARDED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Before and behind, each. */
#define KCI_GUARD_BYTES 64

typedef struct kci_guarded {
    unsigned char *block;  /* owned: guard, elements, guard */
    unsigned char *before; /* owned: how it was, after kci_guarded_seal */
    size_t size;           /* of the elements, in bytes */
} kci_guarded_t;

/* Every byte, elements too, gets the guard pattern. False without memory. */
bool kci_guarded_create(size_t size, kci_guarded_t *out_guarded);
void kci_guarded_release(kci_guarded_t *guarded);
unsigned char *kci_guarded_elements(const kci_guarded_t *guarded);
/* Remembers every byte; later changes are found. */
void kci_guarded_seal(kci_guarded_t *guarded);
bool kci_guarded_is_unchanged(const kci_guarded_t *guarded);
/* Only the bytes around the elements. */
bool kci_guarded_has_guards(const kci_guarded_t *guarded);

/* An element nobody wrote: a signalling NaN of a payload that no arithmetic
 * gives, a byte that is no bool, an integer that no case has. */
void kci_guarded_fill_untouched(int32_t dtype, int64_t count,
                                unsigned char *elements);
bool kci_guarded_is_untouched(int32_t dtype, const unsigned char *element);

#endif
