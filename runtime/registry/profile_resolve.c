/* SPDX-License-Identifier: Apache-2.0
 *
 * From the names in a draft to modules. A module that a file names must be
 * there and accepted; a maintained one that is missing costs only itself,
 * with a warning, because planning says what it misses.
 */
#include "registry/profile_load.h"

#include <stdio.h>
#include <string.h>
#include "base/alloc.h"
#include "base/error.h"
#include "registry/profile_parts.h"

#define DIRECTORY_TEXT_SIZE 320

/* A list under construction; the modules are owned. */
typedef struct resolution {
    const kci_profile_source_t *source;
    const kci_profile_draft_t *draft;
    kc_capsule_module_t **modules;
    const kci_origin_t **origins;
    size_t module_count;
    kci_provider_t *found_providers;
    size_t found_provider_count;
    size_t found_provider_capacity;
} resolution_t;

/* "/a, /b (does not exist)" */
static void list_directories(const kci_module_set_t *set, char *out,
                             size_t size)
{
    size_t length = 0;
    out[0] = '\0';
    for (size_t idx = 0; idx < set->directory_count && length < size; idx++) {
        const kci_found_directory_t *found = &set->directories[idx];
        bool has_remark = found->remark != NULL;
        int written = snprintf(
            out + length, size - length, "%s%s%s%s%s", idx == 0 ? "" : ", ",
            found->directory->path, has_remark ? " (" : "",
            has_remark ? found->remark : "", has_remark ? ")" : "");
        length += written > 0 ? (size_t)written : size;
    }
    if (set->directory_count == 0) {
        snprintf(out, size, "no directory");
    }
}

/* What follows the name of the module. */
static void describe_absence(const kci_module_set_t *set, const char *name,
                             char *out, size_t size)
{
    char directories[DIRECTORY_TEXT_SIZE];
    list_directories(set, directories, sizeof directories);
    const kci_module_file_t *refused = kci_module_set_find_refused(set, name);
    if (refused != NULL) {
        snprintf(out, size, "is refused: %s (searched: %s)",
                 refused->verdict.message, directories);
        return;
    }
    snprintf(out, size, "was not found (searched: %s)", directories);
}

static kc_status_t fail_at(const kci_origin_t *origin, const char *text,
                           kc_error_t *error)
{
    return kci_fail(error, KC_ERR_CONFIG, "%s:%d: %s", origin->file,
                    origin->line, text);
}

/* The first module of a name wins: what comes later was replaced by it. Two
 * of one name in one list are a mistake. Moves the module. */
static kc_status_t add_module(resolution_t *resolution,
                              kc_capsule_module_t *module,
                              const kci_origin_t *origin, kc_error_t *error)
{
    for (size_t idx = 0; idx < resolution->module_count; idx++) {
        if (strcmp(resolution->modules[idx]->name, module->name) != 0) {
            continue;
        }
        char text[KC_ERROR_MESSAGE_SIZE];
        snprintf(text, sizeof text, "duplicate backend capsule module `%s`",
                 module->name);
        const kci_origin_t *first = resolution->origins[idx];
        bool is_same_list = origin->file != NULL && origin->file == first->file;
        kci_capsule_module_release(module);
        return is_same_list ? fail_at(origin, text, error) : KC_OK;
    }
    resolution->modules[resolution->module_count] = module;
    resolution->origins[resolution->module_count] = origin;
    resolution->module_count++;
    return KC_OK;
}

static kc_status_t add_file(resolution_t *resolution, kci_module_file_t *file,
                            const kci_origin_t *origin, kc_error_t *error)
{
    kc_capsule_module_t *module = NULL;
    KC_RETURN_IF_ERROR(kci_capsule_module_from_file(file, &module, error));
    return add_module(resolution, module, origin, error);
}

static bool is_file_path(const char *name)
{
    size_t length = strlen(name);
    return name[0] == '/' && length > 3 &&
           strcmp(name + length - 3, ".so") == 0;
}

