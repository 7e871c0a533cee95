/* SPDX-License-Identifier: Apache-2.0
 *
 * The maintained profiles and those found on the profile path. A file that
 * does not load is listed with its reason.
 */
#include "report/report.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/label.h"

typedef struct kci_profile_list {
    char **paths; /* of files NAME.ini, by folder and then by name */
    size_t count;
    size_t capacity;
} kci_profile_list_t;

static void release_list(kci_profile_list_t *list)
{
    for (size_t i = 0; i < list->count; i++) {
        kci_free(list->paths[i]);
    }
    kci_free(list->paths);
}

static bool is_profile_file(const char *name)
{
    size_t length = strlen(name);
    return length > 4 && strcmp(name + length - 4, ".ini") == 0;
}

static kc_status_t add_path(kci_profile_list_t *list, const char *folder,
                            const char *name, kc_error_t *error)
{
    kci_string_buffer_t path = KCI_STRING_BUFFER_INIT;
    kci_string_appendf(&path, "%s/%s", folder, name);
    void *paths = list->paths;
    kc_status_t status =
        kci_grow_array(&paths, &list->capacity, list->count + 1,
                       sizeof *list->paths, error);
    if (status == KC_OK) {
        list->paths = paths;
        status = kci_string_take(&path, &list->paths[list->count], error);
    }
    if (status != KC_OK) {
        kci_string_release(&path);
        return status;
    }
    list->count++;
    return KC_OK;
}

static int compare_paths(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static kc_status_t add_folder(kci_profile_list_t *list, const char *folder,
                              kc_error_t *error)
{
    size_t first = list->count;
    DIR *directory = opendir(folder);
    if (directory == NULL) {
        return KC_OK; /* a folder of the path need not exist */
    }
    kc_status_t status = KC_OK;
    for (struct dirent *item = readdir(directory);
         status == KC_OK && item != NULL; item = readdir(directory)) {
        if (is_profile_file(item->d_name)) {
            status = add_path(list, folder, item->d_name, error);
        }
    }
    closedir(directory);
    if (list->count > first) {
        qsort(list->paths + first, list->count - first, sizeof *list->paths,
              compare_paths);
    }
    return status;
}

static kc_status_t find_files(const kc_runtime_t *runtime,
                              kci_profile_list_t *out_list, kc_error_t *error)
{
    memset(out_list, 0, sizeof *out_list);
    for (size_t i = 0; i < runtime->profile_path.count; i++) {
        kc_status_t status = add_folder(
            out_list, runtime->profile_path.directories[i].path, error);
        if (status != KC_OK) {
            release_list(out_list);
            return status;
        }
    }
    return KC_OK;
}

/* NULL when the file does not load; `error` then says why. */
static kc_profile_t *load(const kc_runtime_t *runtime, const char *name,
                          kc_error_t *error)
{
    kci_profile_source_t source = kci_runtime_profile_source(runtime);
    kc_profile_t *profile = NULL;
    return kci_profile_load(&source, name, &profile, error) == KC_OK ? profile
                                                                     : NULL;
}

static void append_profile(const kc_runtime_t *runtime, const char *name,
                           const char *doc, kci_string_buffer_t *out)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_profile_t *profile = load(runtime, name, &error);
    if (profile == NULL) {
        kci_string_appendf(out, "%s: does not load: %s\n", name,
                           error.message);
        return;
    }
    char preference[KC_PROVIDER_SIZE + 16];
    const kc_policy_t *policy = &profile->policy;
    kci_policy_format_preference(policy, preference, sizeof preference);
    kci_string_appendf(out,
                       "%s: %s\n  device %s, provider %s, assurance %s, vjp "
                       "%s\n  modules",
                       profile->name, doc,
                       kci_label(&kci_devices, policy->device), preference,
                       kci_policy_assurance_label(policy),
                       kci_label(&kci_vjp_modes, policy->vjp_mode));
    for (size_t i = 0; i < profile->module_count; i++) {
        kci_string_appendf(out, " %s", profile->modules[i]->name);
    }
    kci_string_append(out, "\n");
    kci_profile_release(profile);
}

kc_status_t kci_report_profiles_text(const kc_runtime_t *runtime,
                                     kci_string_buffer_t *out,
                                     kc_error_t *error)
{
    kci_profile_list_t list;
    KC_RETURN_IF_ERROR(find_files(runtime, &list, error));
    for (size_t i = 0; i < kci_maintained_profile_count(); i++) {
        append_profile(runtime, kci_maintained_profile_name(i),
                       kci_maintained_profile_doc(i), out);
    }
    for (size_t i = 0; i < list.count; i++) {
        append_profile(runtime, list.paths[i], list.paths[i], out);
    }
    release_list(&list);
    return KC_OK;
}

static json_t *profile_json(const kc_runtime_t *runtime, const char *name)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_profile_t *profile = load(runtime, name, &error);
    if (profile == NULL) {
        return json_pack("{s:s, s:s}", "source", name, "reason",
                         error.message);
    }
    json_t *object = kci_report_policy_json(profile, &profile->policy);
    json_t *modules = json_array();
    for (size_t i = 0; i < profile->module_count; i++) {
        json_array_append_new(modules,
                              json_string(profile->modules[i]->name));
    }
    json_object_set_new(object, "modules", modules);
    kci_profile_release(profile);
    return object;
}

kc_status_t kci_report_profiles_json(const kc_runtime_t *runtime,
                                     json_t **out_json, kc_error_t *error)
{
    kci_profile_list_t list;
    KC_RETURN_IF_ERROR(find_files(runtime, &list, error));
    json_t *profiles = json_array();
    for (size_t i = 0; i < kci_maintained_profile_count(); i++) {
        json_array_append_new(
            profiles, profile_json(runtime, kci_maintained_profile_name(i)));
    }
    for (size_t i = 0; i < list.count; i++) {
        json_array_append_new(profiles, profile_json(runtime, list.paths[i]));
    }
    release_list(&list);
    *out_json = json_pack("{s:s, s:i, s:o}", "format", "kcapsule-profiles",
                          "version", 1, "profiles", profiles);
    return *out_json != NULL
               ? KC_OK
               : kci_fail(error, KC_ERR_MEMORY, "out of memory: profiles");
}

static kc_status_t copy_names(const kci_profile_list_t *list, char **names,
                              kc_error_t *error)
{
    size_t maintained = kci_maintained_profile_count();
    for (size_t i = 0; i < maintained + list->count; i++) {
        const char *name = i < maintained ? kci_maintained_profile_name(i)
                                          : list->paths[i - maintained];
        KC_RETURN_IF_ERROR(kci_copy_string(name, &names[i], error));
    }
    return KC_OK;
}

kc_status_t kci_profile_names(const kc_runtime_t *runtime, char ***out_names,
                              size_t *out_count, kc_error_t *error)
{
    kci_profile_list_t list;
    void *names = NULL;
    KC_RETURN_IF_ERROR(find_files(runtime, &list, error));
    size_t count = kci_maintained_profile_count() + list.count;
    kc_status_t status =
        kci_alloc_array(count, sizeof(char *), &names, error);
    if (status == KC_OK) {
        status = copy_names(&list, names, error);
    }
    release_list(&list);
    if (status != KC_OK) {
        kci_profile_names_release(names, count);
        return status;
    }
    *out_names = names;
    *out_count = count;
    return KC_OK;
}

void kci_profile_names_release(char **names, size_t count)
{
    for (size_t i = 0; names != NULL && i < count; i++) {
        kci_free(names[i]);
    }
    kci_free(names);
}
