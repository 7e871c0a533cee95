/* SPDX-License-Identifier: Apache-2.0
 *
 * The complete gate as a report: what was accepted with its distinct
 * capsules in first-seen order, or every reason for which it was not.
 */
#include "report/report.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/label.h"

typedef struct kci_verdict {
    kc_accepted_plan_t *accepted; /* NULL: refused */
    kci_acceptance_failure_t *failures;
    size_t failure_count;
} kci_verdict_t;

/* KC_OK also when the gate refused; other failures are passed on. */
static kc_status_t judge(kc_plan_t *plan, kci_verdict_t *out_verdict,
                         kc_error_t *error)
{
    memset(out_verdict, 0, sizeof *out_verdict);
    kc_status_t status = kci_accept_plan(
        plan, &plan->profile->policy, &out_verdict->accepted,
        &out_verdict->failures, &out_verdict->failure_count, error);
    return status == KC_ERR_REJECTED ? KC_OK : status;
}

static void end_verdict(kci_verdict_t *verdict)
{
    kci_accepted_plan_release(verdict->accepted);
    kci_free(verdict->failures);
}

static const char *group_capsule(const kc_accepted_plan_t *accepted,
                                 size_t group)
{
    const kc_plan_t *plan = accepted->plan;
    const kci_plan_row_t *row = &plan->rows[accepted->groups[group].first_row];
    return plan->profile->entries[row->entry].capsule->name;
}

/* Marks the first group of each distinct capsule; `out_is_first` has a place
 * for every entry of the profile. */
static bool is_first_use(const kc_accepted_plan_t *accepted, size_t group,
                         bool *is_seen)
{
    const kci_plan_row_t *row =
        &accepted->plan->rows[accepted->groups[group].first_row];
    bool is_first = !is_seen[row->entry];
    is_seen[row->entry] = true;
    return is_first;
}

static kc_status_t append_accepted(const kc_accepted_plan_t *accepted,
                                   kci_string_buffer_t *out, kc_error_t *error)
{
    void *is_seen = NULL;
    KC_RETURN_IF_ERROR(kci_alloc_array(accepted->plan->profile->entry_count,
                                       sizeof(bool), &is_seen, error));
    kci_string_appendf(out, "accepted under %s\n%zu rows, distinct capsules:\n",
                       kci_policy_assurance_label(&accepted->policy),
                       accepted->group_count);
    for (size_t i = 0; i < accepted->group_count; i++) {
        if (is_first_use(accepted, i, is_seen)) {
            kci_string_appendf(out, "  %s\n", group_capsule(accepted, i));
        }
    }
    kci_free(is_seen);
    return KC_OK;
}

static void append_rejected(const kc_plan_t *plan, const kci_verdict_t *verdict,
                            kci_string_buffer_t *out)
{
    kci_string_appendf(out, "rejected under %s\n",
                       kci_policy_assurance_label(&plan->profile->policy));
    for (size_t i = 0; i < verdict->failure_count; i++) {
        kci_string_appendf(out, "  %s\n", verdict->failures[i].line);
    }
}

kc_status_t kci_report_acceptance_text(kc_plan_t *plan,
                                       kci_string_buffer_t *out,
                                       bool *out_is_accepted, kc_error_t *error)
{
    kci_verdict_t verdict;
    KC_RETURN_IF_ERROR(judge(plan, &verdict, error));
    kc_status_t status = KC_OK;
    if (verdict.accepted != NULL) {
        status = append_accepted(verdict.accepted, out, error);
    } else {
        append_rejected(plan, &verdict, out);
    }
    if (status == KC_OK) {
        *out_is_accepted = verdict.accepted != NULL;
    }
    end_verdict(&verdict);
    return status;
}

static const char *failure_label(int32_t kind)
{
    static const char *const labels[] = {
#define KCI_FAILURE_LABEL(constant, label) label,
        KC_FOR_EACH_ACCEPTANCE_FAILURE(KCI_FAILURE_LABEL)
#undef KCI_FAILURE_LABEL
    };
    return kind >= 0 && kind < KC_FAILURE_COUNT ? labels[kind] : "unknown";
}

static json_t *failures_json(const kci_verdict_t *verdict)
{
    json_t *list = json_array();
    for (size_t i = 0; i < verdict->failure_count; i++) {
        const kci_acceptance_failure_t *failure = &verdict->failures[i];
        json_t *object = json_pack("{s:s, s:s, s:s, s:s}", "kind",
                                   failure_label(failure->kind), "op",
                                   kci_label(&kci_ops, failure->op), "capsule",
                                   failure->capsule, "line", failure->line);
        if (failure->obligation >= 0) {
            json_object_set_new(
                object, "obligation",
                json_string(kci_label(&kci_obligations, failure->obligation)));
        }
        json_array_append_new(list, object);
    }
    return list;
}

static kc_status_t capsules_json(const kc_accepted_plan_t *accepted,
                                 json_t *list, kc_error_t *error)
{
    void *is_seen = NULL;
    KC_RETURN_IF_ERROR(kci_alloc_array(accepted->plan->profile->entry_count,
                                       sizeof(bool), &is_seen, error));
    for (size_t i = 0; i < accepted->group_count; i++) {
        if (is_first_use(accepted, i, is_seen)) {
            json_array_append_new(list,
                                  json_string(group_capsule(accepted, i)));
        }
    }
    kci_free(is_seen);
    return KC_OK;
}

kc_status_t kci_report_acceptance_json(kc_plan_t *plan, json_t **out_json,
                                       bool *out_is_accepted, kc_error_t *error)
{
    kci_verdict_t verdict;
    KC_RETURN_IF_ERROR(judge(plan, &verdict, error));
    bool is_accepted = verdict.accepted != NULL;
    json_t *object = json_pack(
        "{s:s, s:i, s:o, s:s, s:b, s:o}", "format", "kcapsule-acceptance",
        "version", 1, "profile",
        kci_report_policy_json(plan->profile, &plan->profile->policy),
        "assurance", kci_policy_assurance_label(&plan->profile->policy),
        "accepted", is_accepted, "failures", failures_json(&verdict));
    kc_status_t status = KC_OK;
    if (object == NULL) {
        status = kci_fail(error, KC_ERR_MEMORY, "out of memory: acceptance");
    }
    if (status == KC_OK && is_accepted) {
        json_t *list = json_array();
        json_object_set_new(
            object, "rows",
            json_integer((json_int_t)verdict.accepted->group_count));
        json_object_set_new(object, "capsules", list);
        status = capsules_json(verdict.accepted, list, error);
    }
    end_verdict(&verdict);
    if (status != KC_OK) {
        json_decref(object);
        return status;
    }
    *out_is_accepted = is_accepted;
    *out_json = object;
    return KC_OK;
}
