/* SPDX-License-Identifier: Apache-2.0
 *
 * Headers of a good module, patched one at a time.
 */
#include "module/inspect_elf.h"

#include <stdlib.h>
#include "unit/module/mock_fixture.h"
#include "unit/module/suites.h"
#include "unit/expect.h"

static unsigned char *bytes;
static size_t bytes_size;
static Elf64_Ehdr *header;
static Elf64_Phdr *segments;

static void read_good(void)
{
    bytes = mock_bytes("good", &bytes_size);
    header = (Elf64_Ehdr *)bytes;
    segments = (Elf64_Phdr *)(bytes + header->e_phoff);
}

static void free_good(void)
{
    free(bytes);
}

static Elf64_Phdr *segment_of(uint32_t type)
{
    for (size_t idx = 0; idx < header->e_phnum; idx++) {
        if (segments[idx].p_type == type) {
            return &segments[idx];
        }
    }
    ck_abort_msg("no segment of type %u", type);
    return NULL;
}

static void expect_bad(const char *text)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_elf_file_t file;
    EXPECT_FAILURE(error, KC_ERR_MODULE, text,
                   kci_elf_open(bytes, bytes_size, &file, &error));
}

START_TEST(a_good_file_opens)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_elf_file_t file;
    uint64_t offset = 0;
    EXPECT_OK(error, kci_elf_open(bytes, bytes_size, &file, &error));
    ck_assert_uint_eq(file.header_count, header->e_phnum);
    Elf64_Phdr *note = segment_of(PT_NOTE);
    ck_assert(kci_elf_offset_of(&file, note->p_vaddr, note->p_filesz, &offset));
    ck_assert_uint_eq(offset, note->p_offset);
    ck_assert_ptr_eq(kci_elf_at(&file, note->p_vaddr, 4), bytes + offset);
    ck_assert_ptr_null(kci_elf_at(&file, UINT64_MAX, 1));
    ck_assert_ptr_null(kci_elf_at(&file, note->p_vaddr, UINT64_MAX));
    kci_elf_close(&file);
    kci_elf_close(&file);
}
END_TEST

START_TEST(the_identity_is_checked)
{
    bytes[EI_CLASS] = ELFCLASS32;
    expect_bad("expected 64-bit little-endian ELF, found 32-bit little-endian "
               "ELF");
    bytes[EI_CLASS] = ELFCLASS64;
    bytes[EI_DATA] = ELFDATA2MSB;
    expect_bad("found 64-bit big-endian ELF");
    bytes[EI_DATA] = ELFDATA2LSB;
    bytes[EI_VERSION] = 7;
    expect_bad("of version 7");
    bytes[0] = 'x';
    expect_bad("expected a shared object");
}
END_TEST

START_TEST(the_kind_of_file_is_checked)
{
    uint16_t machine = header->e_machine;
    header->e_type = ET_EXEC;
    expect_bad("expected a shared object, found an executable");
    header->e_type = ET_DYN;
    header->e_machine = EM_S390;
    expect_bad("found code for s390");
    header->e_machine = machine;
    header->e_phentsize = 32;
    expect_bad("program headers of 56 bytes, found 32");
}
END_TEST

START_TEST(the_header_table_lies_in_the_file)
{
    uint64_t offset = header->e_phoff;
    uint16_t count = header->e_phnum;
    header->e_phoff = UINT64_MAX - 7;
    expect_bad("program headers inside");
    header->e_phoff = bytes_size - bytes_size % 8;
    expect_bad("program headers inside");
    header->e_phoff = offset + 4;
    expect_bad("program headers inside");
    header->e_phoff = offset;
    header->e_phnum = 0;
    expect_bad("1 to 256 program headers, found 0");
    header->e_phnum = 0xffff;
    expect_bad("found 65535");
    header->e_phnum = count;
    header->e_shoff = bytes_size;
    expect_bad("section headers");
}
END_TEST

START_TEST(segments_lie_in_the_file)
{
    static const uint32_t types[] = {PT_LOAD, PT_NOTE, PT_DYNAMIC};
    for (size_t idx = 0; idx < sizeof types / sizeof *types; idx++) {
        Elf64_Phdr *segment = segment_of(types[idx]);
        Elf64_Phdr saved = *segment;
        segment->p_filesz = UINT64_MAX;
        expect_bad("inside of");
        *segment = saved;
        segment->p_offset = UINT64_MAX - 10;
        expect_bad("inside of");
        *segment = saved;
        segment->p_offset = bytes_size;
        expect_bad("inside of");
        *segment = saved;
    }
}
END_TEST

START_TEST(loaded_segments_ascend)
{
    Elf64_Phdr *load = segment_of(PT_LOAD);
    Elf64_Phdr saved = *load;
    load->p_memsz = load->p_filesz - 1;
    expect_bad("loaded segment");
    *load = saved;
    load->p_vaddr = UINT64_MAX - 5;
    expect_bad("loaded segment");
    *load = saved;
    load->p_memsz = UINT64_C(1) << 40; /* over the next one */
    expect_bad("at or after address");
    *load = saved;
    for (size_t idx = 0; idx < header->e_phnum; idx++) {
        if (segments[idx].p_type == PT_LOAD) {
            segments[idx].p_type = PT_NULL;
        }
    }
    expect_bad("expected loaded segments, found none");
}
END_TEST

START_TEST(notes_and_dynamic_section_are_loaded)
{
    Elf64_Phdr *note = segment_of(PT_NOTE);
    note->p_vaddr += 8;
    expect_bad("inside a loaded one");
    note->p_vaddr -= 8;
    segment_of(PT_DYNAMIC)->p_vaddr = 0x123456789;
    expect_bad("inside a loaded one");
}
END_TEST

/* Exact blocks, so that a sanitizer sees every read past the end. */
START_TEST(no_beginning_of_a_file_is_taken_for_the_file)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_elf_file_t file;
    for (size_t size = 0; size < bytes_size; size += size < 5000 ? 1 : 37) {
        unsigned char *cut = malloc(size > 0 ? size : 1);
        ck_assert_ptr_nonnull(cut);
        memcpy(cut, bytes, size);
        ck_assert_int_eq(kci_elf_open(cut, size, &file, &error), KC_ERR_MODULE);
        free(cut);
    }
}
END_TEST

Suite *suite_module_inspect_elf(void)
{
    Suite *suite = suite_create("module/inspect_elf");
    TCase *tests = tcase_create("inspect_elf");
    tcase_add_checked_fixture(tests, read_good, free_good);
    tcase_add_test(tests, a_good_file_opens);
    tcase_add_test(tests, the_identity_is_checked);
    tcase_add_test(tests, the_kind_of_file_is_checked);
    tcase_add_test(tests, the_header_table_lies_in_the_file);
    tcase_add_test(tests, segments_lie_in_the_file);
    tcase_add_test(tests, loaded_segments_ascend);
    tcase_add_test(tests, notes_and_dynamic_section_are_loaded);
    tcase_add_test(tests, no_beginning_of_a_file_is_taken_for_the_file);
    suite_add_tcase(suite, tests);
    return suite;
}
