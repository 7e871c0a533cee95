/* SPDX-License-Identifier: Apache-2.0
 *
 * The walk: nodes by falling place, each once after all its consumers, and
 * only those between an output and something wanted. Nothing of the tape
 * changes before all gradients are there.
 */
#include "autograd/tape_state.h"

#include "base/alloc.h"
#include "base/error.h"

/* One a variable: whether it is wanted or a wanted one can be reached from
 * it, whether its cotangent is kept to the end, and the cotangent so far. */
typedef struct walk {
    kc_tape_t *tape;
    kci_tape_targets_t targets;
    bool *is_on_way;
    bool *is_kept;
    kc_tensor_t **cotangents;
    kc_tensor_t **gradients; /* one a wanted place */
} walk_t;

static kc_status_t prepare_walk(walk_t *walk, kc_error_t *error)
{
    void *memory = NULL;
    size_t count = walk->tape->variable_count;
    KC_RETURN_IF_ERROR(kci_alloc_array(count, sizeof(bool), &memory, error));
    walk->is_on_way = memory;
    KC_RETURN_IF_ERROR(kci_alloc_array(count, sizeof(bool), &memory, error));
    walk->is_kept = memory;
    KC_RETURN_IF_ERROR(
        kci_alloc_array(count, sizeof(kc_tensor_t *), &memory, error));
    walk->cotangents = memory;
    KC_RETURN_IF_ERROR(kci_alloc_array(walk->targets.wanted_count,
                                       sizeof(kc_tensor_t *), &memory, error));
    walk->gradients = memory;
    return KC_OK;
}

static void release_walk(walk_t *walk)
{
    for (size_t i = 0;
         walk->cotangents != NULL && i < walk->tape->variable_count; i++) {
        kci_tensor_release(walk->cotangents[i]);
    }
    for (size_t i = 0;
         walk->gradients != NULL && i < walk->targets.wanted_count; i++) {
        kci_tensor_release(walk->gradients[i]);
    }
    kci_free(walk->is_on_way);
    kci_free(walk->is_kept);
    kci_free(walk->cotangents);
    kci_free(walk->gradients);
    kci_tape_targets_release(&walk->targets);
}

/* Whether the rule of a node is asked for the cotangent of an input. */
static bool is_asked_for(const walk_t *walk, const kci_tape_node_t *node,
                         size_t place)
{
    size_t variable = walk->tape->inputs[node->first_input + place];
    return variable != KCI_NO_PLACE && walk->is_on_way[variable] &&
           kci_tape_has_cotangent(walk->tape, node, place);
}

static void find_way(walk_t *walk)
{
    for (size_t i = 0; i < walk->targets.wanted_count; i++) {
        walk->is_on_way[walk->targets.wanted[i]] = true;
        walk->is_kept[walk->targets.wanted[i]] = true;
    }
    for (size_t i = 0; i < walk->tape->node_count; i++) {
        const kci_tape_node_t *node = &walk->tape->nodes[i];
        for (size_t k = 0; k < node->input_count; k++) {
            if (is_asked_for(walk, node, k)) {
                walk->is_on_way[node->result] = true;
            }
        }
    }
}

static kc_status_t plant_seeds(walk_t *walk, kc_error_t *error)
{
    for (size_t i = 0; i < walk->targets.output_count; i++) {
        size_t place = walk->targets.outputs[i];
        if (!walk->is_on_way[place]) {
            continue;
        }
        KC_RETURN_IF_ERROR(kci_tape_add_term(walk->tape, place,
                                             &walk->cotangents[place],
                                             walk->targets.seeds[i], error));
        walk->targets.seeds[i] = NULL;
    }
    return KC_OK;
}

/* Takes the terms of the inputs, by rising place. */
static kc_status_t add_terms(walk_t *walk, const kci_tape_node_t *node,
                             kc_tensor_t **terms, kc_error_t *error)
{
    for (size_t k = 0; k < node->input_count; k++) {
        if (terms[k] == NULL) {
            continue;
        }
        size_t variable = walk->tape->inputs[node->first_input + k];
        KC_RETURN_IF_ERROR(kci_tape_add_term(walk->tape, variable,
                                             &walk->cotangents[variable],
                                             terms[k], error));
        terms[k] = NULL;
    }
    return KC_OK;
}

static kc_status_t pass_node(walk_t *walk, const kci_tape_node_t *node,
                             kc_error_t *error)
{
    bool wanted[KC_MAX_INPUTS] = {false};
    bool is_asked = false;
    kc_tensor_t *terms[KC_MAX_INPUTS] = {NULL};
    kc_tensor_t **cotangent = &walk->cotangents[node->result];
    for (size_t k = 0; k < node->input_count; k++) {
        wanted[k] = is_asked_for(walk, node, k);
        is_asked = is_asked || wanted[k];
    }
    if (*cotangent == NULL || !is_asked) {
        return KC_OK;
    }
    KC_RETURN_IF_ERROR(
        kci_tape_run_rule(walk->tape, node, *cotangent, wanted, terms, error));
    if (!walk->is_kept[node->result]) {
        kci_tensor_release(*cotangent);
        *cotangent = NULL;
    }
    kc_status_t status = add_terms(walk, node, terms, error);
    for (size_t k = 0; k < node->input_count; k++) {
        kci_tensor_release(terms[k]);
    }
    return status;
}

static kc_status_t run_walk(walk_t *walk, bool is_added, kc_error_t *error)
{
    KC_RETURN_IF_ERROR(prepare_walk(walk, error));
    find_way(walk);
    KC_RETURN_IF_ERROR(plant_seeds(walk, error));
    for (size_t i = walk->tape->node_count; i > 0; i--) {
        KC_RETURN_IF_ERROR(pass_node(walk, &walk->tape->nodes[i - 1], error));
    }
    return kci_tape_make_gradients(walk->tape, &walk->targets, is_added,
                                   walk->cotangents, walk->gradients, error);
}

/* From here on nothing fails. */
static void give_gradients(walk_t *walk, kc_tensor_t **out_gradients)
{
    for (size_t i = 0; i < walk->targets.wanted_count; i++) {
        kc_tensor_t **place =
            out_gradients != NULL
                ? &out_gradients[i]
                : &walk->tape->variables[walk->targets.wanted[i]].gradient;
        if (out_gradients == NULL) {
            kci_tensor_release(*place);
        }
        *place = walk->gradients[i];
        walk->gradients[i] = NULL;
    }
}

kc_status_t kci_tape_backward(kc_tape_t *tape,
                              const kc_backward_request_t *request,
                              kc_error_t *error)
{
    walk_t walk = {.tape = tape};
    KC_RETURN_IF_ERROR(
        kci_tape_targets_create(tape, request, &walk.targets, error));
    kc_status_t status = run_walk(&walk, request->wanted == NULL, error);
    if (status == KC_OK) {
        give_gradients(&walk, request->out_gradients);
    }
    release_walk(&walk);
    if (status == KC_OK && (request->flags & KC_BACKWARD_KEEP) == 0) {
        kci_tape_consume(tape);
    }
    return status;
}
