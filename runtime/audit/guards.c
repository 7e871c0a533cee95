/* SPDX-License-Identifier: Apache-2.0
 *
 * The one list of guards that count as evidence, and what the host grants. A
 * name that is not here is a claim of the module and stays one.
 */
#include "audit/guards.h"

#include <string.h>
#include "audit/audit.h"
#include "plan/inner.h"

/* The gate in runtime/dispatch performs those named dispatch.*; planning
 * itself is the last one. */
static const char *const guards[] = {
    "dispatch.shape",         "dispatch.dtype",   "dispatch.device",
    "dispatch.layout",        "dispatch.alias",   "dispatch.index_range",
    "dispatch.element_count", "planner.vjp_mode",
};

size_t kci_guard_count(void)
{
    return sizeof guards / sizeof *guards;
}

const char *kci_guard_name(size_t index)
{
    return guards[index];
}

bool kci_guard_is_known(const char *name)
{
    for (size_t idx = 0; idx < kci_guard_count(); idx++) {
        if (strcmp(guards[idx], name) == 0) {
            return true;
        }
    }
    return false;
}

/* The file states for itself and for each capsule that there is none; that a
 * handler is what the file says shows at binding. */
bool kci_capsule_has_handler(const kc_capsule_module_t *module,
                             const kc_capsule_record_t *capsule)
{
    if (kci_inner_forward_ops(capsule) != 0) {
        return true;
    }
    return module->file != NULL &&
           (module->file->record.flags & KC_MODULE_CONTRACTS_ONLY) == 0 &&
           (capsule->flags & KC_CAPSULE_NO_HANDLER) == 0;
}

kci_grant_t kci_grant(const kc_capsule_module_t *module,
                      const kc_capsule_record_t *capsule, int32_t obligation)
{
    const kc_contract_descriptor_t *descriptor =
        kci_capsule_obligation(capsule, obligation);
    bool is_granted = kci_capsule_has_handler(module, capsule) &&
                      descriptor->evidence == KC_EVIDENCE_RUNTIME_GUARD &&
                      kci_guard_is_known(descriptor->source);
    return is_granted ? KCI_GRANT_GUARD : KCI_GRANT_NONE;
}
