/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Compositions without a plan. */
#include "unit/compose/evaluate.h"

#include <stdlib.h>
#include <string.h>

#include "unit/expect.h"

kci_term_t evaluate_argument(kci_composition_t *composition,
                             const kc_tensor_t *tensor)
{
    kci_tensor_type_t type = {.dtype = kc_tensor_dtype(&tensor->view),
                              .shape = {.rank = tensor->view.ndim}};
    for (int32_t axis = 0; axis < tensor->view.ndim; axis++) {
        type.shape.dims[axis] = tensor->view.shape[axis];
    }
    return kci_compose_argument(composition, &type);
}

static void place_literals(rule_fixture_t *fixture,
                           const kci_composition_t *composition,
                           kc_tensor_t **values)
{
    for (size_t i = 0; i < composition->literal_count; i++) {
        const kci_literal_t *literal = &composition->literals[i];
        const kci_tensor_type_t *type =
            kci_term_type(composition, literal->term);
        kc_tensor_t *tensor = rule_tensor(
            fixture, type->dtype, type->shape.rank, type->shape.dims, NULL);
        if (literal->size_bytes != 0) {
            memcpy(kc_tensor_data(&tensor->view), literal->bytes,
                   literal->size_bytes);
        }
        values[literal->term] = tensor;
    }
}

static void take_step(rule_fixture_t *fixture,
                      const kci_composition_t *composition,
                      const kci_composition_step_t *step, kc_tensor_t **values)
{
    kc_error_t error = KC_ERROR_INIT;
    const DLTensor *views[KC_MAX_INPUTS] = {NULL};
    for (uint32_t i = 0; i < step->operand_count; i++) {
        kci_term_t term = composition->operands[step->first_operand + i];
        views[i] = term == KCI_NO_TERM ? NULL : &values[term]->view;
    }
    EXPECT_OK(error, kci_session_apply(
                         fixture->session, step->op,
                         kci_composition_attributes(composition, step), views,
                         step->operand_count, &values[step->result], &error));
}

kc_tensor_t *evaluate_term(rule_fixture_t *fixture,
                           const kci_composition_t *composition,
                           kc_tensor_t *const *arguments, kci_term_t term)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_tensor_t *result = NULL;
    kc_tensor_t **values = calloc(composition->term_count + 1, sizeof *values);
    ck_assert_ptr_nonnull(values);
    EXPECT_OK(error, kci_composition_status(composition, &error));
    ck_assert_uint_lt(term, composition->term_count);
    for (size_t i = 0; i < composition->term_count; i++) {
        const kci_term_info_t *info = &composition->terms[i];
        if (info->source == KCI_TERM_ARGUMENT) {
            EXPECT_OK(error, kci_tensor_share(arguments[info->slot], &values[i],
                                              &error));
        }
    }
    place_literals(fixture, composition, values);
    for (size_t i = 0; i < composition->step_count; i++) {
        take_step(fixture, composition, &composition->steps[i], values);
    }
    EXPECT_OK(error, kci_tensor_share(values[term], &result, &error));
    for (size_t i = 0; i < composition->term_count; i++) {
        kci_tensor_release(values[i]);
    }
    free(values);
    return result;
}
