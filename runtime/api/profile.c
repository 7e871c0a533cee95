/* SPDX-License-Identifier: Apache-2.0
 *
 * Profiles and policies.
 */
#include <kcapsule/profile.h>

#include <string.h>

#include "api/argument.h"
#include "base/label.h"
#include "exec/runtime.h"
#include "report/report.h"

kc_status_t kc_profile_load(kc_runtime_t *runtime, const char *name_or_path,
                            kc_profile_t **out_profile, kc_error_t *error)
{
    KC_REQUIRE(runtime, error);
    KC_REQUIRE(name_or_path, error);
    KC_REQUIRE(out_profile, error);
    kci_profile_source_t source = kci_runtime_profile_source(runtime);
    return kci_profile_load(&source, name_or_path, out_profile, error);
}

static kc_status_t require_modules(const char *function,
                                   kc_capsule_module_t *const *modules,
                                   size_t count, kc_error_t *error)
{
    KC_REQUIRE_FOR(function, modules, error);
    for (size_t i = 0; i < count; i++) {
        KC_REQUIRE_FOR(function, modules[i], error);
    }
    return KC_OK;
}

kc_status_t
kc_profile_load_with_modules(kc_runtime_t *runtime, const char *name_or_path,
                             kc_capsule_module_t *const *modules, size_t count,
                             kc_profile_t **out_profile, kc_error_t *error)
{
    KC_REQUIRE(runtime, error);
    KC_REQUIRE(name_or_path, error);
    KC_REQUIRE(out_profile, error);
    KC_RETURN_IF_ERROR(require_modules(__func__, modules, count, error));
    kci_profile_source_t source = kci_runtime_profile_source(runtime);
    source.given = modules;
    source.given_count = count;
    kc_profile_t *loaded = NULL;
    KC_RETURN_IF_ERROR(kci_profile_load(&source, name_or_path, &loaded, error));
    kc_status_t status =
        kci_profile_with_modules(loaded, modules, count, out_profile, error);
    kci_profile_release(loaded);
    return status;
}

kc_status_t kc_profile_with_policy(const kc_profile_t *profile,
                                   const kc_policy_t *policy,
                                   kc_profile_t **out_profile,
                                   kc_error_t *error)
{
    KC_REQUIRE(profile, error);
    KC_REQUIRE_SIZED(policy, kc_policy_t, error);
    KC_REQUIRE(out_profile, error);
    return kci_profile_with_policy(profile, policy, out_profile, error);
}

kc_status_t kc_profile_with_capsule_modules(const kc_profile_t *profile,
                                            kc_capsule_module_t *const *modules,
                                            size_t count,
                                            kc_profile_t **out_profile,
                                            kc_error_t *error)
{
    KC_REQUIRE(profile, error);
    KC_REQUIRE(out_profile, error);
    KC_RETURN_IF_ERROR(require_modules(__func__, modules, count, error));
    return kci_profile_with_modules(profile, modules, count, out_profile,
                                    error);
}

void kc_profile_release(kc_profile_t *profile)
{
    kci_profile_release(profile);
}

kc_status_t kc_profile_names(kc_runtime_t *runtime, char ***out_names,
                             size_t *out_count, kc_error_t *error)
{
    KC_REQUIRE(runtime, error);
    KC_REQUIRE(out_names, error);
    KC_REQUIRE(out_count, error);
    return kci_profile_names(runtime, out_names, out_count, error);
}

void kc_profile_names_release(char **names, size_t count)
{
    kci_profile_names_release(names, count);
}

const char *kc_profile_name(const kc_profile_t *profile)
{
    return profile->name;
}

const char *kc_profile_source(const kc_profile_t *profile)
{
    return strcmp(profile->source, "maintained") == 0 ? NULL : profile->source;
}

void kc_profile_policy(const kc_profile_t *profile, kc_policy_t *out_policy)
{
    *out_policy = profile->policy;
    out_policy->struct_size = sizeof *out_policy;
}

uint32_t kc_profile_thread_count(const kc_profile_t *profile)
{
    return profile->thread_count;
}

size_t kc_profile_module_count(const kc_profile_t *profile)
{
    return profile->module_count;
}

const kc_capsule_module_t *kc_profile_module(const kc_profile_t *profile,
                                             size_t index)
{
    return index < profile->module_count ? profile->modules[index] : NULL;
}

kc_status_t kc_policy_set_preference(kc_policy_t *policy, const char *text,
                                     kc_error_t *error)
{
    KC_REQUIRE_SIZED(policy, kc_policy_t, error);
    KC_REQUIRE(text, error);
    return kci_policy_parse_preference(text, policy, error);
}

kc_status_t kc_policy_set_assurance(kc_policy_t *policy, const char *text,
                                    kc_error_t *error)
{
    KC_REQUIRE_SIZED(policy, kc_policy_t, error);
    KC_REQUIRE(text, error);
    return kci_policy_parse_assurance(text, policy, error);
}

static kc_status_t parse_label(const kci_vocabulary_t *vocabulary,
                               const char *text, int32_t *out_value,
                               kc_error_t *error)
{
    if (kci_label_parse(vocabulary, text, out_value)) {
        return KC_OK;
    }
    char known[256];
    kci_label_list(vocabulary, known, sizeof known);
    return kci_fail(error, KC_ERR_ARGUMENT, "expected a %s (%s), found `%s`",
                    vocabulary->what, known, text);
}

kc_status_t kc_policy_set_device(kc_policy_t *policy, const char *text,
                                 kc_error_t *error)
{
    KC_REQUIRE_SIZED(policy, kc_policy_t, error);
    KC_REQUIRE(text, error);
    return parse_label(&kci_devices, text, &policy->device, error);
}

kc_status_t kc_policy_set_vjp_mode(kc_policy_t *policy, const char *text,
                                   kc_error_t *error)
{
    KC_REQUIRE_SIZED(policy, kc_policy_t, error);
    KC_REQUIRE(text, error);
    return parse_label(&kci_vjp_modes, text, &policy->vjp_mode, error);
}
