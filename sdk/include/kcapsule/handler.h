/* SPDX-License-Identifier: Apache-2.0
 *
 * A handler is the code behind capsules of its own module: the host binds a
 * capsule to the handler with equal operation, provider and device in the
 * file that declared the capsule, and nowhere else.
 */
#ifndef KCAPSULE_HANDLER_H
#define KCAPSULE_HANDLER_H

#include <kcapsule/call.h>

KC_BEGIN_DECLS

/* Must not throw, exit, print, or keep pointers of the call. Reentrant: the
 * host may call it from several threads with different calls. */
typedef kc_status_t (*kc_handler_fn)(const kc_call_t *call);

/* Bytes of workspace a call needs, asked with shapes set and data NULL: when a
 * graph is compiled, and before each eager call. Operands that the call will
 * not have are NULL here too. Writes `*out_size` on KC_OK only. */
typedef kc_status_t (*kc_workspace_fn)(const kc_call_t *call, size_t *out_size);

/*
 * `capsule` names the capsule this handler was written for when the module
 * has several of equal operation, provider and device; NULL: all of them.
 * `vjp` is the derivative rule of a capsule whose VJP mode is backend-vjp,
 * which cannot be bound without; it is not called for others. What it is
 * given: kc_call_t. NULL workspace functions mean none is needed.
 */
typedef struct kc_handler {
    uint32_t struct_size;
    int32_t op;
    int32_t device;
    uint32_t spare;
    const char *provider;
    const char *capsule;
    kc_handler_fn forward;
    kc_workspace_fn forward_workspace;
    kc_handler_fn vjp;
    kc_workspace_fn vjp_workspace;
} kc_handler_t;

KC_END_DECLS

#endif
