/* SPDX-License-Identifier: Apache-2.0
 *
 * Every reason why a planned operation may not run, not only the first: an
 * operator who mends one should see the others. The rules themselves are
 * those of planning (plan/admissible) and of the contract check.
 */
#include "audit/accept_failures.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "base/alloc.h"
#include "base/error.h"
#include "base/label.h"
#include "plan/admissible.h"
#include "plan/rule_text.h"

#define CLAIM_SIZE    96
#define SENTENCE_SIZE 192
#define OPERANDS_SIZE 128
#define HEAD_SIZE     (2 * KC_CAPSULE_NAME_SIZE + 128)

#define RECEIPT_FORMAT "evidence rejected: %s: no receipt for %s: %s"

/* Of an inner operation `served` is the planned capsule, else NULL. */
typedef struct judgement {
    const kc_policy_t *policy;
    const kci_entry_t *entry;
    int32_t op;
    const kci_entry_t *served;
    int32_t served_op;
    kci_failure_list_t *failures;
} judgement_t;

#define LABEL(constant, label) [constant] = label,

static const char *const labels[KC_FAILURE_COUNT] = {
    KC_FOR_EACH_ACCEPTANCE_FAILURE(LABEL)};

const char *kci_acceptance_failure_label(int32_t kind)
{
    return kind >= 0 && kind < KC_FAILURE_COUNT ? labels[kind] : "unknown";
}

/* The head of every line: operation and capsule, then the inner ones. */
static void format_head(const judgement_t *judgement, char *out, size_t size)
{
    const char *name =
        judgement->entry != NULL ? judgement->entry->capsule->name : NULL;
    if (judgement->served == NULL) {
        snprintf(out, size,
                 "op %s, capsule %s: ", kci_label(&kci_ops, judgement->op),
                 name);
        return;
    }
    snprintf(out, size, "op %s, capsule %s: inner operation %s%s%s: ",
             kci_label(&kci_ops, judgement->served_op),
             judgement->served->capsule->name,
             kci_label(&kci_ops, judgement->op),
             name != NULL ? ", capsule " : "", name != NULL ? name : "");
}

KC_PRINTF(5, 6)
static kc_status_t add_failure(const judgement_t *judgement, int32_t kind,
                               int32_t obligation, kc_error_t *error,
                               const char *format, ...)
{
    kci_failure_list_t *list = judgement->failures;
    void *items = list->items;
    KC_RETURN_IF_ERROR(kci_grow_array(&items, &list->capacity, list->count + 1,
                                      sizeof(kci_acceptance_failure_t), error));
    list->items = items;
    kci_acceptance_failure_t *failure = &list->items[list->count++];
    const bool is_inner = judgement->served != NULL;
    const kci_entry_t *planned =
        is_inner ? judgement->served : judgement->entry;
    failure->kind = kind;
    failure->op = is_inner ? judgement->served_op : judgement->op;
    failure->obligation = obligation;
    snprintf(failure->capsule, sizeof failure->capsule, "%s",
             planned->capsule->name);
    format_head(judgement, failure->line, sizeof failure->line);
    size_t length = strlen(failure->line);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(failure->line + length, sizeof failure->line - length, format,
              arguments);
    va_end(arguments);
    return KC_OK;
}

static kc_status_t judge_operation(const judgement_t *judgement,
                                   kc_error_t *error)
{
    int32_t op = judgement->entry->capsule->op;
    if (op == judgement->op) {
        return KC_OK;
    }
    return add_failure(judgement, KC_FAILURE_OPERATION, -1, error,
                       "operation mismatch: planned %s, capsule is for %s",
                       kci_label(&kci_ops, judgement->op),
                       kci_label(&kci_ops, op));
}

static kc_status_t judge_forward(const judgement_t *judgement,
                                 kc_error_t *error)
{
    if (judgement->entry->capsule->supports_forward) {
        return KC_OK;
    }
    return add_failure(judgement, KC_FAILURE_NO_FORWARD, -1, error,
                       "expected a forward implementation, found none");
}

