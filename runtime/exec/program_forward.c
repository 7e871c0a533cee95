/* SPDX-License-Identifier: Apache-2.0
 *
 * The forward of a plan as a program: values 0 to node_count - 1 are the
 * nodes, every row becomes the call of its capsule, or of the operations
 * that the capsule is composed of.
 */
#include "exec/program.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/label.h"
#include "compose/compositions.h"
#include "graph/kinds.h"

typedef struct lowering {
    const kc_plan_t *plan;
    kci_program_t *program;
    bool has_inner; /* `inner` was made: some capsule is a composition */
    kci_inner_plan_t inner;
    kci_composition_t composition; /* of one capsule after another */
} lowering_t;

/* The shapes and attributes of the graph, at the same places. */
static kc_status_t copy_pools(kci_program_t *program, const kc_graph_t *graph,
                              kc_error_t *error)
{
    void *dims = NULL;
    void *attributes = NULL;
    KC_RETURN_IF_ERROR(kci_grow_array(&dims, &program->dim_capacity,
                                      graph->dim_pool_count,
                                      sizeof *program->dims, error));
    program->dims = dims;
    program->dim_count = graph->dim_pool_count;
    if (program->dim_count > 0) {
        memcpy(program->dims, graph->dims,
               program->dim_count * sizeof *program->dims);
    }
    KC_RETURN_IF_ERROR(kci_grow_array(
        &attributes, &program->attributes_capacity, graph->attribute_pool_count,
        sizeof *program->attributes, error));
    program->attributes = attributes;
    program->attributes_count = graph->attribute_pool_count;
    if (program->attributes_count > 0) {
        memcpy(program->attributes, graph->attributes,
               program->attributes_count * sizeof *program->attributes);
    }
    return KC_OK;
}

/* Sources of all nodes; which step makes a result is known later. */
static kc_status_t add_nodes(kci_program_t *program, const kc_graph_t *graph,
                             kc_error_t *error)
{
    void *values = NULL;
    uint32_t next_input = 0;
    uint32_t next_const = 0;
    KC_RETURN_IF_ERROR(kci_grow_array(&values, &program->value_capacity,
                                      graph->node_count,
                                      sizeof *program->values, error));
    program->values = values;
    program->value_count = graph->node_count;
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const kci_node_t *node = &graph->nodes[i];
        kci_program_value_t *value = &program->values[i];
        *value = (kci_program_value_t){.root = i,
                                       .slot = KCI_NO_VALUE,
                                       .first_dim = node->first_dim,
                                       .dtype = node->dtype,
                                       .rank = node->rank,
                                       .source = KCI_VALUE_STEP};
        kci_kind_role_t role = kci_kind(node->kind)->role;
        if (role == KCI_ROLE_INPUT) {
            value->source = KCI_VALUE_INPUT;
            value->slot = next_input++;
        } else if (role == KCI_ROLE_CONST) {
            value->source = KCI_VALUE_CONST;
            value->slot = next_const++;
        }
    }
    return KC_OK;
}

static kc_status_t reserve_steps(kci_program_t *program, const kc_plan_t *plan,
                                 kc_error_t *error)
{
    void *steps = NULL;
    void *operands = NULL;
    void *results = NULL;
    KC_RETURN_IF_ERROR(kci_grow_array(&steps, &program->step_capacity,
                                      plan->row_count, sizeof *program->steps,
                                      error));
    program->steps = steps;
    KC_RETURN_IF_ERROR(kci_grow_array(&operands, &program->operand_capacity,
                                      plan->graph->parent_pool_count,
                                      sizeof *program->operands, error));
    program->operands = operands;
    KC_RETURN_IF_ERROR(kci_grow_array(&results, &program->result_capacity,
                                      plan->row_count, sizeof *program->results,
                                      error));
    program->results = results;
    return KC_OK;
}

