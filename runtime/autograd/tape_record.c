/* SPDX-License-Identifier: Apache-2.0
 *
 * What is remembered of an operation: nothing when no gradient can pass it,
 * else its operands, the capsule that served, and who owns the rule by that
 * capsule's contract.
 */
#include "autograd/tape_state.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/label.h"
#include "exec/graph_values.h"

static bool is_random_source(int32_t op)
{
    return op == KC_OP_RAND_UNIFORM || op == KC_OP_BERNOULLI_MASK;
}

/* All bits of a repeated input stand for places beyond the last one too. */
static bool has_cotangent(const kc_tape_t *tape, int32_t op, size_t place,
                          size_t variable)
{
    uint32_t inputs = kci_vjp_info(op)->inputs;
    bool is_listed =
        place < 32 ? (inputs >> place & 1u) != 0 : inputs == UINT32_MAX;
    return is_listed && variable != KCI_NO_PLACE &&
           kci_tape_is_floating(tape, variable);
}

bool kci_tape_has_cotangent(const kc_tape_t *tape, const kci_tape_node_t *node,
                            size_t place)
{
    size_t variable = tape->inputs[node->first_input + place];
    return node->rule == KCI_TAPE_RULE_VIEW ||
           has_cotangent(tape, node->binding->entry->capsule->op, place,
                         variable);
}

static bool passes_gradient(const kc_tape_t *tape, int32_t op,
                            const size_t *inputs, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (has_cotangent(tape, op, i, inputs[i]) &&
            tape->variables[inputs[i]].needs_gradient) {
            return true;
        }
    }
    return false;
}

/* Binding holds a capsule to its promise of a VJP. */
static void set_owner(kci_tape_node_t *node)
{
    const kc_capsule_record_t *capsule = node->binding->entry->capsule;
    const kci_vjp_info_t *info = kci_vjp_info(capsule->op);
    if (capsule->vjp_mode == KC_VJP_BACKEND) {
        node->rule = KCI_TAPE_RULE_BACKEND;
        node->saved_inputs = capsule->saved_inputs;
        node->saved_outputs = capsule->saved_outputs;
        return;
    }
    node->rule =
        kci_vjp_is_composed(capsule->op, capsule->provider, capsule->device)
            ? KCI_TAPE_RULE_COMPOSED
            : KCI_TAPE_RULE_RUNTIME;
    node->saved_inputs = info->saved_inputs;
    node->saved_outputs = info->saved_outputs;
}

static kc_status_t add_inputs(kc_tape_t *tape, const size_t *inputs,
                              size_t count, kc_error_t *error)
{
    void *memory = tape->inputs;
    KC_RETURN_IF_ERROR(kci_grow_array(&memory, &tape->input_capacity,
                                      tape->input_count + count,
                                      sizeof *tape->inputs, error));
    tape->inputs = memory;
    memcpy(tape->inputs + tape->input_count, inputs, count * sizeof *inputs);
    tape->input_count += count;
    return KC_OK;
}

static kc_status_t add_attributes(kc_tape_t *tape, kci_tape_node_t *node,
                                  const kc_attributes_t *attributes,
                                  kc_error_t *error)
{
    void *memory = tape->attributes;
    if (!kci_op_has_attributes(node->binding->entry->capsule->op)) {
        return KC_OK;
    }
    KC_RETURN_IF_ERROR(kci_grow_array(&memory, &tape->attributes_capacity,
                                      tape->attributes_count + 1,
                                      sizeof *tape->attributes, error));
    tape->attributes = memory;
    node->attributes = tape->attributes_count++;
    tape->attributes[node->attributes] = *attributes;
    return KC_OK;
}

/* What a node remembers; all borrowed. A view has no binding. */
typedef struct operation {
    const kci_binding_t *binding;
    const kc_attributes_t *attributes;
    const size_t *inputs;
    size_t input_count;
    bool is_remembered;
} operation_t;

static kc_status_t add_node(kc_tape_t *tape, const operation_t *operation,
                            size_t result, kc_error_t *error)
{
    void *memory = tape->nodes;
    kci_tape_node_t node = {.binding = operation->binding,
                            .rule = KCI_TAPE_RULE_VIEW,
                            .result = result,
                            .first_input = tape->input_count,
                            .input_count = operation->input_count,
                            .first_saved = tape->saved_count,
                            .attributes = KCI_NO_PLACE};
    KC_RETURN_IF_ERROR(kci_grow_array(&memory, &tape->node_capacity,
                                      tape->node_count + 1, sizeof *tape->nodes,
                                      error));
    tape->nodes = memory;
    KC_RETURN_IF_ERROR(
        add_inputs(tape, operation->inputs, operation->input_count, error));
    if (node.binding != NULL) {
        set_owner(&node);
        KC_RETURN_IF_ERROR(
            add_attributes(tape, &node, operation->attributes, error));
        KC_RETURN_IF_ERROR(kci_tape_save(tape, &node, error));
    }
    tape->variables[result].needs_gradient = true;
    tape->nodes[tape->node_count++] = node;
    return KC_OK;
}

/* A variable with this value, and the node that remembers it. `tensor` is
 * taken in any case; on failure the tape is as it was. */
