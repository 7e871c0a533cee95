/* SPDX-License-Identifier: Apache-2.0
 *
 * Search paths: the order, the origins, and components that cost only
 * themselves.
 */
#include "config/search_path.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "unit/config/suites.h"
#include "unit/expect.h"
#include "unit/failing_heap.h"

#define OTHER_USER 65534

typedef struct warnings {
    int count;
    char last[KC_ERROR_MESSAGE_SIZE];
} warnings_t;

static void remember(void *context, int32_t level, const char *line)
{
    warnings_t *warnings = context;
    ck_assert_int_eq(level, KC_LOG_WARNING);
    warnings->count++;
    strcpy(warnings->last, line);
}

static void clear_environment(void)
{
    unsetenv("KCAPSULE_MODULE_PATH");
    unsetenv("KCAPSULE_ADD_MODULE_PATH");
    unsetenv("KCAPSULE_PROFILE_PATH");
}

/* "origin path" a line. */
static void expect_path(kci_search_path_t *path, const char *lines)
{
    char text[4096] = "";
    for (size_t i = 0; i < path->count; i++) {
        size_t length = strlen(text);
        snprintf(text + length, sizeof text - length, "%s %s\n",
                 path->directories[i].origin, path->directories[i].path);
    }
    ck_assert_str_eq(text, lines);
    kci_search_path_release(path);
    ck_assert_uint_eq(path->count, 0);
}

static kci_search_path_t module_path(const char *const *options, size_t count,
                                     const kci_log_t *log)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_search_path_t path;
    EXPECT_OK(error,
              kci_module_search_path(options, count, log, &path, &error));
    return path;
}

START_TEST(the_installed_folder_is_last)
{
    static const char *const options[] = {"/opt/a", "/opt/b//"};
    clear_environment();
    kci_search_path_t path = module_path(NULL, 0, NULL);
    ck_assert_ptr_null(path.note);
    expect_path(&path, "built-in " KC_MODULE_DIR "\n");
    setenv("KCAPSULE_ADD_MODULE_PATH", "/x:/y", 1);
    path = module_path(options, 2, NULL);
    expect_path(&path, "option /opt/a\noption /opt/b\n"
                       "KCAPSULE_ADD_MODULE_PATH /x\n"
                       "KCAPSULE_ADD_MODULE_PATH /y\n"
                       "built-in " KC_MODULE_DIR "\n");
}
END_TEST

START_TEST(the_module_path_replaces_what_follows)
{
    static const char *const options[] = {"/opt/a"};
    clear_environment();
    setenv("KCAPSULE_ADD_MODULE_PATH", "/x", 1);
    setenv("KCAPSULE_MODULE_PATH", "/p:/q/", 1);
    kci_search_path_t path = module_path(options, 1, NULL);
    expect_path(&path, "option /opt/a\nKCAPSULE_MODULE_PATH /p\n"
                       "KCAPSULE_MODULE_PATH /q\n");
    setenv("KCAPSULE_MODULE_PATH", "", 1);
    path = module_path(NULL, 0, NULL);
    expect_path(&path, "KCAPSULE_ADD_MODULE_PATH /x\n"
                       "built-in " KC_MODULE_DIR "\n");
}
END_TEST

START_TEST(bad_components_cost_only_themselves)
{
    warnings_t warnings = {0, ""};
    kci_log_t log = {remember, &warnings};
    clear_environment();
    setenv("KCAPSULE_MODULE_PATH", ":/a::.:modules:/b:", 1);
    kci_search_path_t path = module_path(NULL, 0, &log);
    expect_path(&path, "KCAPSULE_MODULE_PATH /a\nKCAPSULE_MODULE_PATH /b\n");
    ck_assert_int_eq(warnings.count, 5);
    setenv("KCAPSULE_MODULE_PATH", "modules", 1);
    path = module_path(NULL, 0, &log);
    expect_path(&path, "");
    ck_assert_str_eq(
        warnings.last,
        "KCAPSULE_MODULE_PATH: `modules` is ignored: expected an absolute "
        "path");
}
END_TEST

