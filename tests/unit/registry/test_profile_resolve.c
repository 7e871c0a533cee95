/* SPDX-License-Identifier: Apache-2.0
 *
 * From module names to modules: what must be there, what may be missing, and
 * what the messages tell about where was looked.
 */
#include "registry/profile_load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "unit/contract_fixture.h"
#include "unit/expect.h"
#include "unit/registry/suites.h"

typedef struct seen_log {
    int count;
    char last[KC_ERROR_MESSAGE_SIZE];
} seen_log_t;

static void see(void *context, int32_t level, const char *line)
{
    seen_log_t *seen = context;
    ck_assert_int_eq(level, KC_LOG_WARNING);
    seen->count++;
    snprintf(seen->last, sizeof seen->last, "%s", line);
}

static const kci_search_directory_t here[] = {{(char *)"/one", "option"},
                                              {(char *)"/two", "built-in"}};
static kci_found_directory_t found[] = {{&here[0], 0, (char *)"does not exist"},
                                        {&here[1], 1, NULL}};
static kci_search_path_t no_path = {NULL, 0, NULL};

static kci_module_set_t set;
static seen_log_t seen;
static kci_log_t log_to_seen;
static kci_profile_source_t source;

static void setup(void)
{
    kc_capsule_record_t record = fixture_capsule("reference.relu", KC_OP_RELU,
                                                 "reference", KC_DEVICE_CPU);
    kc_capsule_record_t acme =
        fixture_capsule("acme.relu", KC_OP_RELU, "acme", KC_DEVICE_CPU);
    set = (kci_module_set_t){.files = NULL};
    fixture_set_add(
        &set, fixture_file("/two/reference.so", "reference", &record, 1, NULL));
    fixture_set_add(&set, fixture_file("/two/acme.so", "acme", &acme, 1, NULL));
    fixture_set_add(&set, fixture_file("/two/broken.so", "", NULL, 0,
                                       "/two/broken.so: no module note"));
    set.directories = found;
    set.directory_count = 2;
    seen = (seen_log_t){0, {0}};
    log_to_seen = (kci_log_t){see, &seen};
    source = (kci_profile_source_t){
        .modules = &set, .profile_path = &no_path, .log = &log_to_seen};
}

static void teardown(void)
{
    set.directories = NULL;
    fixture_set_release(&set);
}

static kc_status_t parse(const char *text, kc_profile_t **out_profile,
                         kc_error_t *error)
{
    char whole[2048]; /* a section may come twice, and has to come once */
    int length = snprintf(whole, sizeof whole, "%s[profile]\n", text);
    return kci_profile_parse(&source, whole, (size_t)length, "p.ini",
                             out_profile, error);
}

START_TEST(a_missing_maintained_module_is_a_warning)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_profile_t *profile = NULL;
    EXPECT_OK(error,
              kci_profile_load(&source, "checked_cpu", &profile, &error));
    ck_assert_int_eq(seen.count, 2);
    ck_assert_str_eq(seen.last, "profile checked_cpu: without module "
                                "`native_cuda`, which was not found "
                                "(searched: /one (does not exist), /two)");
    ck_assert_uint_eq(profile->module_count, 1);
    kci_profile_release(profile);
}
END_TEST

START_TEST(a_refused_maintained_module_shows_its_verdict)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_profile_t *profile = NULL;
    fixture_set_add(&set,
                    fixture_file("/two/native_cuda.so", "", NULL, 0,
                                 "/two/native_cuda.so: major 9, expected 1"));
    EXPECT_OK(error,
              kci_profile_load(&source, "checked_cpu", &profile, &error));
    ck_assert_int_eq(seen.count, 2);
    ck_assert_ptr_nonnull(
        strstr(seen.last, "without module `native_cuda`, which is refused: "
                          "/two/native_cuda.so: major 9"));
    kci_profile_release(profile);
}
END_TEST

START_TEST(no_module_at_all_is_an_error_with_the_folders)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_profile_t *profile = NULL;
    kci_module_set_t empty = {.directories = found, .directory_count = 2};
    source.modules = &empty;
    EXPECT_FAILURE(
        error, KC_ERR_NOT_FOUND,
        "profile checked_cpu: no capsule module was found (searched: /one "
        "(does not exist), /two)",
        kci_profile_load(&source, "checked_cpu", &profile, &error));
    kci_module_set_t nowhere = {.files = NULL};
    source.modules = &nowhere;
    EXPECT_FAILURE(error, KC_ERR_NOT_FOUND, "(searched: no directory)",
                   kci_profile_load(&source, "checked_cpu", &profile, &error));
    ck_assert_ptr_null(profile);
}
END_TEST

