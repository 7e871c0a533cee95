/* SPDX-License-Identifier: Apache-2.0
 *
 * From the steps of a program to calls: every capsule is bound before
 * anything else happens, then each value gets its place.
 */
#include "exec/executor_state.h"

#include "base/alloc.h"
#include "base/error.h"
#include "tensor/dtype.h"

void kci_executor_name_node(const kc_executor_t *executor, uint32_t node,
                            kc_error_t *error)
{
    char text[128];
    kci_graph_describe_node(executor->graph, node, text, sizeof text);
    kci_error_prepend(error, "node %u (%s)", (unsigned)node, text);
}

/* A capsule that is a composition has no handler; a rule of the runtime may
 * be called for it all the same. */
static kc_status_t bind_entry(kc_executor_t *executor, const kci_entry_t *entry,
                              kci_binding_t *out_binding, kc_error_t *error)
{
    if (!kci_is_composition(entry->capsule->provider)) {
        return kci_bind(entry, executor->host, out_binding, error);
    }
    *out_binding =
        (kci_binding_t){.entry = entry,
                        .file = entry->module->file,
                        .limits = kci_limits_flatten(&entry->capsule->limits)};
    return KC_OK;
}

/* Whoever appended the step named code for it. */
static kc_status_t check_rule(const kc_executor_t *executor,
                              const kci_program_step_t *step,
                              const kci_binding_t *binding, kc_error_t *error)
{
    bool has_code =
        step->is_backend
            ? binding->handler != NULL && binding->handler->vjp != NULL
            : step->kernel < executor->program->kernel_count;
    if (step->role == KCI_CALL_VJP && !has_code) {
        return kci_fail(error, KC_ERR_BINDING,
                        "capsule %s: expected code for its derivative rule, "
                        "found none",
                        binding->entry->capsule->name);
    }
    return KC_OK;
}

/* `places[entry]` is 1 + the number of the binding, 0 while there is none. */
static kc_status_t bind_all(kc_executor_t *executor, uint32_t *places,
                            kc_error_t *error)
{
    const kc_profile_t *profile = executor->accepted->plan->profile;
    for (uint32_t i = 0; i < executor->step_count; i++) {
        const kci_program_step_t *step = &executor->program->steps[i];
        kci_step_t *call = &executor->steps[i];
        kc_status_t status = KC_OK;
        if (places[step->entry] == 0) {
            status =
                bind_entry(executor, &profile->entries[step->entry],
                           &executor->bindings[executor->binding_count], error);
            places[step->entry] = (uint32_t)++executor->binding_count;
        }
        call->binding = places[step->entry] - 1;
        call->is_vjp = step->role == KCI_CALL_VJP;
        call->is_planned = step->role == KCI_CALL_FORWARD;
        if (status == KC_OK) {
            status = check_rule(executor, step,
                                &executor->bindings[call->binding], error);
        }
        if (status != KC_OK) {
            kci_executor_name_node(executor, step->node, error);
            return status;
        }
    }
    return KC_OK;
}

static kc_status_t make_bindings(kc_executor_t *executor, kc_error_t *error)
{
    size_t entry_count = executor->accepted->plan->profile->entry_count;
    void *places = NULL;
    void *bindings = NULL;
    KC_RETURN_IF_ERROR(
        kci_alloc_array(entry_count, sizeof(uint32_t), &places, error));
    kc_status_t status =
        kci_alloc_array(entry_count, sizeof(kci_binding_t), &bindings, error);
    executor->bindings = bindings;
    if (status == KC_OK) {
        status = bind_all(executor, places, error);
    }
    kci_free(places);
    return status;
}

static void place_values(kc_executor_t *executor)
{
    static const uint8_t places[] = {[KCI_VALUE_INPUT] = KCI_PLACE_INPUT,
                                     [KCI_VALUE_CONST] = KCI_PLACE_CONST,
                                     [KCI_VALUE_SEED] = KCI_PLACE_SEED,
                                     [KCI_VALUE_LITERAL] = KCI_PLACE_LITERAL,
                                     [KCI_VALUE_STEP] = KCI_PLACE_BUFFER};
    for (size_t i = 0; i < executor->program->value_count; i++) {
        const kci_program_value_t *value = &executor->program->values[i];
        executor->values[i] = (kci_value_t){
            .slot =
                value->source == KCI_VALUE_STEP ? KCI_NO_BUFFER : value->slot,
            .place = places[value->source]};
    }
}

static size_t node_bytes(const kc_executor_t *executor, uint32_t node)
{
    kci_tensor_type_t type;
    kci_graph_node_type(executor->graph, node, &type);
    return (size_t)kci_shape_element_count(&type.shape) *
           kci_dtype_size(type.dtype);
}

/* The first port of a kernel's value is where the kernel writes; every other
 * one is copied at the end. */
static void place_port(kc_executor_t *executor, uint32_t value_number,
                       uint32_t number, size_t port, uint8_t place)
{
    kci_port_copy_t copy = {
        .size_bytes = node_bytes(executor, executor->ports[port].node),
        .port = (uint32_t)port};
    if (value_number != KCI_NO_VALUE) {
        uint32_t root = executor->program->values[value_number].root;
        kci_value_t *value = &executor->values[root];
        if (value->place == KCI_PLACE_BUFFER && place != KCI_PLACE_BUFFER) {
            value->place = place;
            value->slot = number;
            return;
        }
        copy.from = &executor->views[value_number];
    }
    executor->copies[executor->copy_count++] = copy;
}

/* Outputs of a run with gradients may be left out, so there they are copied
 * from buffers. */
static void place_ports(kc_executor_t *executor)
{
    const kc_graph_t *graph = executor->graph;
    const kci_program_t *program = executor->program;
    size_t first_output = kci_first_output(executor);
    size_t first_gradient = kci_first_gradient(executor);
    for (uint32_t i = 0; i < graph->output_count; i++) {
        place_port(executor, graph->outputs[i].node, i, first_output + i,
                   executor->has_gradients ? KCI_PLACE_BUFFER
                                           : KCI_PLACE_OUTPUT);
    }
    for (uint32_t i = 0; i < program->gradient_count; i++) {
        place_port(executor, program->gradients[i].value, i, first_gradient + i,
                   KCI_PLACE_GRADIENT);
    }
}

static kc_status_t allocate_arrays(kc_executor_t *executor, kc_error_t *error)
{
    const kci_program_t *program = executor->program;
    void *memory = NULL;
    KC_RETURN_IF_ERROR(kci_alloc_array(executor->step_count, sizeof(kci_step_t),
                                       &memory, error));
    executor->steps = memory;
    KC_RETURN_IF_ERROR(kci_alloc_array(program->value_count,
                                       sizeof(kci_value_t), &memory, error));
    executor->values = memory;
    KC_RETURN_IF_ERROR(kci_alloc_array(program->value_count, sizeof(DLTensor),
                                       &memory, error));
    executor->views = memory;
    KC_RETURN_IF_ERROR(
        kci_alloc_array(executor->graph->output_count + program->gradient_count,
                        sizeof(kci_port_copy_t), &memory, error));
    executor->copies = memory;
    return KC_OK;
}

kc_status_t kci_executor_compile(kc_executor_t *executor, kc_error_t *error)
{
    executor->step_count = (uint32_t)executor->program->step_count;
    KC_RETURN_IF_ERROR(allocate_arrays(executor, error));
    KC_RETURN_IF_ERROR(make_bindings(executor, error));
    KC_RETURN_IF_ERROR(kci_executor_make_rows(executor, error));
    place_values(executor);
    place_ports(executor);
    return KC_OK;
}
