/* SPDX-License-Identifier: Apache-2.0
 *
 * The one table of maintained profiles.
 */
#include "registry/maintained.h"

#include <string.h>

static const char *const cpu_providers[] = {"reference", "torchlean", NULL};
static const char *const fast_cpu_providers[] = {"reference", "torchlean",
                                                 "native_cpu", NULL};
static const char *const cuda_providers[] = {"reference", "torchlean",
                                             "native_cuda", NULL};
static const char *const libtorch_cpu_providers[] = {"reference", "torchlean",
                                                     "libtorch", NULL};
static const char *const libtorch_providers[] = {
    "reference", "torchlean", "native_cuda", "libtorch", NULL};

static const char *const modules[] = {"attention", "native_cuda", "reference",
                                      NULL};
static const char *const libtorch_modules[] = {"attention", "native_cuda",
                                               "reference", "libtorch", NULL};

#define CPU_BIT   (1u << KC_DEVICE_CPU)
#define CUDA_BITS (CPU_BIT | 1u << KC_DEVICE_CUDA)

#define POLICY(device_kind, preference_kind, label, is_external)               \
    {                                                                          \
        .struct_size = sizeof(kc_policy_t), .device = (device_kind),           \
        .preference = (preference_kind), .provider = label,                    \
        .allow_trusted_external = (is_external),                               \
        .vjp_mode = KC_VJP_TORCHLEAN_TAPE                                      \
    }

static const kci_maintained_profile_t maintained[] = {
    {"checked_cpu", "the portable kernels of the reference module",
     POLICY(KC_DEVICE_CPU, KC_PREFERENCE_AUTO, "", 0), CPU_BIT, cpu_providers,
     modules},
    {"fast_cpu",
     "kernels made for this processor where offered, the portable "
     "ones elsewhere",
     POLICY(KC_DEVICE_CPU, KC_PREFERENCE_PREFER, "native_cpu", 0), CPU_BIT,
     fast_cpu_providers, modules},
    {"libtorch_cpu", "LibTorch on the cpu, trusted from outside",
     POLICY(KC_DEVICE_CPU, KC_PREFERENCE_PREFER, "libtorch", 1), CPU_BIT,
     libtorch_cpu_providers, libtorch_modules},
    {"checked_cuda", "CUDA kernels; compositions of the runtime preferred",
     POLICY(KC_DEVICE_CUDA, KC_PREFERENCE_PREFER, "torchlean", 0), CUDA_BITS,
     cuda_providers, modules},
    {"libtorch_forward_cuda",
     "LibTorch forward values where offered, gradients by the tape",
     POLICY(KC_DEVICE_CUDA, KC_PREFERENCE_PREFER, "libtorch", 1), CUDA_BITS,
     libtorch_providers, libtorch_modules},
    {"libtorch_forward_strict",
     "asks for LibTorch and accepts only checked capsules",
     POLICY(KC_DEVICE_CUDA, KC_PREFERENCE_PREFER, "libtorch", 0), CUDA_BITS,
     libtorch_providers, libtorch_modules},
};

size_t kci_maintained_profile_count(void)
{
    return sizeof maintained / sizeof *maintained;
}

const char *kci_maintained_profile_name(size_t index)
{
    return maintained[index].name;
}

const char *kci_maintained_profile_doc(size_t index)
{
    return maintained[index].doc;
}

const kci_maintained_profile_t *kci_maintained_profile_find(const char *name)
{
    for (size_t idx = 0; idx < kci_maintained_profile_count(); idx++) {
        if (strcmp(maintained[idx].name, name) == 0) {
            return &maintained[idx];
        }
    }
    return NULL;
}

const kci_maintained_profile_t *kci_default_profile(void)
{
    return &maintained[0];
}
