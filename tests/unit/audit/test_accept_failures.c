/* SPDX-License-Identifier: Apache-2.0
 *
 * The eight kinds of acceptance failures, each alone and all together, with
 * their lines.
 */
#include "audit/accept_failures.h"

#include <stdio.h>
#include <string.h>
#include "base/alloc.h"
#include "unit/audit/suites.h"
#include "unit/contract_fixture.h"
#include "unit/expect.h"

typedef void (*break_fn)(kc_capsule_record_t *capsule, kc_policy_t *policy,
                         int32_t *op);

static void break_op(kc_capsule_record_t *capsule, kc_policy_t *policy,
                     int32_t *op)
{
    (void)capsule, (void)policy;
    *op = KC_OP_MATMUL;
}
static void break_forward(kc_capsule_record_t *capsule, kc_policy_t *policy,
                          int32_t *op)
{
    (void)policy, (void)op;
    capsule->supports_forward = 0;
}
static void break_alignment(kc_capsule_record_t *capsule, kc_policy_t *policy,
                            int32_t *op)
{
    (void)policy, (void)op;
    capsule->shape.claim = KC_CLAIM_VALUE_REFINEMENT;
}
static void break_trust(kc_capsule_record_t *capsule, kc_policy_t *policy,
                        int32_t *op)
{
    (void)policy, (void)op;
    capsule->trust = KC_TRUST_TRUSTED_EXTERNAL;
}
static void break_provider(kc_capsule_record_t *capsule, kc_policy_t *policy,
                           int32_t *op)
{
    (void)capsule, (void)op;
    policy->preference = KC_PREFERENCE_ONLY;
    strcpy(policy->provider, "other");
}
static void break_device(kc_capsule_record_t *capsule, kc_policy_t *policy,
                         int32_t *op)
{
    (void)capsule, (void)op;
    policy->device = KC_DEVICE_CUDA;
}
static void break_vjp(kc_capsule_record_t *capsule, kc_policy_t *policy,
                      int32_t *op)
{
    (void)capsule, (void)op;
    policy->vjp_mode = KC_VJP_BACKEND;
}
static void break_evidence(kc_capsule_record_t *capsule, kc_policy_t *policy,
                           int32_t *op)
{
    (void)policy, (void)op;
    fixture_trust_value(capsule);
}

static const struct {
    break_fn change;
    kc_acceptance_failure_kind_t kind;
    const char *line;
} failures[] = {
    {break_op, KC_FAILURE_OPERATION,
     "op matmul, capsule acme.relu: operation mismatch: planned matmul, "
     "capsule is for relu"},
    {break_forward, KC_FAILURE_NO_FORWARD,
     "op relu, capsule acme.relu: expected a forward implementation, found "
     "none"},
    {break_alignment, KC_FAILURE_MISALIGNED,
     "op relu, capsule acme.relu: misaligned contract claims: shape: expected "
     "shapeSafety(relu), found valueRefinement(relu)"},
    {break_trust, KC_FAILURE_TRUST,
     "op relu, capsule acme.relu: trust level rejected: expected checked, "
     "found trusted-external"},
    {break_provider, KC_FAILURE_PROVIDER,
     "op relu, capsule acme.relu: provider rejected: expected other, found "
     "acme"},
    {break_device, KC_FAILURE_DEVICE,
     "op relu, capsule acme.relu: device mismatch: requested cuda, found cpu"},
    {break_vjp, KC_FAILURE_VJP,
     "op relu, capsule acme.relu: VJP mismatch: requested backend-vjp, "
     "offered torchlean-tape"},
    {break_evidence, KC_FAILURE_EVIDENCE,
     "op relu, capsule acme.relu: evidence rejected: value: trusted boundary: "
     "LibTorch/CUDA SDPA implementation"},
};
#define KINDS (sizeof failures / sizeof *failures)

typedef struct trial {
    kc_capsule_record_t capsule;
    kc_policy_t policy;
    int32_t op;
    kci_failure_list_t list;
} trial_t;

static trial_t begin(void)
{
    trial_t trial = {.capsule = fixture_capsule("acme.relu", KC_OP_RELU, "acme",
                                                KC_DEVICE_CPU),
                     .policy = fixture_policy(KC_DEVICE_CPU),
                     .op = KC_OP_RELU};
    return trial;
}

static void judge(trial_t *trial)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_policy_t plain = fixture_policy(KC_DEVICE_CPU);
    kc_profile_t *profile = fixture_profile_of(&plain, &trial->capsule, 1);
    EXPECT_OK(error, kci_acceptance_judge(profile, &trial->policy, trial->op, 0,
                                          &trial->list, &error));
    kci_profile_release(profile);
}

START_TEST(nothing_is_wrong_with_a_good_capsule)
{
    trial_t trial = begin();
    judge(&trial);
    ck_assert_uint_eq(trial.list.count, 0);
}
END_TEST

