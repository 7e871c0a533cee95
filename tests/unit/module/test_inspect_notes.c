/* SPDX-License-Identifier: Apache-2.0
 *
 * How many notes there are, and notes that do not end where they should.
 */
#include "module/inspect_notes.h"

#include <kcapsule/module.h>
#include "base/alloc.h"
#include "unit/module/open_bytes.h"
#include "unit/module/suites.h"

/* The first note of owner kcapsule with that type, in the file's bytes. */
static Elf64_Nhdr *note_in(open_bytes_t *open, uint32_t type)
{
    for (size_t at = 0; at + sizeof(kc_note_header_t) <= open->size; at += 4) {
        Elf64_Nhdr *header = (Elf64_Nhdr *)(open->bytes + at);
        if (header->n_type == type && header->n_namesz == KC_NOTE_OWNER_SIZE &&
            memcmp(header + 1, KC_NOTE_OWNER, KC_NOTE_OWNER_SIZE) == 0) {
            return header;
        }
    }
    ck_abort_msg("no note of type %x", type);
    return NULL;
}

static void expect_bad(open_bytes_t *open, const char *text)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_module_notes_t notes;
    EXPECT_FAILURE(error, KC_ERR_MODULE, text,
                   kci_notes_find(&open->elf, &notes, &error));
}

START_TEST(the_notes_are_found)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_module_notes_t notes;
    open_bytes_t open = open_mock_bytes("with_provenance");
    EXPECT_OK(error, kci_notes_find(&open.elf, &notes, &error));
    ck_assert_uint_eq(notes.module.size, sizeof(kc_module_record_t));
    ck_assert_uint_eq(notes.capsules.size, sizeof(kc_capsule_record_t));
    ck_assert_uint_eq(notes.provenance.size,
                      2 * sizeof(kc_provenance_record_t));
    close_bytes(&open);
    open = open_mock_bytes("good");
    EXPECT_OK(error, kci_notes_find(&open.elf, &notes, &error));
    ck_assert_uint_eq(notes.provenance.count, 0);
    close_bytes(&open);
}
END_TEST

START_TEST(each_note_stands_once)
{
    open_bytes_t open = open_mock_bytes("no_note");
    expect_bad(&open, "expected one module note of owner kcapsule, found 0");
    close_bytes(&open);
    open = open_mock_bytes("two_notes");
    expect_bad(&open, "expected one capsule note of owner kcapsule, found 2");
    close_bytes(&open);
    open = open_mock_bytes("with_provenance");
    note_in(&open, KC_NOTE_CAPSULES)->n_type = KC_NOTE_PROVENANCE;
    expect_bad(&open, "expected one capsule note of owner kcapsule, found 0");
    close_bytes(&open);
}
END_TEST

START_TEST(another_owner_or_type_is_not_ours)
{
    open_bytes_t open = open_mock_bytes("good");
    Elf64_Nhdr *header = note_in(&open, KC_NOTE_MODULE);
    ((char *)(header + 1))[3] = 'x';
    expect_bad(&open, "module note of owner kcapsule, found 0");
    ((char *)(header + 1))[3] = 'p';
    header->n_type = 0x4b430009u;
    expect_bad(&open, "module note of owner kcapsule, found 0");
    close_bytes(&open);
}
END_TEST

START_TEST(a_note_ends_in_its_segment)
{
    static const uint32_t sizes[] = {0x10000, 0x7fffffff, 0xfffffff0u,
                                     0xffffffffu};
    for (size_t idx = 0; idx < sizeof sizes / sizeof *sizes; idx++) {
        open_bytes_t open = open_mock_bytes("good");
        note_in(&open, KC_NOTE_CAPSULES)->n_descsz = sizes[idx];
        expect_bad(&open, "runs past its segment");
        close_bytes(&open);
        open = open_mock_bytes("good");
        note_in(&open, KC_NOTE_CAPSULES)->n_namesz = sizes[idx];
        expect_bad(&open, "runs past its segment");
        close_bytes(&open);
    }
}
END_TEST

START_TEST(the_copy_is_what_the_segments_hold)
{
    kc_error_t error = KC_ERROR_INIT;
    unsigned char *copy = NULL;
    size_t size = 0;
    size_t index = 0;
    open_bytes_t open = open_mock_bytes("good");
    EXPECT_OK(error, kci_notes_copy(&open.elf, &copy, &size, &error));
    const GElf_Phdr *first = kci_elf_next_header(&open.elf, PT_NOTE, &index);
    ck_assert_uint_ge(size, sizeof(kc_module_record_t));
    ck_assert_mem_eq(copy, open.bytes + first->p_offset,
                     (size_t)first->p_filesz);
    kci_free(copy);
    close_bytes(&open);
}
END_TEST

Suite *suite_module_inspect_notes(void)
{
    Suite *suite = suite_create("module/inspect_notes");
    TCase *tests = tcase_create("inspect_notes");
    tcase_add_test(tests, the_notes_are_found);
    tcase_add_test(tests, each_note_stands_once);
    tcase_add_test(tests, another_owner_or_type_is_not_ours);
    tcase_add_test(tests, a_note_ends_in_its_segment);
    tcase_add_test(tests, the_copy_is_what_the_segments_hold);
    suite_add_tcase(suite, tests);
    return suite;
}
