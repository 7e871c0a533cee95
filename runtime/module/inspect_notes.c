/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the notes by program headers, which survive stripping, not by
 * sections, which need not.
 */
#include "module/inspect_notes.h"

#include <string.h>
#include <kcapsule/module.h>
#include "base/alloc.h"
#include "base/error.h"

/* Bounds the work: a segment is walked once. */
#define NOTE_SEGMENTS_MAX 16
#define NOTE_HEADER_SIZE  sizeof(Elf64_Nhdr)

static kci_note_t *slot_of(kci_module_notes_t *notes, uint32_t type)
{
    switch (type) {
    case KC_NOTE_MODULE:
        return &notes->module;
    case KC_NOTE_CAPSULES:
        return &notes->capsules;
    case KC_NOTE_PROVENANCE:
        return &notes->provenance;
    default: /* of a newer minor version */
        return NULL;
    }
}

static void take_note(kci_module_notes_t *notes, const GElf_Nhdr *header,
                      const unsigned char *owner, const unsigned char *bytes)
{
    if (header->n_namesz != KC_NOTE_OWNER_SIZE ||
        memcmp(owner, KC_NOTE_OWNER, KC_NOTE_OWNER_SIZE) != 0) {
        return;
    }
    kci_note_t *slot = slot_of(notes, header->n_type);
    if (slot != NULL) {
        slot->bytes = bytes;
        slot->size = header->n_descsz;
        slot->count++;
    }
}

/* `data` may be a copy by libelf; notes are remembered in the file's bytes. */
static kc_status_t walk_segment(const kci_elf_file_t *file,
                                const GElf_Phdr *segment, Elf_Data *data,
                                kci_module_notes_t *notes, kc_error_t *error)
{
    const unsigned char *start = file->bytes + segment->p_offset;
    size_t offset = 0;
    while (offset < data->d_size && data->d_size - offset >= NOTE_HEADER_SIZE) {
        GElf_Nhdr header;
        size_t owner = 0;
        size_t record = 0;
        size_t next = gelf_getnote(data, offset, &header, &owner, &record);
        if (next <= offset) {
            return kci_fail(error, KC_ERR_MODULE,
                            "expected a note at byte %llu, found one that "
                            "runs past its segment",
                            (unsigned long long)(segment->p_offset + offset));
        }
        take_note(notes, &header, start + owner, start + record);
        offset = next;
    }
    return KC_OK;
}

static kc_status_t read_segment(const kci_elf_file_t *file,
                                const GElf_Phdr *segment,
                                kci_module_notes_t *notes, kc_error_t *error)
{
    if (segment->p_filesz == 0) {
        return KC_OK;
    }
    Elf_Type type = segment->p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR;
    Elf_Data *data = elf_getdata_rawchunk(file->elf, (int64_t)segment->p_offset,
                                          (size_t)segment->p_filesz, type);
    if (data == NULL) {
        return kci_fail(error, KC_ERR_MODULE,
                        "the notes at byte %llu cannot be read: %s",
                        (unsigned long long)segment->p_offset, elf_errmsg(-1));
    }
    return walk_segment(file, segment, data, notes, error);
}

static kc_status_t check_count(const kci_note_t *note, const char *what,
                               kc_error_t *error)
{
    if (note->count == 1) {
        return KC_OK;
    }
    return kci_fail(error, KC_ERR_MODULE,
                    "expected one %s note of owner " KC_NOTE_OWNER
                    ", found %zu",
                    what, note->count);
}

kc_status_t kci_notes_find(const kci_elf_file_t *file,
                           kci_module_notes_t *out_notes, kc_error_t *error)
{
    kci_module_notes_t notes = {{NULL, 0, 0}, {NULL, 0, 0}, {NULL, 0, 0}};
    size_t index = 0;
    size_t segment_count = 0;
    const GElf_Phdr *segment = NULL;
    while ((segment = kci_elf_next_header(file, PT_NOTE, &index)) != NULL) {
        if (++segment_count > NOTE_SEGMENTS_MAX) {
            return kci_fail(error, KC_ERR_MODULE,
                            "expected at most %d note segments, found more",
                            NOTE_SEGMENTS_MAX);
        }
        KC_RETURN_IF_ERROR(read_segment(file, segment, &notes, error));
    }
    KC_RETURN_IF_ERROR(check_count(&notes.module, "module", error));
    KC_RETURN_IF_ERROR(check_count(&notes.capsules, "capsule", error));
    if (notes.provenance.count > 1) {
        return check_count(&notes.provenance, "provenance", error);
    }
    *out_notes = notes;
    return KC_OK;
}

/* The extents were checked, and 16 times the file cannot overflow. */
static size_t segments_size(const kci_elf_file_t *file)
{
    size_t index = 0;
    size_t size = 0;
    const GElf_Phdr *segment = NULL;
    while ((segment = kci_elf_next_header(file, PT_NOTE, &index)) != NULL) {
        size += (size_t)segment->p_filesz;
    }
    return size;
}

kc_status_t kci_notes_copy(const kci_elf_file_t *file,
                           unsigned char **out_bytes, size_t *out_size,
                           kc_error_t *error)
{
    size_t size = segments_size(file);
    void *copy = NULL;
    KC_RETURN_IF_ERROR(kci_alloc_array(size, 1, &copy, error));
    unsigned char *to = copy;
    size_t index = 0;
    const GElf_Phdr *segment = NULL;
    while ((segment = kci_elf_next_header(file, PT_NOTE, &index)) != NULL) {
        memcpy(to, file->bytes + segment->p_offset, (size_t)segment->p_filesz);
        to += segment->p_filesz;
    }
    *out_bytes = copy;
    *out_size = size;
    return KC_OK;
}
