/* SPDX-License-Identifier: Apache-2.0
 *
 * The list of needed libraries, and dynamic sections that do not hold.
 */
#include "module/inspect_dynamic.h"

#include "unit/module/open_bytes.h"
#include "unit/module/suites.h"

/* The first entry with that tag in the bytes of the file. */
static Elf64_Dyn *entry_of(open_bytes_t *open, int64_t tag)
{
    size_t index = 0;
    const GElf_Phdr *segment =
        kci_elf_next_header(&open->elf, PT_DYNAMIC, &index);
    ck_assert_ptr_nonnull(segment);
    Elf64_Dyn *entry = (Elf64_Dyn *)(open->bytes + segment->p_offset);
    while (entry->d_tag != tag) {
        ck_assert_int_ne(entry->d_tag, DT_NULL);
        entry++;
    }
    return entry;
}

static kc_status_t read_dynamic(open_bytes_t *open, kc_error_t *error)
{
    kci_dynamic_t dynamic;
    char **needed = NULL;
    kc_status_t status = kci_dynamic_read(&open->elf, &dynamic, &needed, error);
    kci_needed_free(needed);
    return status;
}

START_TEST(needed_libraries_are_listed)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_dynamic_t dynamic;
    char **needed = NULL;
    bool has_libc = false;
    open_bytes_t open = open_mock_bytes("marker");
    EXPECT_OK(error, kci_dynamic_read(&open.elf, &dynamic, &needed, &error));
    for (char **at = needed; *at != NULL; at++) {
        has_libc = has_libc || strncmp(*at, "libc.so", 7) == 0;
    }
    ck_assert(has_libc);
    ck_assert_uint_ne(dynamic.symbols, 0);
    ck_assert_ptr_nonnull(kci_dynamic_string(&open.elf, &dynamic, 0));
    ck_assert_ptr_null(
        kci_dynamic_string(&open.elf, &dynamic, dynamic.strings_size));
    kci_needed_free(needed);
    kci_needed_free(NULL);
    close_bytes(&open);
}
END_TEST

START_TEST(a_name_lies_in_the_string_table)
{
    kc_error_t error = KC_ERROR_INIT;
    open_bytes_t open = open_mock_bytes("marker");
    Elf64_Dyn *needed = entry_of(&open, DT_NEEDED);
    needed->d_un.d_val = UINT64_MAX;
    EXPECT_FAILURE(error, KC_ERR_MODULE, "name of a needed library",
                   read_dynamic(&open, &error));
    needed->d_un.d_val = 0; /* the empty name */
    EXPECT_FAILURE(error, KC_ERR_MODULE, "name of a needed library",
                   read_dynamic(&open, &error));
    close_bytes(&open);
    open = open_mock_bytes("marker");
    entry_of(&open, DT_STRTAB)->d_un.d_ptr = UINT64_MAX - 3;
    EXPECT_FAILURE(error, KC_ERR_MODULE, "name of a needed library",
                   read_dynamic(&open, &error));
    close_bytes(&open);
    open = open_mock_bytes("marker");
    entry_of(&open, DT_STRSZ)->d_un.d_val = UINT64_MAX;
    EXPECT_FAILURE(error, KC_ERR_MODULE, "name of a needed library",
                   read_dynamic(&open, &error));
    close_bytes(&open);
}
END_TEST

START_TEST(there_is_one_section_with_an_end)
{
    kc_error_t error = KC_ERROR_INIT;
    open_bytes_t open = open_mock_bytes("good");
    GElf_Phdr *dynamic = NULL;
    for (size_t idx = 0; idx < open.elf.header_count; idx++) {
        if (open.elf.headers[idx].p_type == PT_DYNAMIC) {
            dynamic = &open.elf.headers[idx];
        }
    }
    dynamic->p_filesz = sizeof(Elf64_Dyn);
    EXPECT_FAILURE(error, KC_ERR_MODULE, "found none in 1 entries",
                   read_dynamic(&open, &error));
    dynamic->p_type = PT_NULL;
    EXPECT_FAILURE(error, KC_ERR_MODULE, "one dynamic section, found none",
                   read_dynamic(&open, &error));
    open.elf.headers[0].p_type = PT_DYNAMIC;
    dynamic->p_type = PT_DYNAMIC;
    EXPECT_FAILURE(error, KC_ERR_MODULE, "one dynamic section, found several",
                   read_dynamic(&open, &error));
    close_bytes(&open);
}
END_TEST

START_TEST(the_list_is_bounded)
{
    kc_error_t error = KC_ERROR_INIT;
    Elf64_Dyn entries[300];
    open_bytes_t open = open_mock_bytes("good");
    for (size_t idx = 0; idx < 300; idx++) {
        entries[idx].d_tag = DT_NEEDED;
        entries[idx].d_un.d_val = 1;
    }
    kci_elf_file_t elf = open.elf;
    GElf_Phdr segment = {.p_type = PT_DYNAMIC, .p_filesz = sizeof entries};
    elf.bytes = (const unsigned char *)entries;
    elf.size = sizeof entries;
    elf.headers = &segment;
    elf.header_count = 1;
    kci_dynamic_t dynamic;
    char **needed = NULL;
    EXPECT_FAILURE(error, KC_ERR_MODULE, "at most 256 needed libraries",
                   kci_dynamic_read(&elf, &dynamic, &needed, &error));
    close_bytes(&open);
}
END_TEST

Suite *suite_module_inspect_dynamic(void)
{
    Suite *suite = suite_create("module/inspect_dynamic");
    TCase *tests = tcase_create("inspect_dynamic");
    tcase_add_test(tests, needed_libraries_are_listed);
    tcase_add_test(tests, a_name_lies_in_the_string_table);
    tcase_add_test(tests, there_is_one_section_with_an_end);
    tcase_add_test(tests, the_list_is_bounded);
    suite_add_tcase(suite, tests);
    return suite;
}