static kc_status_t add_result(kc_tape_t *tape, const kci_tape_variable_t *model,
                              kc_tensor_t *tensor, const operation_t *operation,
                              size_t *out_place, kc_error_t *error)
{
    size_t place = 0;
    kci_tape_mark_t mark = kci_tape_mark(tape);
    kc_status_t status =
        kci_tape_add_variable(tape, model, tensor, &place, error);
    if (status != KC_OK) {
        kci_tensor_release(tensor);
        return status;
    }
    if (operation->is_remembered) {
        status = add_node(tape, operation, place, error);
    }
    if (status != KC_OK) {
        kci_tape_return(tape, &mark);
        return status;
    }
    *out_place = place;
    return KC_OK;
}

static size_t present_inputs(const size_t *inputs, size_t count)
{
    while (count > 0 && inputs[count - 1] == KCI_NO_PLACE) {
        count--;
    }
    return count;
}

kc_status_t kci_tape_record(kc_tape_t *tape, int32_t op,
                            const kc_attributes_t *attributes,
                            const size_t *inputs, size_t input_count,
                            size_t *out_place, kc_error_t *error)
{
    const DLTensor *views[KC_MAX_INPUTS];
    kc_attributes_t resolved;
    const kci_binding_t *binding = NULL;
    kc_tensor_t *tensor = NULL;
    input_count = present_inputs(inputs, input_count);
    for (size_t i = 0; i < input_count; i++) {
        views[i] = inputs[i] == KCI_NO_PLACE
                       ? NULL
                       : &tape->variables[inputs[i]].tensor->view;
    }
    KC_RETURN_IF_ERROR(kci_session_apply_bound(tape->session, op, attributes,
                                               views, input_count, &resolved,
                                               &binding, &tensor, error));
    kci_tape_variable_t model = {.root = KCI_NO_PLACE, .op = op};
    operation_t operation = {
        .binding = binding,
        .attributes = &resolved,
        .inputs = inputs,
        .input_count = input_count,
        .is_remembered = passes_gradient(tape, op, inputs, input_count)};
    return add_result(tape, &model, tensor, &operation, out_place, error);
}

/* The elements as one axis, shared where they are dense. */
static kc_status_t flat_tensor(const kc_tape_t *tape, size_t input,
                               kc_tensor_t **out_tensor, kc_error_t *error)
{
    const kc_tensor_t *source = tape->variables[input].tensor;
    kc_tensor_t *dense = NULL;
    int64_t count = kc_tensor_element_count(&source->view);
    if (kci_tensor_is_dense(&source->view)) {
        return kci_tensor_reshape(source, 1, &count, out_tensor, error);
    }
    KC_RETURN_IF_ERROR(
        kci_copy_view(kci_tape_allocator(tape), &source->view, &dense, error));
    kc_status_t status =
        kci_tensor_reshape(dense, 1, &count, out_tensor, error);
    kci_tensor_release(dense);
    return status;
}

kc_status_t kci_tape_flatten(kc_tape_t *tape, size_t input, size_t *out_place,
                             kc_error_t *error)
{
    kc_tensor_t *tensor = NULL;
    const kci_tape_variable_t *source = &tape->variables[input];
    kci_tape_variable_t model = {.root = source->root, .op = -1};
    operation_t operation = {.inputs = &input,
                             .input_count = 1,
                             .is_remembered = source->needs_gradient};
    KC_RETURN_IF_ERROR(flat_tensor(tape, input, &tensor, error));
    return add_result(tape, &model, tensor, &operation, out_place, error);
}

/* The key of a random source is a function of its seed and of how many the
 * session has used; others keep their attributes. */
static const kc_attributes_t *with_key(kc_tape_t *tape, int32_t op,
                                       const kc_attributes_t *attributes,
                                       kc_attributes_t *copy)
{
    if (!is_random_source(op) || attributes == NULL) {
        return attributes;
    }
    size_t size = attributes->struct_size < sizeof *copy
                      ? attributes->struct_size
                      : sizeof *copy;
    memset(copy, 0, sizeof *copy);
    memcpy(copy, attributes, size);
    copy->u.random.key = kci_random_key(
        copy->u.random.seed, kci_session_next_random_counter(tape->session));
    copy->struct_size = size < offsetof(kc_attributes_t, u)
                            ? (uint32_t)size
                            : (uint32_t)sizeof *copy;
    return copy;
}

kc_status_t kci_tape_apply(kc_tape_t *tape, int32_t op,
                           const kc_attributes_t *attributes,
                           const kc_variable_t *inputs, size_t input_count,
                           kc_variable_t *out_variable, kc_error_t *error)
{
    size_t places[KC_MAX_INPUTS];
    size_t result = 0;
    kc_attributes_t keyed;
    KC_RETURN_IF_ERROR(kci_session_check_request(op, input_count, error));
    for (size_t i = 0; i < input_count; i++) {
        kc_status_t status =
            kci_tape_find(tape, inputs[i], true, &places[i], error);
        if (status != KC_OK) {
            kci_error_prepend(error, "%s: input %zu", kci_label(&kci_ops, op),
                              i);
            return status;
        }
    }
    const kc_attributes_t *used = with_key(tape, op, attributes, &keyed);
    kc_status_t status =
        kci_tape_record(tape, op, used, places, input_count, &result, error);
    if (status != KC_OK) {
        if (used != attributes) {
            kci_session_return_random_counter(tape->session);
        }
        return status;
    }
    *out_variable = kci_tape_reference(tape, result);
    return KC_OK;
}
