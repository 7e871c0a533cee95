/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads the dynamic section by its program header. Every address in it is
 * looked up in the loaded segments before it is followed.
 */
#include "module/inspect_dynamic.h"

#include <string.h>
#include "base/alloc.h"
#include "base/error.h"
#include "base/one_line.h"

/* Bounds the list; LibTorch needs a dozen. */
#define NEEDED_MAX    256
#define NAME_SIZE_MAX 256

typedef struct needed_list {
    uint64_t offsets[NEEDED_MAX];
    size_t count;
} needed_list_t;

static kc_status_t take_needed(needed_list_t *needed, uint64_t offset,
                               kc_error_t *error)
{
    if (needed->count == NEEDED_MAX) {
        return kci_fail(error, KC_ERR_MODULE,
                        "expected at most %d needed libraries, found more",
                        NEEDED_MAX);
    }
    needed->offsets[needed->count++] = offset;
    return KC_OK;
}

static kc_status_t take_entry(kci_dynamic_t *dynamic, needed_list_t *needed,
                              const Elf64_Dyn *entry, kc_error_t *error)
{
    switch (entry->d_tag) {
    case DT_NEEDED:
        return take_needed(needed, entry->d_un.d_val, error);
    case DT_STRTAB:
        dynamic->strings = entry->d_un.d_ptr;
        break;
    case DT_STRSZ:
        dynamic->strings_size = entry->d_un.d_val;
        break;
    case DT_SYMTAB:
        dynamic->symbols = entry->d_un.d_ptr;
        break;
    case DT_HASH:
        dynamic->hash = entry->d_un.d_ptr;
        break;
    case DT_GNU_HASH:
        dynamic->gnu_hash = entry->d_un.d_ptr;
        break;
    default:
        break;
    }
    return KC_OK;
}

static kc_status_t read_entries(const kci_elf_file_t *file,
                                kci_dynamic_t *dynamic, needed_list_t *needed,
                                kc_error_t *error)
{
    size_t index = 0;
    const GElf_Phdr *segment = kci_elf_next_header(file, PT_DYNAMIC, &index);
    if (segment == NULL ||
        kci_elf_next_header(file, PT_DYNAMIC, &index) != NULL) {
        return kci_fail(error, KC_ERR_MODULE,
                        "expected one dynamic section, found %s",
                        segment == NULL ? "none" : "several");
    }
    uint64_t count = segment->p_filesz / sizeof(Elf64_Dyn);
    for (uint64_t idx = 0; idx < count; idx++) {
        Elf64_Dyn entry;
        memcpy(&entry, file->bytes + segment->p_offset + idx * sizeof entry,
               sizeof entry);
        if (entry.d_tag == DT_NULL) {
            return KC_OK;
        }
        KC_RETURN_IF_ERROR(take_entry(dynamic, needed, &entry, error));
    }
    return kci_fail(error, KC_ERR_MODULE,
                    "expected an end of the dynamic section, found none in "
                    "%llu entries",
                    (unsigned long long)count);
}

const char *kci_dynamic_string(const kci_elf_file_t *file,
                               const kci_dynamic_t *dynamic, uint64_t offset)
{
    if (offset >= dynamic->strings_size) {
        return NULL;
    }
    const unsigned char *table =
        kci_elf_at(file, dynamic->strings, dynamic->strings_size);
    uint64_t size = dynamic->strings_size - offset;
    if (size > NAME_SIZE_MAX) {
        size = NAME_SIZE_MAX;
    }
    if (table == NULL || memchr(table + offset, 0, (size_t)size) == NULL) {
        return NULL;
    }
    return (const char *)table + offset;
}

static kc_status_t copy_name(const kci_elf_file_t *file,
                             const kci_dynamic_t *dynamic, uint64_t offset,
                             char **out_name, kc_error_t *error)
{
    const char *name = kci_dynamic_string(file, dynamic, offset);
    if (name == NULL || name[0] == '\0') {
        return kci_fail(error, KC_ERR_MODULE,
                        "expected a name of a needed library of 1 to %d "
                        "bytes, found none at %llu of the string table",
                        NAME_SIZE_MAX - 1, (unsigned long long)offset);
    }
    KC_RETURN_IF_ERROR(kci_copy_string(name, out_name, error));
    kci_make_one_line(*out_name);
    return KC_OK;
}

static kc_status_t copy_names(const kci_elf_file_t *file,
                              const kci_dynamic_t *dynamic,
                              const needed_list_t *list, char ***out_needed,
                              kc_error_t *error)
{
    void *names = NULL;
    KC_RETURN_IF_ERROR(
        kci_alloc_array(list->count + 1, sizeof(char *), &names, error));
    char **needed = names;
    for (size_t idx = 0; idx < list->count; idx++) {
        kc_status_t status =
            copy_name(file, dynamic, list->offsets[idx], &needed[idx], error);
        if (status != KC_OK) {
            kci_needed_free(needed);
            return status;
        }
    }
    *out_needed = needed;
    return KC_OK;
}

kc_status_t kci_dynamic_read(const kci_elf_file_t *file,
                             kci_dynamic_t *out_dynamic, char ***out_needed,
                             kc_error_t *error)
{
    kci_dynamic_t dynamic = {0, 0, 0, 0, 0};
    needed_list_t needed = {.count = 0};
    KC_RETURN_IF_ERROR(read_entries(file, &dynamic, &needed, error));
    KC_RETURN_IF_ERROR(copy_names(file, &dynamic, &needed, out_needed, error));
    *out_dynamic = dynamic;
    return KC_OK;
}

void kci_needed_free(char **needed)
{
    for (size_t idx = 0; needed != NULL && needed[idx] != NULL; idx++) {
        kci_free(needed[idx]);
    }
    kci_free(needed);
}
