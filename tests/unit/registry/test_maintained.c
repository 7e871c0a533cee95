/* SPDX-License-Identifier: Apache-2.0
 *
 * The maintained profiles are those of the specification.
 */
#include "registry/maintained.h"

#include <string.h>
#include "unit/registry/suites.h"

#define CPU  (1u << KC_DEVICE_CPU)
#define CUDA (1u << KC_DEVICE_CUDA)

static const struct {
    const char *name;
    int32_t device;
    int32_t preference;
    const char *provider;
    int32_t is_external;
    uint32_t device_bits;
    const char *providers;
    const char *modules;
} expected[] = {
    {"checked_cpu", KC_DEVICE_CPU, KC_PREFERENCE_AUTO, "", 0, CPU,
     "reference torchlean ", "attention native_cuda reference "},
    {"fast_cpu", KC_DEVICE_CPU, KC_PREFERENCE_PREFER, "native_cpu", 0, CPU,
     "reference torchlean native_cpu ", "attention native_cuda reference "},
    {"libtorch_cpu", KC_DEVICE_CPU, KC_PREFERENCE_PREFER, "libtorch", 1, CPU,
     "reference torchlean libtorch ",
     "attention native_cuda reference libtorch "},
    {"checked_cuda", KC_DEVICE_CUDA, KC_PREFERENCE_PREFER, "torchlean", 0,
     CPU | CUDA, "reference torchlean native_cuda ",
     "attention native_cuda reference "},
    {"libtorch_forward_cuda", KC_DEVICE_CUDA, KC_PREFERENCE_PREFER, "libtorch",
     1, CPU | CUDA, "reference torchlean native_cuda libtorch ",
     "attention native_cuda reference libtorch "},
    {"libtorch_forward_strict", KC_DEVICE_CUDA, KC_PREFERENCE_PREFER,
     "libtorch", 0, CPU | CUDA, "reference torchlean native_cuda libtorch ",
     "attention native_cuda reference libtorch "},
};
#define COUNT (sizeof expected / sizeof *expected)

static void join(const char *const *words, char out[256])
{
    out[0] = '\0';
    for (size_t idx = 0; words[idx] != NULL; idx++) {
        strcat(strcat(out, words[idx]), " ");
    }
}

START_TEST(each_is_as_specified)
{
    char words[256];
    const kci_maintained_profile_t *profile =
        kci_maintained_profile_find(expected[_i].name);
    ck_assert_ptr_nonnull(profile);
    ck_assert_str_eq(kci_maintained_profile_name((size_t)_i),
                     expected[_i].name);
    ck_assert_uint_gt(strlen(kci_maintained_profile_doc((size_t)_i)), 10);
    ck_assert_int_eq(profile->policy.device, expected[_i].device);
    ck_assert_int_eq(profile->policy.preference, expected[_i].preference);
    ck_assert_str_eq(profile->policy.provider, expected[_i].provider);
    ck_assert_int_eq(profile->policy.allow_trusted_external,
                     expected[_i].is_external);
    ck_assert_int_eq(profile->policy.require_receipts, 0);
    ck_assert_int_eq(profile->policy.vjp_mode, KC_VJP_TORCHLEAN_TAPE);
    ck_assert_uint_eq(profile->device_bits, expected[_i].device_bits);
    join(profile->providers, words);
    ck_assert_str_eq(words, expected[_i].providers);
    join(profile->modules, words);
    ck_assert_str_eq(words, expected[_i].modules);
}
END_TEST

START_TEST(there_are_no_more_and_the_default_is_for_the_cpu)
{
    ck_assert_uint_eq(kci_maintained_profile_count(), COUNT);
    ck_assert_ptr_null(kci_maintained_profile_find("checked"));
    ck_assert_str_eq(kci_default_profile()->name, "checked_cpu");
}
END_TEST

Suite *suite_registry_maintained(void)
{
    Suite *suite = suite_create("registry/maintained");
    TCase *tcase = tcase_create("all");
    tcase_add_loop_test(tcase, each_is_as_specified, 0, COUNT);
    tcase_add_test(tcase, there_are_no_more_and_the_default_is_for_the_cpu);
    suite_add_tcase(suite, tcase);
    return suite;
}
