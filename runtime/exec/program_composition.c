/* SPDX-License-Identifier: Apache-2.0
 *
 * The operations of a composition as steps. Each gets the capsule that the
 * inner plan has for its operands, and passes the gate like every other.
 */
#include "exec/program.h"

#include <string.h>

#include "audit/accept.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/label.h"
#include "graph/demand.h"

typedef struct unfolding {
    kci_program_t *program;
    const kci_composition_t *composition;
    const uint32_t *arguments;
    const kci_program_step_t *template_step;
    const kci_inner_plan_t *inner;
    uint32_t *values; /* one a term */
} unfolding_t;

static kc_status_t add_literal(kci_program_t *program,
                               const kci_term_info_t *term,
                               const kci_literal_t *literal,
                               uint32_t *out_value, kc_error_t *error)
{
    void *literals = program->literals;
    void *bytes = NULL;
    KC_RETURN_IF_ERROR(kci_grow_array(&literals, &program->literal_capacity,
                                      program->literal_count + 1,
                                      sizeof *program->literals, error));
    program->literals = literals;
    KC_RETURN_IF_ERROR(kci_alloc_array(literal->size_bytes, 1, &bytes, error));
    kc_status_t status = kci_program_add_value(
        program, &term->type, KCI_VALUE_LITERAL,
        (uint32_t)program->literal_count, out_value, error);
    if (status != KC_OK) {
        kci_free(bytes);
        return status;
    }
    if (literal->size_bytes > 0) {
        memcpy(bytes, literal->bytes, literal->size_bytes);
    }
    program->literals[program->literal_count++] = (kci_program_literal_t){
        .value = *out_value, .bytes = bytes, .size_bytes = literal->size_bytes};
    return KC_OK;
}

/* The value of a term that is there already; a literal that is not asked for
 * costs nothing. */
static kc_status_t value_of(unfolding_t *at, kci_term_t term,
                            uint32_t *out_value, kc_error_t *error)
{
    if (term == KCI_NO_TERM) {
        *out_value = KCI_NO_VALUE;
        return KC_OK;
    }
    const kci_term_info_t *info = &at->composition->terms[term];
    if (at->values[term] == KCI_NO_VALUE && info->source == KCI_TERM_LITERAL) {
        KC_RETURN_IF_ERROR(add_literal(at->program, info,
                                       &at->composition->literals[info->slot],
                                       &at->values[term], error));
    }
    *out_value = info->source == KCI_TERM_ARGUMENT ? at->arguments[info->slot]
                                                   : at->values[term];
    return KC_OK;
}

/* What limits are asked: absent operands ask for nothing. */
static kci_demand_t demand_of(const kci_composition_t *composition,
                              const kci_composition_step_t *step)
{
    const kci_tensor_type_t *types[KC_MAX_INPUTS];
    const kci_term_t *operands = composition->operands + step->first_operand;
    size_t count = 0;
    for (uint32_t i = 0; i < step->operand_count; i++) {
        if (operands[i] != KCI_NO_TERM) {
            types[count++] = kci_term_type(composition, operands[i]);
        }
    }
    kci_op_request_t request = {
        .op = step->op, .input_count = count, .inputs = types};
    kci_demand_t demand =
        kci_demand_of(&request, kci_term_type(composition, step->result));
    demand.input_count = (uint8_t)step->operand_count;
    return demand;
}

