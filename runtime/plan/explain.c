/* SPDX-License-Identifier: Apache-2.0
 *
 * Why each candidate won or lost: the reasons come from the filters that
 * selection uses; this file adds the field that decided, asked for and found.
 */
#include "plan/choose.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "base/alloc.h"
#include "base/error.h"
#include "base/label.h"
#include "plan/claim_text.h"
#include "plan/inner.h"
#include "plan/rule_text.h"

typedef struct question {
    const kc_profile_t *profile;
    uint64_t plannable_ops;
    const kc_capsule_record_t *capsule;
    const kci_demand_t *demand;
    kci_candidate_t *candidate;
} question_t;

#define WANTED(question, ...)                                                  \
    snprintf((question)->candidate->wanted,                                    \
             sizeof(question)->candidate->wanted, __VA_ARGS__)
#define FOUND(question, ...)                                                   \
    snprintf((question)->candidate->found, sizeof(question)->candidate->found, \
             __VA_ARGS__)

/* Appends "PREFIX label" or ", label"; cut at the size of the field. */
static void append_word(char *out, size_t size, const char *prefix,
                        const char *word)
{
    size_t length = strlen(out);
    snprintf(out + length, size - length, "%s%s", length == 0 ? prefix : ", ",
             word);
}

static void append_labels(char *out, size_t size, const char *prefix,
                          const kci_vocabulary_t *vocabulary, uint32_t bits)
{
    for (int32_t value = 0; value < vocabulary->count; value++) {
        if ((bits >> (uint32_t)value & 1u) != 0) {
            append_word(out, size, prefix, kci_label(vocabulary, value));
        }
    }
}

static void describe_available_device(const question_t *question)
{
    kci_candidate_t *candidate = question->candidate;
    append_labels(candidate->wanted, sizeof candidate->wanted,
                  "available devices ", &kci_devices,
                  question->profile->device_bits);
    FOUND(question, "device %s",
          kci_label(&kci_devices, question->capsule->device));
}

static void describe_available_provider(const question_t *question)
{
    kci_candidate_t *candidate = question->candidate;
    const kc_profile_t *profile = question->profile;
    for (size_t idx = 0; idx < profile->provider_count; idx++) {
        append_word(candidate->wanted, sizeof candidate->wanted,
                    "available providers ", profile->providers[idx]);
    }
    FOUND(question, "provider %s", question->capsule->provider);
}

static void describe_forward(const question_t *question)
{
    WANTED(question, "a forward implementation");
    FOUND(question, "none");
}

static void describe_alignment(const question_t *question)
{
    int32_t obligation = KC_OBLIGATION_SHAPE;
    if (kci_capsule_is_aligned(question->capsule, &obligation)) {
        return;
    }
    char claim[80];
    const char *label = kci_label(&kci_obligations, obligation);
    kci_claim_format_expected(question->capsule, obligation, claim,
                              sizeof claim);
    WANTED(question, "%s claim %s", label, claim);
    kci_claim_format(kci_capsule_obligation(question->capsule, obligation),
                     claim, sizeof claim);
    FOUND(question, "%s claim %s", label, claim);
}

static void describe_trust(const question_t *question)
{
    WANTED(question, "trust %s", kci_label(&kci_trusts, KC_TRUST_CHECKED));
    FOUND(question, "trust %s",
          kci_label(&kci_trusts, question->capsule->trust));
}

static void describe_provider(const question_t *question)
{
    WANTED(question, "provider %s", question->profile->policy.provider);
    FOUND(question, "provider %s", question->capsule->provider);
}

static void describe_device(const question_t *question)
{
    WANTED(question, "device %s",
           kci_label(&kci_devices, question->profile->policy.device));
    FOUND(question, "device %s",
          kci_label(&kci_devices, question->capsule->device));
}

static void describe_vjp(const question_t *question)
{
    bool is_tape = question->profile->policy.vjp_mode != KC_VJP_BACKEND;
    WANTED(question, "vjp %s%s%s",
           is_tape ? kci_label(&kci_vjp_modes, KC_VJP_TORCHLEAN_TAPE) : "",
           is_tape ? " or " : "", kci_label(&kci_vjp_modes, KC_VJP_BACKEND));
    FOUND(question, "vjp %s%s",
          kci_label(&kci_vjp_modes, question->capsule->vjp_mode),
          kci_is_composition(question->capsule->provider) ? " of a composition"
                                                          : "");
}

