/* SPDX-License-Identifier: Apache-2.0
 *
 * What is checked of every operation alike: number and kinds of operands
 * before the family's rule, the result after it.
 */
#include "ops/op_info.h"

#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "base/label.h"
#include "ops/rule.h"

static kc_status_t check_arity(const kci_op_request_t *request,
                               const kci_op_info_t *info, kc_error_t *error)
{
    size_t count = request->input_count;
    if (count < info->input_min || count > info->input_max) {
        if (info->input_min == info->input_max) {
            return kci_rule_fail(request, error,
                                 "expected %" PRIu32 " inputs, found %zu",
                                 info->input_min, count);
        }
        return kci_rule_fail(request, error,
                             "expected %" PRIu32 " to %" PRIu32
                             " inputs, found %zu",
                             info->input_min, info->input_max, count);
    }
    for (size_t i = 0; i < info->input_min; i++) {
        if (request->inputs[i] == NULL) {
            return kci_rule_fail(request, error, "%s is missing",
                                 kci_rule_operand_name(request->op, i));
        }
    }
    return KC_OK;
}

static kc_status_t check_rank(const kci_op_request_t *request, size_t index,
                              kci_operand_kind_t kind, kc_error_t *error)
{
    const kci_shape_t *shape = &request->inputs[index]->shape;
    const char *expected = NULL;
    char text[KCI_RULE_SHAPE_SIZE];
    if (kind == KCI_OPERAND_FLOAT_SCALAR && shape->rank != 0) {
        expected = "a scalar, []";
    } else if (kind == KCI_OPERAND_INDICES && shape->rank != 1) {
        expected = "rank 1";
    }
    if (expected == NULL) {
        return KC_OK;
    }
    kci_rule_format(request, shape, text);
    return kci_rule_fail(request, error, "%s: expected %s, found %s",
                         kci_rule_operand_name(request->op, index), expected,
                         text);
}

static kc_status_t check_operand(const kci_op_request_t *request,
                                 const kci_op_info_t *info, size_t index,
                                 kc_error_t *error)
{
    kci_operand_kind_t kind = kci_op_input_kind(info, index);
    int32_t dtype = request->inputs[index]->dtype;
    const char *name = kci_rule_operand_name(request->op, index);
    if (!kci_operand_kind_takes(kind, dtype)) {
        return kci_rule_fail(request, error, "%s: expected dtype %s, found %s",
                             name, kci_operand_kind_dtypes(kind),
                             kci_label(&kci_dtypes, dtype));
    }
    if (kci_operand_kind_follows(kind) && dtype != request->inputs[0]->dtype) {
        return kci_rule_fail(
            request, error, "%s: expected dtype %s as %s, found %s", name,
            kci_label(&kci_dtypes, request->inputs[0]->dtype),
            info->has_repeated_input ? "the first"
                                     : kci_rule_operand_name(request->op, 0),
            kci_label(&kci_dtypes, dtype));
    }
    return check_rank(request, index, kind, error);
}

/* Overflow of the element count, and names of extents that do not lead. */
static kc_status_t check_result(const kci_op_request_t *request,
                                const kci_shape_t *shape, kc_error_t *error)
{
    int64_t count = 0;
    char text[KCI_RULE_SHAPE_SIZE];
    int32_t first = request->dim_names == NULL ? 0 : 1;
    for (int32_t axis = first; axis < shape->rank; axis++) {
        if (shape->dims[axis] < 0) {
            kci_rule_format(request, shape, text);
            return kci_rule_fail(request, error, "%s, found the result %s",
                                 first == 0 ? "expected extents of 0 or more"
                                            : "a named extent may only lead",
                                 text);
        }
    }
    return kci_rule_count(request, shape, "result", &count, error);
}

/* The record is of this operation, where there must be one. */
static kc_status_t check_record(const kci_op_request_t *request,
                                const kc_attributes_t *attributes,
                                kc_error_t *error)
{
    if (!kci_op_has_attributes(request->op)) {
        return KC_OK;
    }
    if (attributes == NULL) {
        return kci_rule_fail(request, error, "expected attributes, found none");
    }
    if (attributes->op != request->op) {
        return kci_rule_fail(request, error,
                             "expected its attributes, found those of %s",
                             kci_label(&kci_ops, attributes->op));
    }
    return KC_OK;
}

kc_status_t kci_op_infer(const kci_op_request_t *request,
                         kc_attributes_t *attributes,
                         kci_tensor_type_t *out_type, kc_error_t *error)
{
    if (request->op < 0 || request->op >= KC_OP_COUNT) {
        return kci_fail(error, KC_ERR_GRAPH, "there is no operation %" PRId32,
                        request->op);
    }
    const kci_op_info_t *info = kci_op_info(request->op);
    kci_tensor_type_t type = {.dtype = KC_DTYPE_F32};
    KC_RETURN_IF_ERROR(check_record(request, attributes, error));
    KC_RETURN_IF_ERROR(check_arity(request, info, error));
    for (size_t i = 0; i < request->input_count; i++) {
        if (request->inputs[i] != NULL) {
            KC_RETURN_IF_ERROR(check_operand(request, info, i, error));
        }
    }
    if (request->input_count > 0) {
        type.dtype = request->inputs[0]->dtype;
    }
    KC_RETURN_IF_ERROR(info->infer(request, attributes, &type, error));
    KC_RETURN_IF_ERROR(check_result(request, &type.shape, error));
    *out_type = type;
    return KC_OK;
}
