/* SPDX-License-Identifier: Apache-2.0
 *
 * Profiles: a policy, what is available, an ordered list of modules. A
 * profile never changes after it was made and may be shared by threads.
 */
#ifndef KC_REGISTRY_PROFILE_H
#define KC_REGISTRY_PROFILE_H

#include <kcapsule/policy.h>
#include "module/module_search.h"
#include "registry/capsule_module.h"

/* One capsule of the flattened catalogue of a profile. */
typedef struct kci_entry {
    const kc_capsule_record_t *capsule; /* borrowed from the module */
    kc_capsule_module_t *module;        /* borrowed from the profile */
    bool is_aligned;
    bool is_device_available;
    bool is_provider_available;
} kci_entry_t;

typedef struct kc_profile {
    _Atomic int reference_count;
    char *name;
    char *source; /* "maintained", or the path of its file */
    kc_policy_t policy;
    uint32_t device_bits;                /* available: 1u << kc_device_kind_t */
    char (*providers)[KC_PROVIDER_SIZE]; /* available */
    size_t provider_count;
    /* Labels of all modules found when the profile was loaded; known, but
     * not available. */
    char (*found_providers)[KC_PROVIDER_SIZE];
    size_t found_provider_count;
    uint32_t numerics;             /* KC_NUMERICS_* */
    uint32_t thread_count;         /* 0: not set */
    kc_capsule_module_t **modules; /* retained, in order */
    size_t module_count;
    kci_entry_t *entries; /* catalogue order */
    size_t entry_count;
    /* Entries of one operation, in catalogue order: indices
     * by_op[op_start[op]] .. by_op[op_start[op + 1] - 1]. */
    uint32_t *by_op;
    uint32_t op_start[KC_OP_COUNT + 1];
} kc_profile_t;

/* Where names of modules and profiles are found; all borrowed. */
typedef struct kci_profile_source {
    const kci_module_set_t *modules;
    const kci_search_path_t *profile_path;
    const kci_log_t *log;
    /* Modules that the application brings along: found before those of the
     * search path, by the names and provider labels in profiles. They come in
     * front of the profile's own (as by kci_profile_with_modules). */
    kc_capsule_module_t *const *given;
    size_t given_count;
} kci_profile_source_t;

/* A maintained name (checked_cpu, fast_cpu, libtorch_cpu,
 * checked_cuda, libtorch_forward_cuda, libtorch_forward_strict), a name on
 * the profile path, or a file (contains '/' or ends in ".ini"). Modules that `prepend`
 * names must exist; a maintained module that is missing or refused is a
 * warning, but no module at all is an error that lists the directories
 * searched. */
KC_MUST_USE kc_status_t kci_profile_load(const kci_profile_source_t *source,
                                         const char *name_or_path,
                                         kc_profile_t **out_profile,
                                         kc_error_t *error);
/* The same profile with another policy. */
KC_MUST_USE kc_status_t kci_profile_with_policy(const kc_profile_t *profile,
                                                const kc_policy_t *policy,
                                                kc_profile_t **out_profile,
                                                kc_error_t *error);
/* new ++ (old modules whose names are not in new); policy and availability
 * stay. Two of `modules` with one name: KC_ERR_DUPLICATE with the message
 * "duplicate backend capsule module `NAME`". */
KC_MUST_USE kc_status_t kci_profile_with_modules(
    const kc_profile_t *profile, kc_capsule_module_t *const *modules,
    size_t count, kc_profile_t **out_profile, kc_error_t *error);
kc_profile_t *kci_profile_retain(kc_profile_t *profile);
void kci_profile_release(kc_profile_t *profile); /* accepts NULL */

/* First duplicate module name, then first duplicate capsule identity over
 * the catalogue; also a provider label in the policy or availability that is
 * neither well known nor offered by any module. */
KC_MUST_USE kc_status_t kci_profile_validate(const kc_profile_t *profile,
                                             kc_error_t *error);

/* Maintained profiles, for listing. */
size_t kci_maintained_profile_count(void);
const char *kci_maintained_profile_name(size_t index);
const char *kci_maintained_profile_doc(size_t index);

/* Policy parts as text: "auto", "prefer:acme", "only:acme"; "checked",
 * "external", "attested". Parsers name the value and what is known. */
void kci_policy_format_preference(const kc_policy_t *policy, char *out,
                                  size_t size);
const char *kci_policy_assurance_label(const kc_policy_t *policy);
KC_MUST_USE kc_status_t kci_policy_parse_preference(const char *text,
                                                    kc_policy_t *policy,
                                                    kc_error_t *error);
KC_MUST_USE kc_status_t kci_policy_parse_assurance(const char *text,
                                                   kc_policy_t *policy,
                                                   kc_error_t *error);

#endif
