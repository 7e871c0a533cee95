/* SPDX-License-Identifier: Apache-2.0
 *
 * Operations with index operands. Whether the indices are in range is a
 * matter of the call: dispatch checks them before the kernel runs.
 */
#include "ops/entries.h"

#include "ops/rule.h"

static kc_status_t infer_gather(const kci_op_request_t *request,
                                kc_attributes_t *attributes,
                                kci_tensor_type_t *out_type, kc_error_t *error)
{
    int64_t axis = attributes->u.axis.axis;
    KC_RETURN_IF_ERROR(kci_rule_rank_at_least(request, 0, 1, error));
    KC_RETURN_IF_ERROR(kci_rule_axis(request, "axis", axis, 0, error));
    out_type->shape = kci_rule_operand(request, 0)->shape;
    out_type->shape.dims[axis] = kci_rule_operand(request, 1)->shape.dims[0];
    return KC_OK;
}

static kc_status_t infer_scatter_add(const kci_op_request_t *request,
                                     kc_attributes_t *attributes,
                                     kci_tensor_type_t *out_type,
                                     kc_error_t *error)
{
    int64_t axis = attributes->u.axis.axis;
    KC_RETURN_IF_ERROR(kci_rule_rank_at_least(request, 0, 1, error));
    KC_RETURN_IF_ERROR(kci_rule_axis(request, "axis", axis, 0, error));
    out_type->shape = kci_rule_operand(request, 0)->shape;
    kci_shape_t source = out_type->shape;
    source.dims[axis] = kci_rule_operand(request, 1)->shape.dims[0];
    return kci_rule_shape_is(request, 2, &source, error);
}

static const char *const gather_names[] = {"x", "indices"};
static const char *const scatter_names[] = {"base", "indices", "source"};
static const kci_operand_kind_t gather_kinds[] = {KCI_OPERAND_ANY,
                                                  KCI_OPERAND_INDICES};
static const kci_operand_kind_t scatter_kinds[] = {
    KCI_OPERAND_FLOAT, KCI_OPERAND_INDICES, KCI_OPERAND_FLOAT};
static const kci_attribute_info_t attributes[] = {
    {"axis", KCI_ATTRIBUTE_INTEGER, offsetof(kc_attributes_t, u.axis.axis),
     NULL, NULL, "the axis that is indexed"},
};

const kci_op_info_t kci_op_gather = {
    .op = KC_OP_GATHER,
    .input_min = 2,
    .input_max = 2,
    .input_names = gather_names,
    .input_kinds = gather_kinds,
    .attributes = attributes,
    .attribute_count = 1,
    .requires_vjp = true,
    .doc = "slices of x at the indices along an axis",
    .infer = infer_gather,
};

const kci_op_info_t kci_op_scatter_add = {
    .op = KC_OP_SCATTER_ADD,
    .input_min = 3,
    .input_max = 3,
    .input_names = scatter_names,
    .input_kinds = scatter_kinds,
    .attributes = attributes,
    .attribute_count = 1,
    .requires_vjp = true,
    .doc = "base with the slices of source added at the indices, in order",
    .infer = infer_scatter_add,
};
