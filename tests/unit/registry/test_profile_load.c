/* SPDX-License-Identifier: Apache-2.0
 *
 * Finding profiles, following what they extend, and what happens when that
 * leads nowhere or in a circle.
 */
#include "registry/profile_load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <kcapsule/call.h>
#include "unit/contract_fixture.h"
#include "unit/expect.h"
#include "unit/failing_heap.h"
#include "unit/registry/suites.h"
#include "unit/scratch.h"

static scratch_t folder;
static kci_module_set_t set;
static kci_search_directory_t directories[1];
static kci_search_path_t profile_path;
static kci_profile_source_t source;

static void setup(void)
{
    folder = scratch_make();
    set = fixture_maintained_set();
    kc_capsule_record_t acme =
        fixture_capsule("acme.relu", KC_OP_RELU, "acme", KC_DEVICE_CPU);
    fixture_set_add(&set,
                    fixture_file("/fixture/acme.so", "acme", &acme, 1, NULL));
    directories[0] = (kci_search_directory_t){folder.path, "test"};
    profile_path = (kci_search_path_t){directories, 1, NULL};
    source =
        (kci_profile_source_t){.modules = &set, .profile_path = &profile_path};
}

static void teardown(void)
{
    fixture_set_release(&set);
    scratch_remove(&folder);
}

static void write_profile(const char *name, const char *text)
{
    char path[SCRATCH_PATH_SIZE];
    scratch_write(&folder, name, text, strlen(text), path);
}

static kc_profile_t *load(const char *name)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_profile_t *profile = NULL;
    EXPECT_OK(error, kci_profile_load(&source, name, &profile, &error));
    EXPECT_OK(error, kci_profile_validate(profile, &error));
    return profile;
}

static void refuse(const char *name, kc_status_t status, const char *words)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_profile_t *profile = NULL;
    EXPECT_FAILURE(error, status, words,
                   kci_profile_load(&source, name, &profile, &error));
    ck_assert_ptr_null(profile);
}

START_TEST(maintained_profiles_load_by_name)
{
    kc_profile_t *profile = load(kci_maintained_profile_name((size_t)_i));
    ck_assert_str_eq(profile->name, kci_maintained_profile_name((size_t)_i));
    ck_assert_str_eq(profile->source, "maintained");
    ck_assert_str_eq(profile->modules[0]->name, "attention");
    kci_profile_release(profile);
}
END_TEST

START_TEST(a_name_on_the_path)
{
    write_profile("mine.ini", "[profile]\nextends = checked_cuda\n"
                              "assurance = attested\n");
    kc_profile_t *profile = load("mine");
    ck_assert_str_eq(profile->name, "mine");
    ck_assert_ptr_nonnull(strstr(profile->source, "/mine.ini"));
    ck_assert_int_eq(profile->policy.device, KC_DEVICE_CUDA);
    ck_assert_int_eq(profile->policy.require_receipts, 1);
    kci_profile_release(profile);
}
END_TEST

START_TEST(a_file_by_its_path)
{
    char path[SCRATCH_PATH_SIZE];
    const char *text = "[profile]\nname = other\n";
    scratch_write(&folder, "x.profile", text, strlen(text), path);
    kc_profile_t *profile = load(path);
    ck_assert_str_eq(profile->name, "other");
    ck_assert_str_eq(profile->source, path);
    kci_profile_release(profile);
}
END_TEST

START_TEST(without_extends_everything_is_the_default)
{
    write_profile("plain.ini", "[profile]\nprovider = prefer:acme\n");
    kc_profile_t *profile = load("plain");
    ck_assert_int_eq(profile->policy.device, KC_DEVICE_CPU);
    ck_assert_int_eq(profile->policy.allow_trusted_external, 0);
    ck_assert_int_eq(profile->policy.vjp_mode, KC_VJP_TORCHLEAN_TAPE);
    ck_assert_uint_eq(profile->device_bits, 1u << KC_DEVICE_CPU);
    ck_assert_uint_eq(profile->provider_count, 2);
    ck_assert_uint_eq(profile->module_count, 3);
    kci_profile_release(profile);
}
END_TEST

