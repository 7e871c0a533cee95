/* SPDX-License-Identifier: Apache-2.0
 *
 * A shared object in memory, strictly checked: everything that the dynamic
 * linker would map lies inside the bytes. Internal to the layer.
 */
#ifndef KC_MODULE_INSPECT_ELF_H
#define KC_MODULE_INSPECT_ELF_H

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <kcapsule/status.h>

typedef struct kci_elf_file {
    const unsigned char *bytes; /* borrowed */
    size_t size;
    Elf *elf;
    GElf_Phdr *headers; /* owned */
    size_t header_count;
} kci_elf_file_t;

/* Errors say what was expected and found; the caller names the file. */
KC_MUST_USE kc_status_t kci_elf_open(const unsigned char *bytes, size_t size,
                                     kci_elf_file_t *out_file,
                                     kc_error_t *error);
void kci_elf_close(kci_elf_file_t *file); /* accepts a zeroed record */

/* The one program header of that type; NULL when there is none. Several are
 * found by `*index`, which starts at 0 and moves on. */
const GElf_Phdr *kci_elf_next_header(const kci_elf_file_t *file, uint32_t type,
                                     size_t *index);

/* Where [address, address + size) of the loaded image lies in the file; false
 * when no loaded segment holds all of it. */
bool kci_elf_offset_of(const kci_elf_file_t *file, uint64_t address,
                       uint64_t size, uint64_t *out_offset);
/* The same as a pointer to the bytes, or NULL. */
const unsigned char *kci_elf_at(const kci_elf_file_t *file, uint64_t address,
                                uint64_t size);

#endif
