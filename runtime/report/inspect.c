/* SPDX-License-Identifier: Apache-2.0
 *
 * One module file, or one capsule, in full. Only bytes are read; whether a
 * handler really answers is seen at binding, or by a probe.
 */
#include "report/report.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/label.h"
#include "report/contract_words.h"

/* What a name turned out to be. */
typedef struct kci_inspected {
    kc_capsule_module_t *module;        /* retained; NULL: refused file */
    kci_module_file_t *file;            /* retained */
    const kc_capsule_record_t *capsule; /* NULL: the whole module */
} kci_inspected_t;

static void end_inspected(kci_inspected_t *inspected)
{
    kci_capsule_module_release(inspected->module);
    kci_module_file_release(inspected->file);
}

static kc_status_t take_file(kci_module_file_t *file,
                             const kc_capsule_record_t *capsule,
                             kci_inspected_t *out, kc_error_t *error)
{
    memset(out, 0, sizeof *out);
    if (file->verdict.status == KC_OK) {
        KC_RETURN_IF_ERROR(
            kci_capsule_module_from_file(file, &out->module, error));
    }
    out->file = kci_module_file_retain(file);
    out->capsule = capsule;
    return KC_OK;
}

static const kc_capsule_record_t *find_capsule(const kci_module_file_t *file,
                                               const char *name)
{
    for (size_t i = 0; i < file->capsule_count; i++) {
        if (strcmp(file->capsules[i].name, name) == 0) {
            return &file->capsules[i];
        }
    }
    return NULL;
}

static bool is_path(const char *name)
{
    size_t length = strlen(name);
    return strchr(name, '/') != NULL ||
           (length > 3 && strcmp(name + length - 3, ".so") == 0);
}

static kc_status_t inspect_path(const char *path, kci_inspected_t *out,
                                kc_error_t *error)
{
    kci_module_file_t *file = NULL;
    KC_RETURN_IF_ERROR(kci_module_file_inspect(path, &file, error));
    kc_status_t status = file->verdict.status;
    if (status != KC_OK) {
        status = kci_fail(error, status, "%s", file->verdict.message);
    } else {
        status = take_file(file, NULL, out, error);
    }
    kci_module_file_release(file);
    return status;
}

static kc_status_t find_inspected(kc_runtime_t *runtime, const char *name,
                                  kci_inspected_t *out, kc_error_t *error)
{
    if (is_path(name)) {
        return inspect_path(name, out, error);
    }
    kci_module_file_t *file = kci_module_set_find(&runtime->modules, name);
    if (file != NULL) {
        return take_file(file, NULL, out, error);
    }
    for (size_t i = 0; i < runtime->modules.file_count; i++) {
        file = runtime->modules.files[i];
        const kc_capsule_record_t *capsule =
            file->verdict.status == KC_OK ? find_capsule(file, name) : NULL;
        if (capsule != NULL) {
            return take_file(file, capsule, out, error);
        }
    }
    return kci_fail(error, KC_ERR_NOT_FOUND,
                    "expected a module name, a module file or a capsule name, "
                    "found `%s` (see `kcapsule modules`)",
                    name);
}

static void append_provenance(const kci_module_file_t *file,
                              const kc_capsule_record_t *capsule,
                              kci_string_buffer_t *out)
{
    for (size_t i = 0; i < file->provenance_count; i++) {
        const kc_provenance_record_t *record = &file->provenance[i];
        if (strcmp(record->capsule, capsule->name) != 0) {
            continue;
        }
        kci_string_appendf(
            out, "  provenance of %s: %s %s%s",
            kci_label(&kci_obligations, record->obligation),
            record->kind == KC_PROVENANCE_NATIVE_SYMBOL ? "native symbol"
                                                        : "source",
            record->kind == KC_PROVENANCE_NATIVE_SYMBOL ? record->symbol
                                                        : record->path,
            record->kind == KC_PROVENANCE_NATIVE_SYMBOL ? " in " : "");
        if (record->kind == KC_PROVENANCE_NATIVE_SYMBOL) {
            kci_string_append(out, record->path);
        }
        if (record->build_target[0] != '\0') {
            kci_string_appendf(out, " (target %s)", record->build_target);
        }
        kci_string_append(out, "\n");
    }
}

static void append_capsule(const kci_inspected_t *inspected,
                           const kc_capsule_record_t *capsule,
                           kci_string_buffer_t *out)
{
    int32_t obligation = 0;
    kci_string_appendf(out, "%s: %s\n", capsule->name,
                       kci_label(&kci_ops, capsule->op));
    if (!kci_capsule_is_aligned(capsule, &obligation)) {
        kci_string_appendf(out,
                           "  misaligned: the %s field does not make the %s "
                           "claim of %s; never selected\n",
                           kci_label(&kci_obligations, obligation),
                           kci_label(&kci_obligations, obligation),
                           kci_label(&kci_ops, capsule->op));
    }
    kci_report_contract_text(inspected->module, capsule, out);
    append_provenance(inspected->file, capsule, out);
}

