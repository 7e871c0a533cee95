/* SPDX-License-Identifier: Apache-2.0
 *
 * How a composition grows: terms, literals, steps whose types come from the
 * catalogue's own rules. The first failure is kept, later calls do nothing.
 */
#include "compose/composition.h"

#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "base/checked_size.h"
#include "base/error.h"
#include "tensor/dtype.h"

void kci_composition_init(kci_composition_t *composition)
{
    *composition = (kci_composition_t){.status = KC_OK};
    composition->error.struct_size = sizeof composition->error;
}

void kci_composition_clear(kci_composition_t *composition)
{
    for (size_t i = 0; i < composition->literal_count; i++) {
        kci_free(composition->literals[i].bytes);
    }
    composition->literal_count = 0;
    composition->term_count = 0;
    composition->argument_count = 0;
    composition->step_count = 0;
    composition->operand_count = 0;
    composition->attributes_count = 0;
    composition->status = KC_OK;
}

void kci_composition_release(kci_composition_t *composition)
{
    kci_composition_clear(composition);
    kci_free(composition->terms);
    kci_free(composition->literals);
    kci_free(composition->steps);
    kci_free(composition->operands);
    kci_free(composition->attributes);
    kci_composition_init(composition);
}

kc_status_t kci_composition_status(const kci_composition_t *composition,
                                   kc_error_t *error)
{
    if (composition->status == KC_OK) {
        return KC_OK;
    }
    return kci_fail(error, composition->status, "%s",
                    composition->error.message);
}

const kci_tensor_type_t *kci_term_type(const kci_composition_t *composition,
                                       kci_term_t term)
{
    assert(term < composition->term_count);
    return &composition->terms[term].type;
}

const kc_attributes_t *
kci_composition_attributes(const kci_composition_t *composition,
                           const kci_composition_step_t *step)
{
    return step->attributes == KCI_NO_TERM
               ? NULL
               : &composition->attributes[step->attributes];
}

uint64_t kci_composition_ops(const kci_composition_t *composition)
{
    uint64_t ops = 0;
    for (size_t i = 0; i < composition->step_count; i++) {
        ops |= UINT64_C(1) << composition->steps[i].op;
    }
    return ops;
}

/* `type` may be that of a term: it is read before the terms move. */
static kc_status_t add_term(kci_composition_t *composition,
                            const kci_tensor_type_t *type,
                            kci_term_source_t source, uint32_t slot,
                            kci_term_t *out_term)
{
    void *terms = composition->terms;
    const kci_tensor_type_t copy = *type;
    KC_RETURN_IF_ERROR(kci_grow_array(
        &terms, &composition->term_capacity, composition->term_count + 1,
        sizeof *composition->terms, &composition->error));
    composition->terms = terms;
    composition->terms[composition->term_count] =
        (kci_term_info_t){.type = copy, .source = source, .slot = slot};
    *out_term = (kci_term_t)composition->term_count++;
    return KC_OK;
}

kci_term_t kci_compose_argument(kci_composition_t *composition,
                                const kci_tensor_type_t *type)
{
    kci_term_t term = KCI_NO_TERM;
    if (composition->status == KC_OK) {
        composition->status = add_term(composition, type, KCI_TERM_ARGUMENT,
                                       composition->argument_count, &term);
        composition->argument_count += composition->status == KC_OK;
    }
    return term;
}

static bool literal_size(const kci_tensor_type_t *type, size_t *out_size)
{
    size_t count = (size_t)kci_shape_element_count(&type->shape);
    return kci_size_multiply(count, kci_dtype_size(type->dtype), out_size);
}

static kc_status_t add_literal(kci_composition_t *composition,
                               const kci_tensor_type_t *type,
                               const void *elements, kci_term_t *out_term)
{
    size_t size = 0;
    void *memory = composition->literals;
    kc_error_t *error = &composition->error;
    if (!literal_size(type, &size)) {
        return kci_fail(error, KC_ERR_MEMORY,
                        "a literal of a composition does not fit memory");
    }
    KC_RETURN_IF_ERROR(kci_grow_array(&memory, &composition->literal_capacity,
                                      composition->literal_count + 1,
                                      sizeof *composition->literals, error));
    composition->literals = memory;
    KC_RETURN_IF_ERROR(kci_alloc_array(size, 1, &memory, error));
    if (size != 0) {
        memcpy(memory, elements, size);
    }
    uint32_t slot = (uint32_t)composition->literal_count;
    kc_status_t status =
        add_term(composition, type, KCI_TERM_LITERAL, slot, out_term);
    if (status != KC_OK) {
        kci_free(memory);
        return status;
    }
    composition->literals[composition->literal_count++] =
        (kci_literal_t){*out_term, memory, size};
    return KC_OK;
}

