/* SPDX-License-Identifier: Apache-2.0
 *
 * Products and the mean squared error.
 */
#include "ops/entries.h"

#include <inttypes.h>
#include <string.h>

#include "ops/rule.h"

static bool has_equal_lead(const kci_shape_t *a, const kci_shape_t *b)
{
    return a->rank == b->rank &&
           memcmp(a->dims, b->dims, (size_t)(a->rank - 2) * sizeof *a->dims) ==
               0;
}

static kc_status_t infer_matmul(const kci_op_request_t *request,
                                kc_attributes_t *attributes,
                                kci_tensor_type_t *out_type, kc_error_t *error)
{
    const kci_shape_t *a = &kci_rule_operand(request, 0)->shape;
    const kci_shape_t *b = &kci_rule_operand(request, 1)->shape;
    char a_text[KCI_RULE_SHAPE_SIZE];
    char b_text[KCI_RULE_SHAPE_SIZE];
    (void)attributes;
    KC_RETURN_IF_ERROR(kci_rule_rank_at_least(request, 0, 2, error));
    KC_RETURN_IF_ERROR(kci_rule_rank_at_least(request, 1, 2, error));
    kci_rule_format(request, a, a_text);
    kci_rule_format(request, b, b_text);
    if (!has_equal_lead(a, b)) {
        return kci_rule_fail(request, error,
                             "expected equal leading extents of a and b, "
                             "found %s and %s",
                             a_text, b_text);
    }
    if (a->dims[a->rank - 1] != b->dims[b->rank - 2]) {
        return kci_rule_fail(request, error,
                             "expected equal inner extents of a and b, found "
                             "%s and %s",
                             a_text, b_text);
    }
    out_type->shape = *a;
    out_type->shape.dims[a->rank - 1] = b->dims[b->rank - 1];
    return KC_OK;
}

static kc_status_t infer_linear(const kci_op_request_t *request,
                                kc_attributes_t *attributes,
                                kci_tensor_type_t *out_type, kc_error_t *error)
{
    const kci_shape_t *x = &kci_rule_operand(request, 0)->shape;
    const kci_shape_t *weight = &kci_rule_operand(request, 1)->shape;
    char x_text[KCI_RULE_SHAPE_SIZE];
    char weight_text[KCI_RULE_SHAPE_SIZE];
    (void)attributes;
    KC_RETURN_IF_ERROR(kci_rule_rank_at_least(request, 0, 1, error));
    if (weight->rank != 2 || weight->dims[1] != x->dims[x->rank - 1]) {
        kci_rule_format(request, x, x_text);
        kci_rule_format(request, weight, weight_text);
        return kci_rule_fail(request, error,
                             "weight: expected [out, in] with in the last "
                             "extent of x, found %s with x %s",
                             weight_text, x_text);
    }
    out_type->shape = *x;
    out_type->shape.dims[x->rank - 1] = weight->dims[0];
    kci_shape_t bias = kci_rule_vector(weight->dims[0]);
    return kci_rule_shape_is(request, 2, &bias, error);
}

static kc_status_t infer_mse_loss(const kci_op_request_t *request,
                                  kc_attributes_t *attributes,
                                  kci_tensor_type_t *out_type,
                                  kc_error_t *error)
{
    (void)attributes;
    out_type->shape.rank = 0;
    return kci_rule_equal_shapes(request, 0, 1, error);
}

static const char *const pair_names[] = {"a", "b"};
static const char *const linear_names[] = {"x", "weight", "bias"};
static const kci_operand_kind_t kinds[] = {KCI_OPERAND_FLOAT, KCI_OPERAND_FLOAT,
                                           KCI_OPERAND_FLOAT};

const kci_op_info_t kci_op_matmul = {
    .op = KC_OP_MATMUL,
    .input_min = 2,
    .input_max = 2,
    .input_names = pair_names,
    .input_kinds = kinds,
    .requires_vjp = true,
    .doc = "product of the last two axes; leading axes are batch",
    .infer = infer_matmul,
};

const kci_op_info_t kci_op_linear = {
    .op = KC_OP_LINEAR,
    .input_min = 2,
    .input_max = 3,
    .input_names = linear_names,
    .input_kinds = kinds,
    .requires_vjp = true,
    .doc = "x times the transposed weight, bias added last",
    .infer = infer_linear,
};

const kci_op_info_t kci_op_mse_loss = {
    .op = KC_OP_MSE_LOSS,
    .input_min = 2,
    .input_max = 2,
    .input_names = pair_names,
    .input_kinds = kinds,
    .requires_vjp = true,
    .doc = "mean of the squared differences; of nothing NaN",
    .infer = infer_mse_loss,
};
