/* SPDX-License-Identifier: Apache-2.0
 *
 * The eager session. The path of an operation that ran before has no lock,
 * no look-up by name and no allocation: a slot by operation, a comparison
 * with limits, the gate, the handler.
 */
#include "exec/session.h"

#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/label.h"
#include "dispatch/guard.h"
#include "exec/session_state.h"
#include "plan/inner.h"

static bool has_device_capsule(const kc_profile_t *profile)
{
    for (size_t i = 0; i < profile->entry_count; i++) {
        if (profile->entries[i].capsule->device == profile->policy.device) {
            return true;
        }
    }
    return false;
}

/* The profile under another VJP mode; itself where that is the same. */
static kc_status_t profile_with_vjp(kc_profile_t *profile, int32_t vjp_mode,
                                    kc_profile_t **out_profile,
                                    kc_error_t *error)
{
    kc_policy_t policy = profile->policy;
    if (policy.vjp_mode == vjp_mode) {
        *out_profile = kci_profile_retain(profile);
        return KC_OK;
    }
    policy.vjp_mode = vjp_mode;
    return kci_profile_with_policy(profile, &policy, out_profile, error);
}

static kc_status_t prepare_profiles(kc_session_t *session,
                                    kc_profile_t *profile, bool with_gradients,
                                    kc_error_t *error)
{
    kc_policy_t inner = kci_inner_policy(&profile->policy);
    KC_RETURN_IF_ERROR(profile_with_vjp(
        profile, with_gradients ? profile->policy.vjp_mode : KC_VJP_NONE,
        &session->profile, error));
    session->own.profile = kci_profile_retain(session->profile);
    return profile_with_vjp(session->profile, inner.vjp_mode,
                            &session->inner.profile, error);
}

kc_status_t kci_session_create(kci_host_t *host, kc_profile_t *profile,
                               bool with_gradients, kc_session_t **out_session,
                               kc_error_t *error)
{
    void *memory = NULL;
    if (!has_device_capsule(profile)) {
        return kci_fail(error, KC_ERR_NO_CAPSULE,
                        "profile %s has no capsule for its device %s",
                        profile->name,
                        kci_label(&kci_devices, profile->policy.device));
    }
    KC_RETURN_IF_ERROR(
        kci_alloc_array(1, sizeof(kc_session_t), &memory, error));
    kc_session_t *session = memory;
    atomic_init(&session->reference_count, 1);
    session->host = kci_host_retain(host);
    kc_status_t status =
        prepare_profiles(session, profile, with_gradients, error);
    if (status != KC_OK) {
        kci_session_destroy(session);
        return status;
    }
    session->record.profile = kci_profile_retain(session->profile);
    session->record.policy = session->profile->policy;
    session->record.thread_count = host->thread_count;
    *out_session = session;
    return KC_OK;
}

kc_session_t *kci_session_retain(kc_session_t *session)
{
    atomic_fetch_add(&session->reference_count, 1);
    return session;
}

void kci_session_destroy(kc_session_t *session)
{
    if (session == NULL ||
        atomic_fetch_sub(&session->reference_count, 1) != 1) {
        return;
    }
    kci_slot_table_release(&session->own);
    kci_slot_table_release(&session->inner);
    kci_run_record_release(&session->record);
    kci_profile_release(session->profile);
    kci_host_release(session->host);
    kci_free(session);
}

kc_status_t kci_session_check_request(int32_t op, size_t input_count,
                                      kc_error_t *error)
{
    if (op < 0 || op >= KC_OP_COUNT) {
        return kci_fail(error, KC_ERR_ARGUMENT,
                        "operation: expected 0 to %d, found %d",
                        KC_OP_COUNT - 1, (int)op);
    }
    if (input_count > KC_MAX_INPUTS) {
        return kci_fail(error, KC_ERR_ARGUMENT,
                        "%s: expected at most %d inputs, found %zu",
                        kci_label(&kci_ops, op), KC_MAX_INPUTS, input_count);
    }
    return KC_OK;
}

/* A copy to resolve, of as many bytes as the caller's record has. Of
 * operations without attributes only the head is ever read. A record is asked
 * for where files have attributes too, not where the rule resolves all of
 * them (kci_op_has_attributes says more than that). */
