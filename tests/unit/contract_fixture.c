/* SPDX-License-Identifier: Apache-2.0
 *
 * Contracts in memory. The four maintained modules are restated here from the
 * specification, so that what must be selected is tested without any file.
 */
#include "unit/contract_fixture.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/alloc.h"
#include "base/label.h"
#include "ops/vjp.h"
#include "registry/policy.h"

static void describe(kc_contract_descriptor_t *descriptor, int32_t claim,
                     int32_t op, int32_t mode, int32_t evidence,
                     const char *source)
{
    memset(descriptor, 0, sizeof *descriptor);
    descriptor->claim = claim;
    descriptor->op = op;
    descriptor->mode = mode;
    descriptor->evidence = evidence;
    snprintf(descriptor->summary, sizeof descriptor->summary, "%s",
             kci_label(&kci_claims, claim));
    snprintf(descriptor->source, sizeof descriptor->source, "%s", source);
}

static bool is_random(int32_t op)
{
    return op == KC_OP_RAND_UNIFORM || op == KC_OP_BERNOULLI_MASK;
}

void fixture_set_vjp(kc_capsule_record_t *capsule, int32_t vjp_mode)
{
    capsule->vjp_mode = vjp_mode;
    if (vjp_mode == KC_VJP_NONE) {
        capsule->saved_inputs = 0;
        capsule->saved_outputs = 0;
        describe(&capsule->vjp, KC_CLAIM_VJP_UNAVAILABLE, capsule->op, 0,
                 KC_EVIDENCE_NOT_APPLICABLE, "");
        return;
    }
    capsule->saved_inputs = kci_vjp_info(capsule->op)->saved_inputs;
    capsule->saved_outputs = kci_vjp_info(capsule->op)->saved_outputs;
    describe(&capsule->vjp, KC_CLAIM_VJP_REFINEMENT, capsule->op, vjp_mode,
             KC_EVIDENCE_TEST_SUITE, FIXTURE_SUITE);
}

void fixture_trust_value(kc_capsule_record_t *capsule)
{
    describe(&capsule->value, KC_CLAIM_VALUE_REFINEMENT, capsule->op, 0,
             KC_EVIDENCE_TRUSTED_BOUNDARY, FIXTURE_BOUNDARY);
}

kc_capsule_record_t fixture_capsule(const char *name, int32_t op,
                                    const char *provider, int32_t device)
{
    kc_capsule_record_t capsule;
    memset(&capsule, 0, sizeof capsule);
    capsule.struct_size = sizeof capsule;
    capsule.op = op;
    capsule.device = device;
    capsule.trust = KC_TRUST_CHECKED;
    capsule.supports_forward = 1;
    snprintf(capsule.name, sizeof capsule.name, "%s", name);
    snprintf(capsule.provider, sizeof capsule.provider, "%s", provider);
    describe(&capsule.shape, KC_CLAIM_SHAPE_SAFETY, op, 0,
             KC_EVIDENCE_RUNTIME_GUARD, "dispatch.shape");
    describe(&capsule.layout, KC_CLAIM_LAYOUT_COMPATIBILITY, op,
             KC_LAYOUT_CANONICAL_TENSOR, KC_EVIDENCE_RUNTIME_GUARD,
             "dispatch.layout");
    describe(&capsule.value, KC_CLAIM_VALUE_REFINEMENT, op, 0,
             KC_EVIDENCE_TEST_SUITE, FIXTURE_SUITE);
    fixture_set_vjp(&capsule,
                    is_random(op) ? KC_VJP_NONE : KC_VJP_TORCHLEAN_TAPE);
    capsule.numerics.reduction = KC_REDUCTION_NOT_APPLICABLE;
    return capsule;
}

kc_capsule_module_t *fixture_module(const char *name,
                                    const kc_capsule_record_t *capsules,
                                    size_t count)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_capsule_module_t *module = NULL;
    kc_status_t status =
        kci_capsule_module_from_records(name, capsules, count, &module, &error);
    ck_assert_msg(status == KC_OK, "%s", error.message);
    return module;
}

kci_module_file_t *fixture_file(const char *path, const char *name,
                                const kc_capsule_record_t *capsules,
                                size_t count, const char *verdict)
{
    kc_error_t error = KC_ERROR_INIT;
    void *memory = NULL;
    ck_assert(kci_alloc_array(1, sizeof(kci_module_file_t), &memory, &error) ==
              KC_OK);
    kci_module_file_t *file = memory;
    atomic_init(&file->reference_count, 1);
    ck_assert(pthread_mutex_init(&file->mutex, NULL) == 0);
    file->descriptor = -1;
    file->verdict.struct_size = sizeof file->verdict;
    ck_assert(kci_copy_string(path, &file->path, &error) == KC_OK);
    if (verdict != NULL) {
        file->verdict.status = KC_ERR_MODULE;
        snprintf(file->verdict.message, sizeof file->verdict.message, "%s",
                 verdict);
        return file;
    }
    snprintf(file->record.name, sizeof file->record.name, "%s", name);
    ck_assert(kci_alloc_array(count, sizeof(kc_capsule_record_t), &memory,
                              &error) == KC_OK);
    if (count > 0) {
        memcpy(memory, capsules, count * sizeof(kc_capsule_record_t));
    }
    file->capsules = memory;
    file->capsule_count = count;
    return file;
}

kc_policy_t fixture_policy(int32_t device)
{
    kc_policy_t policy;
    kci_policy_init(&policy);
    policy.device = device;
    return policy;
}

kc_profile_t *fixture_profile(const kc_policy_t *policy,
                              kc_capsule_module_t **modules, size_t count)
{
    static kci_provider_t providers[] = {
        "reference", "torchlean", "native_cuda", "libtorch", "acme", "other"};
    kci_profile_parts_t parts = {
        .name = "fixture",
        .source = "memory",
        .policy = *policy,
        .device_bits = 1u << KC_DEVICE_CPU | 1u << KC_DEVICE_CUDA,
        .providers = providers,
        .provider_count = sizeof providers / sizeof *providers,
        .found_providers = providers,
        .found_provider_count = sizeof providers / sizeof *providers,
        .modules = modules,
        .module_count = count,
    };
    kc_error_t error = KC_ERROR_INIT;
    kc_profile_t *profile = NULL;
    kc_status_t status = kci_profile_create(&parts, &profile, &error);
    ck_assert_msg(status == KC_OK, "%s", error.message);
    for (size_t idx = 0; idx < count; idx++) {
        kci_capsule_module_release(modules[idx]);
    }
    return profile;
}

kc_profile_t *fixture_profile_of(const kc_policy_t *policy,
                                 const kc_capsule_record_t *capsules,
                                 size_t count)
{
    kc_capsule_module_t *module = fixture_module("fixture", capsules, count);
    return fixture_profile(policy, &module, 1);
}