START_TEST(the_profile_of_the_documentation)
{
    write_profile("acme_cpu.ini", "[profile]\nname = acme_cpu\n"
                                  "extends = checked_cpu\n"
                                  "provider = prefer:acme\n[availability]\n"
                                  "providers = acme, reference, torchlean\n"
                                  "[modules]\nprepend = acme\n");
    kc_profile_t *profile = load("acme_cpu");
    static const char *const names[] = {"acme", "attention", "native_cuda",
                                        "reference"};
    ck_assert_uint_eq(profile->module_count, 4);
    for (size_t idx = 0; idx < 4; idx++) {
        ck_assert_str_eq(profile->modules[idx]->name, names[idx]);
    }
    kci_profile_release(profile);
}
END_TEST

START_TEST(a_chain_is_applied_from_its_base_up)
{
    write_profile("a.ini", "[profile]\nextends = b\nvjp = none\n"
                           "[numerics]\ndomain = ieee\n");
    write_profile("b.ini", "[profile]\nname = bee\nextends = c\n"
                           "vjp = backend-vjp\nassurance = external\n");
    write_profile("c.ini", "[profile]\nextends = libtorch_forward_cuda\n"
                           "assurance = checked\n[execution]\nthreads = 5\n"
                           "[numerics]\ndomain = strict\n"
                           "deterministic = true\n");
    kc_profile_t *profile = load("a");
    ck_assert_str_eq(profile->name, "a");
    ck_assert_int_eq(profile->policy.vjp_mode, KC_VJP_NONE);
    ck_assert_int_eq(profile->policy.allow_trusted_external, 1);
    ck_assert_str_eq(profile->policy.provider, "libtorch");
    ck_assert_uint_eq(profile->thread_count, 5);
    ck_assert_uint_eq(profile->numerics, KC_NUMERICS_DETERMINISTIC);
    kci_profile_release(profile);
}
END_TEST

START_TEST(a_circle_names_its_members)
{
    write_profile("a.ini", "[profile]\n\nextends = b\n");
    write_profile("b.ini", "[profile]\nextends = c\n");
    write_profile("c.ini", "[profile]\nextends = a\n");
    refuse("a", KC_ERR_CONFIG,
           "c.ini:2: extends: profiles extend each other: "
           "a -> b -> c -> a");
    write_profile("self.ini", "[profile]\nextends = self\n");
    refuse("self", KC_ERR_CONFIG,
           "self.ini:2: extends: profiles extend each "
           "other: self -> self");
}
END_TEST

START_TEST(a_chain_is_bounded)
{
    for (int idx = 0; idx < 20; idx++) {
        char name[32];
        char text[64];
        snprintf(name, sizeof name, "p%d.ini", idx);
        snprintf(text, sizeof text, "[profile]\nextends = p%d\n", idx + 1);
        write_profile(name, text);
    }
    refuse("p0", KC_ERR_CONFIG, "p15.ini:2: extends: expected at most 16");
}
END_TEST

START_TEST(what_is_extended_must_be_there)
{
    write_profile("a.ini", "[profile]\n\n\nextends = nowhere\n");
    refuse("a", KC_ERR_CONFIG, "a.ini:4: extends: unknown profile `nowhere`");
    write_profile("b.ini", "[profile]\nextends =\n");
    refuse("b", KC_ERR_CONFIG, "b.ini:2: extends: unknown profile ``");
    write_profile("c.ini", "[profile]\nextends = ../a\n");
    refuse("c", KC_ERR_CONFIG, "c.ini:2: extends: unknown profile `../a`");
}
END_TEST

START_TEST(a_mistake_in_what_is_extended_names_that_file)
{
    write_profile("a.ini", "[profile]\nextends = b\nassurance = external\n");
    write_profile("b.ini", "[profile]\n\nassurance = tusted\n");
    refuse("a", KC_ERR_CONFIG, "b.ini:3: assurance `tusted`");
}
END_TEST

START_TEST(an_unknown_profile_says_what_is_known)
{
    refuse("nowhere", KC_ERR_NOT_FOUND,
           "unknown profile `nowhere`: expected checked_cpu, fast_cpu, "
           "libtorch_cpu, checked_cuda, libtorch_forward_cuda, "
           "libtorch_forward_strict, or nowhere.ini in: ");
    refuse("", KC_ERR_NOT_FOUND, "unknown profile ``");
    refuse("a/b", KC_ERR_IO, "a/b");
    refuse("missing.ini", KC_ERR_IO, "missing.ini");
}
END_TEST

