/* SPDX-License-Identifier: Apache-2.0
 *
 * The run record as its file format. Everything but times depends only on
 * what ran, so equal runs give equal bytes; times are in an object of their
 * own and only there when they were kept.
 */
#include "report/report.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/label.h"
#include "report/record_roles.h"

/* Candidates for the operation that came before or instead of the one that
 * ran, with the reason: why a preferred one was passed over. */
static kc_status_t passed_over_json(const kci_run_record_t *run,
                                    const kci_entry_t *ran, json_t **out_json,
                                    kc_error_t *error)
{
    kc_profile_t *profile = NULL;
    KC_RETURN_IF_ERROR(
        kci_profile_with_policy(run->profile, &run->policy, &profile, error));
    kci_candidate_t *candidates = NULL;
    size_t count = 0;
    kc_status_t status = kci_plan_explain(profile, ran->capsule->op, NULL,
                                          &candidates, &count, error);
    json_t *list = json_array();
    for (size_t i = 0; status == KC_OK && i < count; i++) {
        const kci_candidate_t *candidate = &candidates[i];
        const kci_entry_t *entry = &profile->entries[candidate->entry];
        if (entry->capsule == ran->capsule) {
            continue;
        }
        json_array_append_new(
            list,
            json_pack("{s:s, s:s, s:s, s:s, s:s}", "capsule",
                      entry->capsule->name, "module", entry->module->name,
                      "reason", kci_reason_label(candidate->reason), "wanted",
                      candidate->wanted, "found", candidate->found));
    }
    kci_free(candidates);
    kci_profile_release(profile);
    if (status != KC_OK) {
        json_decref(list);
        return status;
    }
    *out_json = list;
    return KC_OK;
}

static kc_status_t operation_json(const kci_run_record_t *run,
                                  const kci_record_entry_t *row,
                                  json_t **out_json, kc_error_t *error)
{
    const kc_capsule_record_t *capsule = row->entry->capsule;
    const kci_module_file_t *file = row->entry->module->file;
    json_t *passed_over = NULL;
    KC_RETURN_IF_ERROR(passed_over_json(run, row->entry, &passed_over, error));
    *out_json = json_pack(
        "{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:I, s:o}", "op",
        kci_label(&kci_ops, capsule->op), "capsule", capsule->name, "provider",
        capsule->provider, "device", kci_label(&kci_devices, capsule->device),
        "trust", kci_label(&kci_trusts, capsule->trust), "reduction",
        kci_label(&kci_reductions, capsule->numerics.reduction), "order",
        capsule->numerics.order[0] != '\0' ? capsule->numerics.order
                                           : "unstated",
        "module", row->entry->module->name, "file",
        file != NULL ? file->path : "", "sha256",
        file != NULL ? file->sha256 : "", "calls", (json_int_t)row->call_count,
        "passed_over", passed_over);
    return *out_json != NULL
               ? KC_OK
               : kci_fail(error, KC_ERR_MEMORY, "out of memory: record");
}

static kc_status_t operations_json(const kci_run_record_t *run, json_t *list,
                                   kc_error_t *error)
{
    for (size_t i = 0; i < run->entry_count; i++) {
        json_t *object = NULL;
        if (run->entries[i].role != KCI_CALL_FORWARD) {
            continue;
        }
        KC_RETURN_IF_ERROR(
            operation_json(run, &run->entries[i], &object, error));
        json_array_append_new(list, object);
    }
    return KC_OK;
}

static json_t *nodes_json(const kci_run_record_t *run)
{
    json_t *list = json_array();
    for (size_t i = 0; i < run->node_count; i++) {
        const kci_plan_row_t *row = &run->nodes[i];
        json_array_append_new(
            list, json_pack("{s:I, s:s, s:s}", "node", (json_int_t)row->node,
                            "op", kci_label(&kci_ops, row->op), "capsule",
                            run->profile->entries[row->entry].capsule->name));
    }
    return list;
}

static json_t *files_json(const kc_record_t *record)
{
    json_t *list = json_array();
    for (size_t i = 0; i < record->file_count; i++) {
        const kci_record_file_t *file = &record->files[i];
        json_array_append_new(list,
                              json_pack("{s:s, s:s, s:s, s:s}", "role",
                                        file->role, "name", file->name, "file",
                                        file->path, "sha256", file->sha256));
    }
    return list;
}

static json_t *extents_json(const kc_record_t *record)
{
    json_t *object = json_object();
    for (size_t i = 0; i < record->extent_count; i++) {
        json_object_set_new(object, record->extents[i].name,
                            json_integer((json_int_t)record->extents[i].value));
    }
    return object;
}

/* What somebody needs besides the files to run it again. */
static json_t *mode_json(const kc_record_t *record)
{
    json_t *object = json_pack("{s:s}", "mode", record->mode);
    if (strcmp(record->mode, "graph") == 0) {
        json_object_set_new(object, "reuse", json_boolean(record->is_reusing));
    }
    json_object_set_new(object, "threads",
                        json_integer((json_int_t)record->run.thread_count));
    json_object_set_new(object, "bind", extents_json(record));
    return object;
}

static json_t *times_json(const kci_run_record_t *run)
{
    json_t *object = json_object();
    for (size_t i = 0; i < run->entry_count; i++) {
        const kci_record_entry_t *row = &run->entries[i];
        if (row->role == KCI_CALL_FORWARD) {
            json_object_set_new(object, row->entry->capsule->name,
                                json_integer((json_int_t)row->time_ns));
        }
    }
    json_t *times = json_pack("{s:s, s:o}", "unit", "ns", "capsules", object);
    if (kci_record_has_roles(run)) {
        json_object_set_new(times, "others", kci_record_roles_times_json(run));
    }
    return times;
}

kc_status_t kci_report_record_json(const kc_record_t *record, json_t **out_json,
                                   kc_error_t *error)
{
    const kci_run_record_t *run = &record->run;
    json_t *operations = json_array();
    kc_status_t status = operations_json(run, operations, error);
    if (status != KC_OK) {
        json_decref(operations);
        return status;
    }
    json_t *object =
        json_pack("{s:s, s:i, s:s, s:o}", "format", "kcapsule-record",
                  "version", 1, "library", PACKAGE_VERSION, "profile",
                  kci_report_policy_json(run->profile, &run->policy));
    json_t *mode = mode_json(record);
    json_t *rest =
        json_pack("{s:o, s:o, s:o}", "files", files_json(record), "operations",
                  operations, "nodes", nodes_json(run));
    bool is_whole = json_object_update(object, mode) == 0 &&
                    json_object_update(object, rest) == 0;
    json_decref(mode);
    json_decref(rest);
    if (!is_whole) {
        json_decref(object);
        return kci_fail(error, KC_ERR_MEMORY, "out of memory: record");
    }
    kci_record_roles_json(run, object);
    if (run->has_time) {
        json_object_set_new(object, "times", times_json(run));
    }
    *out_json = object;
    return KC_OK;
}