static kc_status_t resolve_path(resolution_t *resolution,
                                const kci_wanted_module_t *wanted,
                                kc_error_t *error)
{
    kci_module_file_t *file = NULL;
    KC_RETURN_IF_ERROR(kci_module_file_inspect(wanted->name, &file, error));
    kc_status_t status = KC_OK;
    if (file->verdict.status != KC_OK) {
        status = kci_fail(
            error, KC_ERR_CONFIG, "%s:%d: module file is refused: %s",
            wanted->origin.file, wanted->origin.line, file->verdict.message);
    } else {
        status = add_file(resolution, file, &wanted->origin, error);
    }
    kci_module_file_release(file);
    return status;
}

static kc_capsule_module_t *find_given(const kci_profile_source_t *source,
                                       const char *name)
{
    for (size_t idx = 0; idx < source->given_count; idx++) {
        if (strcmp(source->given[idx]->name, name) == 0) {
            return source->given[idx];
        }
    }
    return NULL;
}

static kc_status_t resolve_module(resolution_t *resolution,
                                  const kci_wanted_module_t *wanted,
                                  kc_error_t *error)
{
    const kci_module_set_t *set = resolution->source->modules;
    if (is_file_path(wanted->name)) {
        return resolve_path(resolution, wanted, error);
    }
    kc_capsule_module_t *given = find_given(resolution->source, wanted->name);
    if (given != NULL) {
        return add_module(resolution, kci_capsule_module_retain(given),
                          &wanted->origin, error);
    }
    kci_module_file_t *file = kci_module_set_find(set, wanted->name);
    if (file != NULL) {
        return add_file(resolution, file, &wanted->origin, error);
    }
    char text[2 * KC_ERROR_MESSAGE_SIZE];
    describe_absence(set, wanted->name, text, sizeof text);
    if (wanted->origin.file != NULL) {
        return kci_fail(error, KC_ERR_CONFIG, "%s:%d: module `%s` %s",
                        wanted->origin.file, wanted->origin.line, wanted->name,
                        text);
    }
    kci_log_write(resolution->source->log, KC_LOG_WARNING,
                  "profile %s: without module `%s`, which %s",
                  resolution->draft->name, wanted->name, text);
    return KC_OK;
}

static kc_status_t resolve_modules(resolution_t *resolution, kc_error_t *error)
{
    const kci_profile_draft_t *draft = resolution->draft;
    void *memory = NULL;
    KC_RETURN_IF_ERROR(kci_alloc_array(
        draft->module_count, sizeof(kc_capsule_module_t *), &memory, error));
    resolution->modules = memory;
    KC_RETURN_IF_ERROR(kci_alloc_array(draft->module_count,
                                       sizeof(kci_origin_t *), &memory, error));
    resolution->origins = memory;
    for (size_t idx = 0; idx < draft->module_count; idx++) {
        KC_RETURN_IF_ERROR(
            resolve_module(resolution, &draft->modules[idx], error));
    }
    if (resolution->module_count == 0) {
        char directories[DIRECTORY_TEXT_SIZE];
        list_directories(resolution->source->modules, directories,
                         sizeof directories);
        return kci_fail(error, KC_ERR_NOT_FOUND,
                        "profile %s: no capsule module was found (searched: "
                        "%s)",
                        draft->name, directories);
    }
    return KC_OK;
}

static kc_status_t add_found_provider(resolution_t *resolution,
                                      const char *label, kc_error_t *error)
{
    size_t count = resolution->found_provider_count;
    if (kci_provider_is_listed(resolution->found_providers, count, label)) {
        return KC_OK;
    }
    void *items = resolution->found_providers;
    KC_RETURN_IF_ERROR(
        kci_grow_array(&items, &resolution->found_provider_capacity, count + 1,
                       sizeof(kci_provider_t), error));
    resolution->found_providers = items;
    memcpy(resolution->found_providers[count], label, strlen(label) + 1);
    resolution->found_provider_count++;
    return KC_OK;
}