START_TEST(each_failure_alone)
{
    trial_t trial = begin();
    failures[_i].change(&trial.capsule, &trial.policy, &trial.op);
    judge(&trial);
    ck_assert_uint_eq(trial.list.count, 1);
    const kci_acceptance_failure_t *failure = &trial.list.items[0];
    ck_assert_int_eq(failure->kind, failures[_i].kind);
    ck_assert_int_eq(failure->op, trial.op);
    ck_assert_str_eq(failure->capsule, "acme.relu");
    ck_assert_str_eq(failure->line, failures[_i].line);
    bool is_evidence = failures[_i].kind == KC_FAILURE_EVIDENCE;
    ck_assert_int_eq(failure->obligation,
                     is_evidence ? KC_OBLIGATION_VALUE : -1);
    kci_free(trial.list.items);
}
END_TEST

/* Every subset of the eight, in order of the kinds. */
START_TEST(any_of_them_together_in_order)
{
    for (uint32_t subset = 0; subset < 1u << KINDS; subset++) {
        trial_t trial = begin();
        for (size_t idx = 0; idx < KINDS; idx++) {
            if ((subset >> idx & 1u) != 0) {
                failures[idx].change(&trial.capsule, &trial.policy, &trial.op);
            }
        }
        judge(&trial);
        size_t next = 0;
        for (size_t idx = 0; idx < KINDS; idx++) {
            if ((subset >> idx & 1u) != 0) {
                ck_assert_uint_lt(next, trial.list.count);
                ck_assert_int_eq(trial.list.items[next++].kind,
                                 failures[idx].kind);
            }
        }
        ck_assert_uint_eq(next, trial.list.count);
        kci_free(trial.list.items);
    }
}
END_TEST

/* What the tape's rule lacks is a matter of the VJP, and its line says what. */
START_TEST(a_rule_that_cannot_run_or_is_given_too_little)
{
    trial_t trial = begin();
    trial.capsule.device = KC_DEVICE_CUDA;
    trial.policy.device = KC_DEVICE_CUDA;
    judge(&trial);
    ck_assert_uint_eq(trial.list.count, 1);
    ck_assert_int_eq(trial.list.items[0].kind, KC_FAILURE_VJP);
    ck_assert_str_eq(trial.list.items[0].line,
                     "op relu, capsule acme.relu: VJP mismatch: requested a "
                     "rule on cuda, the tape's rule of relu runs on cpu");
    kci_free(trial.list.items);
    trial = begin();
    trial.capsule.saved_inputs = 0;
    judge(&trial);
    ck_assert_uint_eq(trial.list.count, 1);
    ck_assert_int_eq(trial.list.items[0].kind, KC_FAILURE_VJP);
    ck_assert_str_eq(trial.list.items[0].line,
                     "op relu, capsule acme.relu: VJP mismatch: the tape's "
                     "rule of relu also reads input 0 (x), the capsule saves "
                     "nothing");
    kci_free(trial.list.items);
    trial = begin();
    trial.capsule.saved_inputs = 0;
    trial.policy.vjp_mode = KC_VJP_NONE;
    judge(&trial);
    ck_assert_uint_eq(trial.list.count, 0);
}
END_TEST

/* Every kind can befall an inner operation; its line has both in its head. */
START_TEST(each_failure_of_an_inner_operation)
{
    kc_error_t error = KC_ERROR_INIT;
    trial_t trial = begin();
    failures[_i].change(&trial.capsule, &trial.policy, &trial.op);
    kc_capsule_record_t records[] = {
        fixture_capsule("acme.outer", KC_OP_SOFTPLUS, "acme", KC_DEVICE_CPU),
        trial.capsule};
    kc_policy_t plain = fixture_policy(KC_DEVICE_CPU);
    kc_profile_t *profile = fixture_profile_of(&plain, records, 2);
    kci_inner_row_t row = {
        .op = (uint16_t)trial.op, .entry = 1, .kind = KC_CALL_INNER_VJP};
    EXPECT_OK(error,
              kci_acceptance_judge_inner(profile, &trial.policy, KC_OP_SOFTPLUS,
                                         0, &row, &trial.list, &error));
    ck_assert_uint_eq(trial.list.count, 1);
    const kci_acceptance_failure_t *failure = &trial.list.items[0];
    static const char head[] =
        "op softplus, capsule acme.outer: inner operation ";
    ck_assert_int_eq(strncmp(failure->line, head, sizeof head - 1), 0);
    ck_assert_str_eq(failure->line + sizeof head - 1, failures[_i].line + 3);
    ck_assert_int_eq(failure->kind, failures[_i].kind);
    ck_assert_int_eq(failure->op, KC_OP_SOFTPLUS);
    ck_assert_str_eq(failure->capsule, "acme.outer");
    kci_free(trial.list.items);
    kci_profile_release(profile);
}
END_TEST

