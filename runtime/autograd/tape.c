/* SPDX-License-Identifier: Apache-2.0
 *
 * The life of a tape: what a backward ends, what a reset ends, and that all
 * of it comes back. References outlive what they refer to; a generation tells
 * why.
 */
#include "autograd/tape_state.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/label.h"

kci_host_allocator_t *kci_tape_allocator(const kc_tape_t *tape)
{
    return kci_session_host(tape->session)->allocator;
}

kc_status_t kci_tape_create(kc_session_t *session, kc_tape_t **out_tape,
                            kc_error_t *error)
{
    void *memory = NULL;
    int32_t vjp_mode = kci_session_policy(session)->vjp_mode;
    if (vjp_mode == KC_VJP_NONE) {
        return kci_fail(error, KC_ERR_ARGUMENT,
                        "tape: expected a session with gradients, found VJP "
                        "mode %s",
                        kci_label(&kci_vjp_modes, vjp_mode));
    }
    KC_RETURN_IF_ERROR(kci_alloc_array(1, sizeof(kc_tape_t), &memory, error));
    kc_tape_t *tape = memory;
    tape->session = kci_session_retain(session);
    tape->number = kci_host_next_number(kci_session_host(session));
    kci_composition_init(&tape->composition);
    *out_tape = tape;
    return KC_OK;
}

static void release_variable(kci_tape_variable_t *variable)
{
    kci_tensor_release(variable->tensor);
    kci_tensor_release(variable->gradient);
    kci_free(variable->name);
}

kci_tape_mark_t kci_tape_mark(const kc_tape_t *tape)
{
    return (kci_tape_mark_t){.variable_count = tape->variable_count,
                             .node_count = tape->node_count,
                             .input_count = tape->input_count,
                             .saved_count = tape->saved_count,
                             .attributes_count = tape->attributes_count,
                             .next_number = tape->next_number};
}

static void release_nodes(kc_tape_t *tape, const kci_tape_mark_t *mark)
{
    for (size_t i = mark->saved_count; i < tape->saved_count; i++) {
        kci_tensor_release(tape->saved[i].copy);
    }
    tape->node_count = mark->node_count;
    tape->input_count = mark->input_count;
    tape->saved_count = mark->saved_count;
    tape->attributes_count = mark->attributes_count;
}

void kci_tape_return(kc_tape_t *tape, const kci_tape_mark_t *mark)
{
    release_nodes(tape, mark);
    for (size_t i = mark->variable_count; i < tape->variable_count; i++) {
        release_variable(&tape->variables[i]);
    }
    tape->variable_count = mark->variable_count;
    tape->next_number = mark->next_number;
}

void kci_tape_consume(kc_tape_t *tape)
{
    const kci_tape_mark_t nothing = {0};
    size_t count = 0;
    release_nodes(tape, &nothing);
    for (size_t i = 0; i < tape->variable_count; i++) {
        kci_tape_variable_t *variable = &tape->variables[i];
        if (!variable->is_leaf) {
            release_variable(variable);
            continue;
        }
        tape->variables[count] = *variable;
        tape->variables[count].root = count;
        count++;
    }
    tape->variable_count = count;
    tape->kept_count = count;
    tape->base_number = tape->next_number;
    tape->generation++;
}

/* Gives the arrays back too: a tape that was long need not be so again. */
static void free_arrays(kc_tape_t *tape)
{
    kci_free(tape->variables);
    kci_free(tape->nodes);
    kci_free(tape->inputs);
    kci_free(tape->saved);
    kci_free(tape->attributes);
    tape->variables = NULL;
    tape->nodes = NULL;
    tape->inputs = NULL;
    tape->saved = NULL;
    tape->attributes = NULL;
    tape->variable_capacity = 0;
    tape->node_capacity = 0;
    tape->input_capacity = 0;
    tape->saved_capacity = 0;
    tape->attributes_capacity = 0;
}

void kci_tape_reset(kc_tape_t *tape)
{
    const kci_tape_mark_t nothing = {0};
    kci_tape_return(tape, &nothing);
    free_arrays(tape);
    tape->kept_count = 0;
    tape->base_number = 0;
    tape->generation++;
    tape->reset_generation = tape->generation;
}

void kci_tape_destroy(kc_tape_t *tape)
{
    if (tape == NULL) {
        return;
    }
    kci_tape_reset(tape);
    kci_composition_release(&tape->composition);
    kci_session_destroy(tape->session);
    kci_free(tape);
}
