/* SPDX-License-Identifier: Apache-2.0
 *
 * Sums and means along one axis, which disappears.
 */
#include "ops/entries.h"

#include "ops/rule.h"

static kc_status_t infer_reduce(const kci_op_request_t *request,
                                kc_attributes_t *attributes,
                                kci_tensor_type_t *out_type, kc_error_t *error)
{
    int64_t axis = attributes->u.axis.axis;
    KC_RETURN_IF_ERROR(kci_rule_rank_at_least(request, 0, 1, error));
    KC_RETURN_IF_ERROR(kci_rule_axis(request, "axis", axis, 0, error));
    out_type->shape = kci_rule_operand(request, 0)->shape;
    kci_rule_remove_axis(&out_type->shape, axis);
    return KC_OK;
}

static const char *const names[] = {"x"};
static const kci_operand_kind_t kinds[] = {KCI_OPERAND_FLOAT};
static const kci_attribute_info_t attributes[] = {
    {"axis", KCI_ATTRIBUTE_INTEGER, offsetof(kc_attributes_t, u.axis.axis),
     NULL, NULL, "the axis that is summed"},
};

const kci_op_info_t kci_op_reduce_sum = {
    .op = KC_OP_REDUCE_SUM,
    .input_min = 1,
    .input_max = 1,
    .input_names = names,
    .input_kinds = kinds,
    .attributes = attributes,
    .attribute_count = 1,
    .requires_vjp = true,
    .doc = "sum along an axis; of nothing 0",
    .infer = infer_reduce,
};

const kci_op_info_t kci_op_reduce_mean = {
    .op = KC_OP_REDUCE_MEAN,
    .input_min = 1,
    .input_max = 1,
    .input_names = names,
    .input_kinds = kinds,
    .attributes = attributes,
    .attribute_count = 1,
    .requires_vjp = true,
    .doc = "mean along an axis; of nothing NaN",
    .infer = infer_reduce,
};
