/* SPDX-License-Identifier: Apache-2.0
 *
 * Provider labels that are known without any module: a profile may name them
 * although nothing on this machine offers them.
 */
#ifndef KC_REGISTRY_PROVIDER_H
#define KC_REGISTRY_PROVIDER_H

#include <stdbool.h>
#include <stddef.h>
#include <kcapsule/capsule.h>

/* Pointers to these are never to const, also where nothing is written: C11
 * has no way from `T (*)[n]` to `const T (*)[n]`. */
typedef char kci_provider_t[KC_PROVIDER_SIZE];

bool kci_provider_is_well_known(const char *label);
bool kci_provider_is_listed(kci_provider_t *labels, size_t count,
                            const char *label);
bool kci_provider_is_offered(const kc_capsule_record_t *capsules, size_t count,
                             const char *label);

#endif
