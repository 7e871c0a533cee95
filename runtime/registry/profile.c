/* SPDX-License-Identifier: Apache-2.0
 *
 * Making and sharing profiles. A profile never changes: another policy or
 * other modules make another profile, with a catalogue of its own.
 */
#include "registry/profile_parts.h"

#include <string.h>
#include "base/alloc.h"
#include "base/error.h"
#include "registry/policy.h"

static kc_status_t copy_providers(kci_provider_t *providers, size_t count,
                                  kci_provider_t **out_copy, kc_error_t *error)
{
    void *copy = NULL;
    KC_RETURN_IF_ERROR(
        kci_alloc_array(count, sizeof(kci_provider_t), &copy, error));
    if (count > 0) {
        memcpy(copy, providers, count * sizeof(kci_provider_t));
    }
    *out_copy = copy;
    return KC_OK;
}

static kc_status_t retain_modules(kc_profile_t *profile,
                                  const kci_profile_parts_t *parts,
                                  kc_error_t *error)
{
    void *memory = NULL;
    KC_RETURN_IF_ERROR(kci_alloc_array(
        parts->module_count, sizeof(kc_capsule_module_t *), &memory, error));
    profile->modules = memory;
    profile->module_count = parts->module_count;
    for (size_t idx = 0; idx < parts->module_count; idx++) {
        profile->modules[idx] = kci_capsule_module_retain(parts->modules[idx]);
    }
    return KC_OK;
}

static void copy_policy(kc_profile_t *profile, const kc_policy_t *policy)
{
    profile->policy = *policy;
    profile->policy.struct_size = sizeof profile->policy;
    /* One spelling of a policy, so that policies can be compared. */
    size_t length =
        policy->preference == KC_PREFERENCE_AUTO ? 0 : strlen(policy->provider);
    memset(profile->policy.provider + length, 0, KC_PROVIDER_SIZE - length);
}

static kc_status_t fill_profile(kc_profile_t *profile,
                                const kci_profile_parts_t *parts,
                                kc_error_t *error)
{
    copy_policy(profile, &parts->policy);
    profile->device_bits = parts->device_bits;
    profile->numerics = parts->numerics;
    profile->thread_count = parts->thread_count;
    profile->provider_count = parts->provider_count;
    profile->found_provider_count = parts->found_provider_count;
    KC_RETURN_IF_ERROR(kci_copy_string(parts->name, &profile->name, error));
    KC_RETURN_IF_ERROR(kci_copy_string(parts->source, &profile->source, error));
    KC_RETURN_IF_ERROR(copy_providers(parts->providers, parts->provider_count,
                                      &profile->providers, error));
    KC_RETURN_IF_ERROR(copy_providers(parts->found_providers,
                                      parts->found_provider_count,
                                      &profile->found_providers, error));
    KC_RETURN_IF_ERROR(retain_modules(profile, parts, error));
    return kci_catalogue_build(profile, error);
}

kc_status_t kci_profile_create(const kci_profile_parts_t *parts,
                               kc_profile_t **out_profile, kc_error_t *error)
{
    KC_RETURN_IF_ERROR(kci_policy_check(&parts->policy, error));
    void *memory = NULL;
    KC_RETURN_IF_ERROR(
        kci_alloc_array(1, sizeof(kc_profile_t), &memory, error));
    kc_profile_t *profile = memory;
    atomic_init(&profile->reference_count, 1);
    kc_status_t status = fill_profile(profile, parts, error);
    if (status != KC_OK) {
        kci_profile_release(profile);
        return status;
    }
    *out_profile = profile;
    return KC_OK;
}

static kci_profile_parts_t parts_of(const kc_profile_t *profile)
{
    return (kci_profile_parts_t){
        .name = profile->name,
        .source = profile->source,
        .policy = profile->policy,
        .device_bits = profile->device_bits,
        .providers = profile->providers,
        .provider_count = profile->provider_count,
        .found_providers = profile->found_providers,
        .found_provider_count = profile->found_provider_count,
        .numerics = profile->numerics,
        .thread_count = profile->thread_count,
        .modules = profile->modules,
        .module_count = profile->module_count,
    };
}

kc_status_t kci_profile_with_policy(const kc_profile_t *profile,
                                    const kc_policy_t *policy,
                                    kc_profile_t **out_profile,
                                    kc_error_t *error)
{
    kci_profile_parts_t parts = parts_of(profile);
    parts.policy = *policy;
    return kci_profile_create(&parts, out_profile, error);
}

static bool is_named(kc_capsule_module_t *const *modules, size_t count,
                     const char *name)
{
    for (size_t idx = 0; idx < count; idx++) {
        if (strcmp(modules[idx]->name, name) == 0) {
            return true;
        }
    }
    return false;
}

static kc_status_t check_contribution(kc_capsule_module_t *const *modules,
                                      size_t count, kc_error_t *error)
{
    for (size_t idx = 0; idx < count; idx++) {
        if (is_named(modules, idx, modules[idx]->name)) {
            return kci_fail(error, KC_ERR_DUPLICATE,
                            "duplicate backend capsule module `%s`",
                            modules[idx]->name);
        }
    }
    return KC_OK;
}

kc_status_t kci_profile_with_modules(const kc_profile_t *profile,
                                     kc_capsule_module_t *const *modules,
                                     size_t count, kc_profile_t **out_profile,
                                     kc_error_t *error)
{
    KC_RETURN_IF_ERROR(check_contribution(modules, count, error));
    void *memory = NULL;
    KC_RETURN_IF_ERROR(kci_alloc_array(count + profile->module_count,
                                       sizeof(kc_capsule_module_t *), &memory,
                                       error));
    kc_capsule_module_t **joined = memory;
    size_t joined_count = 0;
    for (size_t idx = 0; idx < count; idx++) {
        joined[joined_count++] = modules[idx];
    }
    for (size_t idx = 0; idx < profile->module_count; idx++) {
        if (!is_named(modules, count, profile->modules[idx]->name)) {
            joined[joined_count++] = profile->modules[idx];
        }
    }
    kci_profile_parts_t parts = parts_of(profile);
    parts.modules = joined;
    parts.module_count = joined_count;
    kc_status_t status = kci_profile_create(&parts, out_profile, error);
    kci_free(joined);
    return status;
}

kc_profile_t *kci_profile_retain(kc_profile_t *profile)
{
    atomic_fetch_add_explicit(&profile->reference_count, 1,
                              memory_order_relaxed);
    return profile;
}

void kci_profile_release(kc_profile_t *profile)
{
    if (profile == NULL ||
        atomic_fetch_sub_explicit(&profile->reference_count, 1,
                                  memory_order_acq_rel) != 1) {
        return;
    }
    for (size_t idx = 0; idx < profile->module_count; idx++) {
        kci_capsule_module_release(profile->modules[idx]);
    }
    kci_free(profile->modules);
    kci_free(profile->entries);
    kci_free(profile->by_op);
    kci_free(profile->providers);
    kci_free(profile->found_providers);
    kci_free(profile->name);
    kci_free(profile->source);
    kci_free(profile);
}
