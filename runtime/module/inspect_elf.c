/* SPDX-License-Identifier: Apache-2.0
 *
 * Decides whether bytes are a shared object of this machine whose segments all
 * lie inside the file. libelf reads the headers; the extents are checked here,
 * because libelf accepts files whose tail is missing, and mapping such a file
 * ends in SIGBUS.
 */
#include "module/inspect_elf.h"

#include <string.h>
#include "base/alloc.h"
#include "base/error.h"
#include "module/elf_words.h"

#if defined(__x86_64__)
#define NATIVE_MACHINE EM_X86_64
#elif defined(__aarch64__)
#define NATIVE_MACHINE EM_AARCH64
#elif defined(__riscv) && __riscv_xlen == 64
#define NATIVE_MACHINE EM_RISCV
#elif defined(__powerpc64__) && defined(__LITTLE_ENDIAN__)
#define NATIVE_MACHINE EM_PPC64
#else
#error "modules are 64-bit little-endian shared objects"
#endif

/* Linkers write about a dozen. */
#define HEADER_COUNT_MAX 256

static bool lies_in_file(uint64_t offset, uint64_t extent, size_t size)
{
    return offset <= size && extent <= size - offset;
}

static kc_status_t check_identity(const unsigned char *bytes, size_t size,
                                  kc_error_t *error)
{
    if (size < sizeof(Elf64_Ehdr) || memcmp(bytes, ELFMAG, SELFMAG) != 0) {
        return kci_fail(error, KC_ERR_MODULE,
                        "expected a shared object (ELF), found something else "
                        "of %zu bytes",
                        size);
    }
    if (bytes[EI_CLASS] != ELFCLASS64 || bytes[EI_DATA] != ELFDATA2LSB ||
        bytes[EI_VERSION] != EV_CURRENT) {
        return kci_fail(
            error, KC_ERR_MODULE, "expected %s, found %s",
            kci_elf_layout(ELFCLASS64, ELFDATA2LSB, EV_CURRENT).text,
            kci_elf_layout(bytes[EI_CLASS], bytes[EI_DATA], bytes[EI_VERSION])
                .text);
    }
    return KC_OK;
}

static kc_status_t check_header(const GElf_Ehdr *header, kc_error_t *error)
{
    if (header->e_type != ET_DYN) {
        return kci_fail(error, KC_ERR_MODULE, "expected %s, found %s",
                        kci_elf_type(ET_DYN).text,
                        kci_elf_type(header->e_type).text);
    }
    if (header->e_machine != NATIVE_MACHINE) {
        return kci_fail(error, KC_ERR_MODULE,
                        "expected code for this machine, %s, found code for "
                        "%s",
                        kci_elf_machine(NATIVE_MACHINE).text,
                        kci_elf_machine(header->e_machine).text);
    }
    if (header->e_phentsize != sizeof(Elf64_Phdr)) {
        return kci_fail(error, KC_ERR_MODULE,
                        "expected program headers of %zu bytes, found %d",
                        sizeof(Elf64_Phdr), header->e_phentsize);
    }
    return KC_OK;
}

/* Sections are not read, and a file may have none. But their table is the last
 * thing that linkers write, so without it the end of the file is missing. */
static kc_status_t check_end(const kci_elf_file_t *file,
                             const GElf_Ehdr *header, kc_error_t *error)
{
    uint64_t extent = (uint64_t)header->e_shnum * header->e_shentsize;
    if (header->e_shoff == 0 ||
        lies_in_file(header->e_shoff, extent, file->size)) {
        return KC_OK;
    }
    return kci_fail(error, KC_ERR_MODULE,
                    "expected %d section headers at byte %llu, found the end "
                    "of the file at %zu",
                    header->e_shnum, (unsigned long long)header->e_shoff,
                    file->size);
}

/* The number of headers is bounded before libelf is asked for any. */
static kc_status_t read_headers(kci_elf_file_t *file, const GElf_Ehdr *header,
                                kc_error_t *error)
{
    size_t count = header->e_phnum;
    if (count == 0 || count > HEADER_COUNT_MAX) {
        return kci_fail(error, KC_ERR_MODULE,
                        "expected 1 to %d program headers, found %zu",
                        HEADER_COUNT_MAX, count);
    }
    if (header->e_phoff % sizeof(uint64_t) != 0 ||
        !lies_in_file(header->e_phoff, count * sizeof(Elf64_Phdr),
                      file->size)) {
        return kci_fail(error, KC_ERR_MODULE,
                        "expected %zu program headers inside of %zu bytes, "
                        "found them at byte %llu",
                        count, file->size, (unsigned long long)header->e_phoff);
    }
    void *headers = NULL;
    KC_RETURN_IF_ERROR(
        kci_alloc_array(count, sizeof *file->headers, &headers, error));
    file->headers = headers;
    for (size_t idx = 0; idx < count; idx++) {
        if (gelf_getphdr(file->elf, (int)idx, &file->headers[idx]) == NULL) {
            return kci_fail(error, KC_ERR_MODULE,
                            "program header %zu cannot be read: %s", idx,
                            elf_errmsg(-1));
        }
    }
    file->header_count = count;
    return KC_OK;
}

static kc_status_t check_extent(const kci_elf_file_t *file, size_t idx,
                                kc_error_t *error)
{
    const GElf_Phdr *header = &file->headers[idx];
    if (lies_in_file(header->p_offset, header->p_filesz, file->size)) {
        return KC_OK;
    }
    return kci_fail(error, KC_ERR_MODULE,
                    "expected segment %zu inside of %zu bytes, found %llu "
                    "bytes at byte %llu",
                    idx, file->size, (unsigned long long)header->p_filesz,
                    (unsigned long long)header->p_offset);
}

