/* SPDX-License-Identifier: Apache-2.0
 *
 * Who owns the backward of a planned capsule, as JSON.
 */
#include "report/rule_owner.h"

#include "audit/audit.h"
#include "base/label.h"
#include "report/contract_words.h"

static json_t *inner_json(const kci_rule_view_t *view,
                          const kci_inner_row_t *row)
{
    if (row->entry == KCI_NO_ENTRY) {
        return json_pack("{s:s, s:n}", "op", kci_label(&kci_ops, row->op),
                         "capsule");
    }
    char sentence[256];
    const kci_entry_t *entry = &view->plan->profile->entries[row->entry];
    const kc_capsule_record_t *capsule = entry->capsule;
    kci_evidence_sentence(&capsule->value, sentence, sizeof sentence);
    return json_pack(
        "{s:s, s:s, s:s, s:s, s:s, s:s}", "op", kci_label(&kci_ops, row->op),
        "capsule", capsule->name, "provider", capsule->provider, "module",
        entry->module->name, "claimed", sentence, "granted",
        kci_grant_label(entry->module, capsule, KC_OBLIGATION_VALUE));
}

static json_t *kind_json(const kci_rule_view_t *view,
                         const kci_inner_row_t *rows, size_t count,
                         kc_call_kind_t kind)
{
    json_t *list = json_array();
    for (size_t idx = 0; idx < count; idx++) {
        if (rows[idx].kind == kind) {
            json_array_append_new(list, inner_json(view, &rows[idx]));
        }
    }
    return list;
}

/* Owner, and the rule of the tape or null. */
static json_t *owner_json(kci_rule_owner_t owner)
{
    static const struct {
        const char *owner;
        const char *rule;
    } words[] = {
        [KCI_OWNER_NOT_ASKED] = {"not asked for", NULL},
        [KCI_OWNER_LEAF] = {"leaf", NULL},
        [KCI_OWNER_NOT_REACHED] = {"not reached", NULL},
        [KCI_OWNER_KERNEL] = {"backend-vjp", "backend"},
        [KCI_OWNER_COMPOSED] = {"torchlean-tape", "composed"},
        [KCI_OWNER_RUNTIME] = {"torchlean-tape", "runtime"},
    };
    return json_pack("{s:s, s:s?}", "owner", words[owner].owner, "rule",
                     words[owner].rule);
}

void kci_report_rule_json(kci_rule_view_t *view, size_t group, json_t *object)
{
    size_t count = 0;
    const kci_inner_row_t *rows = kci_rule_view_rows(view, group, &count);
    json_t *forward = kind_json(view, rows, count, KC_CALL_INNER_FORWARD);
    json_t *backward = owner_json(kci_rule_view_owner(view, group));
    json_object_set_new(backward, "inner",
                        kind_json(view, rows, count, KC_CALL_INNER_VJP));
    if (json_array_size(forward) > 0) {
        json_object_set(object, "composed_of", forward);
    }
    json_decref(forward);
    json_object_set_new(object, "backward", backward);
}

json_t *kci_report_sums_json(kci_rule_view_t *view)
{
    size_t count = 0;
    const kci_inner_row_t *rows = kci_rule_view_sums(view, &count);
    return kind_json(view, rows, count, KC_CALL_SUM);
}
