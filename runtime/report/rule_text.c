/* SPDX-License-Identifier: Apache-2.0
 *
 * Who owns the backward of a planned capsule, as text: one line, and one for
 * each inner operation with the evidence that its value rests on.
 */
#include "report/rule_owner.h"

#include "audit/audit.h"
#include "base/label.h"

static const kci_plan_row_t *row_of(const kci_rule_view_t *view, size_t group)
{
    return &view->plan->rows[view->groups[group].first_row];
}

static void append_inner(const kci_rule_view_t *view,
                         const kci_inner_row_t *row, kci_string_buffer_t *out)
{
    if (row->entry == KCI_NO_ENTRY) {
        kci_string_appendf(out, "    %s -> (none)\n",
                           kci_label(&kci_ops, row->op));
        return;
    }
    char sentence[256];
    const kc_capsule_record_t *capsule =
        view->plan->profile->entries[row->entry].capsule;
    kci_evidence_sentence(&capsule->value, sentence, sizeof sentence);
    kci_string_appendf(out, "    %s -> %s, value: %s\n",
                       kci_label(&kci_ops, row->op), capsule->name, sentence);
}

/* A group may call one operation by several capsules, if limits differ; the
 * list of operations names each once. */
static void append_kind(const kci_rule_view_t *view,
                        const kci_inner_row_t *rows, size_t count,
                        kc_call_kind_t kind, const char *head,
                        const char *if_none, kci_string_buffer_t *out)
{
    uint64_t named = 0;
    kci_string_append(out, head);
    for (size_t idx = 0; idx < count; idx++) {
        uint64_t bit = KCI_OP_BIT(rows[idx].op);
        if (rows[idx].kind == kind && (named & bit) == 0) {
            kci_string_appendf(out, "%s%s", named == 0 ? " composed of " : ", ",
                               kci_label(&kci_ops, rows[idx].op));
            named |= bit;
        }
    }
    kci_string_append(out, named == 0 ? if_none : "\n");
    for (size_t idx = 0; idx < count; idx++) {
        if (rows[idx].kind == kind) {
            append_inner(view, &rows[idx], out);
        }
    }
}

static void append_backward(const kci_rule_view_t *view, size_t group,
                            const kci_inner_row_t *rows, size_t count,
                            kci_string_buffer_t *out)
{
    const char *op = kci_label(&kci_ops, row_of(view, group)->op);
    switch (kci_rule_view_owner(view, group)) {
    case KCI_OWNER_NOT_ASKED:
        kci_string_append(out, "  backward: none is asked for (vjp none)\n");
        return;
    case KCI_OWNER_LEAF:
        kci_string_appendf(out, "  backward: none, %s is a leaf\n", op);
        return;
    case KCI_OWNER_NOT_REACHED:
        kci_string_append(out, "  backward: none, no gradient that is wanted "
                               "goes through it\n");
        return;
    case KCI_OWNER_KERNEL:
        kci_string_append(out, "  backward: the capsule's own kernel\n");
        return;
    case KCI_OWNER_RUNTIME:
        kci_string_appendf(out,
                           "  backward: the tape's rule of %s, a loop of the "
                           "runtime on the cpu\n",
                           op);
        return;
    case KCI_OWNER_COMPOSED:
    default:
        kci_string_appendf(out, "  backward: the tape's rule of %s,", op);
        append_kind(view, rows, count, KC_CALL_INNER_VJP, "",
                    " which passes the cotangent on\n", out);
    }
}

void kci_report_rule_text(kci_rule_view_t *view, size_t group,
                          kci_string_buffer_t *out)
{
    size_t count = 0;
    const kci_inner_row_t *rows = kci_rule_view_rows(view, group, &count);
    bool is_composition = false;
    for (size_t idx = 0; idx < count; idx++) {
        is_composition |= rows[idx].kind == KC_CALL_INNER_FORWARD;
    }
    if (is_composition) {
        append_kind(view, rows, count, KC_CALL_INNER_FORWARD, "  forward:", "",
                    out);
    }
    append_backward(view, group, rows, count, out);
}

void kci_report_sums_text(kci_rule_view_t *view, kci_string_buffer_t *out)
{
    size_t count = 0;
    const kci_inner_row_t *rows = kci_rule_view_sums(view, &count);
    for (size_t idx = 0; idx < count; idx++) {
        kci_string_append(out, idx == 0 ? "sums of cotangents\n" : "");
        append_inner(view, &rows[idx], out);
    }
}
