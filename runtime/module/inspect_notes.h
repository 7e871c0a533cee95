/* SPDX-License-Identifier: Apache-2.0
 *
 * The notes of owner `kcapsule` in a shared object. Internal to the layer.
 */
#ifndef KC_MODULE_INSPECT_NOTES_H
#define KC_MODULE_INSPECT_NOTES_H

#include "module/inspect_elf.h"

/* The records of one note. Bytes are borrowed from the file in memory. */
typedef struct kci_note {
    const unsigned char *bytes;
    size_t size;
    size_t count; /* how many notes of that type there are */
} kci_note_t;

typedef struct kci_module_notes {
    kci_note_t module;
    kci_note_t capsules;
    kci_note_t provenance; /* count 0 when absent */
} kci_module_notes_t;

/* Exactly one module note, one capsule note, at most one of provenance. */
KC_MUST_USE kc_status_t kci_notes_find(const kci_elf_file_t *file,
                                       kci_module_notes_t *out_notes,
                                       kc_error_t *error);

/* A copy of all note segments, one behind the other in the order of the
 * program headers. `*out_bytes` is owned by the caller (kci_free). */
KC_MUST_USE kc_status_t kci_notes_copy(const kci_elf_file_t *file,
                                       unsigned char **out_bytes,
                                       size_t *out_size, kc_error_t *error);

#endif
