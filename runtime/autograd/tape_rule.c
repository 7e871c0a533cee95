/* SPDX-License-Identifier: Apache-2.0
 *
 * The rule of one node: the capsule's own kernel, a loop of the runtime, or a
 * composition of operations. All three go through the session, which records
 * them.
 */
#include "autograd/tape_state.h"

#include <inttypes.h>

#include "base/error.h"
#include "base/label.h"
#include "exec/composed_operands.h"

/* One node whose rule runs. */
typedef struct node_rule {
    kc_tape_t *tape;
    const kci_tape_node_t *node;
    const kc_tensor_t *cotangent;
    const bool *wanted;
    kci_tape_operands_t saved;
} node_rule_t;

static size_t variable_of(const node_rule_t *at, size_t place)
{
    return at->tape->inputs[at->node->first_input + place];
}

static const kc_attributes_t *attributes_of(const node_rule_t *at)
{
    return at->node->attributes == KCI_NO_PLACE
               ? NULL
               : &at->tape->attributes[at->node->attributes];
}

static kc_status_t make_cotangents(const node_rule_t *at,
                                   kc_tensor_t **cotangents, DLTensor **views,
                                   kc_error_t *error)
{
    for (size_t i = 0; i < at->node->input_count; i++) {
        if (!at->wanted[i]) {
            continue;
        }
        kci_tensor_type_t type;
        kci_tape_place_type(at->tape, variable_of(at, i), &type);
        KC_RETURN_IF_ERROR(kci_tensor_create(
            kci_tape_allocator(at->tape), type.dtype, type.shape.rank,
            type.shape.dims, &cotangents[i], error));
        views[i] = &cotangents[i]->view;
    }
    return KC_OK;
}

static kc_status_t run_kernel(const node_rule_t *at, kc_tensor_t **cotangents,
                              kc_error_t *error)
{
    DLTensor *views[KC_MAX_INPUTS] = {NULL};
    const kci_binding_t *binding = at->node->binding;
    const kci_rule_t *rule = kci_rule(binding->entry->capsule->op);
    bool is_backend = at->node->rule == KCI_TAPE_RULE_BACKEND;
    kci_vjp_call_t call = {
        .run = is_backend ? binding->handler->vjp : rule->run,
        .workspace =
            is_backend ? binding->handler->vjp_workspace : rule->workspace,
        .attributes = attributes_of(at),
        .inputs = at->saved.inputs,
        .input_count = at->node->input_count,
        .output = at->saved.output,
        .cotangent = &at->cotangent->view,
        .cotangents_in = views};
    KC_RETURN_IF_ERROR(make_cotangents(at, cotangents, views, error));
    return kci_session_call_vjp(at->tape->session, binding, &call, error);
}

/* The operands that a composed rule is given, as terms and as views. */
typedef struct rule_arguments {
    kci_tensor_type_t types[KC_MAX_INPUTS];
    const kci_tensor_type_t *input_types[KC_MAX_INPUTS];
    kci_tensor_type_t output_type;
    kci_term_t inputs[KC_MAX_INPUTS];
    const DLTensor *views[KC_MAX_INPUTS + 2]; /* of the argument terms */
} rule_arguments_t;

static void add_arguments(const node_rule_t *at, rule_arguments_t *arguments,
                          kci_rule_terms_t *terms)
{
    kci_composition_t *composition = &at->tape->composition;
    size_t count = 0;
    for (size_t i = 0; i < at->node->input_count; i++) {
        arguments->input_types[i] = NULL;
        arguments->inputs[i] = KCI_NO_TERM;
        if (variable_of(at, i) == KCI_NO_PLACE) {
            continue;
        }
        kci_tape_place_type(at->tape, variable_of(at, i), &arguments->types[i]);
        arguments->input_types[i] = &arguments->types[i];
        if (at->saved.inputs[i] != NULL) {
            arguments->inputs[i] =
                kci_compose_argument(composition, &arguments->types[i]);
            arguments->views[count++] = at->saved.inputs[i];
        }
    }
    kci_tape_place_type(at->tape, at->node->result, &arguments->output_type);
    terms->output = KCI_NO_TERM;
    if (at->saved.output != NULL) {
        terms->output =
            kci_compose_argument(composition, &arguments->output_type);
        arguments->views[count++] = at->saved.output;
    }
    terms->cotangent =
        kci_compose_argument(composition, &arguments->output_type);
    arguments->views[count] = &at->cotangent->view;
}