kci_term_t kci_compose_literal(kci_composition_t *composition,
                               const kci_tensor_type_t *type,
                               const void *elements)
{
    kci_term_t term = KCI_NO_TERM;
    if (composition->status == KC_OK) {
        composition->status = add_literal(composition, type, elements, &term);
    }
    return composition->status == KC_OK ? term : KCI_NO_TERM;
}

/* The catalogue's rule over the types of the operands. */
static kc_status_t infer_step(kci_composition_t *composition, int32_t op,
                              const kci_term_t *operands, size_t count,
                              kc_attributes_t *attributes,
                              kci_tensor_type_t *out_type)
{
    void *memory = NULL;
    kc_error_t *error = &composition->error;
    KC_RETURN_IF_ERROR(
        kci_alloc_array(count, sizeof(kci_tensor_type_t *), &memory, error));
    const kci_tensor_type_t **types = memory;
    for (size_t i = 0; i < count; i++) {
        types[i] = operands[i] == KCI_NO_TERM
                       ? NULL
                       : kci_term_type(composition, operands[i]);
    }
    kci_op_request_t request = {
        .op = op, .input_count = count, .inputs = types};
    kc_status_t status = kci_op_infer(&request, attributes, out_type, error);
    kci_free(memory);
    return status;
}

/* Room for one more step, so that nothing can fail half-way. */
static kc_status_t reserve_step(kci_composition_t *composition, size_t count)
{
    void *memory = composition->steps;
    kc_error_t *error = &composition->error;
    KC_RETURN_IF_ERROR(kci_grow_array(&memory, &composition->step_capacity,
                                      composition->step_count + 1,
                                      sizeof *composition->steps, error));
    composition->steps = memory;
    memory = composition->operands;
    KC_RETURN_IF_ERROR(kci_grow_array(&memory, &composition->operand_capacity,
                                      composition->operand_count + count,
                                      sizeof *composition->operands, error));
    composition->operands = memory;
    memory = composition->attributes;
    KC_RETURN_IF_ERROR(kci_grow_array(&memory,
                                      &composition->attributes_capacity,
                                      composition->attributes_count + 1,
                                      sizeof *composition->attributes, error));
    composition->attributes = memory;
    return KC_OK;
}

static kc_status_t add_step(kci_composition_t *composition, int32_t op,
                            const kc_attributes_t *attributes,
                            const kci_term_t *operands, size_t count,
                            kci_term_t *out_term)
{
    kc_attributes_t resolved = {.struct_size = sizeof resolved, .op = op};
    kci_tensor_type_t type;
    if (attributes != NULL) {
        resolved = *attributes;
    }
    KC_RETURN_IF_ERROR(reserve_step(composition, count));
    KC_RETURN_IF_ERROR(
        infer_step(composition, op, operands, count, &resolved, &type));
    KC_RETURN_IF_ERROR(add_term(composition, &type, KCI_TERM_STEP,
                                (uint32_t)composition->step_count, out_term));
    kci_composition_step_t *step =
        &composition->steps[composition->step_count++];
    *step = (kci_composition_step_t){.op = op,
                                     .attributes = KCI_NO_TERM,
                                     .first_operand =
                                         (uint32_t)composition->operand_count,
                                     .operand_count = (uint32_t)count,
                                     .result = *out_term};
    if (count != 0) { /* else there may be no array */
        memcpy(composition->operands + composition->operand_count, operands,
               count * sizeof *operands);
    }
    composition->operand_count += count;
    if (kci_op_has_attributes(op)) {
        step->attributes = (uint32_t)composition->attributes_count;
        composition->attributes[composition->attributes_count++] = resolved;
    }
    return KC_OK;
}

kci_term_t kci_compose_apply(kci_composition_t *composition, int32_t op,
                             const kc_attributes_t *attributes,
                             const kci_term_t *operands, size_t count)
{
    kci_term_t term = KCI_NO_TERM;
    if (composition->status == KC_OK) {
        composition->status =
            add_step(composition, op, attributes, operands, count, &term);
    }
    return composition->status == KC_OK ? term : KCI_NO_TERM;
}
