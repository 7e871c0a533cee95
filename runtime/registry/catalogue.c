/* SPDX-License-Identifier: Apache-2.0
 *
 * The flattened catalogue of a profile: all capsules in module order, what is
 * known of each before any request, and the index by operation. Its order is
 * the order in which selection looks.
 */
#include "registry/profile_parts.h"

#include "base/alloc.h"
#include "base/checked_size.h"
#include "base/error.h"

/* Plan rows hold an entry in 16 bits; the highest number means none. */
#define ENTRY_COUNT_MAX (UINT16_MAX - 1)

static kc_status_t count_entries(const kc_profile_t *profile, size_t *out_count,
                                 kc_error_t *error)
{
    size_t count = 0;
    for (size_t idx = 0; idx < profile->module_count; idx++) {
        if (!kci_size_add(count, profile->modules[idx]->capsule_count,
                          &count) ||
            count > ENTRY_COUNT_MAX) {
            return kci_fail(error, KC_ERR_ARGUMENT,
                            "profile %s: expected at most %d capsules, module "
                            "`%s` exceeds that",
                            profile->name, ENTRY_COUNT_MAX,
                            profile->modules[idx]->name);
        }
    }
    *out_count = count;
    return KC_OK;
}

static kci_entry_t make_entry(const kc_profile_t *profile,
                              kc_capsule_module_t *module,
                              const kc_capsule_record_t *capsule)
{
    bool is_device_known =
        capsule->device >= 0 && capsule->device < KC_DEVICE_COUNT;
    return (kci_entry_t){
        .capsule = capsule,
        .module = module,
        .is_aligned = kci_capsule_is_aligned(capsule, NULL),
        .is_device_available =
            is_device_known &&
            (profile->device_bits & (1u << (uint32_t)capsule->device)) != 0,
        .is_provider_available = kci_provider_is_listed(
            profile->providers, profile->provider_count, capsule->provider),
    };
}

static void fill_entries(kc_profile_t *profile)
{
    size_t next = 0;
    for (size_t idx = 0; idx < profile->module_count; idx++) {
        kc_capsule_module_t *module = profile->modules[idx];
        for (size_t place = 0; place < module->capsule_count; place++) {
            profile->entries[next++] =
                make_entry(profile, module, &module->capsules[place]);
        }
    }
}

/* A capsule for an operation of a newer interface stays outside of the index
 * and so is never planned. */
static bool has_known_operation(const kci_entry_t *entry)
{
    return entry->capsule->op >= 0 && entry->capsule->op < KC_OP_COUNT;
}

static void index_by_operation(kc_profile_t *profile)
{
    uint32_t *start = profile->op_start;
    for (size_t idx = 0; idx < profile->entry_count; idx++) {
        if (has_known_operation(&profile->entries[idx])) {
            start[profile->entries[idx].capsule->op + 1]++;
        }
    }
    uint32_t next[KC_OP_COUNT];
    for (int32_t op = 0; op < KC_OP_COUNT; op++) {
        next[op] = start[op];
        start[op + 1] += start[op];
    }
    for (size_t idx = 0; idx < profile->entry_count; idx++) {
        if (has_known_operation(&profile->entries[idx])) {
            int32_t op = profile->entries[idx].capsule->op;
            profile->by_op[next[op]++] = (uint32_t)idx;
        }
    }
}

kc_status_t kci_catalogue_build(kc_profile_t *profile, kc_error_t *error)
{
    size_t count = 0;
    KC_RETURN_IF_ERROR(count_entries(profile, &count, error));
    void *memory = NULL;
    KC_RETURN_IF_ERROR(
        kci_alloc_array(count, sizeof(kci_entry_t), &memory, error));
    profile->entries = memory;
    profile->entry_count = count;
    KC_RETURN_IF_ERROR(
        kci_alloc_array(count, sizeof(uint32_t), &memory, error));
    profile->by_op = memory;
    fill_entries(profile);
    index_by_operation(profile);
    return KC_OK;
}
