/* SPDX-License-Identifier: Apache-2.0
 *
 * Judging whole files: what is in a good one, that nothing of it runs, and
 * that no damage to the bytes is more than a verdict.
 */
#include "module/module_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "unit/failing_heap.h"
#include "unit/module/mock_fixture.h"
#include "unit/module/suites.h"
#include "unit/expect.h"

START_TEST(a_good_file_says_what_it_has)
{
    char path[SCRATCH_PATH_SIZE];
    kci_module_file_t *file = inspect_mock("with_provenance");
    mock_path("with_provenance", path);
    ck_assert_int_eq(file->verdict.status, KC_OK);
    ck_assert_str_eq(file->path, path);
    ck_assert_str_eq(file->record.name, "with_provenance");
    ck_assert_str_eq(file->record.companions, "liba.so,libb.so");
    ck_assert_uint_eq(file->capsule_count, 1);
    ck_assert_str_eq(file->capsules[0].name, "with_provenance.relu");
    ck_assert_uint_eq(file->provenance_count, 2);
    ck_assert_str_eq(file->provenance[1].symbol, "acme_relu_f32");
    ck_assert_ptr_nonnull(file->needed);
    ck_assert_ptr_null(kci_module_file_handler(file, &file->capsules[0]));
    kci_module_file_release(file);
}
END_TEST

START_TEST(nothing_runs_and_nothing_is_mapped)
{
    char mark[SCRATCH_PATH_SIZE];
    char path[SCRATCH_PATH_SIZE];
    kc_error_t error = KC_ERROR_INIT;
    scratch_t scratch = scratch_make();
    set_mark(&scratch, mark);
    mock_path("marker", path);
    kci_module_file_t *file = inspect_path(path);
    ck_assert_int_eq(file->verdict.status, KC_OK);
    ck_assert_int_ne(access(mark, F_OK), 0);
    ck_assert_int_eq(mapped_lines(path), 0);
    EXPECT_OK(error, kci_module_file_open(file, plain_host(), NULL, &error));
    ck_assert_int_eq(line_count(mark, "constructor"), 1);
    kci_module_file_release(file);
    scratch_remove(&scratch);
}
END_TEST

typedef struct refusal {
    const char *name;
    const char *text;
} refusal_t;

static const refusal_t refusals[] = {
    {"wrong_major", "(this host has 1.0), found 2.0"},
    {"short_record", "module record 0: struct_size: expected at least 768"},
    {"zero_size", "capsule record 0: struct_size: expected at least"},
    {"absurd_size", "found 4294967280"},
    {"no_note", "expected one module note"},
    {"two_notes", "expected one capsule note of owner kcapsule, found 2"},
    {"no_symbol", "expected the exported function kc_module_entry"},
    {"borrowed_entry", "expected the exported function kc_module_entry"},
    {"unknown_operation", "found unknown operation 50"},
    {"duplicate_identity", "capsule `duplicate_identity.relu`"},
    {"unterminated_string", "provider: expected a text that ends"},
    {"stray_provenance", "provenance record 0"},
};

START_TEST(each_fault_has_its_reason)
{
    expect_refused(refusals[_i].name, refusals[_i].text);
}
END_TEST

START_TEST(a_later_minor_version_is_read)
{
    kci_module_file_t *file = inspect_mock("newer_minor");
    ck_assert_int_eq(file->verdict.status, KC_OK);
    ck_assert_uint_eq(file->capsule_count, 2);
    ck_assert(!kci_capsule_is_known(&file->capsules[0]));
    ck_assert(kci_capsule_is_known(&file->capsules[1]));
    kci_module_file_release(file);
    file = inspect_mock("long_record");
    ck_assert_int_eq(file->verdict.status, KC_OK);
    ck_assert_uint_eq(file->record.struct_size, sizeof file->record);
    ck_assert_uint_eq(file->capsules[0].struct_size, sizeof file->capsules[0]);
    kci_module_file_release(file);
}
END_TEST

/* Judges bytes in an exact block. */
static kc_status_t judge(const unsigned char *bytes, size_t size)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_module_file_t file;
    memset(&file, 0, sizeof file);
    file.verdict.struct_size = sizeof file.verdict;
    unsigned char *copy = malloc(size > 0 ? size : 1);
    ck_assert_ptr_nonnull(copy);
    memcpy(copy, bytes, size);
    EXPECT_OK(error, kci_module_file_parse(&file, copy, size, &error));
    ck_assert(file.verdict.status == KC_OK || file.verdict.message[0] != 0);
    free(copy);
    free(file.capsules);
    free(file.provenance);
    free(file.notes);
    for (char **at = file.needed; at != NULL && *at != NULL; at++) {
        free(*at);
    }
    free(file.needed);
    return file.verdict.status;
}