START_TEST(a_fifo_or_folder_is_no_profile)
{
    char path[SCRATCH_PATH_SIZE];
    scratch_name(&folder, "f.ini", path);
    ck_assert_int_eq(mkfifo(path, 0600), 0);
    refuse(path, KC_ERR_IO, "f.ini");
    scratch_name(&folder, "d.ini", path);
    ck_assert_int_eq(mkdir(path, 0700), 0);
    refuse(path, KC_ERR_IO, "d.ini");
}
END_TEST

START_TEST(a_file_without_a_name_needs_one_that_fits)
{
    write_profile("Odd Name.ini", "[profile]\ndevice = cpu\n");
    char path[SCRATCH_PATH_SIZE];
    scratch_name(&folder, "Odd Name.ini", path);
    refuse(path, KC_ERR_CONFIG, "Odd Name.ini: expected a name");
    write_profile("Odd Name.ini", "[profile]\nname = even\n");
    kc_profile_t *profile = load(path);
    ck_assert_str_eq(profile->name, "even");
    kci_profile_release(profile);
}
END_TEST

START_TEST(a_text_is_a_profile_too)
{
    static const char text[] = "[profile]\nextends = checked_cuda\n\0junk";
    kc_error_t error = KC_ERROR_INIT;
    kc_profile_t *profile = NULL;
    EXPECT_OK(error, kci_profile_parse(&source, text, strlen(text), "text",
                                       &profile, &error));
    ck_assert_str_eq(profile->name, "text");
    kci_profile_release(profile);
    profile = NULL;
    EXPECT_FAILURE(error, KC_ERR_CONFIG, "text:3:",
                   kci_profile_parse(&source, text, sizeof text - 1, "text",
                                     &profile, &error));
    ck_assert_ptr_null(profile);
}
END_TEST

/* Every allocation fails once; nothing is left behind (the sanitizers look)
 * and nothing is half made. */
START_TEST(a_lack_of_memory_at_any_place)
{
    write_profile("b.ini", "[profile]\nextends = checked_cuda\n");
    static const char text[] = "[profile]\nextends = b\n[availability]\n"
                               "providers = acme, reference\n"
                               "[modules]\nprepend = acme\n";
    kc_error_t error = KC_ERROR_INIT;
    kc_profile_t *profile = NULL;
    kc_status_t status = KC_ERR_MEMORY;
    int granted = 0;
    for (; status != KC_OK; granted++) {
        failing_heap_break_after(granted);
        status = kci_profile_parse(&source, text, sizeof text - 1, "p.ini",
                                   &profile, &error);
        failing_heap_mend();
        ck_assert(status == KC_OK || status == KC_ERR_MEMORY);
        ck_assert_int_eq(profile != NULL, status == KC_OK);
    }
    ck_assert_int_gt(granted, 30);
    kci_profile_release(profile);
}
END_TEST

Suite *suite_registry_profile_load(void)
{
    Suite *suite = suite_create("registry/profile_load");
    TCase *tcase = tcase_create("all");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, maintained_profiles_load_by_name, 0, 4);
    tcase_add_test(tcase, a_name_on_the_path);
    tcase_add_test(tcase, a_file_by_its_path);
    tcase_add_test(tcase, without_extends_everything_is_the_default);
    tcase_add_test(tcase, the_profile_of_the_documentation);
    tcase_add_test(tcase, a_chain_is_applied_from_its_base_up);
    tcase_add_test(tcase, a_circle_names_its_members);
    tcase_add_test(tcase, a_chain_is_bounded);
    tcase_add_test(tcase, what_is_extended_must_be_there);
    tcase_add_test(tcase, a_mistake_in_what_is_extended_names_that_file);
    tcase_add_test(tcase, an_unknown_profile_says_what_is_known);
    tcase_add_test(tcase, a_fifo_or_folder_is_no_profile);
    tcase_add_test(tcase, a_file_without_a_name_needs_one_that_fits);
    tcase_add_test(tcase, a_text_is_a_profile_too);
    tcase_add_test(tcase, a_lack_of_memory_at_any_place);
    suite_add_tcase(suite, tcase);
    return suite;
}
