/* SPDX-License-Identifier: Apache-2.0
 *
 * Profiles, loaded at run time: which device, which provider, what evidence
 * may carry, who owns gradients, which modules in which order. Immutable.
 */
#ifndef KCAPSULE_PROFILE_H
#define KCAPSULE_PROFILE_H

#include <kcapsule/runtime.h>

KC_BEGIN_DECLS

/* A maintained name (checked_cpu, fast_cpu, libtorch_cpu,
 * checked_cuda, libtorch_forward_cuda, libtorch_forward_strict), a name on
 * the profile path, or a file (a name with '/' or ending in ".ini"). KC_ERR_CONFIG names
 * file and line, KC_ERR_NOT_FOUND the name and the folders searched. */
KC_API KC_MUST_USE kc_status_t kc_profile_load(kc_runtime_t *runtime,
                                               const char *name_or_path,
                                               kc_profile_t **out_profile,
                                               kc_error_t *error);
/* The same profile with another policy; availability and modules stay. */
KC_API KC_MUST_USE kc_status_t
kc_profile_with_policy(const kc_profile_t *profile, const kc_policy_t *policy,
                       kc_profile_t **out_profile, kc_error_t *error);
/* The given modules, then those of the profile whose names are not among
 * them; policy and availability stay. Two given modules of one name:
 * KC_ERR_DUPLICATE. */
KC_API KC_MUST_USE kc_status_t kc_profile_with_capsule_modules(
    const kc_profile_t *profile, kc_capsule_module_t *const *modules,
    size_t count, kc_profile_t **out_profile, kc_error_t *error);
/* Loads a profile that may name the given modules and their providers, and
 * puts them in front as kc_profile_with_capsule_modules does: for modules
 * that lie outside of the search path. */
KC_API KC_MUST_USE kc_status_t
kc_profile_load_with_modules(kc_runtime_t *runtime, const char *name_or_path,
                             kc_capsule_module_t *const *modules, size_t count,
                             kc_profile_t **out_profile, kc_error_t *error);
KC_API void kc_profile_release(kc_profile_t *profile);

/* What kc_profile_load can be asked for: the maintained names and the files
 * on the profile path, whether they load or not. The caller's
 * (kc_profile_names_release). */
KC_API KC_MUST_USE kc_status_t kc_profile_names(kc_runtime_t *runtime,
                                                char ***out_names,
                                                size_t *out_count,
                                                kc_error_t *error);
KC_API void kc_profile_names_release(char **names, size_t count);

KC_API const char *kc_profile_name(const kc_profile_t *profile);
/* The path of its file; NULL for a maintained profile. */
KC_API const char *kc_profile_source(const kc_profile_t *profile);
/* `out_policy->struct_size` is set by the caller. */
KC_API void kc_profile_policy(const kc_profile_t *profile,
                              kc_policy_t *out_policy);
/* What [execution] threads says; 0 when it says nothing. */
KC_API uint32_t kc_profile_thread_count(const kc_profile_t *profile);
KC_API size_t kc_profile_module_count(const kc_profile_t *profile);
/* Borrowed; NULL when `index` is out of range. */
KC_API const kc_capsule_module_t *kc_profile_module(const kc_profile_t *profile,
                                                    size_t index);

/* "auto", "prefer:P", "only:P" and "checked", "external", "attested", and the
 * labels of devices and VJP modes, into the fields of a policy that they mean.
 * A text that is not understood leaves the policy as it was: KC_ERR_CONFIG for
 * preference and assurance, KC_ERR_ARGUMENT for device and VJP mode. */
KC_API KC_MUST_USE kc_status_t kc_policy_set_preference(kc_policy_t *policy,
                                                        const char *text,
                                                        kc_error_t *error);
KC_API KC_MUST_USE kc_status_t kc_policy_set_assurance(kc_policy_t *policy,
                                                       const char *text,
                                                       kc_error_t *error);
KC_API KC_MUST_USE kc_status_t kc_policy_set_device(kc_policy_t *policy,
                                                    const char *text,
                                                    kc_error_t *error);
KC_API KC_MUST_USE kc_status_t kc_policy_set_vjp_mode(kc_policy_t *policy,
                                                      const char *text,
                                                      kc_error_t *error);

KC_END_DECLS

#endif
