/* SPDX-License-Identifier: Apache-2.0
 *
 * The module files of the search path: where they were looked for, what was
 * found, and the verdict of each.
 */
#include "report/report.h"

#include "base/label.h"

static bool is_accepted(const kci_module_file_t *file)
{
    return file->verdict.status == KC_OK;
}

static void append_directories(const kc_runtime_t *runtime,
                               kci_string_buffer_t *out)
{
    kci_string_append(out, "searched, in order:\n");
    for (size_t i = 0; i < runtime->modules.directory_count; i++) {
        const kci_found_directory_t *found = &runtime->modules.directories[i];
        kci_string_append(out, "  ");
        kci_report_append_path(found->directory->path, out);
        kci_string_appendf(out, " (%s): %zu file%s", found->directory->origin,
                           found->file_count,
                           found->file_count == 1 ? "" : "s");
        if (found->remark != NULL) {
            kci_string_appendf(out, ", %s", found->remark);
        }
        kci_string_append(out, "\n");
    }
    if (runtime->modules.directory_count == 0) {
        kci_string_append(out, "  no folder\n");
    }
    if (runtime->module_path.note != NULL) {
        kci_string_append(out, "  ");
        kci_report_append_path(runtime->module_path.note, out);
        kci_string_append(out, "\n");
    }
}

/* A link is known by its name; what is behind it is said too. */
static void append_refusal(const kci_found_entry_t *entry,
                           kci_string_buffer_t *out)
{
    kci_string_append(out, "refused: ");
    if (entry->is_link) {
        kci_report_append_path(entry->path, out);
        kci_string_append(out, " -> ");
    }
    kci_string_appendf(out, "%s\n", entry->file->verdict.message);
}

static void append_file(const kci_found_entry_t *entry, bool is_verbose,
                        kci_string_buffer_t *out)
{
    const kci_module_file_t *file = entry->file;
    if (entry->is_repeat) {
        if (is_verbose) {
            kci_report_append_path(entry->path, out);
            kci_string_append(out, ": same file as ");
            kci_report_append_path(file->path, out);
            kci_string_append(out, "\n");
        }
        return;
    }
    if (!is_accepted(file)) {
        append_refusal(entry, out);
        return;
    }
    kci_string_appendf(out, "%s %s: %zu capsule%s%s, ", file->record.name,
                       file->record.version, file->capsule_count,
                       file->capsule_count == 1 ? "" : "s",
                       (file->record.flags & KC_MODULE_CONTRACTS_ONLY) != 0
                           ? ", contracts only"
                           : "");
    if (entry->is_link) {
        kci_report_append_path(entry->path, out);
        kci_string_append(out, " -> ");
    }
    kci_report_append_path(file->path, out);
    kci_string_append(out, "\n");
    if (is_verbose) {
        kci_string_appendf(out, "  sha256 %s\n", file->sha256);
    }
}

void kci_report_modules_text(const kc_runtime_t *runtime, bool is_verbose,
                             kci_string_buffer_t *out)
{
    size_t accepted_count = 0;
    const kci_module_set_t *set = &runtime->modules;
    for (size_t i = 0; i < set->entry_count; i++) {
        const kci_found_entry_t *entry = &set->entries[i];
        append_file(entry, is_verbose, out);
        accepted_count += !entry->is_repeat && is_accepted(entry->file);
    }
    kci_string_appendf(out, "%zu module%s, %zu refused", accepted_count,
                       accepted_count == 1 ? "" : "s",
                       set->file_count - accepted_count);
    if (is_verbose && set->entry_count > set->file_count) {
        kci_string_appendf(out, ", %zu listed before",
                           set->entry_count - set->file_count);
    }
    kci_string_append(out, "\n");
    if (is_verbose || accepted_count == 0) {
        append_directories(runtime, out);
    }
}

json_t *kci_report_module_file_json(const kci_module_file_t *file)
{
    json_t *object =
        json_pack("{s:s, s:b, s:s}", "file", file->path, "accepted",
                  is_accepted(file), "sha256", file->sha256);
    if (!is_accepted(file)) {
        json_object_set_new(object, "reason",
                            json_string(file->verdict.message));
        return object;
    }
    const kc_module_record_t *record = &file->record;
    json_t *needed = json_array();
    for (char **name = file->needed; name != NULL && *name != NULL; name++) {
        json_array_append_new(needed, json_string(*name));
    }
    json_t *facts = json_pack(
        "{s:s, s:s, s:s, s:s, s:s, s:[ii], s:b, s:b, s:s, s:I, s:o}", "name",
        record->name, "version", record->version, "author", record->author,
        "licence", record->licence, "description", record->description, "abi",
        (int)record->abi_major, (int)record->abi_minor, "starts_threads",
        (record->flags & KC_MODULE_STARTS_THREADS) != 0, "contracts_only",
        (record->flags & KC_MODULE_CONTRACTS_ONLY) != 0, "companions",
        record->companions, "capsule_count", (json_int_t)file->capsule_count,
        "needed", needed);
    json_object_update(object, facts);
    json_decref(facts);
    return object;
}

json_t *kci_report_modules_json(const kc_runtime_t *runtime)
{
    json_t *files = json_array();
    json_t *repeats = json_array();
    for (size_t i = 0; i < runtime->modules.entry_count; i++) {
        const kci_found_entry_t *entry = &runtime->modules.entries[i];
        json_t *object = entry->is_repeat
                             ? json_pack("{s:s}", "file", entry->file->path)
                             : kci_report_module_file_json(entry->file);
        json_object_set_new(object, "entry", json_string(entry->path));
        json_array_append_new(entry->is_repeat ? repeats : files, object);
    }
    json_t *directories = json_array();
    for (size_t i = 0; i < runtime->modules.directory_count; i++) {
        const kci_found_directory_t *found = &runtime->modules.directories[i];
        json_array_append_new(
            directories,
            json_pack("{s:s, s:s, s:I, s:s?}", "path", found->directory->path,
                      "origin", found->directory->origin, "files",
                      (json_int_t)found->file_count, "remark", found->remark));
    }
    return json_pack("{s:s, s:i, s:o, s:o, s:o}", "format", "kcapsule-modules",
                     "version", 1, "modules", files, "repeats", repeats,
                     "searched", directories);
}