static void describe_rule_device(const question_t *question)
{
    const kc_capsule_record_t *capsule = question->capsule;
    WANTED(question, "a rule on device %s",
           kci_label(&kci_devices, capsule->device));
    FOUND(question, "the tape's rule of %s runs on %s",
          kci_label(&kci_ops, capsule->op),
          kci_label(&kci_devices, KC_DEVICE_CPU));
}

static void describe_rule_saved(const question_t *question)
{
    const kc_capsule_record_t *capsule = question->capsule;
    char operands[80];
    kci_saved_gap_t gap =
        kci_policy_rule_gap(&question->profile->policy, capsule);
    kci_rule_format_operands(capsule->op, gap.inputs, gap.outputs, operands,
                             sizeof operands);
    WANTED(question, "saves %s", operands);
    kci_rule_format_operands(capsule->op, capsule->saved_inputs,
                             capsule->saved_outputs, operands, sizeof operands);
    FOUND(question, "saves %s", operands);
}

static void describe_inner(const question_t *question)
{
    const kc_policy_t *policy = &question->profile->policy;
    uint64_t missing = kci_policy_inner_ops(policy, question->capsule) &
                       ~question->plannable_ops;
    int32_t first = -1;
    int count = 0;
    for (int32_t op = 0; op < KC_OP_COUNT; op++) {
        if ((missing & KCI_OP_BIT(op)) != 0) {
            first = first < 0 ? op : first;
            count++;
        }
    }
    char rest[24] = "";
    if (count > 1) {
        snprintf(rest, sizeof rest, " and %d more", count - 1);
    }
    WANTED(question, "inner operation %s%s", kci_label(&kci_ops, first), rest);
    FOUND(question, "no admissible capsule on device %s",
          kci_label(&kci_devices, policy->device));
}

static void describe_dtype(const question_t *question)
{
    kci_candidate_t *candidate = question->candidate;
    kci_flat_limits_t limits = kci_limits_flatten(&question->capsule->limits);
    WANTED(question, "dtype %s",
           kci_label(&kci_dtypes, question->demand->dtype));
    append_labels(candidate->found, sizeof candidate->found, "dtype ",
                  &kci_dtypes, limits.dtypes);
}

static void describe_rank(const question_t *question)
{
    kci_candidate_t *candidate = question->candidate;
    WANTED(question, "rank %d", question->demand->rank);
    for (uint32_t rank = 0; rank <= KC_MAX_RANK; rank++) {
        if ((question->capsule->limits.ranks >> rank & 1u) != 0) {
            char number[16];
            snprintf(number, sizeof number, "%" PRIu32, rank);
            append_word(candidate->found, sizeof candidate->found, "rank ",
                        number);
        }
    }
}

static void describe_extent(const question_t *question)
{
    WANTED(question, "extent %" PRId64, question->demand->extent_max);
    FOUND(question, "extents up to %" PRIu32,
          question->capsule->limits.extent_max);
}

static void describe_elements(const question_t *question)
{
    kci_flat_limits_t limits = kci_limits_flatten(&question->capsule->limits);
    WANTED(question, "%" PRId64 " elements", question->demand->element_max);
    FOUND(question, "up to %" PRId64 " elements (%" PRIu32 "-bit indices)",
          limits.element_max, question->capsule->limits.index_bits);
}

static void describe_inputs(const question_t *question)
{
    WANTED(question, "%d inputs", question->demand->input_count);
    FOUND(question, "up to %" PRIu32 " inputs",
          question->capsule->limits.input_count_max);
}

static void describe_determinism(const question_t *question)
{
    kci_candidate_t *candidate = question->candidate;
    WANTED(question, "invariance %s",
           kci_label(&kci_invariances, KC_INVARIANT_RUN));
    append_labels(candidate->found, sizeof candidate->found, "invariance ",
                  &kci_invariances, question->capsule->numerics.invariance);
    if (candidate->found[0] == '\0') {
        FOUND(question, "invariance unstated");
    }
}

