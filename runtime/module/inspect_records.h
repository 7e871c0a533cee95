/* SPDX-License-Identifier: Apache-2.0
 *
 * Records out of the bytes of notes: copies of the size that this host knows,
 * every field checked. Internal to the layer.
 */
#ifndef KC_MODULE_INSPECT_RECORDS_H
#define KC_MODULE_INSPECT_RECORDS_H

#include <kcapsule/module.h>
#include "module/inspect_notes.h"

/* Bounds the table; the largest maintained module has fewer than 60. */
#define KCI_CAPSULES_MAX   4096
#define KCI_PROVENANCE_MAX 16384

KC_MUST_USE kc_status_t kci_records_read_module(const kci_note_t *note,
                                                kc_module_record_t *out_record,
                                                kc_error_t *error);

/* `module` is the checked record of the same file: its minor version decides
 * whether values that this host does not know are tolerated. The tables are
 * owned by the caller (kci_free). */
KC_MUST_USE kc_status_t kci_records_read_capsules(
    const kci_note_t *note, const kc_module_record_t *module,
    kc_capsule_record_t **out_capsules, size_t *out_count, kc_error_t *error);
KC_MUST_USE kc_status_t kci_records_read_provenance(
    const kci_note_t *note, const kc_capsule_record_t *capsules,
    size_t capsule_count, kc_provenance_record_t **out_provenance,
    size_t *out_count, kc_error_t *error);

/* One capsule in place; `index` names it as long as its name is not known. */
KC_MUST_USE kc_status_t kci_capsule_check(kc_capsule_record_t *capsule,
                                          size_t index, bool is_newer_minor,
                                          kc_error_t *error);

#endif
