/* SPDX-License-Identifier: Apache-2.0
 *
 * One derivative rule as steps of a program: the capsule's own kernel, the
 * runtime's loop, or a composition whose operations get capsules here. Who
 * owns it is what the chosen capsule's contract says.
 */
#include "autograd/gradient_plan_parts.h"

#include <assert.h>

#include "autograd/rule.h"
#include "base/error.h"
#include "base/label.h"
#include "exec/composed_operands.h"

/* One node whose rule is added. */
typedef struct node_rule {
    kci_backward_t *backward;
    const kci_plan_row_t *row;
    const bool *wanted;
    uint32_t *results;
    uint32_t input_count;
    uint32_t saved_inputs;
    uint32_t saved_outputs;
} node_rule_t;

kc_status_t kci_backward_view(kci_backward_t *backward, uint32_t value,
                              const kci_tensor_type_t *type,
                              uint32_t *out_value, kc_error_t *error)
{
    kci_program_t *program = backward->program;
    uint32_t root = program->values[value].root;
    kci_program_value_t whole = program->values[root];
    uint32_t view = KCI_NO_VALUE;
    KC_RETURN_IF_ERROR(kci_program_add_value(program, type,
                                             (kci_value_source_t)whole.source,
                                             whole.slot, &view, error));
    program->values[view].root = root;
    *out_value = view;
    return KC_OK;
}

static bool is_saved(uint32_t saved, uint32_t place)
{
    return place < 32 && (saved >> place & 1u) != 0;
}

/* What the forward kernel read: the parent's value, or for `sum` the same
 * elements as one axis. */
static kc_status_t forward_operand(const node_rule_t *at, uint32_t place,
                                   uint32_t *out_value, kc_error_t *error)
{
    const kc_graph_t *graph = at->backward->graph;
    uint32_t node = at->row->node;
    uint32_t value = kci_graph_parents(graph, node)[place];
    if (place != 0 || graph->nodes[node].lowering != KCI_LOWERING_FLAT_INPUT) {
        *out_value = value;
        return KC_OK;
    }
    kci_tensor_type_t type;
    kci_graph_operand_type(graph, node, place, &type);
    return kci_backward_view(at->backward, value, &type, out_value, error);
}

/* Operands and results of a step that calls a kernel, padded as program.h
 * says; a rule that is looked at has such operands too. */
typedef struct vjp_values {
    uint32_t operands[KC_MAX_INPUTS + 2];
    size_t operand_count;
    uint32_t results[KC_MAX_INPUTS];
    size_t result_count;
} vjp_values_t;

static kc_status_t add_operands(const node_rule_t *at, vjp_values_t *values,
                                kc_error_t *error)
{
    uint32_t input_max = kci_op_info(at->row->op)->input_max;
    for (uint32_t k = 0; k < input_max; k++) {
        values->operands[k] = KCI_NO_VALUE;
        if (k < at->input_count && is_saved(at->saved_inputs, k)) {
            KC_RETURN_IF_ERROR(
                forward_operand(at, k, &values->operands[k], error));
        }
    }
    values->operand_count = input_max;
    if (at->saved_outputs != 0) {
        values->operands[values->operand_count++] = at->row->node;
    }
    values->operands[values->operand_count++] =
        at->backward->cotangents[at->row->node];
    return KC_OK;
}

/* `values` NULL: nothing is looked at before the rule runs. */
static kc_status_t note_rule(const node_rule_t *at, bool is_composed,
                             const vjp_values_t *values, kc_error_t *error)
{
    kci_program_rule_t rule = {.node = at->row->node,
                               .op = at->row->op,
                               .entry = at->row->entry,
                               .is_composed = is_composed};
    return kci_program_add_rule(
        at->backward->program, &rule, values == NULL ? NULL : values->operands,
        values == NULL ? 0 : values->operand_count, error);
}

static kc_status_t note_composed(const node_rule_t *at, kc_error_t *error)
{
    vjp_values_t values;
    if (!kci_composed_rule_is_checked(at->row->op)) {
        return note_rule(at, true, NULL, error);
    }
    KC_RETURN_IF_ERROR(add_operands(at, &values, error));
    return note_rule(at, true, &values, error);
}

static kc_status_t add_results(const node_rule_t *at, vjp_values_t *values,
                               kc_error_t *error)
{
    values->result_count = kci_op_info(at->row->op)->input_max;
    for (uint32_t k = 0; k < values->result_count; k++) {
        values->results[k] = KCI_NO_VALUE;
        if (k >= at->input_count || !at->wanted[k]) {
            continue;
        }
        kci_tensor_type_t type;
        kci_graph_operand_type(at->backward->graph, at->row->node, k, &type);
        KC_RETURN_IF_ERROR(kci_program_add_value(at->backward->program, &type,
                                                 KCI_VALUE_STEP, KCI_NO_VALUE,
                                                 &values->results[k], error));
        at->results[k] = values->results[k];
    }
    return KC_OK;
}

static kc_status_t add_kernel(node_rule_t *at, bool is_backend,
                              kc_error_t *error)
{
    vjp_values_t values;
    KC_RETURN_IF_ERROR(note_rule(at, false, NULL, error));
    KC_RETURN_IF_ERROR(add_operands(at, &values, error));
    KC_RETURN_IF_ERROR(add_results(at, &values, error));
    kci_step_spec_t spec = {
        .step = {.node = at->row->node,
                 .op = at->row->op,
                 .entry = at->row->entry,
                 .served = KCI_NO_ENTRY,
                 .role = KCI_CALL_VJP,
                 .is_backend = is_backend},
        .run = is_backend ? NULL : kci_rule(at->row->op)->run,
        .workspace = is_backend ? NULL : kci_rule(at->row->op)->workspace,
        .attributes = kci_graph_attributes(at->backward->graph, at->row->node),
        .operands = values.operands,
        .operand_count = values.operand_count,
        .results = values.results,
        .result_count = values.result_count};
    return kci_program_add_step(at->backward->program, &spec, error);
}

