/* SPDX-License-Identifier: Apache-2.0
 *
 * Capsule modules. Contracts of a file were judged when it was inspected;
 * those from memory are judged here, so that everything behind the registry
 * may rely on ended texts and known values.
 */
#include "registry/capsule_module.h"

#include <string.h>
#include "base/alloc.h"
#include "base/error.h"
#include "base/label.h"

static bool is_module_name(const char *name)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyz0123456789_";
    if (name == NULL || name[0] < 'a' || name[0] > 'z') {
        return false;
    }
    size_t length = strspn(name, allowed);
    return name[length] == '\0' && length < KC_MODULE_NAME_SIZE;
}

static kc_status_t create_module(const char *name,
                                 kc_capsule_module_t **out_module,
                                 kc_error_t *error)
{
    void *memory = NULL;
    KC_RETURN_IF_ERROR(
        kci_alloc_array(1, sizeof(kc_capsule_module_t), &memory, error));
    kc_capsule_module_t *module = memory;
    atomic_init(&module->reference_count, 1);
    memcpy(module->name, name, strlen(name) + 1);
    *out_module = module;
    return KC_OK;
}

kc_status_t kci_capsule_module_from_file(kci_module_file_t *file,
                                         kc_capsule_module_t **out_module,
                                         kc_error_t *error)
{
    if (file->verdict.status != KC_OK) {
        return kci_fail(error, KC_ERR_MODULE, "module file is refused: %s",
                        file->verdict.message);
    }
    kc_capsule_module_t *module = NULL;
    KC_RETURN_IF_ERROR(create_module(file->record.name, &module, error));
    module->file = kci_module_file_retain(file);
    module->capsules = file->capsules;
    module->capsule_count = file->capsule_count;
    *out_module = module;
    return KC_OK;
}

static bool is_ended(const char *text, size_t size)
{
    return memchr(text, '\0', size) != NULL;
}

static bool is_within(int32_t value, int32_t count)
{
    return value >= 0 && value < count;
}

static bool is_readable(const kc_contract_descriptor_t *descriptor)
{
    return is_ended(descriptor->summary, sizeof descriptor->summary) &&
           is_ended(descriptor->source, sizeof descriptor->source) &&
           is_within(descriptor->claim, KC_CLAIM_COUNT) &&
           is_within(descriptor->evidence, KC_EVIDENCE_COUNT);
}

/* Whether a claim fits its field is not asked here: that is alignment, and a
 * misfiled claim makes the capsule inadmissible, not unreadable. */
static bool has_readable_contract(const kc_capsule_record_t *record)
{
    const char *words = record->limits.instruction_set;
    return is_readable(&record->shape) && is_readable(&record->layout) &&
           is_readable(&record->value) && is_readable(&record->vjp) &&
           is_ended(record->numerics.order, sizeof record->numerics.order) &&
           is_ended(words, sizeof record->limits.instruction_set);
}

static bool has_known_values(const kc_capsule_record_t *record)
{
    return is_within(record->op, KC_OP_COUNT) &&
           is_within(record->device, KC_DEVICE_COUNT) &&
           is_within(record->trust, KC_TRUST_COUNT) &&
           is_within(record->vjp_mode, KC_VJP_MODE_COUNT) &&
           record->supports_forward <= 1 &&
           is_within(record->numerics.reduction, KC_REDUCTION_COUNT);
}

static kc_status_t check_record(const char *module, size_t idx,
                                const kc_capsule_record_t *record,
                                kc_error_t *error)
{
    if (record->struct_size < KC_CAPSULE_RECORD_SIZE_MIN) {
        return kci_fail(error, KC_ERR_FORMAT,
                        "module %s, capsule %zu: expected a record of at least "
                        "%d bytes, found %u",
                        module, idx, KC_CAPSULE_RECORD_SIZE_MIN,
                        record->struct_size);
    }
    if (!is_ended(record->name, sizeof record->name) ||
        record->name[0] == '\0') {
        return kci_fail(error, KC_ERR_FORMAT,
                        "module %s, capsule %zu: expected a name that ends",
                        module, idx);
    }
    if (!is_ended(record->provider, sizeof record->provider) ||
        !kci_is_provider_label(record->provider)) {
        return kci_fail(error, KC_ERR_FORMAT,
                        "module %s, capsule %s: expected a provider label "
                        "[a-z][a-z0-9_.-]*",
                        module, record->name);
    }
    if (!has_readable_contract(record) || !has_known_values(record)) {
        return kci_fail(error, KC_ERR_FORMAT,
                        "module %s, capsule %s: a value outside of its "
                        "vocabulary or a text without end",
                        module, record->name);
    }
    return KC_OK;
}

kc_status_t kci_capsule_module_from_records(const char *name,
                                            const kc_capsule_record_t *records,
                                            size_t count,
                                            kc_capsule_module_t **out_module,
                                            kc_error_t *error)
{
    if (!is_module_name(name)) {
        return kci_fail(error, KC_ERR_ARGUMENT,
                        "module name `%s`: expected [a-z][a-z0-9_]* of at "
                        "most %d bytes",
                        name != NULL ? name : "", KC_MODULE_NAME_SIZE - 1);
    }
    for (size_t idx = 0; idx < count; idx++) {
        KC_RETURN_IF_ERROR(check_record(name, idx, &records[idx], error));
    }
    void *copies = NULL;
    KC_RETURN_IF_ERROR(
        kci_alloc_array(count, sizeof(kc_capsule_record_t), &copies, error));
    kc_capsule_module_t *module = NULL;
    kc_status_t status = create_module(name, &module, error);
    if (status != KC_OK) {
        kci_free(copies);
        return status;
    }
    if (count > 0) {
        memcpy(copies, records, count * sizeof(kc_capsule_record_t));
    }
    module->owned_capsules = copies;
    module->capsules = copies;
    module->capsule_count = count;
    *out_module = module;
    return KC_OK;
}

kc_capsule_module_t *kci_capsule_module_retain(kc_capsule_module_t *module)
{
    atomic_fetch_add_explicit(&module->reference_count, 1,
                              memory_order_relaxed);
    return module;
}

void kci_capsule_module_release(kc_capsule_module_t *module)
{
    if (module == NULL ||
        atomic_fetch_sub_explicit(&module->reference_count, 1,
                                  memory_order_acq_rel) != 1) {
        return;
    }
    kci_module_file_release(module->file);
    kci_free(module->owned_capsules);
    kci_free(module);
}
