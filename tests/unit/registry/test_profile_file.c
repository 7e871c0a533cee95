/* SPDX-License-Identifier: Apache-2.0
 *
 * What profile files say, and every way in which one can be wrong: file and
 * line, always, and never half a profile.
 */
#include "registry/profile_file.h"

#include <stdio.h>
#include <string.h>
#include <kcapsule/call.h>
#include "unit/expect.h"
#include "unit/registry/suites.h"

static kc_status_t apply(const char *text, const char *base,
                         kci_profile_draft_t *draft, kci_ini_t **out_ini,
                         kc_error_t *error)
{
    memset(draft, 0, sizeof *draft);
    *out_ini = NULL;
    kc_status_t status =
        kci_ini_parse(text, strlen(text), "p.ini", out_ini, error);
    if (status == KC_OK) {
        status = kci_profile_draft_begin(
            draft, kci_maintained_profile_find(base), error);
    }
    if (status == KC_OK) {
        status = kci_profile_file_apply(*out_ini, draft, error);
    }
    return status;
}

static const char full_text[] = "# all keys\n"
                                "[profile]\n"
                                "name = acme_cpu\n"
                                "extends = checked_cpu\n"
                                "device = cuda\n"
                                "provider = only:acme\n"
                                "assurance = external\n"
                                "vjp = backend-vjp\n"
                                "[availability]\n"
                                "devices = cuda, cpu\n"
                                "providers = acme, reference\n"
                                "[modules]\n"
                                "prepend = acme, /opt/other.so\n"
                                "[numerics]\n"
                                "domain = strict\n"
                                "deterministic = true\n"
                                "tf32 = false\n"
                                "[execution]\n"
                                "threads = 3\n";

static void check_full(const kci_profile_draft_t *draft)
{
    ck_assert_str_eq(draft->name, "acme_cpu");
    ck_assert_int_eq(draft->policy.device, KC_DEVICE_CUDA);
    ck_assert_int_eq(draft->policy.preference, KC_PREFERENCE_ONLY);
    ck_assert_str_eq(draft->policy.provider, "acme");
    ck_assert_int_eq(draft->preference_origin.line, 6);
    ck_assert_int_eq(draft->policy.allow_trusted_external, 1);
    ck_assert_int_eq(draft->policy.vjp_mode, KC_VJP_BACKEND);
    ck_assert_uint_eq(draft->device_bits,
                      1u << KC_DEVICE_CPU | 1u << KC_DEVICE_CUDA);
    ck_assert_uint_eq(draft->provider_count, 2);
    ck_assert_str_eq(draft->providers[1], "reference");
    ck_assert_int_eq(draft->providers_origin.line, 11);
    ck_assert_uint_eq(draft->module_count, 5);
    ck_assert_str_eq(draft->modules[1].name, "/opt/other.so");
    ck_assert_str_eq(draft->modules[1].origin.file, "p.ini");
    ck_assert_int_eq(draft->modules[1].origin.line, 13);
    ck_assert_uint_eq(draft->numerics,
                      KC_NUMERICS_STRICT_DOMAIN | KC_NUMERICS_DETERMINISTIC);
    ck_assert_uint_eq(draft->thread_count, 3);
}

START_TEST(every_key_is_applied)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_profile_draft_t draft;
    kci_ini_t *ini = NULL;
    EXPECT_OK(error, apply(full_text, "checked_cpu", &draft, &ini, &error));
    check_full(&draft);
    kci_profile_draft_release(&draft);
    kci_ini_release(ini);
}
END_TEST

START_TEST(carriage_returns_change_nothing)
{
    char text[2 * sizeof full_text];
    size_t length = 0;
    for (const char *byte = full_text; *byte != '\0'; byte++) {
        if (*byte == '\n') {
            text[length++] = '\r';
        }
        text[length++] = *byte;
    }
    text[length] = '\0';
    kc_error_t error = KC_ERROR_INIT;
    kci_profile_draft_t draft;
    kci_ini_t *ini = NULL;
    EXPECT_OK(error, apply(text, "checked_cpu", &draft, &ini, &error));
    check_full(&draft);
    kci_profile_draft_release(&draft);
    kci_ini_release(ini);
}
END_TEST

