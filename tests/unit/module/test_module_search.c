/* SPDX-License-Identifier: Apache-2.0
 *
 * Searching folders: order, duplicates, and bad entries that cost only
 * themselves.
 */
#include "module/module_search.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "unit/failing_heap.h"
#include "unit/module/mock_fixture.h"
#include "unit/module/suites.h"
#include "unit/expect.h"

static heard_t heard;

/* The set of up to two folders; the path is static because sets borrow it. */
static kci_module_set_t search_in(const char *first, const char *second)
{
    static kci_search_directory_t directories[2];
    static kci_search_path_t path;
    kc_error_t error = KC_ERROR_INIT;
    kci_module_set_t set;
    kci_log_t log = heard_log(&heard);
    directories[0].path = (char *)(uintptr_t)first;
    directories[0].origin = "option";
    directories[1].path = (char *)(uintptr_t)second;
    directories[1].origin = "built-in";
    path.directories = directories;
    path.count = second != NULL ? 2 : 1;
    EXPECT_OK(error, kci_module_search(&path, &log, &set, &error));
    return set;
}

static void run_make_bad_files(const scratch_t *scratch)
{
    char command[4 * SCRATCH_PATH_SIZE];
    char good[SCRATCH_PATH_SIZE];
    const char *build = getenv("KC_BUILDDIR");
    mock_path("good", good);
    snprintf(command, sizeof command,
             "'%s/tests/mocks/make_bad_files' '%s' '%s'",
             build != NULL ? build : ".", good, scratch->path);
    ck_assert_int_eq(system(command), 0);
}

/* The one file of that name in the set. */
static const kci_module_file_t *find_path(const kci_module_set_t *set,
                                          const char *name)
{
    const kci_module_file_t *found = NULL;
    for (size_t idx = 0; idx < set->file_count; idx++) {
        const char *slash = strrchr(set->files[idx]->path, '/');
        if (slash != NULL && strcmp(slash + 1, name) == 0) {
            ck_assert_ptr_null(found);
            found = set->files[idx];
        }
    }
    ck_assert_msg(found != NULL, "no %s in the set", name);
    return found;
}

typedef struct bad_file {
    const char *name;
    const char *text;
} bad_file_t;

static const bad_file_t bad_files[] = {
    {"dangling.so", "No such file"},
    {"empty.so", "found something else of 0 bytes"},
    {"fifo.so", "expected a file, found a FIFO"},
    {"folder.so", "expected a file, found a directory"},
    {"no_symbol.so", "kc_module_entry"},
    {"other_machine.so", "expected code for this machine"},
    {"text.so", "expected a shared object (ELF)"},
    {"truncated.so", "section headers"},
    {"world_writable.so", "found mode 0666"},
    {"wrong_major.so", "found 2.0"},
};

/* F14 */
START_TEST(a_bad_file_costs_only_itself)
{
    char path[SCRATCH_PATH_SIZE];
    kc_error_t error = KC_ERROR_INIT;
    scratch_t scratch = scratch_make();
    run_make_bad_files(&scratch);
    mock_copy("good", &scratch, "good.so", path);
    mock_copy("no_symbol", &scratch, "no_symbol.so", path);
    mock_copy("wrong_major", &scratch, "wrong_major.so", path);
    mock_copy("init_fails", &scratch, "init_fails.so", path);
    mock_copy("null_handler", &scratch, "null_handler.so", path);
    scratch_name(&scratch, "unreadable.so", path); /* readable by root */
    ck_assert_int_eq(unlink(path), 0);
    scratch_write(&scratch, "manifest.json", "{", 1, path);
    kci_module_set_t set = search_in(scratch.path, NULL);
    size_t count = sizeof bad_files / sizeof *bad_files;
    ck_assert_uint_eq(set.file_count, count + 3);
    ck_assert_uint_eq(set.directories[0].file_count, count + 3);
    for (size_t idx = 0; idx < count; idx++) {
        const kci_module_file_t *file = find_path(&set, bad_files[idx].name);
        ck_assert_int_ne(file->verdict.status, KC_OK);
        ck_assert_msg(strstr(file->verdict.message, bad_files[idx].text) !=
                          NULL,
                      "%s", file->verdict.message);
    }
    kci_module_file_t *good = kci_module_set_find(&set, "acme");
    EXPECT_OK(error, kci_module_file_open(good, plain_host(), NULL, &error));
    kci_module_file_t *bad = kci_module_set_find(&set, "null_handler");
    EXPECT_FAILURE(error, KC_ERR_BINDING, "handler 1 of",
                   kci_module_file_open(bad, plain_host(), NULL, &error));
    kci_module_set_release(&set);
    scratch_remove(&scratch);
}
END_TEST

