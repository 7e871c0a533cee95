/* SPDX-License-Identifier: Apache-2.0
 *
 * Inner operations stand below the rule or beside the composition that they
 * were called for; a file is named for a rule only where its code ran.
 */
#include "report/record_roles.h"

#include "base/label.h"
#include "ops/vjp.h"

kci_rule_code_t kci_record_rule_code(const kci_record_entry_t *row)
{
    const kc_capsule_record_t *capsule = row->entry->capsule;
    if (capsule->vjp_mode == KC_VJP_BACKEND) {
        return KCI_RULE_CODE_BACKEND;
    }
    return kci_vjp_is_composed(capsule->op, capsule->provider, capsule->device)
               ? KCI_RULE_CODE_COMPOSED
               : KCI_RULE_CODE_RUNTIME;
}

bool kci_record_has_roles(const kci_run_record_t *run)
{
    for (size_t i = 0; i < run->entry_count; i++) {
        if (run->entries[i].role != KCI_CALL_FORWARD) {
            return true;
        }
    }
    return false;
}

static json_t *call_json(const kci_record_entry_t *row)
{
    const kc_capsule_record_t *capsule = row->entry->capsule;
    const kci_module_file_t *file = row->entry->module->file;
    return json_pack(
        "{s:s, s:s, s:s, s:s, s:s, s:s, s:I}", "op",
        kci_label(&kci_ops, capsule->op), "capsule", capsule->name, "provider",
        capsule->provider, "module", row->entry->module->name, "file",
        file != NULL ? file->path : "", "sha256",
        file != NULL ? file->sha256 : "", "calls", (json_int_t)row->call_count);
}

static void add_served(json_t *object, const kci_record_entry_t *row)
{
    if (row->served != NULL) {
        json_object_set_new(object, "serves",
                            json_string(row->served->capsule->name));
    }
}

/* The inner operations of one rule. */
static json_t *inner_of_rule_json(const kci_run_record_t *run,
                                  const kci_record_entry_t *rule)
{
    json_t *list = json_array();
    for (size_t i = 0; i < run->entry_count; i++) {
        const kci_record_entry_t *row = &run->entries[i];
        if (row->role == KCI_CALL_INNER_VJP && row->served == rule->entry) {
            json_array_append_new(list, call_json(row));
        }
    }
    return list;
}

static json_t *rule_json(const kci_run_record_t *run,
                         const kci_record_entry_t *row)
{
    static const char *const words[] = {[KCI_RULE_CODE_BACKEND] = "backend",
                                        [KCI_RULE_CODE_COMPOSED] = "composed",
                                        [KCI_RULE_CODE_RUNTIME] = "runtime"};
    const kc_capsule_record_t *capsule = row->entry->capsule;
    const kci_module_file_t *file = row->entry->module->file;
    kci_rule_code_t code = kci_record_rule_code(row);
    json_t *object = json_pack(
        "{s:s, s:s, s:s, s:s, s:I}", "op", kci_label(&kci_ops, capsule->op),
        "capsule", capsule->name, "owner",
        kci_label(&kci_vjp_modes, code == KCI_RULE_CODE_BACKEND
                                      ? KC_VJP_BACKEND
                                      : KC_VJP_TORCHLEAN_TAPE),
        "rule", words[code], "calls", (json_int_t)row->call_count);
    if (code == KCI_RULE_CODE_BACKEND && file != NULL) {
        json_object_set_new(object, "file", json_string(file->path));
        json_object_set_new(object, "sha256", json_string(file->sha256));
    }
    json_object_set_new(object, "inner", inner_of_rule_json(run, row));
    return object;
}

static json_t *role_json(const kci_run_record_t *run, kci_call_role_t role)
{
    json_t *list = json_array();
    for (size_t i = 0; i < run->entry_count; i++) {
        const kci_record_entry_t *row = &run->entries[i];
        if (row->role != role) {
            continue;
        }
        json_t *object =
            role == KCI_CALL_VJP ? rule_json(run, row) : call_json(row);
        if (role == KCI_CALL_INNER_FORWARD) {
            add_served(object, row);
        }
        json_array_append_new(list, object);
    }
    return list;
}

void kci_record_roles_json(const kci_run_record_t *run, json_t *object)
{
    json_t *inner = role_json(run, KCI_CALL_INNER_FORWARD);
    json_t *backward = role_json(run, KCI_CALL_VJP);
    json_t *sums = role_json(run, KCI_CALL_SUM);
    if (json_array_size(inner) > 0) {
        json_object_set(object, "inner", inner);
    }
    if (json_array_size(backward) + json_array_size(sums) > 0) {
        json_object_set(object, "backward", backward);
        json_object_set(object, "sums", sums);
    }
    json_decref(inner);
    json_decref(backward);
    json_decref(sums);
}

