/* SPDX-License-Identifier: Apache-2.0
 *
 * The runtime and the modules it found.
 */
#include <kcapsule/runtime.h>

#include <string.h>

#include "api/argument.h"
#include "exec/runtime.h"
#include "module/openmp_runtimes.h"

kc_status_t kc_runtime_create(const kc_runtime_options_t *options,
                              kc_runtime_t **out_runtime, kc_error_t *error)
{
    static const kc_runtime_options_t defaults = {
        .struct_size = sizeof(kc_runtime_options_t)};
    KC_REQUIRE(out_runtime, error);
    options = options != NULL ? options : &defaults;
    KC_REQUIRE_SIZED(options, kc_runtime_options_t, error);
    if ((options->allocate == NULL) != (options->deallocate == NULL)) {
        return kci_fail(error, KC_ERR_ARGUMENT,
                        "kc_runtime_create: expected allocate and deallocate "
                        "together, found one of them");
    }
    kci_runtime_settings_t settings = {
        .thread_count = options->thread_count,
        .module_directories = options->module_directories,
        .module_directory_count = options->module_directory_count,
        .profile_directories = options->profile_directories,
        .profile_directory_count = options->profile_directory_count,
        .allocate = options->allocate,
        .deallocate = options->deallocate,
        .allocator_context = options->allocator_context,
        .log = {.function = options->log, .context = options->log_context}};
    return kci_runtime_create(&settings, out_runtime, error);
}

void kc_runtime_release(kc_runtime_t *runtime)
{
    kci_runtime_release(runtime);
}

void kc_runtime_memory_use(const kc_runtime_t *runtime,
                           kc_memory_use_t *out_use)
{
    out_use->live_bytes = atomic_load(&runtime->allocator->live_bytes);
    out_use->peak_bytes = atomic_load(&runtime->allocator->peak_bytes);
    out_use->allocation_count =
        atomic_load(&runtime->allocator->allocation_count);
}

void kc_runtime_reset_peak(kc_runtime_t *runtime)
{
    kci_host_allocator_reset_peak(runtime->allocator);
}

size_t kc_runtime_search_directory_count(const kc_runtime_t *runtime)
{
    return runtime->modules.directory_count;
}

void kc_runtime_search_directory(const kc_runtime_t *runtime, size_t index,
                                 kc_search_directory_t *out_directory)
{
    if (index < runtime->modules.directory_count) {
        const kci_found_directory_t *found =
            &runtime->modules.directories[index];
        out_directory->path = found->directory->path;
        out_directory->origin = found->directory->origin;
        out_directory->remark = found->remark;
        out_directory->file_count = found->file_count;
    }
}

size_t kc_runtime_module_count(const kc_runtime_t *runtime)
{
    return runtime->modules.file_count;
}

static void fill_accepted(const kci_module_file_t *file,
                          kc_module_info_t *out_info)
{
    out_info->name = file->record.name;
    out_info->version = file->record.version;
    out_info->author = file->record.author;
    out_info->licence = file->record.licence;
    out_info->description = file->record.description;
    out_info->abi_major = file->record.abi_major;
    out_info->abi_minor = file->record.abi_minor;
    out_info->flags = file->record.flags;
    out_info->capsule_count = (uint32_t)file->capsule_count;
}

void kc_runtime_module_info(const kc_runtime_t *runtime, size_t index,
                            kc_module_info_t *out_info)
{
    if (index >= runtime->modules.file_count) {
        return;
    }
    const kci_module_file_t *file = runtime->modules.files[index];
    uint32_t struct_size = out_info->struct_size;
    memset(out_info, 0, sizeof *out_info);
    out_info->struct_size = struct_size;
    out_info->verdict = file->verdict.status;
    out_info->verdict_line = file->verdict.message;
    out_info->path = file->path;
    out_info->sha256 = file->sha256;
    if (file->verdict.status == KC_OK) {
        fill_accepted(file, out_info);
    }
}

/* A record of the file; a refusal is an error with the verdict's line. */
static kc_status_t inspect_accepted(const char *path,
                                    kci_module_file_t **out_file,
                                    kc_error_t *error)
{
    kci_module_file_t *file = NULL;
    KC_RETURN_IF_ERROR(kci_module_file_inspect(path, &file, error));
    kc_status_t status = file->verdict.status;
    if (status != KC_OK) {
        status = kci_fail(error, status, "%s", file->verdict.message);
        kci_module_file_release(file);
        return status;
    }
    *out_file = file;
    return KC_OK;
}

