/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Arguments are made while there is memory, the rule is composed without. */
#include "unit/autograd/failing_rule.h"

#include "autograd/rule.h"
#include "unit/expect.h"
#include "unit/failing_heap.h"

#define REQUESTS_MAX 500

static kci_term_t argument_if(kci_composition_t *composition,
                              const kci_tensor_type_t *type, bool is_saved)
{
    return is_saved && type != NULL ? kci_compose_argument(composition, type)
                                    : KCI_NO_TERM;
}

static kc_status_t compose_with(const composed_case_t *from,
                                const kc_attributes_t *attributes,
                                const kci_tensor_type_t *output, int granted)
{
    const kci_vjp_info_t *info = kci_vjp_info(from->op);
    kc_error_t error = KC_ERROR_INIT;
    kci_composition_t composition;
    kci_term_t inputs[KC_MAX_INPUTS];
    kci_term_t results[KC_MAX_INPUTS];
    bool wanted[KC_MAX_INPUTS];
    kci_composition_init(&composition);
    for (size_t i = 0; i < from->input_count; i++) {
        bool is_saved = (info->saved_inputs >> i & 1u) != 0;
        inputs[i] = argument_if(&composition, from->types[i], is_saved);
        wanted[i] = from->types[i] != NULL && (info->inputs >> i & 1u) != 0;
    }
    kci_rule_terms_t terms = {.op = from->op,
                              .attributes = attributes,
                              .input_count = from->input_count,
                              .input_types = from->types,
                              .output_type = output,
                              .inputs = inputs,
                              .wanted = wanted};
    terms.output = argument_if(&composition, output, info->saved_outputs != 0);
    terms.cotangent = kci_compose_argument(&composition, output);
    failing_heap_break_after(granted);
    kci_rule(from->op)->compose(&composition, &terms, results);
    failing_heap_mend();
    kc_status_t status = kci_composition_status(&composition, &error);
    ck_assert_msg(status == KC_OK || status == KC_ERR_MEMORY, "status %d: %s",
                  status, error.message);
    kci_composition_release(&composition);
    return status;
}

void failing_rule_check(const composed_case_t *from)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_tensor_type_t output;
    kc_attributes_t attributes = {.struct_size = sizeof attributes,
                                  .op = from->op};
    kci_op_request_t request = {.op = from->op,
                                .input_count = from->input_count,
                                .inputs = from->types};
    if (from->attributes != NULL) {
        attributes = *from->attributes;
    }
    EXPECT_OK(error, kci_op_infer(&request, &attributes, &output, &error));
    int granted = 0;
    while (compose_with(from, &attributes, &output, granted) != KC_OK) {
        granted++;
        ck_assert_int_lt(granted, REQUESTS_MAX);
    }
    ck_assert_int_gt(granted, 0);
}
