/* SPDX-License-Identifier: Apache-2.0
 *
 * A program as it grows: values, steps and what steps refer to. Every array
 * at least doubles, so appending stays linear.
 */
#include "exec/program.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "tensor/shape.h"

void kci_program_destroy(kci_program_t *program)
{
    if (program == NULL) {
        return;
    }
    for (size_t i = 0; i < program->literal_count; i++) {
        kci_free(program->literals[i].bytes);
    }
    kci_free(program->values);
    kci_free(program->dims);
    kci_free(program->steps);
    kci_free(program->operands);
    kci_free(program->results);
    kci_free(program->attributes);
    kci_free(program->literals);
    kci_free(program->kernels);
    kci_free(program->composed);
    kci_free(program->rules);
    kci_free(program->seeds);
    kci_free(program->gradients);
    kci_free(program->accepted);
    kci_graph_release(program->graph);
    kci_free(program);
}

void kci_program_value_type(const kci_program_t *program, uint32_t value,
                            kci_tensor_type_t *out_type)
{
    const kci_program_value_t *at = &program->values[value];
    out_type->dtype = at->dtype;
    out_type->shape.rank = at->rank;
    if (at->rank > 0) {
        memcpy(out_type->shape.dims, program->dims + at->first_dim,
               (size_t)at->rank * sizeof *program->dims);
    }
}

/* Places are 32 bits wide. */
static kc_status_t check_count(size_t count, kc_error_t *error)
{
    if (count >= UINT32_MAX) {
        return kci_fail(error, KC_ERR_MEMORY,
                        "out of memory: a program has more parts than can be "
                        "numbered");
    }
    return KC_OK;
}

kc_status_t kci_program_add_value(kci_program_t *program,
                                  const kci_tensor_type_t *type,
                                  kci_value_source_t source, uint32_t slot,
                                  uint32_t *out_value, kc_error_t *error)
{
    int32_t rank = type->shape.rank;
    void *values = program->values;
    void *dims = program->dims;
    KC_RETURN_IF_ERROR(check_count(program->value_count + 1, error));
    KC_RETURN_IF_ERROR(check_count(program->dim_count + (size_t)rank, error));
    KC_RETURN_IF_ERROR(kci_grow_array(&values, &program->value_capacity,
                                      program->value_count + 1,
                                      sizeof *program->values, error));
    program->values = values;
    KC_RETURN_IF_ERROR(kci_grow_array(&dims, &program->dim_capacity,
                                      program->dim_count + (size_t)rank,
                                      sizeof *program->dims, error));
    program->dims = dims;
    uint32_t value = (uint32_t)program->value_count++;
    program->values[value] =
        (kci_program_value_t){.root = value,
                              .slot = slot,
                              .first_dim = (uint32_t)program->dim_count,
                              .dtype = (int8_t)type->dtype,
                              .rank = (int8_t)rank,
                              .source = (uint8_t)source};
    for (int32_t axis = 0; axis < rank; axis++) {
        program->dims[program->dim_count++] = type->shape.dims[axis];
    }
    *out_value = value;
    return KC_OK;
}

/* Room for one more step, so that nothing can fail half-way. */
static kc_status_t reserve_step(kci_program_t *program,
                                const kci_step_spec_t *spec, kc_error_t *error)
{
    void *steps = program->steps;
    void *operands = program->operands;
    void *results = program->results;
    size_t operand_count = program->operand_count + spec->operand_count;
    size_t result_count = program->result_count + spec->result_count;
    KC_RETURN_IF_ERROR(check_count(program->step_count + 1, error));
    KC_RETURN_IF_ERROR(check_count(operand_count, error));
    KC_RETURN_IF_ERROR(check_count(result_count, error));
    KC_RETURN_IF_ERROR(kci_grow_array(&steps, &program->step_capacity,
                                      program->step_count + 1,
                                      sizeof *program->steps, error));
    program->steps = steps;
    KC_RETURN_IF_ERROR(kci_grow_array(&operands, &program->operand_capacity,
                                      operand_count, sizeof *program->operands,
                                      error));
    program->operands = operands;
    KC_RETURN_IF_ERROR(kci_grow_array(&results, &program->result_capacity,
                                      result_count, sizeof *program->results,
                                      error));
    program->results = results;
    return KC_OK;
}