static kc_status_t copy_attributes(int32_t op,
                                   const kc_attributes_t *attributes,
                                   kc_attributes_t *out_attributes,
                                   kc_error_t *error)
{
    size_t size = 0;
    if (attributes != NULL
            ? attributes->struct_size < offsetof(kc_attributes_t, u)
            : kci_op_info(op)->attribute_count > 0) {
        return kci_fail(error, KC_ERR_ARGUMENT,
                        "%s: expected attributes, found %s",
                        kci_label(&kci_ops, op),
                        attributes == NULL ? "none" : "a record without size");
    }
    if (kci_op_has_attributes(op)) {
        if (attributes != NULL) {
            size = attributes->struct_size;
            size = size < sizeof *attributes ? size : sizeof *attributes;
            memcpy(out_attributes, attributes, size);
        }
        memset((char *)out_attributes + size, 0, sizeof *attributes - size);
    }
    out_attributes->op = attributes != NULL ? attributes->op : op;
    out_attributes->struct_size = sizeof *out_attributes;
    return KC_OK;
}

static inline kc_status_t choose(kc_session_t *session, kci_slot_table_t *table,
                                 int32_t op, const DLTensor *const *inputs,
                                 size_t input_count, const DLTensor *output,
                                 kci_choice_t **out_choice, kc_error_t *error)
{
    kci_choice_t *primary = table->slots[op].primary;
    kci_demand_t demand;
    if (primary != NULL &&
        kci_operand_demand(op, inputs, input_count, output,
                           kci_limits_have_sizes(&primary->binding.limits),
                           &demand) &&
        kci_limits_judge(&primary->binding.limits, &demand) ==
            KC_REASON_SELECTED) {
        *out_choice = primary;
        return KC_OK;
    }
    return kci_session_choose(session, table, op, inputs, input_count, output,
                              out_choice, error);
}

static bool is_recorded(const kci_choice_t *choice,
                        const kci_call_reason_t *reason)
{
    return choice->record_index != KCI_NOT_RECORDED &&
           choice->role == reason->role && choice->served == reason->served;
}

/* Handlers that were entered are recorded; room was made before the call. */
static void record_call(kc_session_t *session, kci_choice_t *choice,
                        const kci_call_reason_t *reason, kc_status_t status,
                        uint64_t time_ns)
{
    if (status != KC_OK && status != KC_ERR_KERNEL) {
        return;
    }
    if (!is_recorded(choice, reason)) {
        choice->record_index = KCI_NOT_RECORDED;
        if (kci_run_record_entry(&session->record, reason->role,
                                 choice->binding.entry, reason->served,
                                 &choice->record_index, NULL) != KC_OK) {
            return;
        }
        choice->role = reason->role;
        choice->served = reason->served;
    }
    kci_run_record_call(&session->record, choice->record_index, time_ns);
}

static inline kc_status_t
call_choice(kc_session_t *session, kci_choice_t *choice,
            kc_attributes_t *attributes, const DLTensor *const *inputs,
            size_t input_count, DLTensor *output,
            const kci_call_reason_t *reason, kc_error_t *error)
{
    kci_run_record_t *record = &session->record;
    if (!is_recorded(choice, reason)) {
        KC_RETURN_IF_ERROR(kci_run_record_reserve(
            record, record->entry_count + 1, record->node_count, error));
    }
    kci_call_context_t context = {.host = session->host,
                                  .binding = &choice->binding,
                                  .numerics = session->profile->numerics};
    uint64_t start_ns = record->has_time ? kci_clock_ns() : 0;
    kc_status_t status = kci_call_checked(&context, attributes, inputs,
                                          input_count, output, error);
    record_call(session, choice, reason, status,
                record->has_time ? kci_clock_ns() - start_ns : 0);
    return status;
}

kc_status_t kci_session_call(kc_session_t *session, int32_t op,
                             const kc_attributes_t *attributes,
                             const DLTensor *const *inputs, size_t input_count,
                             DLTensor *output, const kci_choice_t **out_choice,
                             kc_error_t *error)
{
    static const kci_call_reason_t reason = {KCI_CALL_FORWARD, NULL};
    kc_attributes_t resolved; /* filled as far as it is read */
    kci_choice_t *choice = NULL;
    KC_RETURN_IF_ERROR(kci_session_check_request(op, input_count, error));
    KC_RETURN_IF_ERROR(copy_attributes(op, attributes, &resolved, error));
    input_count = kci_present_inputs(inputs, input_count);
    KC_RETURN_IF_ERROR(choose(session, &session->own, op, inputs, input_count,
                              output, &choice, error));
    kc_status_t status =
        choice->binding.handler == NULL
            ? kci_session_call_composed(session, choice, &resolved, inputs,
                                        input_count, output, error)
            : call_choice(session, choice, &resolved, inputs, input_count,
                          output, &reason, error);
    *out_choice = choice;
    return status;
}

