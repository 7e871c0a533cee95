/* SPDX-License-Identifier: Apache-2.0
 *
 * Sizes of records, the interface version, and what holds between records.
 */
#include "module/inspect_records.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include "base/alloc.h"
#include "unit/module/contract_record.h"
#include "unit/module/mock_fixture.h"
#include "unit/module/suites.h"
#include "unit/expect.h"

static kci_note_t note_of(const void *bytes, size_t size)
{
    kci_note_t note = {bytes, size, 1};
    return note;
}

static kc_status_t read_capsules(const void *bytes, size_t size,
                                 kc_error_t *error)
{
    kci_note_t note = note_of(bytes, size);
    kc_module_record_t module = module_record();
    kc_capsule_record_t *capsules = NULL;
    size_t count = 0;
    kc_status_t status =
        kci_records_read_capsules(&note, &module, &capsules, &count, error);
    kci_free(capsules);
    return status;
}

START_TEST(both_versions_are_said)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_module_record_t record = module_record();
    kc_module_record_t out;
    kci_note_t note = note_of(&record, sizeof record);
    record.abi_major = 3;
    record.abi_minor = 4;
    record.struct_size = 12; /* another major may count differently */
    EXPECT_FAILURE(error, KC_ERR_MODULE,
                   "expected interface version 1.x (this host has 1.0), "
                   "found 3.4",
                   kci_records_read_module(&note, &out, &error));
}
END_TEST

START_TEST(a_module_record_is_checked)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_module_record_t record = module_record();
    kc_module_record_t out;
    kci_note_t note = note_of(&record, sizeof record);
    EXPECT_OK(error, kci_records_read_module(&note, &out, &error));
    ck_assert_mem_eq(&record, &out, sizeof out);
    record.flags = 4;
    EXPECT_FAILURE(error, KC_ERR_MODULE, "flags out of 0x3, found 0x4",
                   kci_records_read_module(&note, &out, &error));
    record.abi_minor = KC_ABI_MINOR + 1;
    EXPECT_OK(error, kci_records_read_module(&note, &out, &error));
    strcpy(record.name, "../evil");
    EXPECT_FAILURE(error, KC_ERR_MODULE, "found `../evil`",
                   kci_records_read_module(&note, &out, &error));
    record = module_record();
    strcpy(record.author, "a\nb");
    EXPECT_FAILURE(error, KC_ERR_MODULE, "author: expected printable",
                   kci_records_read_module(&note, &out, &error));
    note.size = 11;
    EXPECT_FAILURE(error, KC_ERR_MODULE, "at least 768 bytes, found 11",
                   kci_records_read_module(&note, &out, &error));
}
END_TEST

START_TEST(a_module_note_has_one_record)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_module_record_t records[2] = {module_record(), module_record()};
    kc_module_record_t out;
    kci_note_t note = note_of(records, sizeof records);
    EXPECT_FAILURE(error, KC_ERR_MODULE, "at most 1 module records",
                   kci_records_read_module(&note, &out, &error));
}
END_TEST

static const uint32_t bad_sizes[] = {0,
                                     1,
                                     4,
                                     sizeof(kc_capsule_record_t) - 1,
                                     sizeof(kc_capsule_record_t) + 1,
                                     0x7fffffffu,
                                     0xfffffff0u,
                                     0xffffffffu};

START_TEST(a_size_that_cannot_be_is_refused)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_capsule_record_t capsule = contract_record();
    capsule.struct_size = bad_sizes[_i];
    EXPECT_FAILURE(error, KC_ERR_MODULE,
                   "capsule record 0: struct_size: expected",
                   read_capsules(&capsule, sizeof capsule, &error));
}
END_TEST

/* Ends at a page that cannot be read: a read past the note is a fault. */
START_TEST(no_byte_past_the_note_is_read)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_capsule_record_t capsule = contract_record();
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    unsigned char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert(pages != MAP_FAILED);
    ck_assert_int_eq(mprotect(pages + page, page, PROT_NONE), 0);
    for (size_t size = 0; size <= sizeof capsule; size++) {
        unsigned char *bytes = pages + page - size;
        memcpy(bytes, &capsule, size);
        kc_status_t status = read_capsules(bytes, size, &error);
        ck_assert_int_eq(status,
                         size == sizeof capsule ? KC_OK : KC_ERR_MODULE);
    }
    ck_assert_int_eq(munmap(pages, 2 * page), 0);
}
END_TEST