json_t *kci_record_roles_times_json(const kci_run_record_t *run)
{
    static const char *const words[] = {[KCI_CALL_INNER_FORWARD] =
                                            "inner_forward",
                                        [KCI_CALL_VJP] = "vjp",
                                        [KCI_CALL_INNER_VJP] = "inner_vjp",
                                        [KCI_CALL_SUM] = "sum"};
    json_t *list = json_array();
    for (size_t i = 0; i < run->entry_count; i++) {
        const kci_record_entry_t *row = &run->entries[i];
        if (row->role == KCI_CALL_FORWARD) {
            continue;
        }
        json_t *object = json_pack("{s:s, s:s, s:I}", "kind", words[row->role],
                                   "capsule", row->entry->capsule->name, "time",
                                   (json_int_t)row->time_ns);
        add_served(object, row);
        json_array_append_new(list, object);
    }
    return list;
}

static void append_time(const kci_run_record_t *run,
                        const kci_record_entry_t *row, kci_string_buffer_t *out)
{
    kci_string_appendf(out, "calls %llu", (unsigned long long)row->call_count);
    if (run->has_time) {
        kci_string_appendf(out, ", %llu us",
                           (unsigned long long)(row->time_ns / 1000));
    }
    kci_string_append(out, "\n");
}

static void append_call(const kci_run_record_t *run, const char *indent,
                        const kci_record_entry_t *row, kci_string_buffer_t *out)
{
    const kc_capsule_record_t *capsule = row->entry->capsule;
    kci_string_appendf(out, "%s%s  provider %s, trust %s, reduction %s, ",
                       indent, capsule->name, capsule->provider,
                       kci_label(&kci_trusts, capsule->trust),
                       kci_label(&kci_reductions, capsule->numerics.reduction));
    append_time(run, row, out);
}

/* What one composition or one rule called, below it. */
static void append_served(const kci_run_record_t *run, kci_call_role_t role,
                          const kci_entry_t *served, kci_string_buffer_t *out)
{
    for (size_t i = 0; i < run->entry_count; i++) {
        const kci_record_entry_t *row = &run->entries[i];
        if (row->role == role && row->served == served) {
            append_call(run, "    ", row, out);
        }
    }
}

static void append_inner(const kci_run_record_t *run, kci_string_buffer_t *out)
{
    const kci_entry_t *served = NULL;
    for (size_t i = 0; i < run->entry_count; i++) {
        const kci_record_entry_t *row = &run->entries[i];
        if (row->role != KCI_CALL_INNER_FORWARD) {
            continue;
        }
        bool is_first = true;
        for (size_t j = 0; j < i; j++) {
            is_first =
                is_first && (run->entries[j].role != KCI_CALL_INNER_FORWARD ||
                             run->entries[j].served != row->served);
        }
        if (!is_first || row->served == NULL) {
            continue;
        }
        kci_string_append(out, served == NULL ? "inner operations\n" : "");
        served = row->served;
        kci_string_appendf(out, "  of %s\n", served->capsule->name);
        append_served(run, KCI_CALL_INNER_FORWARD, served, out);
    }
}

static void append_rule(const kci_run_record_t *run,
                        const kci_record_entry_t *row, kci_string_buffer_t *out)
{
    static const char *const words[] = {
        [KCI_RULE_CODE_BACKEND] = "the capsule's own kernel",
        [KCI_RULE_CODE_COMPOSED] = "the tape's rule, composed",
        [KCI_RULE_CODE_RUNTIME] = "the tape's rule, a loop of the runtime"};
    kci_string_appendf(out, "  of %s  %s, ", row->entry->capsule->name,
                       words[kci_record_rule_code(row)]);
    append_time(run, row, out);
    append_served(run, KCI_CALL_INNER_VJP, row->entry, out);
}

static void append_backward(const kci_run_record_t *run,
                            kci_string_buffer_t *out)
{
    bool has_head = false;
    for (size_t i = 0; i < run->entry_count; i++) {
        if (run->entries[i].role == KCI_CALL_VJP) {
            kci_string_append(out, has_head ? "" : "backward\n");
            has_head = true;
            append_rule(run, &run->entries[i], out);
        }
    }
    bool has_sums = false;
    for (size_t i = 0; i < run->entry_count; i++) {
        if (run->entries[i].role == KCI_CALL_SUM) {
            kci_string_append(out, has_sums ? "" : "sums of cotangents\n");
            has_sums = true;
            append_call(run, "  ", &run->entries[i], out);
        }
    }
}

void kci_record_roles_text(const kci_run_record_t *run,
                           kci_string_buffer_t *out)
{
    append_inner(run, out);
    append_backward(run, out);
}