/* The place of attributes: that of the graph's own record, or a copy. */
static kc_status_t place_attributes(kci_program_t *program,
                                    const kc_attributes_t *attributes,
                                    uint32_t *out_place, kc_error_t *error)
{
    uintptr_t pool = (uintptr_t)program->graph->attributes;
    uintptr_t place = (uintptr_t)attributes - pool;
    void *memory = program->attributes;
    *out_place = KCI_NO_VALUE;
    if (attributes == NULL) {
        return KC_OK;
    }
    if ((uintptr_t)attributes >= pool &&
        place < program->graph->attribute_pool_count * sizeof *attributes) {
        *out_place = (uint32_t)(place / sizeof *attributes);
        return KC_OK;
    }
    KC_RETURN_IF_ERROR(check_count(program->attributes_count + 1, error));
    KC_RETURN_IF_ERROR(kci_grow_array(&memory, &program->attributes_capacity,
                                      program->attributes_count + 1,
                                      sizeof *program->attributes, error));
    program->attributes = memory;
    program->attributes[program->attributes_count] = *attributes;
    *out_place = (uint32_t)program->attributes_count++;
    return KC_OK;
}

static kc_status_t place_kernel(kci_program_t *program,
                                const kci_step_spec_t *spec,
                                uint32_t *out_place, kc_error_t *error)
{
    void *memory = program->kernels;
    *out_place = KCI_NO_VALUE;
    if (spec->run == NULL) {
        return KC_OK;
    }
    KC_RETURN_IF_ERROR(kci_grow_array(&memory, &program->kernel_capacity,
                                      program->kernel_count + 1,
                                      sizeof *program->kernels, error));
    program->kernels = memory;
    program->kernels[program->kernel_count] =
        (kci_program_kernel_t){spec->run, spec->workspace};
    *out_place = (uint32_t)program->kernel_count++;
    return KC_OK;
}

kc_status_t kci_program_add_step(kci_program_t *program,
                                 const kci_step_spec_t *spec, kc_error_t *error)
{
    kci_program_step_t step = spec->step;
    KC_RETURN_IF_ERROR(reserve_step(program, spec, error));
    KC_RETURN_IF_ERROR(
        place_attributes(program, spec->attributes, &step.attributes, error));
    KC_RETURN_IF_ERROR(place_kernel(program, spec, &step.kernel, error));
    step.first_operand = (uint32_t)program->operand_count;
    step.operand_count = (uint32_t)spec->operand_count;
    step.first_result = (uint32_t)program->result_count;
    step.result_count = (uint32_t)spec->result_count;
    for (size_t i = 0; i < spec->operand_count; i++) {
        program->operands[program->operand_count++] = spec->operands[i];
    }
    for (size_t i = 0; i < spec->result_count; i++) {
        uint32_t result = spec->results[i];
        program->results[program->result_count++] = result;
        if (result != KCI_NO_VALUE) {
            program->values[result].slot = (uint32_t)program->step_count;
        }
    }
    program->steps[program->step_count++] = step;
    return KC_OK;
}

kc_status_t kci_program_add_rule(kci_program_t *program,
                                 const kci_program_rule_t *rule,
                                 const uint32_t *operands, size_t operand_count,
                                 kc_error_t *error)
{
    void *rules = program->rules;
    void *memory = program->operands;
    size_t count = program->operand_count + operand_count;
    KC_RETURN_IF_ERROR(check_count(count, error));
    KC_RETURN_IF_ERROR(kci_grow_array(&memory, &program->operand_capacity,
                                      count, sizeof *program->operands, error));
    program->operands = memory;
    KC_RETURN_IF_ERROR(kci_grow_array(&rules, &program->rule_capacity,
                                      program->rule_count + 1,
                                      sizeof *program->rules, error));
    program->rules = rules;
    kci_program_rule_t *added = &program->rules[program->rule_count++];
    *added = *rule;
    added->first_step = (uint32_t)program->step_count;
    added->first_operand = (uint32_t)program->operand_count;
    added->operand_count = (uint32_t)operand_count;
    for (size_t i = 0; i < operand_count; i++) {
        program->operands[program->operand_count++] = operands[i];
    }
    return KC_OK;
}