START_TEST(a_file_without_its_section_is_none)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_profile_draft_t draft;
    kci_ini_t *ini = NULL;
    EXPECT_FAILURE(error, KC_ERR_CONFIG,
                   "p.ini: expected a [profile] section, found none",
                   apply("", "checked_cpu", &draft, &ini, &error));
    kci_profile_draft_release(&draft);
    kci_ini_release(ini);
}
END_TEST

START_TEST(an_empty_section_changes_nothing)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_profile_draft_t draft;
    kci_ini_t *ini = NULL;
    EXPECT_OK(error, apply("[profile]\n", "libtorch_forward_cuda", &draft, &ini,
                           &error));
    ck_assert_str_eq(draft.policy.provider, "libtorch");
    ck_assert_int_eq(draft.policy.allow_trusted_external, 1);
    ck_assert_uint_eq(draft.module_count, 4);
    kci_profile_draft_release(&draft);
    kci_ini_release(ini);
}
END_TEST

START_TEST(what_was_set_can_be_unset)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_profile_draft_t draft;
    kci_ini_t *ini = NULL;
    EXPECT_OK(error, apply("[profile]\nassurance = checked\nprovider = auto\n"
                           "[numerics]\ndomain = ieee\n",
                           "libtorch_forward_cuda", &draft, &ini, &error));
    ck_assert_int_eq(draft.policy.allow_trusted_external, 0);
    ck_assert_str_eq(draft.policy.provider, "");
    ck_assert_uint_eq(draft.numerics, 0);
    kci_profile_draft_release(&draft);
    kci_ini_release(ini);
}
END_TEST

/* Line 3 is the trust line in the first ones, line 4 the preference: each
 * variant of a swallowed setting. */
static const struct {
    const char *text;
    const char *words;
    kc_status_t status;
} mistakes[] = {
    {"[profile]\n\nassurence = checked\nprovider = auto\n",
     "p.ini:3: unknown key `assurence`", KC_ERR_CONFIG},
    {"[profile]\n\nassurance = trust\nprovider = auto\n",
     "p.ini:3: assurance `trust`: expected checked, external or attested",
     KC_ERR_CONFIG},
    {"[profile]\n\nassurance =\nprovider = auto\n", "p.ini:3: assurance ``",
     KC_ERR_CONFIG},
    {"[profile]\n\nassurance = checked\nprovider = prefer\n",
     "p.ini:4: provider preference `prefer`", KC_ERR_CONFIG},
    {"[profile]\n\nassurance = checked\nassurance = external\n",
     "p.ini:4:", KC_ERR_CONFIG},
    {"[profile]\n\nassurance = checked\nprovider\n", "p.ini:4:", KC_ERR_CONFIG},
    {"[profile]\n\nassurance = chec", "p.ini:3: assurance `chec`",
     KC_ERR_CONFIG},
    {"[profile]\n\nassurance = checked\nprovid", "p.ini:4:", KC_ERR_CONFIG},
    {"[profile]\nassurance = checked\n[availab", "p.ini:3:", KC_ERR_CONFIG},
    {"assurance = external\n", "p.ini:1:", KC_ERR_CONFIG},
    {"[trust]\nassurance = external\n", "p.ini:1: unknown section",
     KC_ERR_CONFIG},
    {"[numerics]\nassurance = external\n", "p.ini:2: unknown key",
     KC_ERR_CONFIG},
    {"[profile]\nname = Acme\n", "p.ini:2: profile name `Acme`", KC_ERR_CONFIG},
    {"[profile]\nname =\n", "p.ini:2: profile name ``", KC_ERR_CONFIG},
    {"[profile]\ndevice = gpu\n",
     "p.ini:2: device `gpu`: expected one of cpu, cuda, rocm", KC_ERR_CONFIG},
    {"[profile]\ndevice = CPU\n", "p.ini:2: device `CPU`", KC_ERR_CONFIG},
    {"[profile]\nprovider = only:Acme\n", "p.ini:2: provider label `Acme`",
     KC_ERR_CONFIG},
    {"[profile]\nvjp = tape\n",
     "p.ini:2: VJP mode `tape`: expected one of none, torchlean-tape, "
     "backend-vjp",
     KC_ERR_CONFIG},
    {"[availability]\ndevices =\n", "p.ini:2: expected a word", KC_ERR_CONFIG},
    {"[availability]\ndevices = cpu, gpu\n", "p.ini:2: device `gpu`",
     KC_ERR_CONFIG},
    {"[availability]\ndevices = cpu, cpu\n",
     "p.ini:2: device `cpu` is given twice", KC_ERR_CONFIG},
    {"[availability]\nproviders = acme,\n",
     "p.ini:2: expected a word in place 2", KC_ERR_CONFIG},
    {"[availability]\nproviders = a b\n", "p.ini:2: provider label `a b`",
     KC_ERR_CONFIG},
    {"[availability]\nproviders = a, a\n",
     "p.ini:2: provider label `a` is given twice", KC_ERR_CONFIG},
    {"[modules]\nprepend = acme, acme\n",
     "p.ini:2: duplicate backend capsule module `acme`", KC_ERR_CONFIG},
    {"[modules]\nprepend = ,\n", "p.ini:2: expected a word", KC_ERR_CONFIG},
    {"[modules]\nappend = acme\n", "p.ini:2: unknown key `append`",
     KC_ERR_CONFIG},
    {"[numerics]\ndomain = lax\n",
     "p.ini:2: domain `lax`: expected ieee or strict", KC_ERR_CONFIG},
    {"[numerics]\ndeterministic = yes\n",
     "p.ini:2: deterministic `yes`: expected true or false", KC_ERR_CONFIG},
    {"[numerics]\ntf32 = 1\n", "p.ini:2: tf32 `1`", KC_ERR_CONFIG},
    {"[numerics]\ntf32 = true\n", "p.ini:2: tf32 = true: not in this build",
     KC_ERR_NOT_IN_BUILD},
    {"[execution]\nthreads = 0\n", "p.ini:2: threads `0`", KC_ERR_CONFIG},
    {"[execution]\nthreads = 1025\n", "p.ini:2: threads `1025`", KC_ERR_CONFIG},
    {"[execution]\nthreads = -1\n", "p.ini:2: threads `-1`", KC_ERR_CONFIG},
    {"[execution]\nthreads = 2.5\n", "p.ini:2: threads `2.5`", KC_ERR_CONFIG},
    {"[execution]\nthreads = four\n", "p.ini:2: threads `four`", KC_ERR_CONFIG},
};