static kc_status_t add_providers_of(resolution_t *resolution,
                                    const kc_capsule_record_t *capsules,
                                    size_t count, kc_error_t *error)
{
    for (size_t place = 0; place < count; place++) {
        KC_RETURN_IF_ERROR(
            add_found_provider(resolution, capsules[place].provider, error));
    }
    return KC_OK;
}

static kc_status_t collect_providers(resolution_t *resolution,
                                     kc_error_t *error)
{
    const kci_profile_source_t *source = resolution->source;
    for (size_t idx = 0; idx < source->given_count; idx++) {
        const kc_capsule_module_t *module = source->given[idx];
        KC_RETURN_IF_ERROR(add_providers_of(resolution, module->capsules,
                                            module->capsule_count, error));
    }
    for (size_t idx = 0; idx < source->modules->file_count; idx++) {
        const kci_module_file_t *file = source->modules->files[idx];
        if (file->verdict.status == KC_OK) {
            KC_RETURN_IF_ERROR(add_providers_of(resolution, file->capsules,
                                                file->capsule_count, error));
        }
    }
    return KC_OK;
}

static kc_status_t check_provider(const kc_profile_t *profile,
                                  const char *label, const kci_origin_t *origin,
                                  kc_error_t *error)
{
    if (origin->file == NULL || kci_profile_knows_provider(profile, label)) {
        return KC_OK;
    }
    char text[KC_ERROR_MESSAGE_SIZE];
    snprintf(text, sizeof text,
             "provider label `%s` is neither well known nor offered by any "
             "module",
             label);
    return fail_at(origin, text, error);
}

static kc_status_t check_providers(const kc_profile_t *profile,
                                   const kci_profile_draft_t *draft,
                                   kc_error_t *error)
{
    if (profile->policy.preference != KC_PREFERENCE_AUTO) {
        KC_RETURN_IF_ERROR(check_provider(profile, profile->policy.provider,
                                          &draft->preference_origin, error));
    }
    for (size_t idx = 0; idx < profile->provider_count; idx++) {
        KC_RETURN_IF_ERROR(check_provider(profile, profile->providers[idx],
                                          &draft->providers_origin, error));
    }
    return KC_OK;
}

static kc_status_t create_profile(const resolution_t *resolution,
                                  const char *source_name,
                                  kc_profile_t **out_profile, kc_error_t *error)
{
    const kci_profile_draft_t *draft = resolution->draft;
    kci_profile_parts_t parts = {
        .name = draft->name,
        .source = source_name,
        .policy = draft->policy,
        .device_bits = draft->device_bits,
        .providers = draft->providers,
        .provider_count = draft->provider_count,
        .found_providers = resolution->found_providers,
        .found_provider_count = resolution->found_provider_count,
        .numerics = draft->numerics,
        .thread_count = draft->thread_count,
        .modules = resolution->modules,
        .module_count = resolution->module_count,
    };
    kc_profile_t *profile = NULL;
    KC_RETURN_IF_ERROR(kci_profile_create(&parts, &profile, error));
    kc_status_t status = check_providers(profile, draft, error);
    if (status != KC_OK) {
        kci_profile_release(profile);
        return status;
    }
    *out_profile = profile;
    return KC_OK;
}

kc_status_t kci_profile_resolve(const kci_profile_source_t *source,
                                const kci_profile_draft_t *draft,
                                const char *source_name,
                                kc_profile_t **out_profile, kc_error_t *error)
{
    resolution_t resolution = {.source = source, .draft = draft};
    kc_status_t status = resolve_modules(&resolution, error);
    if (status == KC_OK) {
        status = collect_providers(&resolution, error);
    }
    if (status == KC_OK) {
        status = create_profile(&resolution, source_name, out_profile, error);
    }
    for (size_t idx = 0; idx < resolution.module_count; idx++) {
        kci_capsule_module_release(resolution.modules[idx]);
    }
    kci_free(resolution.modules);
    kci_free((void *)resolution.origins);
    kci_free(resolution.found_providers);
    return status;
}
