/* SPDX-License-Identifier: Apache-2.0
 *
 * Sentences to the letter, and what each assurance accepts.
 */
#include "audit/audit.h"

#include <string.h>
#include "base/label.h"
#include "registry/policy.h"
#include "unit/audit/suites.h"
#include "unit/contract_fixture.h"

static const char *const sentences[KC_EVIDENCE_COUNT] = {
    "guarded at runtime by N",
    "covered by test suite N",
    "trusted boundary: N",
    "not applicable",
};

START_TEST(evidence_to_the_letter)
{
    char text[192];
    kc_contract_descriptor_t descriptor = {.evidence = _i, .source = "N"};
    kci_evidence_sentence(&descriptor, text, sizeof text);
    ck_assert_str_eq(text, sentences[_i]);
}
END_TEST

START_TEST(a_long_source_fits)
{
    char text[192];
    kc_contract_descriptor_t descriptor = {.evidence = KC_EVIDENCE_TEST_SUITE};
    memset(descriptor.source, 'x', sizeof descriptor.source - 1);
    kci_evidence_sentence(&descriptor, text, sizeof text);
    ck_assert_uint_eq(strlen(text), strlen("covered by test suite ") + 127);
}
END_TEST

static const struct {
    const char *assurance;
    bool accepts[KC_EVIDENCE_COUNT];
} accepted[] = {
    {"checked", {true, true, false, true}},
    {"external", {true, true, true, true}},
    {"attested", {true, false, false, false}},
};

START_TEST(what_each_assurance_accepts)
{
    kc_policy_t policy;
    kci_policy_init(&policy);
    ck_assert(kci_policy_parse_assurance(accepted[_i].assurance, &policy,
                                         NULL) == KC_OK);
    for (int32_t evidence = 0; evidence < KC_EVIDENCE_COUNT; evidence++) {
        kc_contract_descriptor_t descriptor = {.evidence = evidence,
                                               .source = "dispatch.shape"};
        ck_assert_int_eq(kci_policy_accepts_evidence(&policy, &descriptor),
                         accepted[_i].accepts[evidence]);
    }
}
END_TEST

/* Naming nothing must not get further than naming a suite. */
START_TEST(attested_counts_only_what_the_host_vouches_for)
{
    kc_policy_t policy;
    kci_policy_init(&policy);
    policy.require_receipts = 1;
    kc_contract_descriptor_t guard = {.evidence = KC_EVIDENCE_RUNTIME_GUARD,
                                      .source = "trust.me"};
    kc_contract_descriptor_t absent = {.claim = KC_CLAIM_VALUE_REFINEMENT,
                                       .evidence = KC_EVIDENCE_NOT_APPLICABLE};
    ck_assert(!kci_policy_accepts_evidence(&policy, &guard));
    ck_assert(!kci_policy_accepts_evidence(&policy, &absent));
    absent.claim = KC_CLAIM_VJP_UNAVAILABLE;
    ck_assert(kci_policy_accepts_evidence(&policy, &absent));
    policy.require_receipts = 0;
    ck_assert(kci_policy_accepts_evidence(&policy, &guard));
}
END_TEST

START_TEST(receipts_go_before_trust)
{
    kc_policy_t policy;
    kci_policy_init(&policy);
    policy.allow_trusted_external = 1;
    policy.require_receipts = 1;
    kc_contract_descriptor_t descriptor = {.evidence =
                                               KC_EVIDENCE_TRUSTED_BOUNDARY};
    ck_assert(!kci_policy_accepts_evidence(&policy, &descriptor));
}
END_TEST

START_TEST(every_claim_sentence_names_its_operation)
{
    char text[160];
    kc_capsule_record_t capsule =
        fixture_capsule("x", KC_OP_MATMUL, "acme", KC_DEVICE_CPU);
    kc_contract_descriptor_t descriptor = capsule.shape;
    for (int32_t claim = 0; claim < KC_CLAIM_COUNT; claim++) {
        descriptor.claim = claim;
        kci_claim_sentence(&descriptor, text, sizeof text);
        ck_assert_ptr_nonnull(strstr(text, "matmul"));
    }
    kci_claim_sentence(&capsule.layout, text, sizeof text);
    ck_assert_str_eq(text, "buffers of matmul use the canonical-tensor layout");
    kci_claim_sentence(&capsule.vjp, text, sizeof text);
    ck_assert_str_eq(text,
                     "the torchlean-tape VJP refines the meaning of matmul");
}
END_TEST

Suite *suite_audit_evidence(void)
{
    Suite *suite = suite_create("audit/evidence");
    TCase *tcase = tcase_create("all");
    tcase_add_loop_test(tcase, evidence_to_the_letter, 0, KC_EVIDENCE_COUNT);
    tcase_add_test(tcase, a_long_source_fits);
    tcase_add_loop_test(tcase, what_each_assurance_accepts, 0,
                        sizeof accepted / sizeof *accepted);
    tcase_add_test(tcase, receipts_go_before_trust);
    tcase_add_test(tcase, attested_counts_only_what_the_host_vouches_for);
    tcase_add_test(tcase, every_claim_sentence_names_its_operation);
    suite_add_tcase(suite, tcase);
    return suite;
}