START_TEST(each_mistake_names_file_and_line)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_profile_draft_t draft;
    kci_ini_t *ini = NULL;
    EXPECT_FAILURE(
        error, mistakes[_i].status, mistakes[_i].words,
        apply(mistakes[_i].text, "checked_cpu", &draft, &ini, &error));
    kci_profile_draft_release(&draft);
    kci_ini_release(ini);
}
END_TEST

START_TEST(no_cut_of_the_trust_line_means_more_trust)
{
    static const char text[] = "[profile]\n\nassurance = checked\n";
    for (size_t length = 0; length < sizeof text; length++) {
        char cut[sizeof text];
        memcpy(cut, text, length);
        cut[length] = '\0';
        kc_error_t error = KC_ERROR_INIT;
        kci_profile_draft_t draft;
        kci_ini_t *ini = NULL;
        kc_status_t status = apply(cut, "checked_cpu", &draft, &ini, &error);
        if (status == KC_OK) {
            ck_assert_int_eq(draft.policy.allow_trusted_external, 0);
        }
        kci_profile_draft_release(&draft);
        kci_ini_release(ini);
    }
}
END_TEST

Suite *suite_registry_profile_file(void)
{
    Suite *suite = suite_create("registry/profile_file");
    TCase *tcase = tcase_create("all");
    tcase_add_test(tcase, every_key_is_applied);
    tcase_add_test(tcase, carriage_returns_change_nothing);
    tcase_add_test(tcase, a_file_without_its_section_is_none);
    tcase_add_test(tcase, an_empty_section_changes_nothing);
    tcase_add_test(tcase, what_was_set_can_be_unset);
    tcase_add_loop_test(tcase, each_mistake_names_file_and_line, 0,
                        sizeof mistakes / sizeof *mistakes);
    tcase_add_test(tcase, no_cut_of_the_trust_line_means_more_trust);
    suite_add_tcase(suite, tcase);
    return suite;
}
