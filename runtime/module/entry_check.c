/* SPDX-License-Identifier: Apache-2.0
 *
 * Decides whether the getter's record is usable: sizes first, no byte read
 * beyond them, then the versions and the name of the note, then the tables.
 */
#include "module/entry_check.h"

#include <string.h>
#include "base/alloc.h"
#include "base/error.h"
#include "base/label.h"
#include "module/file_judge.h"

/* Records of version 1.0 without what is optional in them. */
#define ENTRY_SIZE_MIN  offsetof(kc_module_t, open)
#define DEVICE_SIZE_MIN offsetof(kc_device_services_t, allocate)
/* Nobody's record is larger; a larger number is garbage. */
#define RECORD_SIZE_MAX 65536u
#define HANDLERS_MAX    16384u

kc_status_t kci_record_copy(const void *given, size_t size_known,
                            size_t size_min, void *out_record,
                            kc_error_t *error)
{
    uint32_t size = 0;
    uint32_t stated = (uint32_t)size_known;
    memcpy(&size, given, sizeof size);
    if (size < size_min || size > RECORD_SIZE_MAX) {
        return kci_fail(error, KC_ERR_BINDING,
                        "struct_size: expected %zu to %u, found %u", size_min,
                        RECORD_SIZE_MAX, size);
    }
    memset(out_record, 0, size_known);
    memcpy(out_record, given, size < size_known ? size : size_known);
    memcpy(out_record, &stated, sizeof stated);
    return KC_OK;
}

/* Compares with a text of the note, whose array bounds what is read. */
static kc_status_t check_text(const char *given, const char *noted, size_t size,
                              const char *what, kc_error_t *error)
{
    if (given != NULL && strncmp(given, noted, size) == 0) {
        return KC_OK;
    }
    return kci_fail(
        error, KC_ERR_BINDING,
        "expected the %s of its note, `%s`, from " KC_MODULE_ENTRY_SYMBOL
        ", found `%.*s`",
        what, noted, (int)size, given != NULL ? given : "NULL");
}

static kc_status_t check_head(const kci_module_file_t *file,
                              const kc_module_t *module, kc_error_t *error)
{
    if (module->abi_major != KC_ABI_MAJOR) {
        return kci_fail(
            error, KC_ERR_BINDING,
            "expected interface version %d.x from " KC_MODULE_ENTRY_SYMBOL
            " (this host has %d.%d), found %u.%u",
            KC_ABI_MAJOR, KC_ABI_MAJOR, KC_ABI_MINOR, module->abi_major,
            module->abi_minor);
    }
    KC_RETURN_IF_ERROR(check_text(module->name, file->record.name,
                                  sizeof file->record.name, "name", error));
    KC_RETURN_IF_ERROR(check_text(module->version, file->record.version,
                                  sizeof file->record.version, "version",
                                  error));
    if (module->handler_count > HANDLERS_MAX ||
        (module->handler_count > 0 && module->handlers == NULL)) {
        return kci_fail(error, KC_ERR_BINDING,
                        "expected a table of at most %u handlers, found %u%s",
                        HANDLERS_MAX, module->handler_count,
                        module->handlers == NULL ? " and no table" : "");
    }
    if (module->device_count > KC_DEVICE_COUNT ||
        (module->device_count > 0 && module->devices == NULL)) {
        return kci_fail(error, KC_ERR_BINDING,
                        "expected a table of at most %d devices, found %u%s",
                        KC_DEVICE_COUNT, module->device_count,
                        module->devices == NULL ? " and no table" : "");
    }
    return KC_OK;
}

static bool is_same_handler(const kc_handler_t *a, const kc_handler_t *b)
{
    bool is_same_capsule = a->capsule == NULL || b->capsule == NULL
                               ? a->capsule == b->capsule
                               : strcmp(a->capsule, b->capsule) == 0;
    return a->op == b->op && a->device == b->device && is_same_capsule &&
           strcmp(a->provider, b->provider) == 0;
}

/* Two handlers for one capsule would leave the choice to their order. */
static kc_status_t check_single(const kci_entry_t *entry,
                                const kc_handler_t *handler, kc_error_t *error)
{
    for (size_t idx = 0; idx < entry->handler_count; idx++) {
        if (is_same_handler(&entry->handlers[idx], handler)) {
            return kci_fail(error, KC_ERR_BINDING,
                            "expected one handler for op %s, provider %s, "
                            "device %s, found another before it",
                            kci_label(&kci_ops, handler->op), handler->provider,
                            kci_label(&kci_devices, handler->device));
        }
    }
    return KC_OK;
}

