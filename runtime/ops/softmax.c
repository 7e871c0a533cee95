/* SPDX-License-Identifier: Apache-2.0
 *
 * Normalised exponentials along one axis. A scalar counts as one axis of one
 * element, so axis 0 is in range for it.
 */
#include "ops/entries.h"

#include "ops/rule.h"

static kc_status_t infer_softmax(const kci_op_request_t *request,
                                 kc_attributes_t *attributes,
                                 kci_tensor_type_t *out_type, kc_error_t *error)
{
    const kci_shape_t *x = &kci_rule_operand(request, 0)->shape;
    int64_t axis = attributes->u.axis.axis;
    out_type->shape = *x;
    if (x->rank == 0 && axis == 0) {
        return KC_OK;
    }
    return kci_rule_axis(request, "axis", axis, 0, error);
}

static kc_status_t infer_masked(const kci_op_request_t *request,
                                kc_attributes_t *attributes,
                                kci_tensor_type_t *out_type, kc_error_t *error)
{
    const kci_shape_t *x = &kci_rule_operand(request, 0)->shape;
    attributes->u.axis.axis = x->rank == 0 ? 0 : x->rank - 1;
    out_type->shape = *x;
    return kci_rule_equal_shapes(request, 0, 1, error);
}

static const char *const names[] = {"x", "mask"};
static const kci_operand_kind_t kinds[] = {KCI_OPERAND_FLOAT, KCI_OPERAND_MASK};
static const kci_attribute_info_t axis_attributes[] = {
    {"axis", KCI_ATTRIBUTE_INTEGER, offsetof(kc_attributes_t, u.axis.axis),
     NULL, NULL, "the axis that is normalised"},
};

const kci_op_info_t kci_op_softmax = {
    .op = KC_OP_SOFTMAX,
    .input_min = 1,
    .input_max = 1,
    .input_names = names,
    .input_kinds = kinds,
    .attributes = axis_attributes,
    .attribute_count = 1,
    .requires_vjp = true,
    .doc = "exponentials shifted by the maximum, divided by their sum",
    .infer = infer_softmax,
};

const kci_op_info_t kci_op_log_softmax = {
    .op = KC_OP_LOG_SOFTMAX,
    .input_min = 1,
    .input_max = 1,
    .input_names = names,
    .input_kinds = kinds,
    .attributes = axis_attributes,
    .attribute_count = 1,
    .requires_vjp = true,
    .doc = "logarithm of softmax",
    .infer = infer_softmax,
};

/* A blocked entry is skipped in the derivative too, which no composition of
 * products does when a cotangent is not finite. */
const kci_op_info_t kci_op_hard_masked_softmax = {
    .op = KC_OP_HARD_MASKED_SOFTMAX,
    .input_min = 2,
    .input_max = 2,
    .input_names = names,
    .input_kinds = kinds,
    .requires_vjp = true,
    .doc = "softmax of the last axis over allowed entries; blocked ones are 0",
    .infer = infer_masked,
};