/* The operands that the rule is given, as terms and as values. */
typedef struct rule_arguments {
    kci_tensor_type_t types[KC_MAX_INPUTS];
    const kci_tensor_type_t *input_types[KC_MAX_INPUTS];
    kci_tensor_type_t output_type;
    kci_term_t inputs[KC_MAX_INPUTS];
    uint32_t values[KC_MAX_INPUTS + 2]; /* of the argument terms */
} rule_arguments_t;

static kc_status_t add_arguments(const node_rule_t *at,
                                 rule_arguments_t *arguments,
                                 kci_rule_terms_t *terms, kc_error_t *error)
{
    kci_backward_t *backward = at->backward;
    kci_composition_t *composition = &backward->composition;
    uint32_t count = 0;
    for (uint32_t k = 0; k < at->input_count; k++) {
        kci_graph_operand_type(backward->graph, at->row->node, k,
                               &arguments->types[k]);
        arguments->input_types[k] = &arguments->types[k];
        arguments->inputs[k] = KCI_NO_TERM;
        if (is_saved(at->saved_inputs, k)) {
            arguments->inputs[k] =
                kci_compose_argument(composition, &arguments->types[k]);
            KC_RETURN_IF_ERROR(
                forward_operand(at, k, &arguments->values[count++], error));
        }
    }
    kci_graph_node_type(backward->graph, at->row->node,
                        &arguments->output_type);
    terms->output = KCI_NO_TERM;
    if (at->saved_outputs != 0) {
        terms->output =
            kci_compose_argument(composition, &arguments->output_type);
        arguments->values[count++] = at->row->node;
    }
    terms->cotangent =
        kci_compose_argument(composition, &arguments->output_type);
    arguments->values[count] = backward->cotangents[at->row->node];
    return KC_OK;
}

static kc_status_t compose(const node_rule_t *at, rule_arguments_t *arguments,
                           kci_term_t *cotangents, kc_error_t *error)
{
    kci_backward_t *backward = at->backward;
    kci_rule_terms_t terms = {
        .op = at->row->op,
        .attributes = kci_graph_attributes(backward->graph, at->row->node),
        .input_count = at->input_count,
        .input_types = arguments->input_types,
        .output_type = &arguments->output_type,
        .inputs = arguments->inputs,
        .wanted = at->wanted};
    kci_composition_clear(&backward->composition);
    KC_RETURN_IF_ERROR(add_arguments(at, arguments, &terms, error));
    for (uint32_t k = 0; k < at->input_count; k++) {
        cotangents[k] = KCI_NO_TERM;
    }
    kci_rule(at->row->op)->compose(&backward->composition, &terms, cotangents);
    return kci_composition_status(&backward->composition, error);
}

static kc_status_t add_composed(node_rule_t *at, kc_error_t *error)
{
    rule_arguments_t arguments;
    kci_term_t cotangents[KC_MAX_INPUTS];
    kci_backward_t *backward = at->backward;
    KC_RETURN_IF_ERROR(compose(at, &arguments, cotangents, error));
    KC_RETURN_IF_ERROR(note_composed(at, error));
    for (uint32_t k = 0; k < at->input_count; k++) {
        if (!at->wanted[k]) {
            cotangents[k] = KCI_NO_TERM;
        }
        assert(cotangents[k] == KCI_NO_TERM ||
               kci_shape_equal(
                   &kci_term_type(&backward->composition, cotangents[k])->shape,
                   &arguments.types[k].shape));
    }
    kci_program_step_t step = {.node = at->row->node,
                               .served = at->row->entry,
                               .role = KCI_CALL_INNER_VJP};
    return kci_program_add_composition(
        backward->program, &backward->composition, arguments.values, &step,
        backward->inner, cotangents, at->input_count, at->results, error);
}

static kc_status_t add_rule(node_rule_t *at, kc_error_t *error)
{
    const kc_capsule_record_t *capsule =
        at->backward->profile->entries[at->row->entry].capsule;
    if (capsule->vjp_mode == KC_VJP_BACKEND) {
        at->saved_inputs = capsule->saved_inputs;
        at->saved_outputs = capsule->saved_outputs;
        return add_kernel(at, true, error);
    }
    const kci_vjp_info_t *info = kci_vjp_info(at->row->op);
    at->saved_inputs = info->saved_inputs;
    at->saved_outputs = info->saved_outputs;
    return kci_vjp_is_composed(at->row->op, capsule->provider, capsule->device)
               ? add_composed(at, error)
               : add_kernel(at, false, error);
}

kc_status_t kci_backward_add_rule(kci_backward_t *backward,
                                  const kci_plan_row_t *row, const bool *wanted,
                                  uint32_t *out_results, kc_error_t *error)
{
    node_rule_t at = {.backward = backward,
                      .row = row,
                      .wanted = wanted,
                      .results = out_results,
                      .input_count =
                          backward->graph->nodes[row->node].parent_count};
    for (uint32_t k = 0; k < at.input_count; k++) {
        out_results[k] = KCI_NO_VALUE;
    }
    kc_status_t status = add_rule(&at, error);
    if (status != KC_OK) {
        char node[128];
        kci_graph_describe_node(backward->graph, row->node, node, sizeof node);
        kci_error_prepend(error, "node %u (%s): the rule of %s",
                          (unsigned)row->node, node,
                          kci_label(&kci_ops, row->op));
    }
    return status;
}
