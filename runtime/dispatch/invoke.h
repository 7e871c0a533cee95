/* SPDX-License-Identifier: Apache-2.0
 *
 * The step into a stranger's function, forward or backward: the record of the
 * call, the floating-point guard, the workspace and the translation of a
 * failure. Only call.c and call_vjp.c go through here.
 */
#ifndef KC_DISPATCH_INVOKE_H
#define KC_DISPATCH_INVOKE_H

#include "dispatch/call.h"
#include "module/fp_guard.h"

/* How messages call the two parts of a capsule: "acme.relu: ..." and
 * "acme.relu backward: ...". */
#define KCI_FORWARD_PART  ""
#define KCI_BACKWARD_PART " backward"

static inline const kc_capsule_record_t *
kci_call_capsule(const kci_call_context_t *context)
{
    return context->binding->entry->capsule;
}

/* What every call has. `handler_error` is a record of its own, not zeroed:
 * 512 bytes are dear here, and what the caller gave is not for strangers to
 * write. Operands, attributes and workspace are left empty. */
static inline void kci_call_begin(const kci_call_context_t *context,
                                  kc_error_t *handler_error,
                                  kc_call_t *out_call)
{
    handler_error->struct_size = sizeof *handler_error;
    handler_error->status = KC_OK;
    handler_error->message[0] = '\0';
    *out_call = (kc_call_t){.struct_size = sizeof(kc_call_t),
                            .op = kci_call_capsule(context)->op,
                            .numerics = context->numerics,
                            .output_count = 1,
                            .host = &context->host->interface,
                            .module_state = context->binding->module_state,
                            .error = handler_error};
}

/* In the log, once a capsule and host. */
void kci_report_changed_words(const kci_call_context_t *context);
/* KC_ERR_KERNEL with the capsule's name, `part` and what the handler wrote to
 * the call's error; whatever status it returned. */
KC_MUST_USE kc_status_t kci_handler_failure(const kci_call_context_t *context,
                                            const char *part,
                                            kc_status_t status,
                                            const kc_call_t *call,
                                            kc_error_t *error);

static inline kc_status_t kci_invoke(const kci_call_context_t *context,
                                     const char *part, kc_handler_fn run,
                                     const kc_call_t *call, kc_error_t *error)
{
    kci_fp_guard_t words = kci_fp_guard_begin();
    kc_status_t status = run(call);
    if (kci_fp_guard_end(&words)) {
        kci_report_changed_words(context);
    }
    return status == KC_OK
               ? KC_OK
               : kci_handler_failure(context, part, status, call, error);
}

/* Bytes of workspace; the data of the call's views is NULL. */
KC_MUST_USE kc_status_t kci_invoke_question(
    const kci_call_context_t *context, const char *part, kc_workspace_fn ask,
    const kc_call_t *call, size_t *out_size, kc_error_t *error);
/* With `size` bytes of workspace: the context's if it is large enough, else
 * one for this call. */
KC_MUST_USE kc_status_t kci_invoke_sized(const kci_call_context_t *context,
                                         const char *part, kc_handler_fn run,
                                         kc_call_t *call, size_t size,
                                         kc_error_t *error);

#endif