static kc_status_t take_handler(const kci_module_file_t *file, size_t index,
                                kci_entry_t *entry, kc_error_t *error)
{
    kc_handler_t handler;
    bool is_known = false;
    kc_status_t status = kci_handler_check(file, entry->module.handlers[index],
                                           &handler, &is_known, error);
    if (status == KC_OK && is_known) {
        status = check_single(entry, &handler, error);
    }
    if (status != KC_OK) {
        kci_error_prepend(error, "handler %zu of %s", index,
                          kci_path_in_message(file->path));
        return status;
    }
    if (is_known) {
        entry->handlers[entry->handler_count++] = handler;
    }
    return KC_OK;
}

static kc_status_t take_handlers(const kci_module_file_t *file,
                                 kci_entry_t *entry, kc_error_t *error)
{
    void *handlers = NULL;
    KC_RETURN_IF_ERROR(kci_alloc_array(entry->module.handler_count,
                                       sizeof(kc_handler_t), &handlers, error));
    entry->handlers = handlers;
    for (size_t idx = 0; idx < entry->module.handler_count; idx++) {
        KC_RETURN_IF_ERROR(take_handler(file, idx, entry, error));
    }
    return KC_OK;
}

static kc_status_t take_device(size_t index, kci_entry_t *entry,
                               kc_error_t *error)
{
    const kc_device_services_t *given = entry->module.devices[index];
    kc_device_services_t *device = &entry->devices[index];
    if (given == NULL) {
        return kci_fail(error, KC_ERR_BINDING,
                        "device services %zu: expected a record, found NULL",
                        index);
    }
    KC_RETURN_IF_ERROR(
        kci_record_copy(given, sizeof *device, DEVICE_SIZE_MIN, device, error));
    if (device->device < 0 || device->device >= KC_DEVICE_COUNT ||
        device->probe == NULL) {
        return kci_fail(error, KC_ERR_BINDING,
                        "device services %zu: expected a device of 0 to %d "
                        "with a probe, found %d%s",
                        index, KC_DEVICE_COUNT - 1, device->device,
                        device->probe == NULL ? " without" : "");
    }
    return KC_OK;
}

static kc_status_t take_devices(kci_entry_t *entry, kc_error_t *error)
{
    void *devices = NULL;
    KC_RETURN_IF_ERROR(kci_alloc_array(entry->module.device_count,
                                       sizeof(kc_device_services_t), &devices,
                                       error));
    entry->devices = devices;
    entry->device_count = entry->module.device_count;
    for (size_t idx = 0; idx < entry->device_count; idx++) {
        KC_RETURN_IF_ERROR(take_device(idx, entry, error));
    }
    return KC_OK;
}

static kc_status_t take_record(const kci_module_file_t *file,
                               const kc_module_t *given, kci_entry_t *entry,
                               kc_error_t *error)
{
    if (given == NULL) {
        return kci_fail(error, KC_ERR_BINDING,
                        "expected a record from " KC_MODULE_ENTRY_SYMBOL
                        ", found NULL");
    }
    KC_RETURN_IF_ERROR(kci_record_copy(given, sizeof entry->module,
                                       ENTRY_SIZE_MIN, &entry->module, error));
    KC_RETURN_IF_ERROR(check_head(file, &entry->module, error));
    return take_devices(entry, error);
}

kc_status_t kci_entry_check(const kci_module_file_t *file,
                            const kc_module_t *given, kci_entry_t *out_entry,
                            kc_error_t *error)
{
    kci_entry_t entry;
    memset(&entry, 0, sizeof entry);
    kc_status_t status = take_record(file, given, &entry, error);
    if (status != KC_OK) {
        kci_file_name_in(file->path, error);
    } else {
        status = take_handlers(file, &entry, error);
    }
    if (status != KC_OK) {
        kci_entry_release(&entry);
        return status;
    }
    *out_entry = entry;
    return KC_OK;
}

void kci_entry_release(kci_entry_t *entry)
{
    kci_free(entry->handlers);
    kci_free(entry->devices);
    memset(entry, 0, sizeof *entry);
}