/* A capsule that does not say it has no handler must have one. */
static kc_status_t expect_handlers(const kci_module_file_t *file,
                                   kc_error_t *error)
{
    bool has_none = (file->record.flags & KC_MODULE_CONTRACTS_ONLY) != 0;
    for (size_t i = 0; !has_none && i < file->capsule_count; i++) {
        const kc_capsule_record_t *capsule = &file->capsules[i];
        if (kci_capsule_is_known(capsule) &&
            (capsule->flags & KC_CAPSULE_NO_HANDLER) == 0 &&
            kci_module_file_handler(file, capsule) == NULL) {
            return kci_fail(error, KC_ERR_BINDING,
                            "%s: expected a handler for capsule %s or its "
                            "flag KC_CAPSULE_NO_HANDLER, found neither",
                            file->path, capsule->name);
        }
    }
    return KC_OK;
}

kc_status_t kc_runtime_probe_module(kc_runtime_t *runtime, const char *path,
                                    kc_module_probe_t *out_probe,
                                    kc_error_t *error)
{
    KC_REQUIRE(runtime, error);
    KC_REQUIRE(path, error);
    KC_REQUIRE_SIZED(out_probe, kc_module_probe_t, error);
    kci_module_file_t *file = NULL;
    kci_host_t *host = NULL;
    KC_RETURN_IF_ERROR(inspect_accepted(path, &file, error));
    kc_status_t status = kci_runtime_host(runtime, 0, &host, error);
    if (status == KC_OK) {
        status = kci_host_open_module(host, file, error);
    }
    if (status == KC_OK) {
        status = expect_handlers(file, error);
    }
    if (status == KC_OK) {
        out_probe->handler_count = file->handler_count;
        kci_openmp_runtimes_find(&out_probe->openmp);
    }
    kci_module_file_release(file);
    return status;
}

kc_status_t kc_capsule_module_find(kc_runtime_t *runtime, const char *name,
                                   kc_capsule_module_t **out_module,
                                   kc_error_t *error)
{
    KC_REQUIRE(runtime, error);
    KC_REQUIRE(name, error);
    KC_REQUIRE(out_module, error);
    kci_module_file_t *file = kci_module_set_find(&runtime->modules, name);
    if (file == NULL) {
        return kci_fail(error, KC_ERR_NOT_FOUND,
                        "no module named %s was found in %zu folders searched",
                        name, runtime->modules.directory_count);
    }
    return kci_capsule_module_from_file(file, out_module, error);
}

kc_status_t kc_capsule_module_from_file(kc_runtime_t *runtime, const char *path,
                                        kc_capsule_module_t **out_module,
                                        kc_error_t *error)
{
    KC_REQUIRE(runtime, error);
    KC_REQUIRE(path, error);
    KC_REQUIRE(out_module, error);
    kci_module_file_t *file = NULL;
    KC_RETURN_IF_ERROR(inspect_accepted(path, &file, error));
    kc_status_t status = kci_capsule_module_from_file(file, out_module, error);
    kci_module_file_release(file);
    return status;
}

kc_status_t kc_capsule_module_from_records(const char *name,
                                           const kc_capsule_record_t *records,
                                           size_t count,
                                           kc_capsule_module_t **out_module,
                                           kc_error_t *error)
{
    KC_REQUIRE(name, error);
    KC_REQUIRE(records, error);
    KC_REQUIRE(out_module, error);
    return kci_capsule_module_from_records(name, records, count, out_module,
                                           error);
}

void kc_capsule_module_release(kc_capsule_module_t *module)
{
    kci_capsule_module_release(module);
}

const char *kc_capsule_module_name(const kc_capsule_module_t *module)
{
    return module->name;
}

size_t kc_capsule_module_capsule_count(const kc_capsule_module_t *module)
{
    return module->capsule_count;
}

const kc_capsule_record_t *
kc_capsule_module_capsule(const kc_capsule_module_t *module, size_t index)
{
    return index < module->capsule_count ? &module->capsules[index] : NULL;
}
