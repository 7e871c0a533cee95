/* SPDX-License-Identifier: Apache-2.0
 *
 * Contracts, modules and profiles in memory for tests of the choosing layers.
 * Everything made here fails the test when it cannot be made.
 */
#ifndef KC_TESTS_UNIT_CONTRACT_FIXTURE_H
#define KC_TESTS_UNIT_CONTRACT_FIXTURE_H

#include "registry/profile_parts.h"

#define FIXTURE_SUITE    "tests/fixture"
#define FIXTURE_BOUNDARY "LibTorch/CUDA SDPA implementation"

/* An aligned contract: forward, checked, VJP by the tape (none for an
 * operation that needs none), guards of the runtime for shape and layout, a
 * suite for value and VJP, all saved that the tape's rule reads, reduction
 * n/a, no limits. */
kc_capsule_record_t fixture_capsule(const char *name, int32_t op,
                                    const char *provider, int32_t device);
/* Changes the VJP mode, its claim and what is saved together. */
void fixture_set_vjp(kc_capsule_record_t *capsule, int32_t vjp_mode);
/* The value contract rests on FIXTURE_BOUNDARY. */
void fixture_trust_value(kc_capsule_record_t *capsule);

/* Owned by the caller. */
kc_capsule_module_t *fixture_module(const char *name,
                                    const kc_capsule_record_t *capsules,
                                    size_t count);
/* A record as inspection makes it, of a file that is not there. `verdict` is
 * NULL for an accepted file. Owned by the caller. */
kci_module_file_t *fixture_file(const char *path, const char *name,
                                const kc_capsule_record_t *capsules,
                                size_t count, const char *verdict);

/* auto, checked, torchlean-tape. */
kc_policy_t fixture_policy(int32_t device);
/* Devices cpu and cuda; providers reference, torchlean, native_cuda,
 * libtorch, acme, other. Takes the modules. */
kc_profile_t *fixture_profile(const kc_policy_t *policy,
                              kc_capsule_module_t **modules, size_t count);
/* A profile of one module `fixture` with these capsules. */
kc_profile_t *fixture_profile_of(const kc_policy_t *policy,
                                 const kc_capsule_record_t *capsules,
                                 size_t count);

/* The contracts of the modules attention, native_cuda, reference and
 * libtorch, in this order: names, order, trust, VJP modes as specified. */
#define FIXTURE_MAINTAINED_COUNT 4
size_t fixture_maintained_capsules(size_t module, kc_capsule_record_t *out);
#define FIXTURE_CAPSULES_MAX 64
extern const char *const fixture_maintained_names[FIXTURE_MAINTAINED_COUNT];
/* A set of found files with these contracts in /fixture; released with
 * fixture_set_release. */
kci_module_set_t fixture_maintained_set(void);
/* Adds a file to a set; the set owns it. */
void fixture_set_add(kci_module_set_t *set, kci_module_file_t *file);
void fixture_set_release(kci_module_set_t *set);

#endif