kc_status_t kci_session_call_inner(kc_session_t *session, int32_t op,
                                   const kc_attributes_t *attributes,
                                   const DLTensor *const *inputs,
                                   size_t input_count, DLTensor *output,
                                   const kci_call_reason_t *reason,
                                   kc_error_t *error)
{
    kc_attributes_t resolved;
    kci_choice_t *choice = NULL;
    KC_RETURN_IF_ERROR(kci_session_check_request(op, input_count, error));
    KC_RETURN_IF_ERROR(copy_attributes(op, attributes, &resolved, error));
    input_count = kci_present_inputs(inputs, input_count);
    KC_RETURN_IF_ERROR(choose(session, &session->inner, op, inputs, input_count,
                              output, &choice, error));
    if (choice->binding.handler == NULL) {
        return kci_fail(error, KC_ERR_NOT_IN_BUILD,
                        "capsule %s is a composition: expected a kernel for "
                        "the inner operation %s",
                        choice->binding.entry->capsule->name,
                        kci_label(&kci_ops, op));
    }
    return call_choice(session, choice, &resolved, inputs, input_count, output,
                       reason, error);
}

kc_status_t kci_session_run(kc_session_t *session, int32_t op,
                            const kc_attributes_t *attributes,
                            const DLTensor *const *inputs, size_t input_count,
                            DLTensor *output, kc_error_t *error)
{
    const kci_choice_t *choice = NULL;
    return kci_session_call(session, op, attributes, inputs, input_count,
                            output, &choice, error);
}

/* `out_resolved` are the attributes by the rule that gave the type. */
static kc_status_t create_output(const kc_session_t *session, int32_t op,
                                 const kc_attributes_t *attributes,
                                 const DLTensor *const *inputs,
                                 size_t input_count,
                                 kc_attributes_t *out_resolved,
                                 kc_tensor_t **out_tensor, kc_error_t *error)
{
    kci_tensor_type_t type;
    KC_RETURN_IF_ERROR(kci_session_check_request(op, input_count, error));
    KC_RETURN_IF_ERROR(copy_attributes(op, attributes, out_resolved, error));
    kci_operands_t operands = {.op = op,
                               .inputs = inputs,
                               .input_count =
                                   kci_present_inputs(inputs, input_count)};
    KC_RETURN_IF_ERROR(
        kci_guard_input_types(&operands, out_resolved, &type, error));
    return kci_tensor_create(session->host->allocator, type.dtype,
                             type.shape.rank, type.shape.dims, out_tensor,
                             error);
}

static kc_status_t apply(kc_session_t *session, int32_t op,
                         const kc_attributes_t *attributes,
                         const DLTensor *const *inputs, size_t input_count,
                         kc_attributes_t *resolved,
                         const kci_choice_t **out_choice,
                         kc_tensor_t **out_tensor, kc_error_t *error)
{
    kc_tensor_t *tensor = NULL;
    KC_RETURN_IF_ERROR(create_output(session, op, attributes, inputs,
                                     input_count, resolved, &tensor, error));
    kc_status_t status =
        kci_session_call(session, op, attributes, inputs, input_count,
                         &tensor->view, out_choice, error);
    if (status != KC_OK) {
        kci_tensor_release(tensor);
        return status;
    }
    *out_tensor = tensor;
    return KC_OK;
}

kc_status_t kci_session_apply(kc_session_t *session, int32_t op,
                              const kc_attributes_t *attributes,
                              const DLTensor *const *inputs, size_t input_count,
                              kc_tensor_t **out_tensor, kc_error_t *error)
{
    kc_attributes_t resolved;
    const kci_choice_t *choice = NULL;
    return apply(session, op, attributes, inputs, input_count, &resolved,
                 &choice, out_tensor, error);
}

kc_status_t kci_session_apply_bound(kc_session_t *session, int32_t op,
                                    const kc_attributes_t *attributes,
                                    const DLTensor *const *inputs,
                                    size_t input_count,
                                    kc_attributes_t *out_resolved,
                                    const kci_binding_t **out_binding,
                                    kc_tensor_t **out_tensor, kc_error_t *error)
{
    kc_attributes_t resolved = {0};
    const kci_choice_t *choice = NULL;
    KC_RETURN_IF_ERROR(apply(session, op, attributes, inputs, input_count,
                             &resolved, &choice, out_tensor, error));
    *out_resolved = resolved;
    *out_binding = &choice->binding;
    return KC_OK;
}

const kc_policy_t *kci_session_policy(const kc_session_t *session)
{
    return &session->profile->policy;
}

kci_host_t *kci_session_host(const kc_session_t *session)
{
    return session->host;
}

uint64_t kci_session_next_random_counter(kc_session_t *session)
{
    return session->random_counter++;
}

void kci_session_return_random_counter(kc_session_t *session)
{
    session->random_counter--;
}

const kci_run_record_t *kci_session_record(const kc_session_t *session)
{
    return &session->record;
}

void kci_session_enable_time(kc_session_t *session)
{
    session->record.has_time = true;
}
