/* SPDX-License-Identifier: Apache-2.0
 *
 * What a tape asks of a session besides operations: derivative rules as
 * calls, and composed ones in the record.
 */
#include "exec/session_state.h"

#include "base/clock.h"
#include "base/error.h"

kc_status_t kci_session_call_vjp(kc_session_t *session,
                                 const kci_binding_t *binding,
                                 const kci_vjp_call_t *call, kc_error_t *error)
{
    kci_run_record_t *record = &session->record;
    kci_call_context_t context = {.host = session->host,
                                  .binding = binding,
                                  .numerics = session->profile->numerics};
    size_t place = 0;
    KC_RETURN_IF_ERROR(kci_run_record_reserve(record, record->entry_count + 1,
                                              record->node_count, error));
    uint64_t start_ns = record->has_time ? kci_clock_ns() : 0;
    kc_status_t status = kci_call_vjp(&context, call, error);
    uint64_t time_ns = record->has_time ? kci_clock_ns() - start_ns : 0;
    if ((status == KC_OK || status == KC_ERR_KERNEL) &&
        kci_run_record_entry(record, KCI_CALL_VJP, binding->entry, NULL, &place,
                             NULL) == KC_OK) {
        kci_run_record_call(record, place, time_ns);
    }
    return status;
}

/* Its time is that of its operations. */
kc_status_t kci_session_note_rule(kc_session_t *session,
                                  const kci_binding_t *binding,
                                  kc_error_t *error)
{
    size_t place = 0;
    KC_RETURN_IF_ERROR(kci_run_record_entry(
        &session->record, KCI_CALL_VJP, binding->entry, NULL, &place, error));
    kci_run_record_call(&session->record, place, 0);
    return KC_OK;
}