/* F27: both orders of creation, one result. */
START_TEST(the_order_of_creation_does_not_matter)
{
    char path[SCRATCH_PATH_SIZE];
    for (int turn = 0; turn < 2; turn++) {
        scratch_t scratch = scratch_make();
        for (int idx = 0; idx < 2; idx++) {
            bool is_first = (idx + turn) % 2 == 0;
            mock_copy(is_first ? "good" : "other_provider", &scratch,
                      is_first ? "a.so" : "b.so", path);
        }
        kci_module_set_t set = search_in(scratch.path, NULL);
        ck_assert_uint_eq(set.file_count, 2);
        ck_assert_str_eq(set.files[0]->record.name, "acme");
        ck_assert_str_eq(set.files[1]->record.name, "zenith");
        kci_module_set_release(&set);
        scratch_remove(&scratch);
    }
}
END_TEST

START_TEST(a_second_module_of_one_name_names_both)
{
    char first[SCRATCH_PATH_SIZE];
    char second[SCRATCH_PATH_SIZE];
    for (int turn = 0; turn < 2; turn++) {
        scratch_t scratch = scratch_make();
        mock_copy("two_libtorch_a", &scratch, turn == 0 ? "a.so" : "b.so",
                  turn == 0 ? first : second);
        mock_copy("two_libtorch_b", &scratch, turn == 0 ? "b.so" : "a.so",
                  turn == 0 ? second : first);
        kci_module_set_t set = search_in(scratch.path, NULL);
        ck_assert_uint_eq(set.file_count, 2);
        ck_assert_int_eq(set.files[0]->verdict.status, KC_OK);
        ck_assert_int_eq(set.files[1]->verdict.status, KC_ERR_DUPLICATE);
        ck_assert_ptr_nonnull(strstr(set.files[1]->verdict.message, first));
        ck_assert_ptr_nonnull(strstr(set.files[1]->verdict.message, second));
        ck_assert_ptr_nonnull(
            strstr(set.files[1]->verdict.message, "`libtorch`"));
        ck_assert_int_eq(set.files[1]->descriptor, -1);
        ck_assert_ptr_eq(kci_module_set_find(&set, "libtorch"), set.files[0]);
        kci_module_set_release(&set);
        scratch_remove(&scratch);
    }
}
END_TEST

/* More files than the set's array holds at first. */
START_TEST(many_files_of_one_name)
{
    char name[32];
    char path[SCRATCH_PATH_SIZE];
    scratch_t scratch = scratch_make();
    for (int idx = 10; idx < 60; idx++) {
        snprintf(name, sizeof name, "m%d.so", idx);
        mock_copy("good", &scratch, name, path);
    }
    kci_module_set_t set = search_in(scratch.path, NULL);
    ck_assert_uint_eq(set.file_count, 50);
    ck_assert_int_eq(set.files[0]->verdict.status, KC_OK);
    for (size_t idx = 1; idx < set.file_count; idx++) {
        ck_assert_int_eq(set.files[idx]->verdict.status, KC_ERR_DUPLICATE);
    }
    kci_module_set_release(&set);
    scratch_remove(&scratch);
}
END_TEST

START_TEST(one_file_under_several_names_is_listed_once)
{
    char path[SCRATCH_PATH_SIZE];
    char link_path[SCRATCH_PATH_SIZE];
    scratch_t scratch = scratch_make();
    scratch_t other = scratch_make();
    mock_copy("good", &scratch, "m.so", path);
    scratch_name(&scratch, "hard.so", link_path);
    ck_assert_int_eq(link(path, link_path), 0);
    scratch_name(&scratch, "soft.so", link_path);
    ck_assert_int_eq(symlink(path, link_path), 0);
    scratch_name(&other, "soft.so", link_path);
    ck_assert_int_eq(symlink(path, link_path), 0);
    kci_module_set_t set = search_in(scratch.path, other.path);
    ck_assert_uint_eq(set.file_count, 1);
    ck_assert_uint_eq(set.directories[0].file_count, 3);
    ck_assert_uint_eq(set.directories[1].file_count, 1);
    ck_assert_int_eq(set.files[0]->verdict.status, KC_OK);
    ck_assert_ptr_nonnull(strstr(set.files[0]->path, "hard.so"));
    ck_assert_uint_eq(set.entry_count, 4);
    for (size_t idx = 0; idx < set.entry_count; idx++) {
        ck_assert_ptr_eq(set.entries[idx].file, set.files[0]);
        ck_assert_int_eq(set.entries[idx].is_repeat, idx > 0);
        ck_assert_int_eq(set.entries[idx].is_link,
                         strstr(set.entries[idx].path, "soft.so") != NULL);
    }
    kci_module_set_release(&set);
    scratch_remove(&scratch);
    scratch_remove(&other);
}
END_TEST