static void append_module(const kci_module_file_t *file,
                          kci_string_buffer_t *out)
{
    const kc_module_record_t *record = &file->record;
    kci_string_appendf(out, "module %s %s\n", record->name, record->version);
    kci_string_appendf(out, "  %s\n", record->description);
    kci_string_appendf(out, "  author %s, licence %s\n", record->author,
                       record->licence);
    kci_string_append(out, "  file ");
    kci_report_append_path(file->path, out);
    kci_string_appendf(out, "\n  sha256 %s\n", file->sha256);
    kci_string_appendf(out, "  interface %u.%u%s%s\n", record->abi_major,
                       record->abi_minor,
                       (record->flags & KC_MODULE_STARTS_THREADS) != 0
                           ? ", starts threads of its own"
                           : "",
                       (record->flags & KC_MODULE_CONTRACTS_ONLY) != 0
                           ? ", contracts only: no handler in this build"
                           : "");
    for (char **name = file->needed; name != NULL && *name != NULL; name++) {
        kci_string_appendf(out, "  needs %s (not covered by the hash)\n",
                           *name);
    }
    if (record->companions[0] != '\0') {
        kci_string_appendf(out, "  opens %s\n", record->companions);
    }
    kci_string_appendf(out, "  %zu capsule%s:\n\n", file->capsule_count,
                       file->capsule_count == 1 ? "" : "s");
}

kc_status_t kci_report_inspect_text(kc_runtime_t *runtime, const char *name,
                                    kci_string_buffer_t *out, kc_error_t *error)
{
    kci_inspected_t inspected;
    KC_RETURN_IF_ERROR(find_inspected(runtime, name, &inspected, error));
    if (inspected.capsule != NULL) {
        append_capsule(&inspected, inspected.capsule, out);
        kci_string_appendf(out, "  module %s, file ", inspected.module->name);
        kci_report_append_path(inspected.file->path, out);
        kci_string_append(out, "\n");
    } else {
        append_module(inspected.file, out);
        for (size_t i = 0; i < inspected.file->capsule_count; i++) {
            append_capsule(&inspected, &inspected.file->capsules[i], out);
        }
    }
    end_inspected(&inspected);
    return KC_OK;
}

static json_t *provenance_json(const kci_module_file_t *file,
                               const kc_capsule_record_t *capsule)
{
    json_t *list = json_array();
    for (size_t i = 0; i < file->provenance_count; i++) {
        const kc_provenance_record_t *record = &file->provenance[i];
        if (strcmp(record->capsule, capsule->name) == 0) {
            json_array_append_new(
                list, json_pack("{s:s, s:s, s:s, s:s, s:s}", "obligation",
                                kci_label(&kci_obligations, record->obligation),
                                "kind",
                                record->kind == KC_PROVENANCE_NATIVE_SYMBOL
                                    ? "native-symbol"
                                    : "source-path",
                                "path", record->path, "symbol", record->symbol,
                                "target", record->build_target));
        }
    }
    return list;
}

static json_t *capsule_json(const kci_inspected_t *inspected,
                            const kc_capsule_record_t *capsule)
{
    json_t *object = kci_report_contract_json(inspected->module, capsule);
    json_object_set_new(object, "provenance",
                        provenance_json(inspected->file, capsule));
    return object;
}

kc_status_t kci_report_inspect_json(kc_runtime_t *runtime, const char *name,
                                    json_t **out_json, kc_error_t *error)
{
    kci_inspected_t inspected;
    KC_RETURN_IF_ERROR(find_inspected(runtime, name, &inspected, error));
    json_t *capsules = json_array();
    for (size_t i = 0; i < inspected.file->capsule_count; i++) {
        const kc_capsule_record_t *capsule = &inspected.file->capsules[i];
        if (inspected.capsule == NULL || inspected.capsule == capsule) {
            json_array_append_new(capsules, capsule_json(&inspected, capsule));
        }
    }
    json_t *object = json_pack("{s:s, s:i, s:o, s:o}", "format",
                               "kcapsule-inspect", "version", 1, "module",
                               kci_report_module_file_json(inspected.file),
                               "capsules", capsules);
    end_inspected(&inspected);
    if (object == NULL) {
        return kci_fail(error, KC_ERR_MEMORY, "out of memory: inspect");
    }
    *out_json = object;
    return KC_OK;
}
