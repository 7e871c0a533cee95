/* SPDX-License-Identifier: Apache-2.0
 *
 * Looks a name up in the hash tables that the dynamic linker uses, so that a
 * file without the getter is refused when it is listed, not when it is opened.
 * Sections are not needed; every step is bounded by the bytes that are there.
 */
#include "module/inspect_dynamic.h"

#include <string.h>

static bool read_word(const kci_elf_file_t *file, uint64_t address,
                      uint32_t *out_word)
{
    const unsigned char *bytes = kci_elf_at(file, address, sizeof *out_word);
    if (bytes == NULL) {
        return false;
    }
    memcpy(out_word, bytes, sizeof *out_word);
    return true;
}

/* Whether symbol `index` is a function defined here under that name. */
static bool is_function(const kci_elf_file_t *file,
                        const kci_dynamic_t *dynamic, uint32_t index,
                        const char *name)
{
    Elf64_Sym symbol;
    uint64_t address = 0;
    if (__builtin_add_overflow(dynamic->symbols,
                               (uint64_t)index * sizeof symbol, &address)) {
        return false;
    }
    const unsigned char *bytes = kci_elf_at(file, address, sizeof symbol);
    if (bytes == NULL) {
        return false;
    }
    memcpy(&symbol, bytes, sizeof symbol);
    const char *found = kci_dynamic_string(file, dynamic, symbol.st_name);
    int binding = ELF64_ST_BIND(symbol.st_info);
    return found != NULL && strcmp(found, name) == 0 &&
           symbol.st_shndx != SHN_UNDEF &&
           ELF64_ST_TYPE(symbol.st_info) == STT_FUNC &&
           (binding == STB_GLOBAL || binding == STB_WEAK);
}

static uint32_t gnu_hash_of(const char *name)
{
    uint32_t hash = 5381;
    for (; *name != '\0'; name++) {
        hash = hash * 33 + (unsigned char)*name;
    }
    return hash;
}

/* The chain of a bucket ends with a value whose lowest bit is set. */
static bool find_in_chain(const kci_elf_file_t *file,
                          const kci_dynamic_t *dynamic, uint64_t chain,
                          uint32_t index, const char *name)
{
    uint32_t hash = gnu_hash_of(name);
    uint32_t value = 0;
    while (read_word(file, chain, &value)) {
        if ((value | 1) == (hash | 1) &&
            is_function(file, dynamic, index, name)) {
            return true;
        }
        if ((value & 1) != 0) {
            return false;
        }
        chain += sizeof value;
        index++;
    }
    return false;
}

/* Header: buckets, first symbol, words of the Bloom filter, its shift; then
 * the filter (64-bit words), the buckets and the chains. */
static bool find_in_gnu_hash(const kci_elf_file_t *file,
                             const kci_dynamic_t *dynamic, const char *name)
{
    uint32_t header[3] = {0, 0, 0};
    for (size_t idx = 0; idx < 3; idx++) {
        if (!read_word(file, dynamic->gnu_hash + idx * 4, &header[idx])) {
            return false;
        }
    }
    if (header[0] == 0) {
        return false;
    }
    uint64_t buckets = dynamic->gnu_hash + 16 + (uint64_t)header[2] * 8;
    uint64_t chains = buckets + (uint64_t)header[0] * 4;
    uint32_t index = 0;
    if (!read_word(file, buckets + gnu_hash_of(name) % header[0] * UINT64_C(4),
                   &index) ||
        index < header[1]) {
        return false;
    }
    return find_in_chain(
        file, dynamic, chains + (uint64_t)(index - header[1]) * 4, index, name);
}

/* Header: buckets and symbols; every symbol is tried. */
static bool find_in_hash(const kci_elf_file_t *file,
                         const kci_dynamic_t *dynamic, const char *name)
{
    uint32_t count = 0;
    if (!read_word(file, dynamic->hash + 4, &count)) {
        return false;
    }
    for (uint32_t index = 0; index < count && index < file->size; index++) {
        if (is_function(file, dynamic, index, name)) {
            return true;
        }
    }
    return false;
}

bool kci_symbol_is_exported(const kci_elf_file_t *file,
                            const kci_dynamic_t *dynamic, const char *name)
{
    if (dynamic->symbols == 0) {
        return false;
    }
    if (dynamic->gnu_hash != 0) {
        return find_in_gnu_hash(file, dynamic, name);
    }
    return dynamic->hash != 0 && find_in_hash(file, dynamic, name);
}