START_TEST(folders_come_in_the_order_of_the_path)
{
    char path[SCRATCH_PATH_SIZE];
    scratch_t scratch = scratch_make();
    scratch_t other = scratch_make();
    mock_copy("two_libtorch_a", &scratch, "z.so", path);
    mock_copy("two_libtorch_b", &other, "a.so", path);
    kci_module_set_t set = search_in(scratch.path, other.path);
    ck_assert_str_eq(set.files[0]->capsules[0].name, "libtorch.mock_relu_a");
    ck_assert_int_eq(set.files[1]->verdict.status, KC_ERR_DUPLICATE);
    kci_module_set_release(&set);
    set = search_in(other.path, scratch.path);
    ck_assert_str_eq(set.files[0]->capsules[0].name, "libtorch.mock_relu_b");
    kci_module_set_release(&set);
    scratch_remove(&scratch);
    scratch_remove(&other);
}
END_TEST

START_TEST(a_missing_folder_is_remarked)
{
    kci_module_set_t set = search_in("/nowhere/a", "/nowhere/b");
    ck_assert_uint_eq(set.directory_count, 2);
    ck_assert_str_eq(set.directories[0].remark, "does not exist");
    ck_assert_str_eq(set.directories[1].remark, "does not exist");
    ck_assert_uint_eq(set.file_count, 0);
    ck_assert_int_eq(heard.count, 1); /* not for the built-in one */
    ck_assert_ptr_nonnull(strstr(heard.text, "/nowhere/a (option)"));
    kci_module_set_release(&set);
    set = search_in("/dev/null", NULL);
    ck_assert_str_eq(set.directories[0].remark, "Not a directory");
    kci_module_set_release(&set);
}
END_TEST

START_TEST(a_folder_that_everybody_writes_is_not_searched)
{
    char path[SCRATCH_PATH_SIZE];
    scratch_t scratch = scratch_make();
    mock_copy("good", &scratch, "m.so", path);
    ck_assert_int_eq(chmod(scratch.path, 01777), 0);
    kci_module_set_t set = search_in(scratch.path, NULL);
    ck_assert_str_eq(set.directories[0].remark, "world-writable");
    ck_assert_uint_eq(set.directories[0].file_count, 0);
    ck_assert_uint_eq(set.file_count, 0);
    ck_assert_int_eq(heard.count, 1);
    kci_module_set_release(&set);
    scratch_remove(&scratch);
}
END_TEST

START_TEST(no_memory_leaves_nothing)
{
    char path[SCRATCH_PATH_SIZE];
    kci_search_directory_t directory;
    kci_search_path_t searched = {&directory, 1, NULL};
    scratch_t scratch = scratch_make();
    mock_copy("good", &scratch, "m.so", path);
    directory.path = scratch.path;
    directory.origin = "option";
    int descriptors = descriptor_count();
    for (int granted = 0; granted < 6; granted++) {
        kc_error_t error = KC_ERROR_INIT;
        kci_module_set_t set;
        failing_heap_break_after(granted);
        kc_status_t status = kci_module_search(&searched, NULL, &set, &error);
        failing_heap_mend();
        ck_assert_int_eq(status, KC_ERR_MEMORY);
        ck_assert_int_eq(descriptor_count(), descriptors);
    }
    scratch_remove(&scratch);
}
END_TEST

Suite *suite_module_module_search(void)
{
    Suite *suite = suite_create("module/module_search");
    TCase *tests = tcase_create("module_search");
    tcase_add_test(tests, a_bad_file_costs_only_itself);
    tcase_add_test(tests, the_order_of_creation_does_not_matter);
    tcase_add_test(tests, a_second_module_of_one_name_names_both);
    tcase_add_test(tests, many_files_of_one_name);
    tcase_add_test(tests, one_file_under_several_names_is_listed_once);
    tcase_add_test(tests, folders_come_in_the_order_of_the_path);
    tcase_add_test(tests, a_missing_folder_is_remarked);
    tcase_add_test(tests, a_folder_that_everybody_writes_is_not_searched);
    tcase_add_test(tests, no_memory_leaves_nothing);
    suite_add_tcase(suite, tests);
    return suite;
}
