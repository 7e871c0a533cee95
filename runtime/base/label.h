/* SPDX-License-Identifier: Apache-2.0
 *
 * Labels of the closed vocabularies, from the lists of the SDK.
 */
#ifndef KC_BASE_LABEL_H
#define KC_BASE_LABEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <kcapsule/vocabulary.h>

typedef struct kci_vocabulary {
    const char *what; /* "device", for errors */
    const char *const *labels;
    int32_t count;
} kci_vocabulary_t;

extern const kci_vocabulary_t kci_ops;
extern const kci_vocabulary_t kci_devices;
extern const kci_vocabulary_t kci_trusts;
extern const kci_vocabulary_t kci_vjp_modes;
extern const kci_vocabulary_t kci_layouts;
extern const kci_vocabulary_t kci_obligations;
extern const kci_vocabulary_t kci_reductions;
extern const kci_vocabulary_t kci_claims;
extern const kci_vocabulary_t kci_evidences;
extern const kci_vocabulary_t kci_dtypes;
extern const kci_vocabulary_t kci_invariances;

/* The label of a value, or "unknown" for a value outside of the list. */
const char *kci_label(const kci_vocabulary_t *vocabulary, int32_t value);
/* Exact and case-sensitive; false when no label matches. */
bool kci_label_parse(const kci_vocabulary_t *vocabulary, const char *text,
                     int32_t *out_value);
/* "a, b, c" for error messages; cut to `size`. */
void kci_label_list(const kci_vocabulary_t *vocabulary, char *out, size_t size);
/* [a-z][a-z0-9_.-]*, at most KC_PROVIDER_SIZE - 1 bytes. */
bool kci_is_provider_label(const char *text);

#endif
