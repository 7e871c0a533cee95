/* SPDX-License-Identifier: Apache-2.0
 *
 * From a capsule to the handler in the file that declared it. Every refusal
 * says which capsule, and what is missing where; nothing else is tried.
 */
#include "dispatch/bind.h"

#include "base/error.h"
#include "base/label.h"
#include "base/string_buffer.h"
#include "ops/vjp.h"

/* Handlers listed in an error; a message has room for few more. */
#define LISTED_HANDLERS_MAX 8

/* "capsule X (provider P, device D): " in front of why it cannot be bound. */
static void name_capsule(const kci_entry_t *entry, kc_error_t *error)
{
    const kc_capsule_record_t *capsule = entry->capsule;
    kci_error_prepend(error, "capsule %s (provider %s, device %s)",
                      capsule->name, capsule->provider,
                      kci_label(&kci_devices, capsule->device));
}

/* The session and the programs of a graph unfold compositions; one that comes
 * here has nothing to be unfolded into. */
static kc_status_t refuse_composition(const kci_entry_t *entry,
                                      kc_error_t *error)
{
    const char *op = kci_label(&kci_ops, entry->capsule->op);
    if (kci_composition_inner_ops(entry->capsule->op) == 0) {
        return kci_fail(error, KC_ERR_BINDING,
                        "expected a composition of %s by the runtime, this "
                        "build has none (module %s)",
                        op, entry->module->name);
    }
    return kci_fail(error, KC_ERR_BINDING,
                    "expected a handler, found a composition of %s, which is "
                    "carried out operation by operation (module %s)",
                    op, entry->module->name);
}

/* What the contract alone tells, before any code is loaded. */
static kc_status_t check_contract(const kci_entry_t *entry, kc_error_t *error)
{
    const kc_capsule_record_t *capsule = entry->capsule;
    const char *module = entry->module->name;
    const kci_module_file_t *file = entry->module->file;
    if (kci_is_composition(capsule->provider)) {
        return refuse_composition(entry, error);
    }
    if (file == NULL) {
        return kci_fail(error, KC_ERR_BINDING,
                        "module %s has its contracts in memory, no file has "
                        "a handler",
                        module);
    }
    if ((file->record.flags & KC_MODULE_CONTRACTS_ONLY) != 0 ||
        (capsule->flags & KC_CAPSULE_NO_HANDLER) != 0) {
        return kci_fail(error, KC_ERR_BINDING,
                        "%s (%s) was built without handlers%s: contracts "
                        "only",
                        module, file->path,
                        (file->record.flags & KC_MODULE_CONTRACTS_ONLY) != 0
                            ? ""
                            : " for it");
    }
    if (capsule->device != KC_DEVICE_CPU) {
        return kci_fail(error, KC_ERR_BINDING,
                        "this build has no services for device %s (module "
                        "%s, %s)",
                        kci_label(&kci_devices, capsule->device), module,
                        file->path);
    }
    return kci_cpu_check_features(capsule->limits.instruction_set, error);
}

/* "matmul/acme, relu/acme and 3 more": handlers of the capsule's device. */
static void list_handlers(const kci_module_file_t *file, int32_t device,
                          kci_string_buffer_t *out)
{
    size_t listed = 0;
    size_t left_out = 0;
    for (size_t i = 0; i < file->handler_count; i++) {
        const kc_handler_t *handler = &file->handlers[i];
        if (handler->device != device) {
            continue;
        }
        if (listed == LISTED_HANDLERS_MAX) {
            left_out++;
            continue;
        }
        kci_string_appendf(out, "%s%s/%s", listed > 0 ? ", " : "",
                           kci_label(&kci_ops, handler->op), handler->provider);
        listed++;
    }
    if (left_out > 0) {
        kci_string_appendf(out, " and %zu more", left_out);
    }
    if (listed == 0) {
        kci_string_append(out, "none");
    }
}

static kc_status_t refuse_missing(const kci_entry_t *entry, kc_error_t *error)
{
    const kc_capsule_record_t *capsule = entry->capsule;
    const kci_module_file_t *file = entry->module->file;
    kci_string_buffer_t list = KCI_STRING_BUFFER_INIT;
    list_handlers(file, capsule->device, &list);
    kc_status_t status = kci_fail(
        error, KC_ERR_BINDING,
        "expected a handler for %s in %s, found handlers for device %s: %s",
        kci_label(&kci_ops, capsule->op), file->path,
        kci_label(&kci_devices, capsule->device),
        list.text != NULL && !list.has_failed ? list.text : "?");
    kci_string_release(&list);
    return status;
}

/* A capsule whose contract is not kept is not run at all, also where nobody
 * wants gradients: what else it says cannot be relied on either. */
static kc_status_t refuse_promise(const kci_entry_t *entry, kc_error_t *error)
{
    return kci_fail(error, KC_ERR_BINDING,
                    "expected a vjp function for %s in %s as the contract "
                    "says (%s), found NULL",
                    kci_label(&kci_ops, entry->capsule->op),
                    entry->module->file->path,
                    kci_label(&kci_vjp_modes, KC_VJP_BACKEND));
}

static kc_status_t find_handler(const kci_entry_t *entry, kci_host_t *host,
                                kci_binding_t *out_binding, kc_error_t *error)
{
    kci_module_file_t *file = entry->module->file;
    KC_RETURN_IF_ERROR(check_contract(entry, error));
    KC_RETURN_IF_ERROR(kci_host_open_module(host, file, error));
    const kc_handler_t *handler = kci_module_file_handler(file, entry->capsule);
    if (handler == NULL || handler->forward == NULL) {
        return refuse_missing(entry, error);
    }
    if (entry->capsule->vjp_mode == KC_VJP_BACKEND && handler->vjp == NULL) {
        return refuse_promise(entry, error);
    }
    *out_binding =
        (kci_binding_t){.entry = entry,
                        .handler = handler,
                        .file = file,
                        .module_state = file->state,
                        .limits = kci_limits_flatten(&entry->capsule->limits)};
    return KC_OK;
}

kc_status_t kci_bind(const kci_entry_t *entry, kci_host_t *host,
                     kci_binding_t *out_binding, kc_error_t *error)
{
    kc_status_t status = find_handler(entry, host, out_binding, error);
    if (status != KC_OK) {
        name_capsule(entry, error);
    }
    return status;
}
