/* SPDX-License-Identifier: Apache-2.0
 *
 * Compositions on a tape: each step is an ordinary operation, with a node and
 * a record of its own; nothing says what they were composed for.
 */
#include "autograd/tape_state.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"

typedef struct composition_run {
    kc_tape_t *tape;
    const kci_composition_t *composition;
    size_t *places; /* of the variable of each term */
} composition_run_t;

static kc_status_t add_literal(const composition_run_t *run,
                               const kci_literal_t *literal, kc_error_t *error)
{
    const kci_tensor_type_t *type =
        kci_term_type(run->composition, literal->term);
    kci_tape_variable_t constant = {.root = KCI_NO_PLACE, .op = -1};
    kc_tensor_t *tensor = NULL;
    KC_RETURN_IF_ERROR(kci_tensor_create(kci_tape_allocator(run->tape),
                                         type->dtype, type->shape.rank,
                                         type->shape.dims, &tensor, error));
    if (literal->size_bytes != 0) {
        memcpy(kc_tensor_data(&tensor->view), literal->bytes,
               literal->size_bytes);
    }
    kc_status_t status = kci_tape_add_variable(
        run->tape, &constant, tensor, &run->places[literal->term], error);
    if (status != KC_OK) {
        kci_tensor_release(tensor);
    }
    return status;
}

static kc_status_t take_arguments(const composition_run_t *run,
                                  const kc_variable_t *arguments,
                                  kc_error_t *error)
{
    const kci_composition_t *composition = run->composition;
    for (size_t i = 0; i < composition->term_count; i++) {
        const kci_term_info_t *term = &composition->terms[i];
        if (term->source == KCI_TERM_ARGUMENT) {
            KC_RETURN_IF_ERROR(kci_tape_find(run->tape, arguments[term->slot],
                                             false, &run->places[i], error));
        }
    }
    for (size_t i = 0; i < composition->literal_count; i++) {
        KC_RETURN_IF_ERROR(add_literal(run, &composition->literals[i], error));
    }
    return KC_OK;
}

static kc_status_t run_step(const composition_run_t *run,
                            const kci_composition_step_t *step,
                            kc_error_t *error)
{
    const kci_composition_t *composition = run->composition;
    size_t inputs[KC_MAX_INPUTS];
    if (step->operand_count > KC_MAX_INPUTS) {
        return kci_fail(error, KC_ERR_ARGUMENT,
                        "a composition: expected at most %d inputs, found %u",
                        KC_MAX_INPUTS, (unsigned)step->operand_count);
    }
    for (uint32_t i = 0; i < step->operand_count; i++) {
        kci_term_t term = composition->operands[step->first_operand + i];
        inputs[i] = term == KCI_NO_TERM ? KCI_NO_PLACE : run->places[term];
    }
    return kci_tape_record(
        run->tape, step->op, kci_composition_attributes(composition, step),
        inputs, step->operand_count, &run->places[step->result], error);
}

static kc_status_t run_steps(composition_run_t *run,
                             const kc_variable_t *arguments, kc_error_t *error)
{
    void *memory = NULL;
    const kci_composition_t *composition = run->composition;
    KC_RETURN_IF_ERROR(kci_composition_status(composition, error));
    KC_RETURN_IF_ERROR(kci_alloc_array(composition->term_count,
                                       sizeof *run->places, &memory, error));
    run->places = memory;
    KC_RETURN_IF_ERROR(take_arguments(run, arguments, error));
    for (size_t i = 0; i < composition->step_count; i++) {
        KC_RETURN_IF_ERROR(run_step(run, &composition->steps[i], error));
    }
    return KC_OK;
}

kc_status_t kci_tape_run_composition(kc_tape_t *tape,
                                     const kci_composition_t *composition,
                                     const kc_variable_t *arguments,
                                     const kci_term_t *terms, size_t term_count,
                                     kc_variable_t *out_variables,
                                     kc_error_t *error)
{
    composition_run_t run = {.tape = tape, .composition = composition};
    kci_tape_mark_t mark = kci_tape_mark(tape);
    kc_status_t status = run_steps(&run, arguments, error);
    for (size_t i = 0; status == KC_OK && i < term_count; i++) {
        out_variables[i] = terms[i] == KCI_NO_TERM
                               ? (kc_variable_t){.tape = 0}
                               : kci_tape_reference(tape, run.places[terms[i]]);
    }
    if (status != KC_OK) {
        kci_tape_return(tape, &mark);
    }
    kci_free(run.places);
    return status;
}