START_TEST(an_unknown_tail_is_passed_over)
{
    kc_error_t error = KC_ERROR_INIT;
    struct {
        kc_capsule_record_t known;
        uint32_t tail[3];
    } records[2] = {{contract_record(), {1, 2, 3}},
                    {contract_record(), {4, 5, 6}}};
    kc_module_record_t module = module_record();
    kci_note_t note = note_of(records, sizeof records);
    kc_capsule_record_t *capsules = NULL;
    size_t count = 0;
    records[0].known.struct_size = sizeof records[0];
    records[1].known.struct_size = sizeof records[1];
    strcpy(records[1].known.name, "acme.second");
    EXPECT_OK(error, kci_records_read_capsules(&note, &module, &capsules,
                                               &count, &error));
    ck_assert_uint_eq(count, 2);
    ck_assert_str_eq(capsules[1].name, "acme.second");
    ck_assert_uint_eq(capsules[1].struct_size, sizeof(kc_capsule_record_t));
    ck_assert_int_eq(capsules[1].op, KC_OP_RELU);
    kci_free(capsules);
}
END_TEST

START_TEST(a_table_is_not_empty)
{
    kc_error_t error = KC_ERROR_INIT;
    EXPECT_FAILURE(error, KC_ERR_MODULE, "at least one capsule record",
                   read_capsules("", 0, &error));
}
END_TEST

START_TEST(the_table_is_bounded)
{
    kc_error_t error = KC_ERROR_INIT;
    size_t count = KCI_CAPSULES_MAX + 1;
    kc_capsule_record_t *records = calloc(count, sizeof *records);
    ck_assert_ptr_nonnull(records);
    for (size_t idx = 0; idx < count; idx++) {
        records[idx].struct_size = sizeof *records;
    }
    EXPECT_FAILURE(error, KC_ERR_MODULE, "at most 4096 capsule records",
                   read_capsules(records, count * sizeof *records, &error));
    free(records);
}
END_TEST

START_TEST(an_identity_stands_once)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_capsule_record_t records[2] = {contract_record(), contract_record()};
    EXPECT_FAILURE(error, KC_ERR_MODULE, "capsule `acme.relu`: expected one",
                   read_capsules(records, sizeof records, &error));
    records[1].device = KC_DEVICE_CUDA;
    EXPECT_OK(error, read_capsules(records, sizeof records, &error));
    records[1] = contract_record();
    strcpy(records[1].provider, "zenith");
    EXPECT_OK(error, read_capsules(records, sizeof records, &error));
    expect_refused("duplicate_identity", "capsule `duplicate_identity.relu`");
}
END_TEST

static kc_status_t read_provenance(const kc_provenance_record_t *record,
                                   kc_error_t *error)
{
    kci_note_t note = note_of(record, sizeof *record);
    kc_capsule_record_t capsule = contract_record();
    kc_provenance_record_t *records = NULL;
    size_t count = 0;
    kc_status_t status = kci_records_read_provenance(&note, &capsule, 1,
                                                     &records, &count, error);
    kci_free(records);
    return status;
}

START_TEST(provenance_is_of_a_capsule)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_provenance_record_t record = provenance_record();
    EXPECT_OK(error, read_provenance(&record, &error));
    record.kind = 2;
    EXPECT_FAILURE(error, KC_ERR_MODULE,
                   "provenance record 0: expected kind 0 or 1, found 2",
                   read_provenance(&record, &error));
    record = provenance_record();
    record.obligation = 4;
    EXPECT_FAILURE(error, KC_ERR_MODULE, "obligation of 0 to 3, found 4",
                   read_provenance(&record, &error));
    record = provenance_record();
    strcpy(record.capsule, "acme.matmul");
    EXPECT_FAILURE(error, KC_ERR_MODULE, "found `acme.matmul`",
                   read_provenance(&record, &error));
    record = provenance_record();
    memset(record.path, 'x', sizeof record.path);
    EXPECT_FAILURE(error, KC_ERR_MODULE, "path: expected a text",
                   read_provenance(&record, &error));
    expect_refused("stray_provenance", "found `stray_provenance.matmul`");
}
END_TEST

Suite *suite_module_inspect_records(void)
{
    Suite *suite = suite_create("module/inspect_records");
    TCase *tests = tcase_create("inspect_records");
    tcase_add_test(tests, both_versions_are_said);
    tcase_add_test(tests, a_module_record_is_checked);
    tcase_add_test(tests, a_module_note_has_one_record);
    tcase_add_loop_test(tests, a_size_that_cannot_be_is_refused, 0,
                        (int)(sizeof bad_sizes / sizeof *bad_sizes));
    tcase_add_test(tests, no_byte_past_the_note_is_read);
    tcase_add_test(tests, an_unknown_tail_is_passed_over);
    tcase_add_test(tests, a_table_is_not_empty);
    tcase_add_test(tests, the_table_is_bounded);
    tcase_add_test(tests, an_identity_stands_once);
    tcase_add_test(tests, provenance_is_of_a_capsule);
    suite_add_tcase(suite, tests);
    return suite;
}
