/* SPDX-License-Identifier: Apache-2.0
 *
 * Messages of the dynamic linker, and what it says about something loaded.
 */
#include "module/loaded_image.h"

#include <dlfcn.h>
#include "unit/module/mock_fixture.h"
#include "unit/module/suites.h"
#include "unit/expect.h"

#define NAME "/proc/12/fd/7"
#define PATH "/opt/m/acme.so"

START_TEST(the_name_in_proc_is_never_said)
{
    kc_error_t error = KC_ERROR_INIT;
    EXPECT_FAILURE(
        error, KC_ERR_BINDING, "cannot be loaded: undefined symbol: f",
        kci_loaded_explain(NAME ": undefined symbol: f", NAME, PATH, &error));
    EXPECT_FAILURE(error, KC_ERR_BINDING,
                   "cannot be loaded: x: wanted by " PATH " and " PATH "!",
                   kci_loaded_explain("x: wanted by " NAME " and " NAME "!",
                                      NAME, PATH, &error));
    ck_assert_ptr_null(strstr(error.message, "/proc"));
    EXPECT_FAILURE(error, KC_ERR_BINDING, "no reason given",
                   kci_loaded_explain(NULL, NAME, PATH, &error));
}
END_TEST

START_TEST(the_remedy_for_static_tls_is_said)
{
    kc_error_t error = KC_ERROR_INIT;
    EXPECT_FAILURE(
        error, KC_ERR_BINDING,
        "GLIBC_TUNABLES=glibc.rtld.optional_static_tls=16384",
        kci_loaded_explain(NAME ": cannot allocate memory in static TLS block",
                           NAME, PATH, &error));
}
END_TEST

static void *load(const char *name)
{
    char path[SCRATCH_PATH_SIZE];
    mock_path(name, path);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    ck_assert_msg(library != NULL, "%s", dlerror());
    return library;
}

START_TEST(notes_are_compared_byte_for_byte)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_module_file_t *file = inspect_mock("good");
    void *library = load("good");
    EXPECT_OK(error, kci_loaded_compare_notes(library, file->notes,
                                              file->notes_size, &error));
    file->notes[file->notes_size - 1] ^= 1;
    EXPECT_FAILURE(error, KC_ERR_BINDING, "found others loaded",
                   kci_loaded_compare_notes(library, file->notes,
                                            file->notes_size, &error));
    file->notes[file->notes_size - 1] ^= 1;
    EXPECT_FAILURE(error, KC_ERR_BINDING, "found others loaded",
                   kci_loaded_compare_notes(library, file->notes,
                                            file->notes_size - 4, &error));
    void *other = load("marker");
    EXPECT_FAILURE(
        error, KC_ERR_BINDING, "found others loaded",
        kci_loaded_compare_notes(other, file->notes, file->notes_size, &error));
    dlclose(other);
    dlclose(library);
    kci_module_file_release(file);
}
END_TEST

START_TEST(the_getter_is_the_files_own)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_module_entry_fn entry = NULL;
    void *library = load("good");
    EXPECT_OK(error, kci_loaded_entry(library, &entry, &error));
    ck_assert_str_eq(entry()->name, "acme");
    dlclose(library);
    library = load("no_symbol");
    EXPECT_FAILURE(error, KC_ERR_BINDING, "kc_module_entry, found none",
                   kci_loaded_entry(library, &entry, &error));
    dlclose(library);
    /* Has none, but what it needs has one. */
    library = load("borrowed_entry");
    ck_assert_ptr_nonnull(dlsym(library, "kc_module_entry"));
    EXPECT_FAILURE(error, KC_ERR_BINDING, "in the file itself",
                   kci_loaded_entry(library, &entry, &error));
    dlclose(library);
}
END_TEST

Suite *suite_module_loaded_image(void)
{
    Suite *suite = suite_create("module/loaded_image");
    TCase *tests = tcase_create("loaded_image");
    tcase_add_test(tests, the_name_in_proc_is_never_said);
    tcase_add_test(tests, the_remedy_for_static_tls_is_said);
    tcase_add_test(tests, notes_are_compared_byte_for_byte);
    tcase_add_test(tests, the_getter_is_the_files_own);
    suite_add_tcase(suite, tests);
    return suite;
}
