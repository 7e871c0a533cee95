/* SPDX-License-Identifier: Apache-2.0
 *
 * Provider labels.
 */
#include "registry/provider.h"

#include "base/label.h"
#include "unit/contract_fixture.h"
#include "unit/registry/suites.h"

static const char *const known[] = {
    "reference", "torchlean", "native_cpu", "native_cuda", "libtorch",
    "aten",      "mps",       "webgpu",     "cublas",      "cudnn",
    "cufft",     "xla",       "neuron",     "custom-chip", "external"};

START_TEST(the_fourteen_are_known_and_well_formed)
{
    ck_assert(kci_provider_is_well_known(known[_i]));
    ck_assert(kci_is_provider_label(known[_i]));
}
END_TEST

START_TEST(others_are_not)
{
    ck_assert(!kci_provider_is_well_known("acme"));
    ck_assert(!kci_provider_is_well_known(""));
    ck_assert(!kci_provider_is_well_known("Reference"));
}
END_TEST

START_TEST(listed_and_offered)
{
    kci_provider_t labels[] = {"acme", "other"};
    ck_assert(kci_provider_is_listed(labels, 2, "other"));
    ck_assert(!kci_provider_is_listed(labels, 1, "other"));
    kc_capsule_record_t capsule =
        fixture_capsule("x", KC_OP_RELU, "acme", KC_DEVICE_CPU);
    ck_assert(kci_provider_is_offered(&capsule, 1, "acme"));
    ck_assert(!kci_provider_is_offered(&capsule, 1, "x"));
}
END_TEST

Suite *suite_registry_provider(void)
{
    Suite *suite = suite_create("registry/provider");
    TCase *tcase = tcase_create("all");
    tcase_add_loop_test(tcase, the_fourteen_are_known_and_well_formed, 0,
                        sizeof known / sizeof *known);
    tcase_add_test(tcase, others_are_not);
    tcase_add_test(tcase, listed_and_offered);
    suite_add_tcase(suite, tcase);
    return suite;
}
