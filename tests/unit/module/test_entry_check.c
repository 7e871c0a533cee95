/* SPDX-License-Identifier: Apache-2.0
 *
 * The record of a getter: its size, version, name and tables.
 */
#include "module/entry_check.h"

#include <sys/mman.h>
#include <unistd.h>
#include "unit/module/entry_fixture.h"
#include "unit/module/mock_fixture.h"
#include "unit/module/suites.h"
#include "unit/expect.h"

static entry_fixture_t fixture;

static void make_fixture(void)
{
    entry_fixture_make(&fixture);
}

static void expect_bad(const char *text)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_entry_t entry;
    EXPECT_FAILURE(
        error, KC_ERR_BINDING, text,
        kci_entry_check(&fixture.file, &fixture.module, &entry, &error));
    ck_assert_ptr_nonnull(strstr(error.message, fixture.path));
}

START_TEST(a_right_record_is_copied)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_entry_t entry;
    EXPECT_OK(error,
              kci_entry_check(&fixture.file, &fixture.module, &entry, &error));
    ck_assert_uint_eq(entry.handler_count, 1);
    ck_assert_mem_eq(&entry.handlers[0], &fixture.handler,
                     sizeof fixture.handler);
    ck_assert_ptr_ne(entry.handlers, &fixture.handler);
    ck_assert_uint_eq(entry.device_count, 0);
    kci_entry_release(&entry);
    kci_entry_release(&entry);
}
END_TEST

START_TEST(the_size_is_checked)
{
    static const uint32_t sizes[] = {0, 4, offsetof(kc_module_t, open) - 1,
                                     65537, 0xffffffffu};
    for (size_t idx = 0; idx < sizeof sizes / sizeof *sizes; idx++) {
        fixture.module.struct_size = sizes[idx];
        expect_bad("struct_size: expected 40 to 65536, found");
    }
}
END_TEST

/* A short record at the end of a page: what it does not have is absent. */
START_TEST(no_byte_past_the_size_is_read)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_entry_t entry;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t size = offsetof(kc_module_t, open);
    unsigned char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert(pages != MAP_FAILED);
    ck_assert_int_eq(mprotect(pages + page, page, PROT_NONE), 0);
    fixture.module.struct_size = (uint32_t)size;
    void *record = memcpy(pages + page - size, &fixture.module, size);
    EXPECT_OK(error, kci_entry_check(&fixture.file, record, &entry, &error));
    ck_assert(entry.module.open == NULL);
    ck_assert(entry.module.close == NULL);
    ck_assert_uint_eq(entry.module.device_count, 0);
    ck_assert_uint_eq(entry.module.struct_size, sizeof(kc_module_t));
    kci_entry_release(&entry);
    ck_assert_int_eq(munmap(pages, 2 * page), 0);
}
END_TEST

START_TEST(it_agrees_with_the_note)
{
    fixture.module.name = "somebody_else";
    expect_bad("expected the name of its note, `acme`, from kc_module_entry, "
               "found `somebody_else`");
    fixture.module.name = "acm";
    expect_bad("found `acm`");
    fixture.module.name = NULL;
    expect_bad("found `NULL`");
    fixture.module.name = "acme";
    fixture.module.version = "1.1";
    expect_bad("expected the version of its note, `1.0`");
    fixture.module.version = "1.0";
    fixture.module.abi_major = 2;
    expect_bad("expected interface version 1.x");
}
END_TEST

START_TEST(a_later_minor_version_is_tolerated)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_entry_t entry;
    fixture.module.abi_minor = 9;
    EXPECT_OK(error,
              kci_entry_check(&fixture.file, &fixture.module, &entry, &error));
    kci_entry_release(&entry);
}
END_TEST

START_TEST(the_tables_are_there_and_bounded)
{
    fixture.module.handler_count = 0xffffffffu;
    expect_bad("at most 16384 handlers, found 4294967295");
    fixture.module.handler_count = 1;
    fixture.module.handlers = NULL;
    expect_bad("found 1 and no table");
    fixture.module.handlers = fixture.handlers;
    fixture.module.device_count = 10;
    expect_bad("at most 9 devices, found 10");
    fixture.module.device_count = 1;
    expect_bad("found 1 and no table");
}
END_TEST

START_TEST(a_bad_handler_is_named_by_its_number)
{
    fixture.module.handler_count = 2;
    fixture.handlers[1] = NULL;
    expect_bad("handler 1 of /modules/acme.so: expected a record, found NULL");
    fixture.handlers[1] = &fixture.handler;
    expect_bad("handler 1 of /modules/acme.so: expected one handler for op "
               "relu, provider acme, device cpu");
}
END_TEST

START_TEST(handlers_of_one_operation_name_their_capsules)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_entry_t entry;
    kc_handler_t second = fixture.handler;
    second.capsule = "acme.relu";
    fixture.handlers[1] = &second;
    fixture.module.handler_count = 2;
    EXPECT_OK(error,
              kci_entry_check(&fixture.file, &fixture.module, &entry, &error));
    ck_assert_uint_eq(entry.handler_count, 2);
    kci_entry_release(&entry);
}
END_TEST

static int32_t probe(char *line, size_t line_size)
{
    (void)line;
    (void)line_size;
    return KC_DEVICE_NO_DRIVER;
}

START_TEST(devices_have_a_kind_and_a_probe)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_entry_t entry;
    kc_device_services_t device = {
        .struct_size = sizeof device, .device = KC_DEVICE_CUDA, .probe = probe};
    const kc_device_services_t *devices[1] = {&device};
    fixture.module.devices = devices;
    fixture.module.device_count = 1;
    EXPECT_OK(error,
              kci_entry_check(&fixture.file, &fixture.module, &entry, &error));
    ck_assert_uint_eq(entry.device_count, 1);
    ck_assert_int_eq(entry.devices[0].device, KC_DEVICE_CUDA);
    kci_entry_release(&entry);
    device.device = KC_DEVICE_COUNT;
    expect_bad("device services 0: expected a device of 0 to 8");
    device.device = KC_DEVICE_CUDA;
    device.probe = NULL;
    expect_bad("with a probe, found 1 without");
    devices[0] = NULL;
    expect_bad("device services 0: expected a record, found NULL");
}
END_TEST

START_TEST(no_record_is_refused)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_entry_t entry;
    EXPECT_FAILURE(error, KC_ERR_BINDING, "found NULL",
                   kci_entry_check(&fixture.file, NULL, &entry, &error));
    expect_unopenable("null_entry", "found NULL");
    expect_unopenable("wrong_name", "found `somebody_else`");
    expect_unopenable("null_handler", "handler 1 of");
}
END_TEST

Suite *suite_module_entry_check(void)
{
    Suite *suite = suite_create("module/entry_check");
    TCase *tests = tcase_create("entry_check");
    tcase_add_checked_fixture(tests, make_fixture, NULL);
    tcase_add_test(tests, a_right_record_is_copied);
    tcase_add_test(tests, the_size_is_checked);
    tcase_add_test(tests, no_byte_past_the_size_is_read);
    tcase_add_test(tests, it_agrees_with_the_note);
    tcase_add_test(tests, a_later_minor_version_is_tolerated);
    tcase_add_test(tests, the_tables_are_there_and_bounded);
    tcase_add_test(tests, a_bad_handler_is_named_by_its_number);
    tcase_add_test(tests, handlers_of_one_operation_name_their_capsules);
    tcase_add_test(tests, devices_have_a_kind_and_a_probe);
    tcase_add_test(tests, no_record_is_refused);
    suite_add_tcase(suite, tests);
    return suite;
}