static const struct {
    const char *text;
    const char *words;
} mistakes[] = {
    {"[modules]\n\nprepend = acne\n",
     "p.ini:3: module `acne` was not found (searched: /one (does not exist), "
     "/two)"},
    {"[modules]\nprepend = acme, broken\n",
     "p.ini:2: module `broken` is refused: /two/broken.so: no module note "
     "(searched: /one"},
    {"[modules]\nprepend = /nowhere/x.so\n",
     "p.ini:2: module file is refused: /nowhere/x.so: "},
    {"[modules]\nprepend = acme.so\n", "p.ini:2: module `acme.so`"},
    {"[profile]\n\nassurance = checked\nprovider = prefer:acne\n",
     "p.ini:4: provider label `acne` is neither well known nor offered by any "
     "module"},
    {"[availability]\nproviders = reference, acne\n",
     "p.ini:2: provider label `acne`"},
};

START_TEST(what_a_file_names_must_exist)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_profile_t *profile = NULL;
    EXPECT_FAILURE(error, KC_ERR_CONFIG, mistakes[_i].words,
                   parse(mistakes[_i].text, &profile, &error));
    ck_assert_ptr_null(profile);
}
END_TEST

START_TEST(a_label_of_a_module_that_was_only_found_is_known)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_profile_t *profile = NULL;
    EXPECT_OK(error, parse("[profile]\nname = p\nprovider = only:acme\n"
                           "[availability]\nproviders = acme, neuron\n",
                           &profile, &error));
    EXPECT_OK(error, kci_profile_validate(profile, &error));
    ck_assert_uint_eq(profile->module_count, 1);
    kci_profile_release(profile);
}
END_TEST

START_TEST(adding_a_module_removes_none)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_profile_t *profile = NULL;
    EXPECT_OK(error, parse("[profile]\nname = p\n[modules]\nprepend = acme\n",
                           &profile, &error));
    ck_assert_uint_eq(profile->module_count, 2);
    ck_assert_str_eq(profile->modules[0]->name, "acme");
    ck_assert_str_eq(profile->modules[1]->name, "reference");
    kci_profile_release(profile);
}
END_TEST

/* Where the reference module is built, a profile may name its file. */
START_TEST(a_module_by_the_path_of_its_file)
{
    char path[1024];
    const char *folder = getenv("KCAPSULE_MODULE_PATH");
    int length = snprintf(path, sizeof path, "%s/reference.so",
                          folder != NULL ? folder : "/nowhere");
    if ((size_t)length >= sizeof path || access(path, R_OK) != 0) {
        return;
    }
    char text[2048];
    kc_error_t error = KC_ERROR_INIT;
    kc_profile_t *profile = NULL;
    snprintf(text, sizeof text, "[modules]\nprepend = %s\n", path);
    EXPECT_OK(error, parse(text, &profile, &error));
    ck_assert_uint_eq(profile->module_count, 1);
    ck_assert_str_eq(profile->modules[0]->name, "reference");
    ck_assert_uint_gt(profile->modules[0]->capsule_count, 40);
    kci_profile_release(profile);
    profile = NULL;
    snprintf(text, sizeof text, "[modules]\nprepend = reference, %s\n", path);
    EXPECT_FAILURE(error, KC_ERR_CONFIG,
                   "p.ini:2: duplicate backend capsule module `reference`",
                   parse(text, &profile, &error));
    ck_assert_ptr_null(profile);
}
END_TEST

Suite *suite_registry_profile_resolve(void)
{
    Suite *suite = suite_create("registry/profile_resolve");
    TCase *tcase = tcase_create("all");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, a_missing_maintained_module_is_a_warning);
    tcase_add_test(tcase, a_refused_maintained_module_shows_its_verdict);
    tcase_add_test(tcase, no_module_at_all_is_an_error_with_the_folders);
    tcase_add_loop_test(tcase, what_a_file_names_must_exist, 0,
                        sizeof mistakes / sizeof *mistakes);
    tcase_add_test(tcase, a_label_of_a_module_that_was_only_found_is_known);
    tcase_add_test(tcase, adding_a_module_removes_none);
    tcase_add_test(tcase, a_module_by_the_path_of_its_file);
    suite_add_tcase(suite, tcase);
    return suite;
}
