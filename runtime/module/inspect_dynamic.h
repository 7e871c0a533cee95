/* SPDX-License-Identifier: Apache-2.0
 *
 * The dynamic section of a shared object: libraries that it needs, symbols
 * that it exports. Internal to the layer.
 */
#ifndef KC_MODULE_INSPECT_DYNAMIC_H
#define KC_MODULE_INSPECT_DYNAMIC_H

#include "module/inspect_elf.h"

/* Values of the tags; addresses of the loaded image, 0 when absent. */
typedef struct kci_dynamic {
    uint64_t strings;
    uint64_t strings_size;
    uint64_t symbols;
    uint64_t hash;
    uint64_t gnu_hash;
} kci_dynamic_t;

/* `*out_needed`: NULL-terminated, owned by the caller (kci_needed_free). */
KC_MUST_USE kc_status_t kci_dynamic_read(const kci_elf_file_t *file,
                                         kci_dynamic_t *out_dynamic,
                                         char ***out_needed, kc_error_t *error);
void kci_needed_free(char **needed); /* accepts NULL */

/* The text at `offset` of the string table, or NULL if it has no end there or
 * more than 255 bytes. */
const char *kci_dynamic_string(const kci_elf_file_t *file,
                               const kci_dynamic_t *dynamic, uint64_t offset);

/* Whether the object defines an exported function of that name. */
bool kci_symbol_is_exported(const kci_elf_file_t *file,
                            const kci_dynamic_t *dynamic, const char *name);

#endif
