/* SPDX-License-Identifier: Apache-2.0
 *
 * One gate before all kernels, and the call itself. The guards have names,
 * the ones evidence may refer to: dispatch.shape, dispatch.dtype,
 * dispatch.device, dispatch.layout, dispatch.alias, dispatch.index_range,
 * dispatch.element_count. A refused operand is KC_ERR_TENSOR, the message
 * begins with the guard's name.
 */
#ifndef KC_DISPATCH_CALL_H
#define KC_DISPATCH_CALL_H

#include "dispatch/bind.h"
#include "ops/op_info.h"

/* What a call needs besides operands. Borrowed for the call. */
typedef struct kci_call_context {
    kci_host_t *host;
    const kci_binding_t *binding;
    uint32_t numerics; /* KC_NUMERICS_* of the profile */
    void *workspace;   /* may be NULL: then allocated when needed */
    size_t workspace_size;
} kci_call_context_t;

/* How often a handler was really entered is told by the status: KC_OK, or
 * KC_ERR_KERNEL, which comes from handlers only. The error of a handler is
 * prefixed by the capsule's name. Floating-point control words that it left
 * changed are restored and reported in the log once a capsule and host. */

/* Checks everything (shapes and attributes by the catalogue's rule, dtype,
 * device, strides, aliasing, index values, element counts, contents of bool
 * operands), makes dense or canonical copies where the capsule wants them,
 * calls the handler under the floating-point guard. `attributes` are
 * resolved in place. Output contents are undefined after a failure. */
KC_MUST_USE kc_status_t kci_call_checked(const kci_call_context_t *context,
                                         kc_attributes_t *attributes,
                                         const DLTensor *const *inputs,
                                         size_t input_count, DLTensor *output,
                                         kc_error_t *error);

/* For operands that a compiled graph made itself: shapes, strides (dense),
 * aliasing and attributes were settled when it was compiled; only contents
 * (index values, bool bytes) are still looked at. `inputs` is padded by NULL
 * to the most inputs of the operation. */
KC_MUST_USE kc_status_t kci_call_compiled(const kci_call_context_t *context,
                                          const kc_attributes_t *attributes,
                                          const DLTensor *const *inputs,
                                          size_t input_count, DLTensor *output,
                                          kc_error_t *error);

/* A derivative rule as it is called: the VJP of a handler, or a rule of the
 * runtime of the same form. All views are dense and made by the host, masks
 * canonical; `inputs` and `cotangents_in` are padded by NULL to the most
 * inputs of the operation. */
typedef struct kci_vjp_call {
    kc_handler_fn run;
    kc_workspace_fn workspace; /* NULL: none needed */
    const kc_attributes_t *attributes;
    const DLTensor *const *inputs; /* NULL where not saved or absent */
    size_t input_count;
    const DLTensor *output; /* NULL unless saved */
    const DLTensor *cotangent;
    DLTensor *const *cotangents_in; /* NULL where not wanted */
} kci_vjp_call_t;

/* Gives a capsule that reads the other mask polarity a copy of the mask, and
 * calls under the floating-point guard. The binding of the context is that of
 * the forward capsule; `run` may be its handler's or the runtime's own.
 * Errors as for forward calls. */
KC_MUST_USE kc_status_t kci_call_vjp(const kci_call_context_t *context,
                                     const kci_vjp_call_t *call,
                                     kc_error_t *error);
/* Bytes of workspace for it; data of the views may be NULL. */
KC_MUST_USE kc_status_t kci_call_vjp_workspace(
    const kci_call_context_t *context, const kci_vjp_call_t *call,
    size_t *out_size, kc_error_t *error);

/* Bytes of workspace for operands of these views (data NULL). */
KC_MUST_USE kc_status_t kci_call_workspace(const kci_call_context_t *context,
                                           const kc_attributes_t *attributes,
                                           const DLTensor *const *inputs,
                                           size_t input_count, DLTensor *output,
                                           size_t *out_size, kc_error_t *error);

#endif
