/* SPDX-License-Identifier: Apache-2.0
 *
 * The one list of well-known provider labels. Providers are open: a label
 * that is not here is as good as these once a module offers it.
 */
#include "registry/provider.h"

#include <string.h>

static const char *const well_known[] = {
    "reference", "torchlean", "native_cpu", "native_cuda", "libtorch",
    "aten",      "mps",       "webgpu",     "cublas",      "cudnn",
    "cufft",     "xla",       "neuron",     "custom-chip", "external",
};

bool kci_provider_is_well_known(const char *label)
{
    for (size_t idx = 0; idx < sizeof well_known / sizeof *well_known; idx++) {
        if (strcmp(well_known[idx], label) == 0) {
            return true;
        }
    }
    return false;
}

bool kci_provider_is_listed(kci_provider_t *labels, size_t count,
                            const char *label)
{
    for (size_t idx = 0; idx < count; idx++) {
        if (strcmp(labels[idx], label) == 0) {
            return true;
        }
    }
    return false;
}

bool kci_provider_is_offered(const kc_capsule_record_t *capsules, size_t count,
                             const char *label)
{
    for (size_t idx = 0; idx < count; idx++) {
        if (strcmp(capsules[idx].provider, label) == 0) {
            return true;
        }
    }
    return false;
}
