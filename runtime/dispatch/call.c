/* SPDX-License-Identifier: Apache-2.0
 *
 * The call of a forward function and what comes before it: guards in their
 * order, copies, workspace.
 */
#include "dispatch/call.h"

#include "base/error.h"
#include "base/label.h"
#include "dispatch/guard.h"
#include "dispatch/invoke.h"
#include "dispatch/operand_copy.h"

/* The operands as they go to the handler. */
typedef struct handler_operands {
    const DLTensor *const *inputs;
    size_t input_count;
    DLTensor *output;
} handler_operands_t;

static void fill_call(const kci_call_context_t *context,
                      const kc_attributes_t *attributes,
                      const handler_operands_t *operands,
                      DLTensor *const *outputs, kc_error_t *handler_error,
                      kc_call_t *out_call)
{
    kci_call_begin(context, handler_error, out_call);
    out_call->input_count = (uint32_t)operands->input_count;
    out_call->inputs = operands->inputs;
    out_call->outputs = outputs;
    out_call->attributes = attributes;
}

static kc_status_t invoke(const kci_call_context_t *context,
                          const kc_attributes_t *attributes,
                          const handler_operands_t *operands, void *workspace,
                          size_t workspace_size, kc_error_t *error)
{
    kc_error_t handler_error;
    kc_call_t call;
    DLTensor *const outputs[KC_MAX_OUTPUTS] = {operands->output};
    fill_call(context, attributes, operands, outputs, &handler_error, &call);
    call.workspace = workspace;
    call.workspace_size = workspace_size;
    return kci_invoke(context, KCI_FORWARD_PART,
                      context->binding->handler->forward, &call, error);
}

static kc_status_t ask_workspace(const kci_call_context_t *context,
                                 const kc_attributes_t *attributes,
                                 const handler_operands_t *operands,
                                 size_t *out_size, kc_error_t *error)
{
    kc_error_t handler_error;
    kc_call_t call;
    DLTensor views[KC_MAX_INPUTS];
    const DLTensor *inputs[KC_MAX_INPUTS] = {NULL};
    DLTensor output = *operands->output;
    DLTensor *const outputs[KC_MAX_OUTPUTS] = {&output};
    output.data = NULL;
    for (size_t i = 0; i < operands->input_count; i++) {
        if (operands->inputs[i] != NULL) {
            views[i] = *operands->inputs[i];
            views[i].data = NULL;
            inputs[i] = &views[i];
        }
    }
    fill_call(context, attributes, operands, outputs, &handler_error, &call);
    call.inputs = inputs;
    return kci_invoke_question(context, KCI_FORWARD_PART,
                               context->binding->handler->forward_workspace,
                               &call, out_size, error);
}

static kc_status_t invoke_with_workspace(const kci_call_context_t *context,
                                         const kc_attributes_t *attributes,
                                         const handler_operands_t *operands,
                                         kc_error_t *error)
{
    size_t size = 0;
    kc_error_t handler_error;
    kc_call_t call;
    DLTensor *const outputs[KC_MAX_OUTPUTS] = {operands->output};
    KC_RETURN_IF_ERROR(
        ask_workspace(context, attributes, operands, &size, error));
    fill_call(context, attributes, operands, outputs, &handler_error, &call);
    return kci_invoke_sized(context, KCI_FORWARD_PART,
                            context->binding->handler->forward, &call, size,
                            error);
}

static kc_status_t call_prepared(const kci_call_context_t *context,
                                 const kc_attributes_t *attributes,
                                 const kci_operands_t *operands,
                                 DLTensor *output, kc_error_t *error)
{
    kci_prepared_t prepared;
    KC_RETURN_IF_ERROR(kci_prepare_operands(operands, context->host->allocator,
                                            output, &prepared, error));
    handler_operands_t seen = {.inputs = prepared.inputs,
                               .input_count = operands->input_count,
                               .output = prepared.output};
    kc_status_t status =
        context->binding->handler->forward_workspace == NULL
            ? invoke(context, attributes, &seen, NULL, 0, error)
            : invoke_with_workspace(context, attributes, &seen, error);
    if (status == KC_OK) {
        kci_prepared_finish(&prepared, output);
    }
    kci_prepared_release(&prepared);
    return status;
}

static kc_status_t pass_guards(const kci_operands_t *operands,
                               const kci_flat_limits_t *limits,
                               kc_attributes_t *attributes, kc_error_t *error)
{
    KC_RETURN_IF_ERROR(kci_guard_types(operands, attributes, error));
    KC_RETURN_IF_ERROR(kci_guard_layout(operands, error));
    KC_RETURN_IF_ERROR(kci_guard_alias(operands, error));
    KC_RETURN_IF_ERROR(kci_guard_limits(operands, limits, error));
    return kci_guard_indices(operands, attributes, error);
}

kc_status_t kci_call_checked(const kci_call_context_t *context,
                             kc_attributes_t *attributes,
                             const DLTensor *const *inputs, size_t input_count,
                             DLTensor *output, kc_error_t *error)
{
    const kc_capsule_record_t *capsule = kci_call_capsule(context);
    kci_operands_t operands = {.op = capsule->op,
                               .capsule = capsule,
                               .inputs = inputs,
                               .input_count =
                                   kci_present_inputs(inputs, input_count),
                               .output = output};
    if (output == NULL) {
        return kci_fail(error, KC_ERR_TENSOR,
                        "%s: %s output: expected an operand, found none",
                        KCI_GUARD_SHAPE, kci_label(&kci_ops, capsule->op));
    }
    KC_RETURN_IF_ERROR(
        pass_guards(&operands, &context->binding->limits, attributes, error));
    return call_prepared(context, attributes, &operands, output, error);
}

kc_status_t kci_call_compiled(const kci_call_context_t *context,
                              const kc_attributes_t *attributes,
                              const DLTensor *const *inputs, size_t input_count,
                              DLTensor *output, kc_error_t *error)
{
    const kc_capsule_record_t *capsule = kci_call_capsule(context);
    kci_operands_t operands = {.op = capsule->op,
                               .capsule = capsule,
                               .inputs = inputs,
                               .input_count = input_count,
                               .output = output};
    KC_RETURN_IF_ERROR(kci_guard_indices(&operands, attributes, error));
    for (size_t i = 0; i < input_count; i++) {
        if (inputs[i] != NULL && inputs[i]->dtype.code == KC_DLPACK_BOOL &&
            kci_input_needs_copy(&operands, i)) {
            return call_prepared(context, attributes, &operands, output, error);
        }
    }
    handler_operands_t seen = {inputs, input_count, output};
    if (context->binding->handler->forward_workspace != NULL &&
        context->workspace == NULL) {
        return invoke_with_workspace(context, attributes, &seen, error);
    }
    return invoke(context, attributes, &seen, context->workspace,
                  context->workspace_size, error);
}

kc_status_t kci_call_workspace(const kci_call_context_t *context,
                               const kc_attributes_t *attributes,
                               const DLTensor *const *inputs,
                               size_t input_count, DLTensor *output,
                               size_t *out_size, kc_error_t *error)
{
    handler_operands_t operands = {inputs, input_count, output};
    if (context->binding->handler->forward_workspace == NULL) {
        *out_size = 0;
        return KC_OK;
    }
    return ask_workspace(context, attributes, &operands, out_size, error);
}