START_TEST(options_are_made_absolute)
{
    static const char *const options[] = {".", "./m",  "m/n/",
                                          "/", ".//m", "./"};
    clear_environment();
    setenv("KCAPSULE_MODULE_PATH", "/p", 1);
    ck_assert_int_eq(chdir("/tmp"), 0);
    kci_search_path_t path = module_path(options, 6, NULL);
    expect_path(&path, "option /tmp\noption /tmp/m\noption /tmp/m/n\n"
                       "option /\noption /tmp/m\noption /tmp\n"
                       "KCAPSULE_MODULE_PATH /p\n");
}
END_TEST

START_TEST(an_empty_option_is_refused)
{
    static const char *const options[] = {"/a", ""};
    kc_error_t error = KC_ERROR_INIT;
    kci_search_path_t path = {NULL, 0, NULL};
    clear_environment();
    EXPECT_FAILURE(error, KC_ERR_ARGUMENT, "expected a directory",
                   kci_module_search_path(options, 2, NULL, &path, &error));
    ck_assert_ptr_null(path.directories);
}
END_TEST

START_TEST(profiles_come_from_the_variable_then_the_system)
{
    static const char *const options[] = {"/opt/p"};
    kc_error_t error = KC_ERROR_INIT;
    kci_search_path_t path;
    char expected[4096];
    const char *second = strchr(KC_PROFILE_DIRS, ':');
    ck_assert_ptr_nonnull(second);
    clear_environment();
    setenv("KCAPSULE_PROFILE_PATH", "/x", 1);
    EXPECT_OK(error, kci_profile_search_path(options, 1, NULL, &path, &error));
    snprintf(expected, sizeof expected,
             "option /opt/p\nKCAPSULE_PROFILE_PATH /x\nbuilt-in %.*s\n"
             "built-in %s\n",
             (int)(second - KC_PROFILE_DIRS), KC_PROFILE_DIRS, second + 1);
    expect_path(&path, expected);
}
END_TEST

START_TEST(a_privileged_process_ignores_the_environment)
{
    if (geteuid() != 0) {
        return;
    }
    clear_environment();
    setenv("KCAPSULE_MODULE_PATH", "/evil", 1);
    setenv("KCAPSULE_ADD_MODULE_PATH", "/evil", 1);
    ck_assert_int_eq(setresuid(OTHER_USER, 0, 0), 0);
    kci_search_path_t path = module_path(NULL, 0, NULL);
    ck_assert_str_eq(path.note, "environment ignored: privileged process");
    expect_path(&path, "built-in " KC_MODULE_DIR "\n");
}
END_TEST

START_TEST(no_memory_is_a_status)
{
    static const char *const options[] = {"m"};
    kc_error_t error = KC_ERROR_INIT;
    kci_search_path_t path = {NULL, 0, NULL};
    clear_environment();
    for (int granted = 0; granted < 4; granted++) {
        failing_heap_break_after(granted);
        EXPECT_FAILURE(error, KC_ERR_MEMORY, "out of memory",
                       kci_module_search_path(options, 1, NULL, &path, &error));
        failing_heap_mend();
        ck_assert_ptr_null(path.directories);
    }
}
END_TEST

Suite *suite_config_search_path(void)
{
    Suite *suite = suite_create("config/search_path");
    TCase *tests = tcase_create("search_path");
    tcase_add_test(tests, the_installed_folder_is_last);
    tcase_add_test(tests, the_module_path_replaces_what_follows);
    tcase_add_test(tests, bad_components_cost_only_themselves);
    tcase_add_test(tests, options_are_made_absolute);
    tcase_add_test(tests, an_empty_option_is_refused);
    tcase_add_test(tests, profiles_come_from_the_variable_then_the_system);
    tcase_add_test(tests, a_privileged_process_ignores_the_environment);
    tcase_add_test(tests, no_memory_is_a_status);
    suite_add_tcase(suite, tests);
    return suite;
}
