/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * What is not saved is no argument, so a rule that reads it anyway finds no
 * term there. */
#include "unit/autograd/composed_rule.h"

#include <string.h>

#include "unit/expect.h"

kci_tensor_type_t composed_type(int32_t dtype, int32_t rank,
                                const int64_t *dims)
{
    kci_tensor_type_t type = {.dtype = dtype, .shape = {.rank = rank}};
    for (int32_t axis = 0; axis < rank; axis++) {
        type.shape.dims[axis] = dims[axis];
    }
    return type;
}

static void resolve(composed_rule_t *rule, const composed_case_t *from)
{
    kc_error_t error = KC_ERROR_INIT;
    const kci_vjp_info_t *info = kci_vjp_info(from->op);
    bool is_repeated = kci_op_info(from->op)->has_repeated_input;
    kci_op_request_t request = {.op = from->op,
                                .input_count = from->input_count,
                                .inputs = from->types};
    rule->attributes = (kc_attributes_t){.struct_size = sizeof rule->attributes,
                                         .op = from->op};
    if (from->attributes != NULL) {
        rule->attributes = *from->attributes;
    }
    EXPECT_OK(error, kci_op_infer(&request, &rule->attributes,
                                  &rule->output_type, &error));
    for (size_t i = 0; i < from->input_count; i++) {
        bool has_cotangent = is_repeated || (info->inputs >> i & 1u) != 0;
        rule->inputs[i] = KCI_NO_TERM;
        rule->results[i] = KCI_NO_TERM;
        rule->wanted[i] =
            from->types[i] != NULL &&
            (from->wanted == NULL ? has_cotangent : from->wanted[i]);
    }
}

static kci_term_t add_argument(composed_rule_t *rule,
                               const kci_tensor_type_t *type, size_t place)
{
    rule->places[rule->composition.argument_count] = place;
    return kci_compose_argument(&rule->composition, type);
}

static void compose(composed_rule_t *rule, const composed_case_t *from)
{
    const kci_vjp_info_t *info = kci_vjp_info(from->op);
    kci_rule_terms_t terms = {.op = from->op,
                              .attributes = &rule->attributes,
                              .input_count = from->input_count,
                              .input_types = from->types,
                              .output_type = &rule->output_type,
                              .inputs = rule->inputs,
                              .output = KCI_NO_TERM,
                              .wanted = rule->wanted};
    for (size_t i = 0; i < from->input_count && i < 32; i++) {
        if (from->types[i] != NULL && (info->saved_inputs >> i & 1u) != 0) {
            rule->inputs[i] = add_argument(rule, from->types[i], i);
        }
    }
    if (info->saved_outputs != 0) {
        terms.output = add_argument(rule, &rule->output_type, COMPOSED_OUTPUT);
    }
    terms.cotangent =
        add_argument(rule, &rule->output_type, COMPOSED_COTANGENT);
    ck_assert_msg(kci_rule(from->op)->compose != NULL, "op %d: no rule",
                  from->op);
    kci_rule(from->op)->compose(&rule->composition, &terms, rule->results);
}

void composed_rule_begin(composed_rule_t *rule, const composed_case_t *from)
{
    kc_error_t error = KC_ERROR_INIT;
    const kci_composition_t *composition = &rule->composition;
    kci_composition_init(&rule->composition);
    resolve(rule, from);
    compose(rule, from);
    EXPECT_OK(error, kci_composition_status(composition, &error));
    uint64_t stray =
        kci_composition_ops(composition) & ~kci_vjp_info(from->op)->inner_ops;
    ck_assert_msg(stray == 0, "op %d: inner operations 0x%llx not declared",
                  from->op, (unsigned long long)stray);
    for (size_t i = 0; i < from->input_count; i++) {
        if (rule->results[i] != KCI_NO_TERM) {
            const kci_tensor_type_t *type =
                kci_term_type(composition, rule->results[i]);
            ck_assert(rule->wanted[i]);
            ck_assert_int_eq(type->dtype, from->types[i]->dtype);
            ck_assert(kci_shape_equal(&type->shape, &from->types[i]->shape));
        }
    }
}

void composed_rule_end(composed_rule_t *rule)
{
    kci_composition_release(&rule->composition);
}

uint64_t composed_rule_ops(const composed_case_t *from)
{
    composed_rule_t rule;
    composed_rule_begin(&rule, from);
    uint64_t ops = kci_composition_ops(&rule.composition);
    composed_rule_end(&rule);
    return ops;
}

uint64_t composed_rule_ops_of(int32_t op, const kc_attributes_t *attributes,
                              size_t input_count, int32_t rank,
                              const int64_t *dims)
{
    kci_tensor_type_t type = composed_type(KC_DTYPE_F32, rank, dims);
    const kci_tensor_type_t *types[] = {&type, &type};
    composed_case_t from = {.op = op,
                            .attributes = attributes,
                            .types = types,
                            .input_count = input_count};
    return composed_rule_ops(&from);
}
