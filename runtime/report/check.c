/* SPDX-License-Identifier: Apache-2.0
 *
 * Contract checks: which obligations of the selected capsules the assurance
 * in question does not accept. A diagnostic; nothing executable comes of it.
 */
#include "report/report.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/label.h"

typedef struct kci_check {
    const kc_plan_t *plan;
    const kc_policy_t *policy;
    kci_audit_t audit;
    kci_obligation_report_t *reports; /* borrow from the audit */
    size_t count;
} kci_check_t;

static kc_status_t begin_check(kci_check_t *check, const kc_plan_t *plan,
                               const kc_policy_t *policy, kc_error_t *error)
{
    memset(check, 0, sizeof *check);
    check->plan = plan;
    check->policy = policy;
    KC_RETURN_IF_ERROR(kci_audit_create(plan, &check->audit, error));
    kc_status_t status = kci_check_contracts(
        policy, &check->audit, &check->reports, &check->count, error);
    if (status != KC_OK) {
        kci_audit_release(&check->audit);
    }
    return status;
}

static void end_check(kci_check_t *check)
{
    kci_free(check->reports);
    kci_audit_release(&check->audit);
}

/* The file of a capsule, found by its identity. */
static const char *file_of(const kc_profile_t *profile,
                           const kc_capsule_record_t *capsule)
{
    for (size_t i = 0; i < profile->entry_count; i++) {
        const kci_entry_t *entry = &profile->entries[i];
        if (kci_capsule_equal(entry->capsule, capsule)) {
            return entry->module->file != NULL ? entry->module->file->path
                                               : entry->module->name;
        }
    }
    return capsule->name;
}

/* Why the assurance refuses this evidence, as one line. */
static void reason_of(const kci_check_t *check,
                      const kci_obligation_report_t *report, char *out,
                      size_t size)
{
    bool is_missing_receipt =
        check->policy->require_receipts != 0 &&
        report->descriptor->evidence != KC_EVIDENCE_TRUSTED_BOUNDARY;
    if (is_missing_receipt) {
        snprintf(out, size, "no receipt for %s",
                 file_of(check->plan->profile, report->capsule));
    } else {
        kci_evidence_sentence(report->descriptor, out, size);
    }
}

kc_status_t kci_report_check_text(const kc_plan_t *plan,
                                  const kc_policy_t *policy,
                                  kci_string_buffer_t *out,
                                  bool *out_is_accepted, kc_error_t *error)
{
    kci_check_t check;
    KC_RETURN_IF_ERROR(begin_check(&check, plan, policy, error));
    const char *label = kci_policy_assurance_label(policy);
    for (size_t i = 0; i < check.count; i++) {
        const kci_obligation_report_t *report = &check.reports[i];
        char reason[KC_ERROR_MESSAGE_SIZE];
        reason_of(&check, report, reason, sizeof reason);
        kci_string_appendf(
            out, "%s: rejected %s %s\n  %s\n", label, report->capsule->name,
            kci_label(&kci_obligations, report->obligation), reason);
        if (report->served != NULL) {
            kci_string_appendf(out, "  inner operation of %s\n",
                               report->served->name);
        }
    }
    if (check.count == 0) {
        kci_string_appendf(out, "%s: accepted\n", label);
    }
    *out_is_accepted = check.count == 0;
    end_check(&check);
    return KC_OK;
}

static json_t *rejected_json(const kci_check_t *check)
{
    json_t *list = json_array();
    for (size_t i = 0; i < check->count; i++) {
        const kci_obligation_report_t *report = &check->reports[i];
        char reason[KC_ERROR_MESSAGE_SIZE];
        reason_of(check, report, reason, sizeof reason);
        json_t *object = json_pack(
            "{s:s, s:s, s:s, s:s}", "op", kci_label(&kci_ops, report->op),
            "capsule", report->capsule->name, "obligation",
            kci_label(&kci_obligations, report->obligation), "reason", reason);
        if (report->served != NULL) {
            json_object_set_new(object, "serves",
                                json_string(report->served->name));
        }
        json_array_append_new(list, object);
    }
    return list;
}

kc_status_t kci_report_check_json(const kc_plan_t *plan,
                                  const kc_policy_t *policy, json_t **out_json,
                                  bool *out_is_accepted, kc_error_t *error)
{
    kci_check_t check;
    KC_RETURN_IF_ERROR(begin_check(&check, plan, policy, error));
    json_t *object =
        json_pack("{s:s, s:i, s:o, s:s, s:b, s:I, s:o}", "format",
                  "kcapsule-check", "version", 1, "profile",
                  kci_report_policy_json(plan->profile, &plan->profile->policy),
                  "assurance", kci_policy_assurance_label(policy), "accepted",
                  check.count == 0, "rows", (json_int_t)check.audit.row_count,
                  "rejected", rejected_json(&check));
    bool is_accepted = check.count == 0;
    end_check(&check);
    if (object == NULL) {
        return kci_fail(error, KC_ERR_MEMORY, "out of memory: check");
    }
    *out_is_accepted = is_accepted;
    *out_json = object;
    return KC_OK;
}
