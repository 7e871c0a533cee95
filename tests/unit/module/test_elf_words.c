/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers of ELF headers in words, and unknown ones as numbers.
 */
#include "module/elf_words.h"

#include <elf.h>
#include "unit/expect.h"
#include "unit/module/suites.h"

START_TEST(machines_have_names)
{
    ck_assert_str_eq(kci_elf_machine(EM_X86_64).text, "x86-64");
    ck_assert_str_eq(kci_elf_machine(EM_AARCH64).text, "aarch64");
    ck_assert_str_eq(kci_elf_machine(EM_ARM).text, "arm");
    ck_assert_str_eq(kci_elf_machine(4711).text, "machine 4711");
}
END_TEST

START_TEST(types_have_names)
{
    ck_assert_str_eq(kci_elf_type(ET_DYN).text, "a shared object");
    ck_assert_str_eq(kci_elf_type(ET_EXEC).text, "an executable");
    ck_assert_str_eq(kci_elf_type(65535).text, "type 65535");
}
END_TEST

START_TEST(layouts_have_names)
{
    ck_assert_str_eq(kci_elf_layout(ELFCLASS64, ELFDATA2LSB, 1).text,
                     "64-bit little-endian ELF");
    ck_assert_str_eq(kci_elf_layout(ELFCLASS32, ELFDATA2MSB, 1).text,
                     "32-bit big-endian ELF");
    ck_assert_str_eq(kci_elf_layout(255, 255, 255).text,
                     "class 255 byte order 255 ELF of version 255");
}
END_TEST

Suite *suite_module_elf_words(void)
{
    Suite *suite = suite_create("module/elf_words");
    TCase *tests = tcase_create("elf_words");
    tcase_add_test(tests, machines_have_names);
    tcase_add_test(tests, types_have_names);
    tcase_add_test(tests, layouts_have_names);
    suite_add_tcase(suite, tests);
    return suite;
}
