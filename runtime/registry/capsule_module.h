/* SPDX-License-Identifier: Apache-2.0
 *
 * A capsule module: a name and an ordered list of contracts, from a module
 * file or from memory. Only those of a file can ever be executed.
 */
#ifndef KC_REGISTRY_CAPSULE_MODULE_H
#define KC_REGISTRY_CAPSULE_MODULE_H

#include "module/module_file.h"

typedef struct kc_capsule_module {
    _Atomic int reference_count;
    char name[KC_MODULE_NAME_SIZE];
    kci_module_file_t *file; /* retained; NULL: contracts in memory */
    const kc_capsule_record_t *capsules;
    size_t capsule_count;
    kc_capsule_record_t *owned_capsules;
} kc_capsule_module_t;

/* Of an accepted file; a refused one is an error with its verdict. */
KC_MUST_USE kc_status_t kci_capsule_module_from_file(
    kci_module_file_t *file, kc_capsule_module_t **out_module,
    kc_error_t *error);
/* Copies the records. Nothing of this module can be executed. */
KC_MUST_USE kc_status_t kci_capsule_module_from_records(
    const char *name, const kc_capsule_record_t *records, size_t count,
    kc_capsule_module_t **out_module, kc_error_t *error);
kc_capsule_module_t *kci_capsule_module_retain(kc_capsule_module_t *module);
void kci_capsule_module_release(kc_capsule_module_t *module);

#endif
