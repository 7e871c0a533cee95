/* SPDX-License-Identifier: Apache-2.0
 *
 * Decides whether a handler may be bound: it must be for a capsule of the same
 * file, with equal operation, provider and device. A handler for somebody
 * else's capsule makes the whole file unusable rather than being passed over.
 */
#include "module/entry_check.h"

#include <string.h>
#include "base/error.h"
#include "base/label.h"

/* What follows `forward` is optional. */
#define HANDLER_SIZE_MIN offsetof(kc_handler_t, forward_workspace)

static bool is_newer_operation(const kci_module_file_t *file, int32_t op)
{
    return file->record.abi_minor > KC_ABI_MINOR && op >= KC_OP_COUNT;
}

static kc_status_t check_fields(const kci_module_file_t *file,
                                const kc_handler_t *handler, kc_error_t *error)
{
    if (handler->forward == NULL) {
        return kci_fail(error, KC_ERR_BINDING,
                        "expected a forward function, found NULL");
    }
    if (!is_newer_operation(file, handler->op) &&
        (handler->op < 0 || handler->op >= KC_OP_COUNT)) {
        return kci_fail(error, KC_ERR_BINDING,
                        "expected an operation of 0 to %d, found %d",
                        KC_OP_COUNT - 1, handler->op);
    }
    if (handler->device < 0 || handler->device >= KC_DEVICE_COUNT) {
        return kci_fail(error, KC_ERR_BINDING,
                        "expected a device of 0 to %d, found %d",
                        KC_DEVICE_COUNT - 1, handler->device);
    }
    if (handler->provider == NULL ||
        strnlen(handler->provider, KC_PROVIDER_SIZE) == KC_PROVIDER_SIZE ||
        !kci_is_provider_label(handler->provider)) {
        return kci_fail(error, KC_ERR_BINDING,
                        "expected a provider [a-z][a-z0-9_.-]*, found `%.*s`",
                        KC_PROVIDER_SIZE,
                        handler->provider != NULL ? handler->provider : "NULL");
    }
    return KC_OK;
}

/* How much a capsule has in common with a handler; equal is the highest. */
enum { DEVICE_EQUAL = 1, PROVIDER_EQUAL = 2, OP_EQUAL = 4, ALL_EQUAL = 7 };

static int compare(const kc_handler_t *handler,
                   const kc_capsule_record_t *capsule)
{
    int equal = 0;
    equal |= handler->op == capsule->op ? OP_EQUAL : 0;
    equal |= handler->device == capsule->device ? DEVICE_EQUAL : 0;
    equal |=
        strcmp(handler->provider, capsule->provider) == 0 ? PROVIDER_EQUAL : 0;
    return equal;
}

static bool is_meant(const kc_handler_t *handler,
                     const kc_capsule_record_t *capsule)
{
    return handler->capsule == NULL ||
           strncmp(handler->capsule, capsule->name, sizeof capsule->name) == 0;
}

/* The capsule that the handler comes nearest to. */
static const kc_capsule_record_t *nearest(const kci_module_file_t *file,
                                          const kc_handler_t *handler,
                                          int *out_equal)
{
    const kc_capsule_record_t *best = NULL;
    int best_equal = -1;
    for (size_t idx = 0; idx < file->capsule_count; idx++) {
        const kc_capsule_record_t *capsule = &file->capsules[idx];
        int equal = is_meant(handler, capsule) ? compare(handler, capsule) : -1;
        if (equal > best_equal) {
            best = capsule;
            best_equal = equal;
        }
    }
    *out_equal = best_equal;
    return best;
}

/* Names the first of the three in which they differ. */
static kc_status_t fail_mismatch(const kc_handler_t *handler,
                                 const kc_capsule_record_t *capsule, int equal,
                                 kc_error_t *error)
{
    const char *field = "device";
    const char *expected = kci_label(&kci_devices, capsule->device);
    const char *found = kci_label(&kci_devices, handler->device);
    if ((equal & OP_EQUAL) == 0) {
        field = "op";
        expected = kci_label(&kci_ops, capsule->op);
        found = kci_label(&kci_ops, handler->op);
    } else if ((equal & PROVIDER_EQUAL) == 0) {
        field = "provider";
        expected = capsule->provider;
        found = handler->provider;
    }
    return kci_fail(error, KC_ERR_BINDING,
                    "does not match capsule `%s`: expected %s %s, found %s",
                    capsule->name, field, expected, found);
}

static kc_status_t check_capsule(const kci_module_file_t *file,
                                 const kc_handler_t *handler, kc_error_t *error)
{
    int equal = 0;
    const kc_capsule_record_t *capsule = nearest(file, handler, &equal);
    if (capsule == NULL) {
        return kci_fail(error, KC_ERR_BINDING,
                        "expected the name of a capsule of the file, found "
                        "`%.*s`",
                        KC_CAPSULE_NAME_SIZE, handler->capsule);
    }
    if (handler->capsule == NULL && (equal & OP_EQUAL) == 0) {
        return kci_fail(error, KC_ERR_BINDING,
                        "expected a capsule of the file for op %s, provider "
                        "%s, device %s, found none",
                        kci_label(&kci_ops, handler->op), handler->provider,
                        kci_label(&kci_devices, handler->device));
    }
    if (equal != ALL_EQUAL) {
        return fail_mismatch(handler, capsule, equal, error);
    }
    return KC_OK;
}

kc_status_t kci_handler_check(const kci_module_file_t *file,
                              const kc_handler_t *given,
                              kc_handler_t *out_handler, bool *out_is_known,
                              kc_error_t *error)
{
    kc_handler_t handler;
    if (given == NULL) {
        return kci_fail(error, KC_ERR_BINDING, "expected a record, found NULL");
    }
    KC_RETURN_IF_ERROR(kci_record_copy(given, sizeof handler, HANDLER_SIZE_MIN,
                                       &handler, error));
    KC_RETURN_IF_ERROR(check_fields(file, &handler, error));
    KC_RETURN_IF_ERROR(check_capsule(file, &handler, error));
    *out_is_known = !is_newer_operation(file, handler.op);
    *out_handler = handler;
    return KC_OK;
}
