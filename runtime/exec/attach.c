/* SPDX-License-Identifier: Apache-2.0
 *
 * The caller's tensors of one run: what they must be, that no output lies on
 * anything else, and their addresses filled into the views.
 */
#include "exec/executor_state.h"

#include "base/checked_size.h"
#include "base/error.h"

static const char *input_name(const kc_executor_t *executor, size_t input)
{
    const kc_graph_t *graph = executor->graph;
    return graph->names[graph->nodes[executor->ports.inputs[input]].name];
}

static kc_status_t check_inputs(kc_executor_t *executor,
                                const DLTensor *const *inputs,
                                kc_error_t *error)
{
    for (size_t i = 0; i < executor->ports.input_count; i++) {
        KC_RETURN_IF_ERROR(kci_check_graph_view(
            executor->graph, executor->ports.inputs[i], "input",
            input_name(executor, i), inputs[i], error));
        (void)kci_view_byte_range(inputs[i], &executor->port_ranges[i]);
    }
    return KC_OK;
}

static kc_status_t check_outputs(kc_executor_t *executor,
                                 DLTensor *const *outputs, kc_error_t *error)
{
    const kc_graph_t *graph = executor->graph;
    for (uint32_t i = 0; i < graph->output_count; i++) {
        const kci_graph_output_t *output = &graph->outputs[i];
        KC_RETURN_IF_ERROR(kci_check_graph_view(
            graph, output->node, "output", output->name, outputs[i], error));
        if (!kci_tensor_is_dense(outputs[i])) {
            return kci_fail(error, KC_ERR_TENSOR,
                            "%s: output %s: expected dense memory, found "
                            "strides",
                            KCI_GUARD_LAYOUT, output->name);
        }
        (void)kci_view_byte_range(
            outputs[i],
            &executor->port_ranges[executor->ports.input_count + i]);
    }
    return KC_OK;
}

static kc_status_t refuse_overlap(const kc_executor_t *executor,
                                  uint32_t output, const char *other_role,
                                  const char *other_name, kc_error_t *error)
{
    return kci_fail(error, KC_ERR_TENSOR,
                    "%s: output %s: expected memory of its own, found it "
                    "overlaps %s %s",
                    KCI_GUARD_ALIAS, executor->graph->outputs[output].name,
                    other_role, other_name);
}

static kc_status_t check_overlap(const kc_executor_t *executor, uint32_t output,
                                 kc_error_t *error)
{
    const kc_graph_t *graph = executor->graph;
    const kci_graph_ports_t *ports = &executor->ports;
    const kci_byte_range_t *ranges = executor->port_ranges;
    const kci_byte_range_t *own = &ranges[ports->input_count + output];
    for (size_t i = 0; i < ports->input_count; i++) {
        if (kci_byte_ranges_overlap(own, &ranges[i])) {
            return refuse_overlap(executor, output, "input",
                                  input_name(executor, i), error);
        }
    }
    for (size_t i = 0; i < ports->const_count; i++) {
        if (kci_byte_ranges_overlap(own, &executor->const_ranges[i])) {
            const kci_node_t *node = &graph->nodes[ports->consts[i]];
            return refuse_overlap(executor, output, "const",
                                  graph->names[node->name], error);
        }
    }
    for (uint32_t i = 0; i < output; i++) {
        if (kci_byte_ranges_overlap(own, &ranges[ports->input_count + i])) {
            return refuse_overlap(executor, output, "output",
                                  graph->outputs[i].name, error);
        }
    }
    return KC_OK;
}

static kc_status_t allocate_copy(kc_executor_t *executor, const DLTensor *dense,
                                 kci_input_copy_t *copy, kc_error_t *error)
{
    size_t size_bytes = 0;
    if (!kci_size_multiply((size_t)kc_tensor_element_count(dense),
                           dense->dtype.bits / 8u, &size_bytes)) {
        return kci_fail(error, KC_ERR_MEMORY,
                        "a dense copy of an input does not fit memory");
    }
    KC_RETURN_IF_ERROR(kci_host_allocate(executor->host->allocator, size_bytes,
                                         KCI_ARENA_ALIGNMENT, &copy->memory,
                                         error));
    copy->size_bytes = size_bytes;
    return KC_OK;
}

/* Steps read dense inputs with canonical bools: others are copied to memory
 * that is kept for the runs to come. */
static kc_status_t input_address(kc_executor_t *executor, uint32_t slot,
                                 const DLTensor *view, void **out_address,
                                 kc_error_t *error)
{
    kci_input_copy_t *copy = &executor->input_copies[slot];
    if (kci_tensor_is_dense(view) &&
        (view->dtype.code != KC_DLPACK_BOOL || kci_bool_is_canonical(view))) {
        *out_address = kc_tensor_data(view);
        return KC_OK;
    }
    DLTensor dense = executor->views[executor->ports.inputs[slot]];
    if (copy->memory == NULL) {
        KC_RETURN_IF_ERROR(allocate_copy(executor, &dense, copy, error));
    }
    dense.data = copy->memory;
    kci_tensor_copy_elements(view, &dense);
    *out_address = copy->memory;
    return KC_OK;
}

static kc_status_t fill_addresses(kc_executor_t *executor,
                                  const DLTensor *const *inputs,
                                  DLTensor *const *outputs, kc_error_t *error)
{
    for (uint32_t i = 0; i < executor->ports.input_count; i++) {
        KC_RETURN_IF_ERROR(input_address(
            executor, i, inputs[i], &executor->input_copies[i].address, error));
    }
    for (size_t i = 0; i < executor->patch_count; i++) {
        const kci_patch_t *patch = &executor->patches[i];
        patch->view->data = patch->is_output
                                ? kc_tensor_data(outputs[patch->slot])
                                : executor->input_copies[patch->slot].address;
    }
    return KC_OK;
}

kc_status_t kci_executor_attach(kc_executor_t *executor,
                                const DLTensor *const *inputs,
                                DLTensor *const *outputs, kc_error_t *error)
{
    KC_RETURN_IF_ERROR(check_inputs(executor, inputs, error));
    KC_RETURN_IF_ERROR(check_outputs(executor, outputs, error));
    for (uint32_t i = 0; i < executor->graph->output_count; i++) {
        KC_RETURN_IF_ERROR(check_overlap(executor, i, error));
    }
    return fill_addresses(executor, inputs, outputs, error);
}