/* Loaded segments: no more in the file than in memory, in ascending order
 * (the dynamic linker reserves from the first to the last), no overlap. */
static kc_status_t check_load(const GElf_Phdr *header, size_t idx,
                              uint64_t *end, kc_error_t *error)
{
    uint64_t next_end = 0;
    if (header->p_filesz > header->p_memsz ||
        __builtin_add_overflow(header->p_vaddr, header->p_memsz, &next_end) ||
        header->p_vaddr < *end) {
        return kci_fail(error, KC_ERR_MODULE,
                        "expected loaded segment %zu at or after address "
                        "%llu, found %llu bytes of %llu at %llu",
                        idx, (unsigned long long)*end,
                        (unsigned long long)header->p_filesz,
                        (unsigned long long)header->p_memsz,
                        (unsigned long long)header->p_vaddr);
    }
    *end = next_end;
    return KC_OK;
}

static kc_status_t check_loads(const kci_elf_file_t *file, kc_error_t *error)
{
    uint64_t end = 0;
    size_t load_count = 0;
    for (size_t idx = 0; idx < file->header_count; idx++) {
        if (file->headers[idx].p_type != PT_LOAD) {
            continue;
        }
        KC_RETURN_IF_ERROR(check_extent(file, idx, error));
        KC_RETURN_IF_ERROR(check_load(&file->headers[idx], idx, &end, error));
        load_count++;
    }
    if (load_count == 0) {
        return kci_fail(error, KC_ERR_MODULE,
                        "expected loaded segments, found none");
    }
    return KC_OK;
}

/* What the dynamic linker and we read through its address after mapping. */
static bool is_read_by_address(uint32_t type)
{
    return type == PT_NOTE || type == PT_DYNAMIC || type == PT_PHDR ||
           type == PT_TLS;
}

static kc_status_t check_parts(const kci_elf_file_t *file, kc_error_t *error)
{
    for (size_t idx = 0; idx < file->header_count; idx++) {
        const GElf_Phdr *part = &file->headers[idx];
        uint64_t offset = 0;
        if (!is_read_by_address(part->p_type) || part->p_filesz == 0) {
            continue;
        }
        KC_RETURN_IF_ERROR(check_extent(file, idx, error));
        if (!kci_elf_offset_of(file, part->p_vaddr, part->p_filesz, &offset) ||
            offset != part->p_offset) {
            return kci_fail(error, KC_ERR_MODULE,
                            "expected segment %zu inside a loaded one, found "
                            "%llu bytes at address %llu",
                            idx, (unsigned long long)part->p_filesz,
                            (unsigned long long)part->p_vaddr);
        }
    }
    return KC_OK;
}

static kc_status_t open_checked(kci_elf_file_t *file, kc_error_t *error)
{
    GElf_Ehdr header;
    KC_RETURN_IF_ERROR(check_identity(file->bytes, file->size, error));
    if (elf_version(EV_CURRENT) == EV_NONE) {
        return kci_fail(error, KC_ERR_NOT_IN_BUILD,
                        "libelf does not know ELF version %d", EV_CURRENT);
    }
    /* libelf takes char * and does not write through it. */
    file->elf = elf_memory((char *)(uintptr_t)file->bytes, file->size);
    if (file->elf == NULL || elf_kind(file->elf) != ELF_K_ELF ||
        gelf_getehdr(file->elf, &header) == NULL) {
        return kci_fail(error, KC_ERR_MODULE,
                        "expected a shared object, libelf says: %s",
                        elf_errmsg(-1));
    }
    KC_RETURN_IF_ERROR(check_header(&header, error));
    KC_RETURN_IF_ERROR(check_end(file, &header, error));
    KC_RETURN_IF_ERROR(read_headers(file, &header, error));
    KC_RETURN_IF_ERROR(check_loads(file, error));
    return check_parts(file, error);
}

kc_status_t kci_elf_open(const unsigned char *bytes, size_t size,
                         kci_elf_file_t *out_file, kc_error_t *error)
{
    kci_elf_file_t file = {.bytes = bytes, .size = size};
    kc_status_t status = open_checked(&file, error);
    if (status != KC_OK) {
        kci_elf_close(&file);
        return status;
    }
    *out_file = file;
    return KC_OK;
}

void kci_elf_close(kci_elf_file_t *file)
{
    kci_free(file->headers);
    if (file->elf != NULL) {
        (void)elf_end(file->elf);
    }
    memset(file, 0, sizeof *file);
}

const GElf_Phdr *kci_elf_next_header(const kci_elf_file_t *file, uint32_t type,
                                     size_t *index)
{
    while (*index < file->header_count) {
        const GElf_Phdr *header = &file->headers[(*index)++];
        if (header->p_type == type) {
            return header;
        }
    }
    return NULL;
}

bool kci_elf_offset_of(const kci_elf_file_t *file, uint64_t address,
                       uint64_t size, uint64_t *out_offset)
{
    size_t index = 0;
    const GElf_Phdr *load = NULL;
    while ((load = kci_elf_next_header(file, PT_LOAD, &index)) != NULL) {
        if (address < load->p_vaddr) {
            continue;
        }
        uint64_t distance = address - load->p_vaddr;
        if (distance <= load->p_filesz && size <= load->p_filesz - distance) {
            *out_offset = load->p_offset + distance;
            return true;
        }
    }
    return false;
}

const unsigned char *kci_elf_at(const kci_elf_file_t *file, uint64_t address,
                                uint64_t size)
{
    uint64_t offset = 0;
    return kci_elf_offset_of(file, address, size, &offset)
               ? file->bytes + offset
               : NULL;
}
