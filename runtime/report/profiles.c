/* SPDX-License-Identifier: Apache-2.0
 *
 * The maintained profiles and those found on the profile path. A file that
 * does not load is listed with its reason.
 */
#include "report/report.h"

#include <string.h>

#include "base/error.h"
#include "base/label.h"
#include "report/profile_list.h"

/* NULL when the file does not load; `error` then says why. */
static kc_profile_t *load(const kc_runtime_t *runtime, const char *name,
                          kc_error_t *error)
{
    kci_profile_source_t source = kci_runtime_profile_source(runtime);
    kc_profile_t *profile = NULL;
    return kci_profile_load(&source, name, &profile, error) == KC_OK ? profile
                                                                     : NULL;
}

/* "TYPED: DOC, named NAME" and what it is, or why it does not load. */
static void append_profile(const kc_runtime_t *runtime,
                           const kci_listed_profile_t *listed,
                           kci_string_buffer_t *out)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_profile_t *profile = load(runtime, listed->source, &error);
    kci_report_append_foreign(listed->typed, (size_t)listed->typed_length, out);
    kci_string_append(out, ": ");
    kci_report_append_path(listed->doc, out);
    kci_string_appendf(out, "%s%s", listed->remark[0] != '\0' ? ", " : "",
                       listed->remark);
    if (profile == NULL) {
        kci_string_appendf(out, ": does not load: %s\n", error.message);
        return;
    }
    if ((size_t)listed->typed_length != strlen(profile->name) ||
        strncmp(profile->name, listed->typed, strlen(profile->name)) != 0) {
        kci_string_appendf(out, ", named %s", profile->name);
    }
    char preference[KC_PROVIDER_SIZE + 16];
    const kc_policy_t *policy = &profile->policy;
    kci_policy_format_preference(policy, preference, sizeof preference);
    kci_string_appendf(out,
                       "\n  device %s, provider %s, assurance %s, vjp %s\n"
                       "  modules",
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
    KC_RETURN_IF_ERROR(kci_profile_list_find(runtime, &list, error));
    for (size_t i = 0; i < kci_maintained_profile_count(); i++) {
        kci_listed_profile_t listed = kci_listed_maintained(i);
        append_profile(runtime, &listed, out);
    }
    for (size_t i = 0; i < list.count; i++) {
        kci_listed_profile_t listed = kci_listed_file(&list, i);
        append_profile(runtime, &listed, out);
    }
    kci_profile_list_release(&list);
    return KC_OK;
}

static json_t *loaded_json(const kc_runtime_t *runtime, const char *source)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_profile_t *profile = load(runtime, source, &error);
    if (profile == NULL) {
        return json_pack("{s:s, s:s}", "source", source, "reason",
                         error.message);
    }
    json_t *object = kci_report_policy_json(profile, &profile->policy);
    json_t *modules = json_array();
    for (size_t i = 0; i < profile->module_count; i++) {
        json_array_append_new(modules, json_string(profile->modules[i]->name));
    }
    json_object_set_new(object, "modules", modules);
    kci_profile_release(profile);
    return object;
}

/* `typed` is what -p takes; there only where it leads to this profile. */
static json_t *profile_json(const kc_runtime_t *runtime,
                            const kci_listed_profile_t *listed)
{
    json_t *object = loaded_json(runtime, listed->source);
    if (listed->remark[0] != '\0') {
        json_object_set_new(object, "remark", json_string(listed->remark));
    } else {
        json_object_set_new(
            object, "typed",
            json_stringn(listed->typed, (size_t)listed->typed_length));
    }
    return object;
}

kc_status_t kci_report_profiles_json(const kc_runtime_t *runtime,
                                     json_t **out_json, kc_error_t *error)
{
    kci_profile_list_t list;
    KC_RETURN_IF_ERROR(kci_profile_list_find(runtime, &list, error));
    json_t *profiles = json_array();
    for (size_t i = 0; i < kci_maintained_profile_count(); i++) {
        kci_listed_profile_t listed = kci_listed_maintained(i);
        json_array_append_new(profiles, profile_json(runtime, &listed));
    }
    for (size_t i = 0; i < list.count; i++) {
        kci_listed_profile_t listed = kci_listed_file(&list, i);
        json_array_append_new(profiles, profile_json(runtime, &listed));
    }
    kci_profile_list_release(&list);
    *out_json = json_pack("{s:s, s:i, s:o}", "format", "kcapsule-profiles",
                          "version", 1, "profiles", profiles);
    return *out_json != NULL
               ? KC_OK
               : kci_fail(error, KC_ERR_MEMORY, "out of memory: profiles");
}