/* A value with the elements of another. */
static void alias_value(kci_program_t *program, uint32_t value, uint32_t other)
{
    uint32_t root = program->values[other].root;
    program->values[value].root = root;
    program->values[value].source = program->values[root].source;
    program->values[value].slot = program->values[root].slot;
}

/* Parent 0 of a `sum` as one axis. */
static kc_status_t add_flat(kci_program_t *program, uint32_t node,
                            uint32_t *out_value, kc_error_t *error)
{
    kci_tensor_type_t type;
    uint32_t parent = kci_graph_parents(program->graph, node)[0];
    kci_graph_operand_type(program->graph, node, 0, &type);
    KC_RETURN_IF_ERROR(kci_program_add_value(program, &type, KCI_VALUE_STEP,
                                             KCI_NO_VALUE, out_value, error));
    alias_value(program, *out_value, parent);
    return KC_OK;
}

static kc_status_t add_kernel(kci_program_t *program, const kci_plan_row_t *row,
                              kc_error_t *error)
{
    const kc_graph_t *graph = program->graph;
    const kci_node_t *node = &graph->nodes[row->node];
    uint32_t flat = KCI_NO_VALUE;
    kci_step_spec_t spec = {.step = {.node = row->node,
                                     .op = row->op,
                                     .entry = row->entry,
                                     .served = KCI_NO_ENTRY,
                                     .role = KCI_CALL_FORWARD},
                            .attributes =
                                kci_graph_attributes(graph, row->node),
                            .operands = kci_graph_parents(graph, row->node),
                            .operand_count = node->parent_count,
                            .results = &row->node,
                            .result_count = 1};
    if (node->lowering == KCI_LOWERING_FLAT_INPUT) {
        KC_RETURN_IF_ERROR(add_flat(program, row->node, &flat, error));
        spec.operands = &flat;
    }
    return kci_program_add_step(program, &spec, error);
}

static kc_status_t prepare_inner(lowering_t *at, kc_error_t *error)
{
    if (!at->has_inner) {
        KC_RETURN_IF_ERROR(kci_inner_plan_create(
            at->plan->profile, &at->plan->profile->policy, &at->inner, error));
        at->has_inner = true;
    }
    return KC_OK;
}

static kc_status_t compose(lowering_t *at, const kci_plan_row_t *row,
                           kci_term_t *out_result, kc_error_t *error)
{
    const kc_graph_t *graph = at->program->graph;
    kci_term_t operands[KC_MAX_INPUTS];
    uint32_t count = graph->nodes[row->node].parent_count;
    if (kci_composition_inner_ops(row->op) == 0 || count > KC_MAX_INPUTS) {
        return kci_fail(error, KC_ERR_NOT_IN_BUILD,
                        "capsule %s: a composition of %s is not in this build",
                        at->plan->profile->entries[row->entry].capsule->name,
                        kci_label(&kci_ops, row->op));
    }
    kci_composition_clear(&at->composition);
    for (uint32_t i = 0; i < count; i++) {
        kci_tensor_type_t type;
        kci_graph_operand_type(graph, row->node, i, &type);
        operands[i] = kci_compose_argument(&at->composition, &type);
    }
    *out_result = kci_compose_forward(&at->composition, row->op,
                                      kci_graph_attributes(graph, row->node),
                                      operands, count);
    return kci_composition_status(&at->composition, error);
}

static kc_status_t note_composed(kci_program_t *program,
                                 const kci_plan_row_t *row, size_t first_step,
                                 kc_error_t *error)
{
    void *memory = program->composed;
    KC_RETURN_IF_ERROR(kci_grow_array(&memory, &program->composed_capacity,
                                      program->composed_count + 1,
                                      sizeof *program->composed, error));
    program->composed = memory;
    program->composed[program->composed_count++] = (kci_program_composed_t){
        .node = row->node,
        .first_step = (uint32_t)first_step,
        .step_count = (uint32_t)(program->step_count - first_step),
        .op = row->op,
        .entry = row->entry};
    return KC_OK;
}

