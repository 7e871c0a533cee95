/* SPDX-License-Identifier: Apache-2.0
 *
 * A capsule of the provider torchlean in a session: it passes the guards as
 * every other does, then the operations run that it is composed of.
 */
#include "exec/session_state.h"

#include "base/error.h"
#include "base/label.h"
#include "compose/compositions.h"
#include "dispatch/guard.h"
#include "exec/composed_operands.h"
#include "ops/vjp.h"

static kc_status_t check_operands(const kci_operands_t *operands,
                                  const kci_choice_t *choice,
                                  kc_attributes_t *attributes,
                                  kc_error_t *error)
{
    if (operands->output == NULL) {
        return kci_fail(error, KC_ERR_TENSOR,
                        "%s: %s output: expected an operand, found none",
                        KCI_GUARD_SHAPE, kci_label(&kci_ops, operands->op));
    }
    KC_RETURN_IF_ERROR(kci_guard_types(operands, attributes, error));
    KC_RETURN_IF_ERROR(kci_guard_layout(operands, error));
    KC_RETURN_IF_ERROR(kci_guard_alias(operands, error));
    KC_RETURN_IF_ERROR(
        kci_guard_limits(operands, &choice->binding.limits, error));
    KC_RETURN_IF_ERROR(kci_guard_indices(operands, attributes, error));
    return kci_check_composed_operands(operands, attributes, error);
}

static void view_type(const DLTensor *view, kci_tensor_type_t *out_type)
{
    out_type->dtype = kc_tensor_dtype(view);
    out_type->shape.rank = view->ndim;
    for (int32_t axis = 0; axis < view->ndim; axis++) {
        out_type->shape.dims[axis] = view->shape[axis];
    }
}

/* `arguments`: the views of the operands that are there, in their order. */
static kc_status_t compose(kci_composition_t *composition,
                           const kci_operands_t *operands,
                           const kc_attributes_t *attributes,
                           const DLTensor **arguments, kci_term_t *out_result,
                           kc_error_t *error)
{
    kci_term_t terms[KC_MAX_INPUTS];
    size_t argument_count = 0;
    for (size_t i = 0; i < operands->input_count; i++) {
        kci_tensor_type_t type;
        terms[i] = KCI_NO_TERM;
        if (operands->inputs[i] != NULL) {
            view_type(operands->inputs[i], &type);
            terms[i] = kci_compose_argument(composition, &type);
            arguments[argument_count++] = operands->inputs[i];
        }
    }
    *out_result = kci_compose_forward(composition, operands->op, attributes,
                                      terms, operands->input_count);
    return kci_composition_status(composition, error);
}

/* The capsule itself, counted once it begins; the time is its operations'. */
static kc_status_t note_call(kc_session_t *session, const kci_entry_t *entry,
                             kc_error_t *error)
{
    size_t place = 0;
    KC_RETURN_IF_ERROR(kci_run_record_entry(&session->record, KCI_CALL_FORWARD,
                                            entry, NULL, &place, error));
    kci_run_record_call(&session->record, place, 0);
    return KC_OK;
}

static kc_status_t run(kc_session_t *session, const kci_operands_t *operands,
                       const kci_entry_t *entry,
                       const kc_attributes_t *attributes,
                       kci_composition_t *composition, DLTensor *output,
                       kc_error_t *error)
{
    const DLTensor *arguments[KC_MAX_INPUTS];
    kci_term_t result = KCI_NO_TERM;
    kc_tensor_t *tensor = NULL;
    KC_RETURN_IF_ERROR(
        compose(composition, operands, attributes, arguments, &result, error));
    KC_RETURN_IF_ERROR(note_call(session, entry, error));
    KC_RETURN_IF_ERROR(kci_session_run_composition(
        session, composition, arguments, KCI_CALL_INNER_FORWARD, entry, &result,
        1, &tensor, error));
    kci_tensor_copy_elements(&tensor->view, output);
    kci_tensor_release(tensor);
    return KC_OK;
}

kc_status_t kci_session_call_composed(kc_session_t *session,
                                      const kci_choice_t *choice,
                                      kc_attributes_t *attributes,
                                      const DLTensor *const *inputs,
                                      size_t input_count, DLTensor *output,
                                      kc_error_t *error)
{
    const kci_entry_t *entry = choice->binding.entry;
    const kc_capsule_record_t *capsule = entry->capsule;
    kci_operands_t operands = {.op = capsule->op,
                               .capsule = capsule,
                               .inputs = inputs,
                               .input_count = input_count,
                               .output = output};
    kci_composition_t composition;
    if (kci_composition_inner_ops(capsule->op) == 0) {
        return kci_fail(error, KC_ERR_NOT_IN_BUILD,
                        "capsule %s: a composition of %s is not in this build",
                        capsule->name, kci_label(&kci_ops, capsule->op));
    }
    KC_RETURN_IF_ERROR(check_operands(&operands, choice, attributes, error));
    kci_composition_init(&composition);
    kc_status_t status =
        run(session, &operands, entry, attributes, &composition, output, error);
    kci_composition_release(&composition);
    if (status != KC_OK) {
        kci_error_prepend(error, "%s", capsule->name);
    }
    return status;
}
