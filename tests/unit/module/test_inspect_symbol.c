/* SPDX-License-Identifier: Apache-2.0
 *
 * Looking a name up in the hash tables of a file, whole and broken.
 */
#include "module/inspect_dynamic.h"

#include <kcapsule/module.h>
#include "unit/module/open_bytes.h"
#include "unit/module/suites.h"

static kci_dynamic_t dynamic_of(const open_bytes_t *open)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_dynamic_t dynamic;
    char **needed = NULL;
    EXPECT_OK(error, kci_dynamic_read(&open->elf, &dynamic, &needed, &error));
    kci_needed_free(needed);
    return dynamic;
}

START_TEST(what_is_exported_is_found)
{
    open_bytes_t open = open_mock_bytes("good");
    kci_dynamic_t dynamic = dynamic_of(&open);
    ck_assert(
        kci_symbol_is_exported(&open.elf, &dynamic, KC_MODULE_ENTRY_SYMBOL));
    ck_assert(!kci_symbol_is_exported(&open.elf, &dynamic, "kc_module_entr"));
    ck_assert(!kci_symbol_is_exported(&open.elf, &dynamic, ""));
    close_bytes(&open);
}
END_TEST

START_TEST(what_is_only_needed_is_not)
{
    open_bytes_t open = open_mock_bytes("undefined_symbol");
    kci_dynamic_t dynamic = dynamic_of(&open);
    ck_assert(!kci_symbol_is_exported(&open.elf, &dynamic,
                                      "kc_mock_missing_function"));
    close_bytes(&open);
    expect_refused("no_symbol", "exported function kc_module_entry, found "
                                "none");
}
END_TEST

START_TEST(a_broken_table_finds_nothing)
{
    open_bytes_t open = open_mock_bytes("good");
    kci_dynamic_t whole = dynamic_of(&open);
    kci_dynamic_t dynamic = whole;
    dynamic.gnu_hash = UINT64_MAX - 9;
    ck_assert(
        !kci_symbol_is_exported(&open.elf, &dynamic, KC_MODULE_ENTRY_SYMBOL));
    dynamic = whole;
    dynamic.symbols = UINT64_MAX - 24;
    ck_assert(
        !kci_symbol_is_exported(&open.elf, &dynamic, KC_MODULE_ENTRY_SYMBOL));
    dynamic = whole;
    dynamic.strings_size = 1;
    ck_assert(
        !kci_symbol_is_exported(&open.elf, &dynamic, KC_MODULE_ENTRY_SYMBOL));
    dynamic = whole;
    dynamic.gnu_hash = 0;
    dynamic.hash = 0;
    ck_assert(
        !kci_symbol_is_exported(&open.elf, &dynamic, KC_MODULE_ENTRY_SYMBOL));
    close_bytes(&open);
}
END_TEST

/* Any word of the file as the head of a table: bounded, no fault. */
START_TEST(any_address_is_bounded)
{
    open_bytes_t open = open_mock_bytes("good");
    kci_dynamic_t whole = dynamic_of(&open);
    for (uint64_t address = 0; address < open.size; address += 4) {
        kci_dynamic_t dynamic = whole;
        dynamic.gnu_hash = address;
        (void)kci_symbol_is_exported(&open.elf, &dynamic,
                                     KC_MODULE_ENTRY_SYMBOL);
        dynamic.gnu_hash = 0;
        dynamic.hash = address;
        (void)kci_symbol_is_exported(&open.elf, &dynamic, "no such symbol");
    }
    close_bytes(&open);
}
END_TEST

/* The old table: a count of symbols behind the count of buckets. */
START_TEST(the_old_table_is_read_too)
{
    open_bytes_t open = open_mock_bytes("good");
    kci_dynamic_t dynamic = dynamic_of(&open);
    size_t index = 0;
    const GElf_Phdr *note = kci_elf_next_header(&open.elf, PT_NOTE, &index);
    uint32_t *table = (uint32_t *)(open.bytes + note->p_offset);
    table[0] = 1;
    table[1] = 100;
    dynamic.gnu_hash = 0;
    dynamic.hash = note->p_vaddr;
    ck_assert(
        kci_symbol_is_exported(&open.elf, &dynamic, KC_MODULE_ENTRY_SYMBOL));
    table[1] = 1;
    ck_assert(
        !kci_symbol_is_exported(&open.elf, &dynamic, KC_MODULE_ENTRY_SYMBOL));
    close_bytes(&open);
}
END_TEST

Suite *suite_module_inspect_symbol(void)
{
    Suite *suite = suite_create("module/inspect_symbol");
    TCase *tests = tcase_create("inspect_symbol");
    tcase_add_test(tests, what_is_exported_is_found);
    tcase_add_test(tests, what_is_only_needed_is_not);
    tcase_add_test(tests, a_broken_table_finds_nothing);
    tcase_add_test(tests, any_address_is_bounded);
    tcase_add_test(tests, the_old_table_is_read_too);
    suite_add_tcase(suite, tests);
    return suite;
}
