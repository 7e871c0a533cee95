/* SPDX-License-Identifier: Apache-2.0
 *
 * Binding: from an accepted capsule to the code that serves it, in the file
 * that declared it and nowhere else. Judges what only this machine knows:
 * the file still loads, the handler exists, the instruction set is there.
 */
#ifndef KC_DISPATCH_BIND_H
#define KC_DISPATCH_BIND_H

#include "audit/accept.h"
#include "dispatch/host.h"
#include "plan/limits.h"

typedef struct kci_binding {
    const kci_entry_t *entry;    /* borrowed from the accepted profile */
    const kc_handler_t *handler; /* borrowed from the module file */
    kci_module_file_t *file;     /* borrowed */
    void *module_state;
    kci_flat_limits_t limits; /* of the capsule */
} kci_binding_t;

/* Opens the module at its first binding. KC_ERR_BINDING (never a fall back)
 * names capsule, provider, device, file and the handlers that exist, or what
 * is missing on this machine; a device other than cpu has no services in
 * this build and says so. Compositions are never bound, nor is a capsule of
 * backend-vjp whose handler has no vjp. */
KC_MUST_USE kc_status_t kci_bind(const kci_entry_t *entry, kci_host_t *host,
                                 kci_binding_t *out_binding, kc_error_t *error);

/* Words of limits.instruction_set that this machine lacks or does not know,
 * as "needs X, machine lacks X" or "unknown requirement X"; KC_OK if none. */
KC_MUST_USE kc_status_t kci_cpu_check_features(const char *words,
                                               kc_error_t *error);

#endif
