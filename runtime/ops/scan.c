/* SPDX-License-Identifier: Apache-2.0
 *
 * The diagonal recurrence h[t] = a * h[t - 1] + b * x[t], with coefficients
 * shared by all steps or one set a step.
 */
#include "ops/entries.h"

#include "ops/rule.h"

static kc_status_t infer_scan(const kci_op_request_t *request,
                              kc_attributes_t *attributes,
                              kci_tensor_type_t *out_type, kc_error_t *error)
{
    const kci_shape_t *a = &kci_rule_operand(request, 0)->shape;
    const kci_shape_t *x = &kci_rule_operand(request, 2)->shape;
    char text[KCI_RULE_SHAPE_SIZE];
    (void)attributes;
    if (x->rank != 2) {
        kci_rule_format(request, x, text);
        return kci_rule_fail(request, error,
                             "x: expected [steps, states], found %s", text);
    }
    if (a->rank != 1 && a->rank != 2) {
        kci_rule_format(request, a, text);
        return kci_rule_fail(request, error,
                             "a: expected [states] or [steps, states], found "
                             "%s",
                             text);
    }
    kci_shape_t states = kci_rule_vector(x->dims[1]);
    const kci_shape_t *coefficients = a->rank == 1 ? &states : x;
    KC_RETURN_IF_ERROR(kci_rule_shape_is(request, 0, coefficients, error));
    KC_RETURN_IF_ERROR(kci_rule_shape_is(request, 1, coefficients, error));
    out_type->shape = *x;
    return kci_rule_shape_is(request, 3, &states, error);
}

static const char *const names[] = {"a", "b", "x", "h0"};
static const kci_operand_kind_t kinds[] = {
    KCI_OPERAND_FLOAT, KCI_OPERAND_FLOAT, KCI_OPERAND_FLOAT, KCI_OPERAND_FLOAT};

const kci_op_info_t kci_op_selective_scan = {
    .op = KC_OP_SELECTIVE_SCAN,
    .input_min = 4,
    .input_max = 4,
    .input_names = names,
    .input_kinds = kinds,
    .requires_vjp = true,
    .doc = "every state of h = a * h + b * x, step after step",
    .infer = infer_scan,
};