static kc_status_t judge_alignment(const judgement_t *judgement,
                                   kc_error_t *error)
{
    const kc_capsule_record_t *capsule = judgement->entry->capsule;
    int32_t obligation = KC_OBLIGATION_SHAPE;
    if (kci_capsule_is_aligned(capsule, &obligation)) {
        return KC_OK;
    }
    char expected[CLAIM_SIZE];
    char found[CLAIM_SIZE];
    kci_claim_format_expected(capsule, obligation, expected, sizeof expected);
    kci_claim_format(kci_capsule_obligation(capsule, obligation), found,
                     sizeof found);
    return add_failure(judgement, KC_FAILURE_MISALIGNED, -1, error,
                       "misaligned contract claims: %s: expected %s, found %s",
                       kci_label(&kci_obligations, obligation), expected,
                       found);
}

static kc_status_t judge_trust(const judgement_t *judgement, kc_error_t *error)
{
    int32_t trust = judgement->entry->capsule->trust;
    if (kci_policy_accepts_trust(judgement->policy, trust)) {
        return KC_OK;
    }
    return add_failure(judgement, KC_FAILURE_TRUST, -1, error,
                       "trust level rejected: expected %s, found %s",
                       kci_label(&kci_trusts, KC_TRUST_CHECKED),
                       kci_label(&kci_trusts, trust));
}

static kc_status_t judge_provider(const judgement_t *judgement,
                                  kc_error_t *error)
{
    const char *provider = judgement->entry->capsule->provider;
    if (kci_policy_accepts_provider(judgement->policy, provider)) {
        return KC_OK;
    }
    return add_failure(judgement, KC_FAILURE_PROVIDER, -1, error,
                       "provider rejected: expected %s, found %s",
                       judgement->policy->provider, provider);
}

static kc_status_t judge_device(const judgement_t *judgement, kc_error_t *error)
{
    int32_t device = judgement->entry->capsule->device;
    if (device == judgement->policy->device) {
        return KC_OK;
    }
    return add_failure(judgement, KC_FAILURE_DEVICE, -1, error,
                       "device mismatch: requested %s, found %s",
                       kci_label(&kci_devices, judgement->policy->device),
                       kci_label(&kci_devices, device));
}

static kc_status_t judge_rule(const judgement_t *judgement, kc_error_t *error)
{
    const kc_capsule_record_t *capsule = judgement->entry->capsule;
    if (!kci_policy_rule_runs(judgement->policy, capsule)) {
        return add_failure(judgement, KC_FAILURE_VJP, -1, error,
                           "VJP mismatch: requested a rule on %s, the tape's "
                           "rule of %s runs on %s",
                           kci_label(&kci_devices, capsule->device),
                           kci_label(&kci_ops, capsule->op),
                           kci_label(&kci_devices, KC_DEVICE_CPU));
    }
    kci_saved_gap_t gap = kci_policy_rule_gap(judgement->policy, capsule);
    if (gap.inputs == 0 && gap.outputs == 0) {
        return KC_OK;
    }
    char missing[OPERANDS_SIZE];
    char saved[OPERANDS_SIZE];
    kci_rule_format_operands(capsule->op, gap.inputs, gap.outputs, missing,
                             sizeof missing);
    kci_rule_format_operands(capsule->op, capsule->saved_inputs,
                             capsule->saved_outputs, saved, sizeof saved);
    return add_failure(judgement, KC_FAILURE_VJP, -1, error,
                       "VJP mismatch: the tape's rule of %s also reads %s, "
                       "the capsule saves %s",
                       kci_label(&kci_ops, capsule->op), missing, saved);
}

static kc_status_t judge_vjp(const judgement_t *judgement, kc_error_t *error)
{
    const kc_capsule_record_t *capsule = judgement->entry->capsule;
    if (kci_policy_accepts_vjp(judgement->policy, capsule)) {
        return judge_rule(judgement, error);
    }
    return add_failure(
        judgement, KC_FAILURE_VJP, -1, error,
        "VJP mismatch: requested %s, offered %s%s",
        kci_label(&kci_vjp_modes, judgement->policy->vjp_mode),
        kci_label(&kci_vjp_modes, capsule->vjp_mode),
        kci_is_composition(capsule->provider) ? " of a composition" : "");
}

static const char *file_of(const kci_entry_t *entry)
{
    const kc_capsule_module_t *module = entry->module;
    return module->file != NULL ? module->file->path : module->name;
}

/* A path that is too long for the line loses its front: the name of the file
 * says most, and the line must end with its sentence. */
