/* SPDX-License-Identifier: Apache-2.0
 *
 * The call of a derivative rule. Views are the host's own, so no guard looks
 * at them again; only bool operands may need a copy, because a capsule may
 * read masks the other way round.
 */
#include "base/error.h"
#include "dispatch/invoke.h"
#include "dispatch/operand_copy.h"

/* The views of a question about workspace: types without data. */
typedef struct shapes {
    DLTensor inputs[KC_MAX_INPUTS];
    DLTensor cotangents_in[KC_MAX_INPUTS];
    const DLTensor *input_list[KC_MAX_INPUTS];
    DLTensor *cotangent_list[KC_MAX_INPUTS];
    DLTensor output;
    DLTensor cotangent;
} shapes_t;

/* A rule of the runtime reads masks as the interface has them, whatever the
 * capsule does forward. */
static const kc_capsule_record_t runtime_rule = {
    .limits = {.mask_polarity = KC_MASK_TRUE_MAY_ATTEND,
               .layouts = KC_OPERAND_DENSE},
};

static kci_operands_t operands_of(const kci_call_context_t *context,
                                  const kci_vjp_call_t *vjp)
{
    const kc_capsule_record_t *capsule = kci_call_capsule(context);
    const kc_handler_t *handler = context->binding->handler;
    bool is_own = handler != NULL && vjp->run == handler->vjp;
    return (kci_operands_t){.op = capsule->op,
                            .capsule = is_own ? capsule : &runtime_rule,
                            .inputs = vjp->inputs,
                            .input_count = vjp->input_count};
}

static bool needs_copies(const kci_operands_t *operands)
{
    for (size_t i = 0; i < operands->input_count; i++) {
        const DLTensor *view = operands->inputs[i];
        if (view != NULL && view->dtype.code == KC_DLPACK_BOOL &&
            kci_input_needs_copy(operands, i)) {
            return true;
        }
    }
    return false;
}

/* Outputs and cotangents out are one each, in arrays of the caller. */
static void fill_call(const kci_call_context_t *context,
                      const kci_vjp_call_t *vjp, const DLTensor *const *inputs,
                      kc_error_t *handler_error, kc_call_t *out_call)
{
    kci_call_begin(context, handler_error, out_call);
    out_call->input_count = (uint32_t)vjp->input_count;
    out_call->inputs = inputs;
    out_call->attributes = vjp->attributes;
    out_call->cotangents_in = vjp->cotangents_in;
}

/* The interface has outputs writable, because forward they are results. */
static DLTensor *as_output(const DLTensor *saved)
{
    return (DLTensor *)(uintptr_t)saved;
}

static kc_status_t call_with(const kci_call_context_t *context,
                             const kci_vjp_call_t *vjp,
                             const DLTensor *const *inputs, kc_error_t *error)
{
    kc_error_t handler_error;
    kc_call_t call;
    size_t size = 0;
    DLTensor *const outputs[KC_MAX_OUTPUTS] = {as_output(vjp->output)};
    const DLTensor *const cotangents[KC_MAX_OUTPUTS] = {vjp->cotangent};
    KC_RETURN_IF_ERROR(kci_call_vjp_workspace(context, vjp, &size, error));
    fill_call(context, vjp, inputs, &handler_error, &call);
    call.outputs = outputs;
    call.cotangents_out = cotangents;
    return kci_invoke_sized(context, KCI_BACKWARD_PART, vjp->run, &call, size,
                            error);
}

kc_status_t kci_call_vjp(const kci_call_context_t *context,
                         const kci_vjp_call_t *vjp, kc_error_t *error)
{
    kci_operands_t operands = operands_of(context, vjp);
    kci_prepared_t prepared;
    if (!needs_copies(&operands)) {
        return call_with(context, vjp, vjp->inputs, error);
    }
    /* Copies are made of inputs only: any dense view stands for an output. */
    DLTensor dense = *vjp->cotangent;
    KC_RETURN_IF_ERROR(kci_prepare_operands(&operands, context->host->allocator,
                                            &dense, &prepared, error));
    kc_status_t status = call_with(context, vjp, prepared.inputs, error);
    kci_prepared_release(&prepared);
    return status;
}

static void strip(const kci_vjp_call_t *vjp, shapes_t *out_shapes)
{
    for (size_t i = 0; i < KC_MAX_INPUTS; i++) {
        out_shapes->input_list[i] = NULL;
        out_shapes->cotangent_list[i] = NULL;
    }
    for (size_t i = 0; i < vjp->input_count; i++) {
        if (vjp->inputs[i] != NULL) {
            out_shapes->inputs[i] = *vjp->inputs[i];
            out_shapes->inputs[i].data = NULL;
            out_shapes->input_list[i] = &out_shapes->inputs[i];
        }
        if (vjp->cotangents_in[i] != NULL) {
            out_shapes->cotangents_in[i] = *vjp->cotangents_in[i];
            out_shapes->cotangents_in[i].data = NULL;
            out_shapes->cotangent_list[i] = &out_shapes->cotangents_in[i];
        }
    }
    out_shapes->cotangent = *vjp->cotangent;
    out_shapes->cotangent.data = NULL;
    if (vjp->output != NULL) {
        out_shapes->output = *vjp->output;
        out_shapes->output.data = NULL;
    }
}

kc_status_t kci_call_vjp_workspace(const kci_call_context_t *context,
                                   const kci_vjp_call_t *vjp, size_t *out_size,
                                   kc_error_t *error)
{
    kc_error_t handler_error;
    kc_call_t call;
    shapes_t shapes;
    if (vjp->workspace == NULL) {
        *out_size = 0;
        return KC_OK;
    }
    strip(vjp, &shapes);
    DLTensor *const outputs[KC_MAX_OUTPUTS] = {
        vjp->output != NULL ? &shapes.output : NULL};
    const DLTensor *const cotangents[KC_MAX_OUTPUTS] = {&shapes.cotangent};
    fill_call(context, vjp, shapes.input_list, &handler_error, &call);
    call.outputs = outputs;
    call.cotangents_out = cotangents;
    call.cotangents_in = shapes.cotangent_list;
    return kci_invoke_question(context, KCI_BACKWARD_PART, vjp->workspace,
                               &call, out_size, error);
}