START_TEST(each_rejected_obligation_has_its_line)
{
    trial_t trial = begin();
    trial.capsule.shape.evidence = KC_EVIDENCE_TRUSTED_BOUNDARY;
    trial.capsule.layout.evidence = KC_EVIDENCE_TRUSTED_BOUNDARY;
    trial.capsule.value.evidence = KC_EVIDENCE_TRUSTED_BOUNDARY;
    trial.capsule.vjp.evidence = KC_EVIDENCE_TRUSTED_BOUNDARY;
    judge(&trial);
    ck_assert_uint_eq(trial.list.count, 4);
    for (int32_t idx = 0; idx < 4; idx++) {
        ck_assert_int_eq(trial.list.items[idx].obligation, idx);
    }
    ck_assert_ptr_nonnull(strstr(trial.list.items[1].line,
                                 "layout: trusted boundary: dispatch.layout"));
    kci_free(trial.list.items);
}
END_TEST

START_TEST(a_suite_without_a_receipt_names_the_file)
{
    kc_error_t error = KC_ERROR_INIT;
    trial_t trial = begin();
    trial.policy.require_receipts = 1;
    kci_module_file_t *file =
        fixture_file("/fixture/acme.so", "acme", &trial.capsule, 1, NULL);
    kc_capsule_module_t *module = NULL;
    EXPECT_OK(error, kci_capsule_module_from_file(file, &module, &error));
    kci_module_file_release(file);
    kc_policy_t plain = fixture_policy(KC_DEVICE_CPU);
    kc_profile_t *profile = fixture_profile(&plain, &module, 1);
    EXPECT_OK(error, kci_acceptance_judge(profile, &trial.policy, trial.op, 0,
                                          &trial.list, &error));
    ck_assert_uint_eq(trial.list.count, 2);
    ck_assert_str_eq(trial.list.items[0].line,
                     "op relu, capsule acme.relu: evidence rejected: value: no "
                     "receipt for /fixture/acme.so: covered by test suite "
                     "tests/fixture");
    ck_assert_int_eq(trial.list.items[1].obligation, KC_OBLIGATION_VJP);
    kci_free(trial.list.items);
    kci_profile_release(profile);
}
END_TEST

START_TEST(the_longest_line_ends_with_its_sentence)
{
    kc_error_t error = KC_ERROR_INIT;
    trial_t trial = begin();
    trial.policy.require_receipts = 1;
    trial.op = KC_OP_SCALED_DOT_PRODUCT_ATTENTION;
    memset(trial.capsule.name, 'n', sizeof trial.capsule.name - 1);
    memset(trial.capsule.value.source, 's',
           sizeof trial.capsule.value.source - 1);
    char path[1000];
    memset(path, 'p', sizeof path - 1);
    memcpy(path + sizeof path - 9, "/acme.so", 9);
    kci_module_file_t *file =
        fixture_file(path, "acme", &trial.capsule, 1, NULL);
    kc_capsule_module_t *module = NULL;
    EXPECT_OK(error, kci_capsule_module_from_file(file, &module, &error));
    kci_module_file_release(file);
    kc_policy_t plain = fixture_policy(KC_DEVICE_CPU);
    kc_profile_t *profile = fixture_profile(&plain, &module, 1);
    EXPECT_OK(error, kci_acceptance_judge(profile, &trial.policy, trial.op, 0,
                                          &trial.list, &error));
    const char *line = trial.list.items[1].line;
    ck_assert_ptr_nonnull(strstr(line, "/acme.so: covered by test suite s"));
    ck_assert_uint_eq(strlen(line), sizeof trial.list.items[1].line - 1);
    ck_assert_int_eq(line[strlen(line) - 1], 's');
    kci_free(trial.list.items);
    kci_profile_release(profile);
}
END_TEST

START_TEST(kinds_have_labels)
{
    ck_assert_str_eq(kci_acceptance_failure_label(KC_FAILURE_EVIDENCE),
                     "evidence_rejected");
    ck_assert_str_eq(kci_acceptance_failure_label(KC_FAILURE_OPERATION),
                     "operation_mismatch");
    ck_assert_str_eq(kci_acceptance_failure_label(-1), "unknown");
    ck_assert_str_eq(kci_acceptance_failure_label(KC_FAILURE_COUNT), "unknown");
}
END_TEST

Suite *suite_audit_accept_failures(void)
{
    Suite *suite = suite_create("audit/accept_failures");
    TCase *tcase = tcase_create("all");
    tcase_add_test(tcase, nothing_is_wrong_with_a_good_capsule);
    tcase_add_loop_test(tcase, each_failure_alone, 0, KINDS);
    tcase_add_test(tcase, any_of_them_together_in_order);
    tcase_add_test(tcase, a_rule_that_cannot_run_or_is_given_too_little);
    tcase_add_loop_test(tcase, each_failure_of_an_inner_operation, 0, KINDS);
    tcase_add_test(tcase, each_rejected_obligation_has_its_line);
    tcase_add_test(tcase, a_suite_without_a_receipt_names_the_file);
    tcase_add_test(tcase, the_longest_line_ends_with_its_sentence);
    tcase_add_test(tcase, kinds_have_labels);
    suite_add_tcase(suite, tcase);
    return suite;
}