static const char *fit_file(const judgement_t *judgement, const char *label,
                            const char *sentence)
{
    const char *file = file_of(judgement->entry);
    char head[HEAD_SIZE];
    format_head(judgement, head, sizeof head);
    int tail = snprintf(NULL, 0, RECEIPT_FORMAT, label, "", sentence);
    size_t used = strlen(head) + (tail > 0 ? (size_t)tail : 0);
    size_t room = sizeof(((kci_acceptance_failure_t *)NULL)->line) - 1;
    room -= used < room ? used : room;
    size_t length = strlen(file);
    return length > room ? file + length - room : file;
}

static kc_status_t judge_obligation(const judgement_t *judgement,
                                    int32_t obligation, kc_error_t *error)
{
    const kc_contract_descriptor_t *descriptor =
        kci_capsule_obligation(judgement->entry->capsule, obligation);
    if (kci_policy_accepts_evidence(judgement->policy, descriptor)) {
        return KC_OK;
    }
    char sentence[SENTENCE_SIZE];
    kci_evidence_sentence(descriptor, sentence, sizeof sentence);
    const char *label = kci_label(&kci_obligations, obligation);
    if (descriptor->evidence == KC_EVIDENCE_TRUSTED_BOUNDARY) {
        return add_failure(judgement, KC_FAILURE_EVIDENCE, obligation, error,
                           "evidence rejected: %s: %s", label, sentence);
    }
    return add_failure(judgement, KC_FAILURE_EVIDENCE, obligation, error,
                       RECEIPT_FORMAT, label,
                       fit_file(judgement, label, sentence), sentence);
}

static kc_status_t judge_evidence(const judgement_t *judgement,
                                  kc_error_t *error)
{
    for (int32_t idx = 0; idx < KC_OBLIGATION_COUNT; idx++) {
        KC_RETURN_IF_ERROR(judge_obligation(judgement, idx, error));
    }
    return KC_OK;
}

typedef kc_status_t (*judge_fn)(const judgement_t *judgement,
                                kc_error_t *error);

static const judge_fn judges[KC_FAILURE_COUNT] = {
    [KC_FAILURE_OPERATION] = judge_operation,
    [KC_FAILURE_NO_FORWARD] = judge_forward,
    [KC_FAILURE_MISALIGNED] = judge_alignment,
    [KC_FAILURE_TRUST] = judge_trust,
    [KC_FAILURE_PROVIDER] = judge_provider,
    [KC_FAILURE_DEVICE] = judge_device,
    [KC_FAILURE_VJP] = judge_vjp,
    [KC_FAILURE_EVIDENCE] = judge_evidence,
};

static kc_status_t judge_all(const judgement_t *judgement, kc_error_t *error)
{
    for (int32_t kind = 0; kind < KC_FAILURE_COUNT; kind++) {
        KC_RETURN_IF_ERROR(judges[kind](judgement, error));
    }
    return KC_OK;
}

kc_status_t kci_acceptance_judge(const kc_profile_t *profile,
                                 const kc_policy_t *policy, int32_t planned_op,
                                 uint16_t entry, kci_failure_list_t *failures,
                                 kc_error_t *error)
{
    judgement_t judgement = {.policy = policy,
                             .entry = &profile->entries[entry],
                             .op = planned_op,
                             .failures = failures};
    return judge_all(&judgement, error);
}

kc_status_t kci_acceptance_judge_inner(const kc_profile_t *profile,
                                       const kc_policy_t *policy,
                                       int32_t planned_op, uint16_t entry,
                                       const kci_inner_row_t *row,
                                       kci_failure_list_t *failures,
                                       kc_error_t *error)
{
    judgement_t judgement = {.policy = policy,
                             .op = row->op,
                             .served = &profile->entries[entry],
                             .served_op = planned_op,
                             .failures = failures};
    if (row->entry == KCI_NO_ENTRY) {
        int32_t kind = row->kind == KC_CALL_INNER_FORWARD
                           ? KC_FAILURE_NO_FORWARD
                           : KC_FAILURE_VJP;
        return add_failure(&judgement, kind, -1, error,
                           "no admissible capsule on device %s",
                           kci_label(&kci_devices, policy->device));
    }
    judgement.entry = &profile->entries[row->entry];
    return judge_all(&judgement, error);
}