static kc_status_t compose(const node_rule_t *at, rule_arguments_t *arguments,
                           kci_term_t *cotangents, kc_error_t *error)
{
    int32_t op = at->node->binding->entry->capsule->op;
    kci_composition_t *composition = &at->tape->composition;
    kci_rule_terms_t terms = {.op = op,
                              .attributes = attributes_of(at),
                              .input_count = at->node->input_count,
                              .input_types = arguments->input_types,
                              .output_type = &arguments->output_type,
                              .inputs = arguments->inputs,
                              .wanted = at->wanted};
    kci_composition_clear(composition);
    add_arguments(at, arguments, &terms);
    for (size_t i = 0; i < at->node->input_count; i++) {
        cotangents[i] = KCI_NO_TERM;
    }
    kci_rule(op)->compose(composition, &terms, cotangents);
    for (size_t i = 0; i < at->node->input_count; i++) {
        cotangents[i] = at->wanted[i] ? cotangents[i] : KCI_NO_TERM;
    }
    return kci_composition_status(composition, error);
}

static kc_status_t check_operands(const node_rule_t *at, kc_error_t *error)
{
    const kc_capsule_record_t *capsule = at->node->binding->entry->capsule;
    kci_operands_t operands = {.op = capsule->op,
                               .capsule = capsule,
                               .inputs = at->saved.inputs,
                               .input_count = at->node->input_count};
    return kci_check_composed_rule(&operands, &at->cotangent->view,
                                   attributes_of(at), error);
}

static kc_status_t run_composed(const node_rule_t *at, kc_tensor_t **cotangents,
                                kc_error_t *error)
{
    rule_arguments_t arguments;
    kci_term_t terms[KC_MAX_INPUTS];
    kc_session_t *session = at->tape->session;
    const kci_binding_t *binding = at->node->binding;
    KC_RETURN_IF_ERROR(check_operands(at, error));
    KC_RETURN_IF_ERROR(compose(at, &arguments, terms, error));
    KC_RETURN_IF_ERROR(kci_session_note_rule(session, binding, error));
    return kci_session_run_composition(
        session, &at->tape->composition, arguments.views, KCI_CALL_INNER_VJP,
        binding->entry, terms, at->node->input_count, cotangents, error);
}

static kc_status_t reshape_back(const node_rule_t *at, kc_tensor_t **cotangents,
                                kc_error_t *error)
{
    kci_tensor_type_t type;
    kci_tape_place_type(at->tape, variable_of(at, 0), &type);
    return kci_tensor_reshape(at->cotangent, type.shape.rank, type.shape.dims,
                              &cotangents[0], error);
}

static kc_status_t run_operation(node_rule_t *at, kc_tensor_t **cotangents,
                                 kc_error_t *error)
{
    const kci_binding_t *binding = at->node->binding;
    KC_RETURN_IF_ERROR(
        kci_tape_take_saved(at->tape, at->node, &at->saved, error));
    kc_status_t status = at->node->rule == KCI_TAPE_RULE_COMPOSED
                             ? run_composed(at, cotangents, error)
                             : run_kernel(at, cotangents, error);
    if (status != KC_OK) {
        kci_error_prepend(error,
                          "operation %" PRIu64 " (%s): its derivative rule",
                          at->tape->variables[at->node->result].number,
                          kci_label(&kci_ops, binding->entry->capsule->op));
    }
    return status;
}

kc_status_t kci_tape_run_rule(kc_tape_t *tape, const kci_tape_node_t *node,
                              const kc_tensor_t *cotangent, const bool *wanted,
                              kc_tensor_t **out_cotangents, kc_error_t *error)
{
    node_rule_t at = {
        .tape = tape, .node = node, .cotangent = cotangent, .wanted = wanted};
    kc_tensor_t *cotangents[KC_MAX_INPUTS] = {NULL};
    kc_status_t status = node->rule == KCI_TAPE_RULE_VIEW
                             ? reshape_back(&at, cotangents, error)
                             : run_operation(&at, cotangents, error);
    for (size_t i = 0; i < node->input_count; i++) {
        if (status == KC_OK) {
            out_cotangents[i] = cotangents[i];
        } else {
            kci_tensor_release(cotangents[i]);
        }
    }
    return status;
}