/* Each entry once: the gate's word holds for the whole program. */
static kc_status_t pass_gate(kci_program_t *program,
                             const kci_inner_plan_t *inner, int32_t op,
                             uint16_t entry, kc_error_t *error)
{
    void *accepted = program->accepted;
    kc_accepted_kernel_t *kernel = NULL;
    if (accepted == NULL) {
        KC_RETURN_IF_ERROR(
            kci_alloc_array(inner->profile->entry_count, 1, &accepted, error));
        program->accepted = accepted;
    }
    if (program->accepted[entry] != 0) {
        return KC_OK;
    }
    if (kci_is_composition(inner->profile->entries[entry].capsule->provider)) {
        return kci_fail(error, KC_ERR_NOT_IN_BUILD,
                        "capsule %s is a composition: expected a kernel for "
                        "the inner operation %s",
                        inner->profile->entries[entry].capsule->name,
                        kci_label(&kci_ops, op));
    }
    /* The gate retains the profile, whose count alone may change. */
    KC_RETURN_IF_ERROR(kci_accept_kernel(
        (kc_profile_t *)(uintptr_t)inner->profile, &inner->policy, op, entry,
        &kernel, NULL, NULL, error));
    kci_accepted_kernel_release(kernel);
    program->accepted[entry] = 1;
    return KC_OK;
}

static kc_status_t add_step(unfolding_t *at, const kci_composition_step_t *step,
                            kc_error_t *error)
{
    const kci_composition_t *composition = at->composition;
    uint32_t operands[KC_MAX_INPUTS];
    uint32_t *result = &at->values[step->result];
    kci_demand_t demand = demand_of(composition, step);
    kci_step_spec_t spec = {.step = *at->template_step,
                            .attributes =
                                kci_composition_attributes(composition, step),
                            .operands = operands,
                            .operand_count = step->operand_count,
                            .results = result,
                            .result_count = 1};
    spec.step.op = (uint16_t)step->op;
    KC_RETURN_IF_ERROR(kci_inner_plan_find(at->inner, step->op, &demand,
                                           &spec.step.entry, error));
    KC_RETURN_IF_ERROR(
        pass_gate(at->program, at->inner, step->op, spec.step.entry, error));
    for (uint32_t i = 0; i < step->operand_count; i++) {
        KC_RETURN_IF_ERROR(
            value_of(at, composition->operands[step->first_operand + i],
                     &operands[i], error));
    }
    KC_RETURN_IF_ERROR(kci_program_add_value(
        at->program, kci_term_type(composition, step->result), KCI_VALUE_STEP,
        KCI_NO_VALUE, result, error));
    return kci_program_add_step(at->program, &spec, error);
}

static kc_status_t unfold(unfolding_t *at, const kci_term_t *terms,
                          size_t term_count, uint32_t *out_values,
                          kc_error_t *error)
{
    const kci_composition_t *composition = at->composition;
    for (size_t i = 0; i < composition->term_count; i++) {
        at->values[i] = KCI_NO_VALUE;
    }
    for (size_t i = 0; i < composition->step_count; i++) {
        const kci_composition_step_t *step = &composition->steps[i];
        if (step->operand_count > KC_MAX_INPUTS) {
            return kci_fail(error, KC_ERR_ARGUMENT,
                            "%s: expected at most %d inputs, found %u",
                            kci_label(&kci_ops, step->op), KC_MAX_INPUTS,
                            (unsigned)step->operand_count);
        }
        KC_RETURN_IF_ERROR(add_step(at, step, error));
    }
    for (size_t i = 0; i < term_count; i++) {
        KC_RETURN_IF_ERROR(value_of(at, terms[i], &out_values[i], error));
    }
    return KC_OK;
}

kc_status_t kci_program_add_composition(
    kci_program_t *program, const kci_composition_t *composition,
    const uint32_t *arguments, const kci_program_step_t *template_step,
    const kci_inner_plan_t *inner, const kci_term_t *terms, size_t term_count,
    uint32_t *out_values, kc_error_t *error)
{
    void *values = NULL;
    KC_RETURN_IF_ERROR(kci_composition_status(composition, error));
    KC_RETURN_IF_ERROR(kci_alloc_array(composition->term_count,
                                       sizeof(uint32_t), &values, error));
    unfolding_t at = {.program = program,
                      .composition = composition,
                      .arguments = arguments,
                      .template_step = template_step,
                      .inner = inner,
                      .values = values};
    kc_status_t status = unfold(&at, terms, term_count, out_values, error);
    kci_free(values);
    return status;
}