START_TEST(no_beginning_of_a_module_is_a_module)
{
    size_t size = 0;
    unsigned char *bytes = mock_bytes("good", &size);
    for (size_t cut = 0; cut < size; cut++) {
        ck_assert_int_eq(judge(bytes, cut), KC_ERR_MODULE);
    }
    ck_assert_int_eq(judge(bytes, size), KC_OK);
    free(bytes);
}
END_TEST

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* Bits of the notes and headers; KC_TEST_SEED repeats a failed run. */
START_TEST(no_flipped_bit_is_more_than_a_verdict)
{
    size_t size = 0;
    int refused = 0;
    const char *given = getenv("KC_TEST_SEED");
    uint64_t seed = given != NULL
                        ? strtoull(given, NULL, 0)
                        : UINT64_C(0x2545f4914f6cdd1d) ^ (uint64_t)getpid();
    printf("# KC_TEST_SEED=%llu\n", (unsigned long long)seed);
    unsigned char *bytes = mock_bytes("with_provenance", &size);
    size_t start = size < 6144 ? size : 6144; /* headers and notes */
    uint64_t state = seed != 0 ? seed : 1;
    for (int round = 0; round < 5000; round++) {
        size_t at = (size_t)(next_random(&state) % start);
        unsigned char saved = bytes[at];
        bytes[at] ^= (unsigned char)(1u << next_random(&state) % 8);
        refused += judge(bytes, size) != KC_OK;
        bytes[at] = saved;
    }
    ck_assert_int_gt(refused, 0);
    free(bytes);
}
END_TEST

START_TEST(lack_of_memory_is_no_verdict)
{
    char path[SCRATCH_PATH_SIZE];
    mock_path("with_provenance", path);
    int descriptors = descriptor_count();
    for (int granted = 0; granted < 64; granted++) {
        kc_error_t error = KC_ERROR_INIT;
        kci_module_file_t *file = NULL;
        failing_heap_break_after(granted);
        kc_status_t status = kci_module_file_inspect(path, &file, &error);
        failing_heap_mend();
        if (status == KC_OK && file->verdict.status == KC_OK) {
            kci_module_file_release(file);
            ck_assert_int_gt(granted, 6);
            ck_assert_int_eq(descriptor_count(), descriptors);
            return;
        }
        /* libelf's own requests fail too; it then cannot read the file. */
        if (status == KC_OK) {
            ck_assert_int_eq(file->verdict.status, KC_ERR_MODULE);
            kci_module_file_release(file);
        } else {
            ck_assert_int_eq(status, KC_ERR_MEMORY);
            ck_assert_ptr_null(file);
        }
    }
    ck_abort_msg("64 requests were not enough");
}
END_TEST

START_TEST(references_are_counted)
{
    int descriptors = descriptor_count();
    kci_module_file_t *file = inspect_mock("good");
    ck_assert_ptr_eq(kci_module_file_retain(file), file);
    kci_module_file_release(file);
    ck_assert_str_eq(file->record.name, "acme");
    kci_module_file_release(file);
    kci_module_file_release(NULL);
    ck_assert_int_eq(descriptor_count(), descriptors);
}
END_TEST

START_TEST(a_handler_that_names_the_capsule_goes_first)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_module_file_t *file = inspect_mock("good");
    kc_capsule_record_t other;
    EXPECT_OK(error, kci_module_file_open(file, plain_host(), NULL, &error));
    const kc_handler_t *found =
        kci_module_file_handler(file, &file->capsules[0]);
    ck_assert_ptr_eq(found, &file->handlers[0]);
    file->handlers[0].capsule = "another";
    ck_assert_ptr_null(kci_module_file_handler(file, &file->capsules[0]));
    file->handlers[0].capsule = "acme.relu";
    ck_assert_ptr_eq(kci_module_file_handler(file, &file->capsules[0]), found);
    other = file->capsules[0];
    other.device = KC_DEVICE_CUDA;
    ck_assert_ptr_null(kci_module_file_handler(file, &other));
    other = file->capsules[0];
    strcpy(other.provider, "reference");
    ck_assert_ptr_null(kci_module_file_handler(file, &other));
    other = file->capsules[0];
    other.op = KC_OP_MATMUL;
    ck_assert_ptr_null(kci_module_file_handler(file, &other));
    kci_module_file_release(file);
}
END_TEST

Suite *suite_module_module_file(void)
{
    Suite *suite = suite_create("module/module_file");
    TCase *tests = tcase_create("module_file");
    tcase_add_test(tests, a_good_file_says_what_it_has);
    tcase_add_test(tests, nothing_runs_and_nothing_is_mapped);
    tcase_add_loop_test(tests, each_fault_has_its_reason, 0,
                        (int)(sizeof refusals / sizeof *refusals));
    tcase_add_test(tests, a_later_minor_version_is_read);
    tcase_add_test(tests, no_beginning_of_a_module_is_a_module);
    tcase_add_test(tests, no_flipped_bit_is_more_than_a_verdict);
    tcase_add_test(tests, lack_of_memory_is_no_verdict);
    tcase_add_test(tests, references_are_counted);
    tcase_add_test(tests, a_handler_that_names_the_capsule_goes_first);
    suite_add_tcase(suite, tests);
    return suite;
}