static void describe_operation(const question_t *question)
{
    WANTED(question, "an operation below %d", KC_OP_COUNT);
    FOUND(question, "operation %d", question->capsule->op);
}

typedef void (*describe_fn)(const question_t *question);

static const describe_fn describers[KC_REASON_COUNT] = {
    [KC_REASON_DEVICE_UNAVAILABLE] = describe_available_device,
    [KC_REASON_PROVIDER_UNAVAILABLE] = describe_available_provider,
    [KC_REASON_NO_FORWARD] = describe_forward,
    [KC_REASON_MISALIGNED] = describe_alignment,
    [KC_REASON_TRUST] = describe_trust,
    [KC_REASON_PROVIDER] = describe_provider,
    [KC_REASON_DEVICE] = describe_device,
    [KC_REASON_VJP] = describe_vjp,
    [KC_REASON_RULE_DEVICE] = describe_rule_device,
    [KC_REASON_RULE_SAVED] = describe_rule_saved,
    [KC_REASON_INNER] = describe_inner,
    [KC_REASON_LIMIT_DTYPE] = describe_dtype,
    [KC_REASON_LIMIT_RANK] = describe_rank,
    [KC_REASON_LIMIT_EXTENT] = describe_extent,
    [KC_REASON_LIMIT_ELEMENTS] = describe_elements,
    [KC_REASON_LIMIT_INPUTS] = describe_inputs,
    [KC_REASON_NONDETERMINISTIC] = describe_determinism,
    [KC_REASON_UNKNOWN_OPERATION] = describe_operation,
};

/* `request` asks for the entry. */
static void explain_entry(const kc_profile_t *profile, kci_case_t *request,
                          uint16_t entry, uint16_t chosen,
                          kci_candidate_t *candidate)
{
    request->entry = &profile->entries[entry];
    kc_reason_t reason = kci_case_judge(request);
    if (reason == KC_REASON_SELECTED && entry != chosen) {
        reason = KC_REASON_NOT_PREFERRED;
    }
    candidate->entry = entry;
    candidate->reason = reason;
    if (describers[reason] != NULL) {
        question_t question = {profile, request->plannable_ops,
                               request->entry->capsule, request->demand,
                               candidate};
        describers[reason](&question);
    }
}

static uint16_t find_chosen(const kc_profile_t *profile, int32_t op,
                            kci_case_t *request)
{
    kci_eligible_cursor_t cursor = {0, 0};
    uint16_t entry = KCI_NO_ENTRY;
    return kci_eligible_next(profile, op, request, &cursor, &entry)
               ? entry
               : KCI_NO_ENTRY;
}

kc_status_t kci_plan_explain(const kc_profile_t *profile, int32_t op,
                             const kci_demand_t *demand,
                             kci_candidate_t **out_candidates,
                             size_t *out_count, kc_error_t *error)
{
    if (op < 0 || op >= KC_OP_COUNT) {
        return kci_fail(error, KC_ERR_ARGUMENT,
                        "operation %d: expected 0 to %d", op, KC_OP_COUNT - 1);
    }
    size_t count = profile->op_start[op + 1] - profile->op_start[op];
    void *memory = NULL;
    KC_RETURN_IF_ERROR(
        kci_alloc_array(count, sizeof(kci_candidate_t), &memory, error));
    kci_candidate_t *candidates = memory;
    kci_case_t request = {.policy = &profile->policy,
                          .demand = demand,
                          .numerics = profile->numerics,
                          .plannable_ops = kci_inner_plannable_ops(
                              profile, &profile->policy, false)};
    uint16_t chosen = find_chosen(profile, op, &request);
    for (size_t idx = 0; idx < count; idx++) {
        uint32_t entry = profile->by_op[profile->op_start[op] + idx];
        explain_entry(profile, &request, (uint16_t)entry, chosen,
                      &candidates[idx]);
    }
    *out_candidates = candidates;
    *out_count = count;
    return KC_OK;
}
