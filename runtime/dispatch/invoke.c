/* SPDX-License-Identifier: Apache-2.0
 *
 * What becomes of a handler that fails or leaves the control words changed,
 * and where its workspace comes from. Out of the way of the path on which
 * nothing happens.
 */
#include "dispatch/invoke.h"

#include "base/error.h"

#define WORKSPACE_ALIGNMENT 64

void kci_report_changed_words(const kci_call_context_t *context)
{
    const kci_entry_t *entry = context->binding->entry;
    if (kci_host_is_first_report(context->host, entry->capsule)) {
        kci_log_write(&context->host->log, KC_LOG_WARNING,
                      "capsule %s of module %s (%s) changed the "
                      "floating-point control words; restored",
                      entry->capsule->name, entry->module->name,
                      context->binding->file->path);
    }
}

/* The record was writable for the module: its message may lack an end. */
kc_status_t kci_handler_failure(const kci_call_context_t *context,
                                const char *part, kc_status_t status,
                                const kc_call_t *call, kc_error_t *error)
{
    const char *capsule = kci_call_capsule(context)->name;
    char *message = call->error->message;
    message[KC_ERROR_MESSAGE_SIZE - 1] = '\0';
    if (message[0] == '\0') {
        return kci_fail(error, KC_ERR_KERNEL,
                        "%s%s: the handler failed with status %d and no "
                        "message",
                        capsule, part, (int)status);
    }
    return kci_fail(error, KC_ERR_KERNEL, "%s%s: %s", capsule, part, message);
}

kc_status_t kci_invoke_question(const kci_call_context_t *context,
                                const char *part, kc_workspace_fn ask,
                                const kc_call_t *call, size_t *out_size,
                                kc_error_t *error)
{
    size_t size = 0;
    kci_fp_guard_t words = kci_fp_guard_begin();
    kc_status_t status = ask(call, &size);
    if (kci_fp_guard_end(&words)) {
        kci_report_changed_words(context);
    }
    if (status != KC_OK) {
        return kci_handler_failure(context, part, status, call, error);
    }
    *out_size = size;
    return KC_OK;
}

kc_status_t kci_invoke_sized(const kci_call_context_t *context,
                             const char *part, kc_handler_fn run,
                             kc_call_t *call, size_t size, kc_error_t *error)
{
    void *memory = NULL;
    if (size == 0) {
        return kci_invoke(context, part, run, call, error);
    }
    call->workspace_size = size;
    if (context->workspace != NULL && context->workspace_size >= size) {
        call->workspace = context->workspace;
        return kci_invoke(context, part, run, call, error);
    }
    KC_RETURN_IF_ERROR(kci_host_allocate(context->host->allocator, size,
                                         WORKSPACE_ALIGNMENT, &memory, error));
    call->workspace = memory;
    kc_status_t status = kci_invoke(context, part, run, call, error);
    kci_host_deallocate(context->host->allocator, memory, size);
    return status;
}