static kc_status_t add_composed(lowering_t *at, const kci_plan_row_t *row,
                                kc_error_t *error)
{
    kci_program_t *program = at->program;
    kci_term_t term = KCI_NO_TERM;
    uint32_t result = KCI_NO_VALUE;
    size_t first_step = program->step_count;
    kci_program_step_t step = {.node = row->node,
                               .served = row->entry,
                               .role = KCI_CALL_INNER_FORWARD};
    KC_RETURN_IF_ERROR(prepare_inner(at, error));
    KC_RETURN_IF_ERROR(compose(at, row, &term, error));
    KC_RETURN_IF_ERROR(kci_program_add_composition(
        program, &at->composition, kci_graph_parents(program->graph, row->node),
        &step, &at->inner, &term, 1, &result, error));
    alias_value(program, row->node, result);
    return note_composed(program, row, first_step, error);
}

static kc_status_t add_row(lowering_t *at, const kci_plan_row_t *row,
                           kc_error_t *error)
{
    const kc_profile_t *profile = at->plan->profile;
    if (row->entry >= profile->entry_count) {
        return kci_fail(error, KC_ERR_ARGUMENT,
                        "expected a planned operation, found none");
    }
    const char *provider = profile->entries[row->entry].capsule->provider;
    return kci_is_composition(provider) ? add_composed(at, row, error)
                                        : add_kernel(at->program, row, error);
}

/* Values of detach nodes are known as soon as all before them are. */
static void add_detached(kci_program_t *program, uint32_t from, uint32_t to)
{
    const kc_graph_t *graph = program->graph;
    for (uint32_t node = from; node < to; node++) {
        if (kci_kind(graph->nodes[node].kind)->role == KCI_ROLE_DETACH) {
            alias_value(program, node, kci_graph_parents(graph, node)[0]);
        }
    }
}

static kc_status_t add_rows(lowering_t *at, kc_error_t *error)
{
    uint32_t next = 0;
    for (size_t i = 0; i < at->plan->row_count; i++) {
        const kci_plan_row_t *row = &at->plan->rows[i];
        add_detached(at->program, next, row->node);
        next = row->node;
        kc_status_t status = add_row(at, row, error);
        if (status != KC_OK) {
            char text[128];
            kci_graph_describe_node(at->plan->graph, row->node, text,
                                    sizeof text);
            kci_error_prepend(error, "node %u (%s)", (unsigned)row->node, text);
            return status;
        }
    }
    add_detached(at->program, next, at->plan->graph->node_count);
    return KC_OK;
}

static kc_status_t lower(lowering_t *at, kc_error_t *error)
{
    const kc_graph_t *graph = at->plan->graph;
    KC_RETURN_IF_ERROR(copy_pools(at->program, graph, error));
    KC_RETURN_IF_ERROR(add_nodes(at->program, graph, error));
    KC_RETURN_IF_ERROR(reserve_steps(at->program, at->plan, error));
    KC_RETURN_IF_ERROR(add_rows(at, error));
    at->program->forward_step_count = at->program->step_count;
    return KC_OK;
}

kc_status_t kci_program_create(const kc_plan_t *plan,
                               kci_program_t **out_program, kc_error_t *error)
{
    void *memory = NULL;
    KC_RETURN_IF_ERROR(
        kci_alloc_array(1, sizeof(kci_program_t), &memory, error));
    lowering_t at = {.plan = plan, .program = memory};
    at.program->graph = kci_graph_retain(plan->graph);
    kci_composition_init(&at.composition);
    kc_status_t status = lower(&at, error);
    kci_composition_release(&at.composition);
    if (at.has_inner) {
        kci_inner_plan_release(&at.inner);
    }
    if (status != KC_OK) {
        kci_program_destroy(at.program);
        return status;
    }
    *out_program = at.program;
    return KC_OK;
}
