/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks that more than one family makes, and the wording of their errors.
 */
#include "ops/rule.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/label.h"
#include "base/number.h"

const kci_tensor_type_t *kci_rule_operand(const kci_op_request_t *request,
                                          size_t index)
{
    return index < request->input_count ? request->inputs[index] : NULL;
}

const char *kci_rule_operand_name(int32_t op, size_t index)
{
    const kci_op_info_t *info = kci_op_info(op);
    if (info->has_repeated_input) {
        return info->input_names[0];
    }
    return index < info->input_max ? info->input_names[index] : "input";
}

kc_status_t kci_rule_fail(const kci_op_request_t *request, kc_error_t *error,
                          const char *format, ...)
{
    char text[KC_ERROR_MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    if (vsnprintf(text, sizeof text, format, arguments) < 0) {
        text[0] = '\0';
    }
    va_end(arguments);
    return kci_fail(error, KC_ERR_GRAPH, "%s: %s",
                    kci_label(&kci_ops, request->op), text);
}

void kci_rule_format(const kci_op_request_t *request, const kci_shape_t *shape,
                     char out[KCI_RULE_SHAPE_SIZE])
{
    kci_shape_format(shape->rank, shape->dims, request->dim_names, out,
                     KCI_RULE_SHAPE_SIZE);
}

kc_status_t kci_rule_equal_shapes(const kci_op_request_t *request, size_t first,
                                  size_t second, kc_error_t *error)
{
    const kci_shape_t *a = &kci_rule_operand(request, first)->shape;
    const kci_shape_t *b = &kci_rule_operand(request, second)->shape;
    char a_text[KCI_RULE_SHAPE_SIZE];
    char b_text[KCI_RULE_SHAPE_SIZE];
    if (kci_shape_equal(a, b)) {
        return KC_OK;
    }
    kci_rule_format(request, a, a_text);
    kci_rule_format(request, b, b_text);
    return kci_rule_fail(
        request, error, "expected %s and %s of equal shape, found %s and %s",
        kci_rule_operand_name(request->op, first),
        kci_rule_operand_name(request->op, second), a_text, b_text);
}

kc_status_t kci_rule_shape_is(const kci_op_request_t *request, size_t index,
                              const kci_shape_t *expected, kc_error_t *error)
{
    const kci_tensor_type_t *operand = kci_rule_operand(request, index);
    char expected_text[KCI_RULE_SHAPE_SIZE];
    char found_text[KCI_RULE_SHAPE_SIZE];
    if (operand == NULL || kci_shape_equal(&operand->shape, expected)) {
        return KC_OK;
    }
    kci_rule_format(request, expected, expected_text);
    kci_rule_format(request, &operand->shape, found_text);
    return kci_rule_fail(request, error, "%s: expected shape %s, found %s",
                         kci_rule_operand_name(request->op, index),
                         expected_text, found_text);
}

kc_status_t kci_rule_rank_at_least(const kci_op_request_t *request,
                                   size_t index, int32_t rank,
                                   kc_error_t *error)
{
    const kci_shape_t *shape = &kci_rule_operand(request, index)->shape;
    char text[KCI_RULE_SHAPE_SIZE];
    if (shape->rank >= rank) {
        return KC_OK;
    }
    kci_rule_format(request, shape, text);
    return kci_rule_fail(request, error,
                         "%s: expected rank %" PRId32 " or more, found %s",
                         kci_rule_operand_name(request->op, index), rank, text);
}

kc_status_t kci_rule_axis(const kci_op_request_t *request, const char *name,
                          int64_t axis, size_t index, kc_error_t *error)
{
    const kci_shape_t *shape = &kci_rule_operand(request, index)->shape;
    char text[KCI_RULE_SHAPE_SIZE];
    if (axis >= 0 && axis < shape->rank) {
        return KC_OK;
    }
    kci_rule_format(request, shape, text);
    return kci_rule_fail(request, error,
                         "attribute %s: axis %" PRId64
                         " is out of range for %s of rank "
                         "%" PRId32 " (%s)",
                         name, axis, kci_rule_operand_name(request->op, index),
                         shape->rank, text);
}

kc_status_t kci_rule_count(const kci_op_request_t *request,
                           const kci_shape_t *shape, const char *what,
                           int64_t *out_count, kc_error_t *error)
{
    kci_shape_t numbers = kci_rule_without_name(shape);
    kc_status_t status =
        kci_shape_check(numbers.rank, numbers.dims, what, out_count, error);
    if (status == KC_OK) {
        return KC_OK;
    }
    if (error != NULL) {
        kci_error_prepend(error, "%s", kci_label(&kci_ops, request->op));
        error->status = KC_ERR_GRAPH;
    }
    return KC_ERR_GRAPH;
}

kc_status_t kci_rule_known(const kci_op_request_t *request, size_t index,
                           int32_t axis, kc_error_t *error)
{
    const kci_shape_t *shape = &kci_rule_operand(request, index)->shape;
    char text[KCI_RULE_SHAPE_SIZE];
    if (shape->dims[axis] >= 0) {
        return KC_OK;
    }
    kci_rule_format(request, shape, text);
    return kci_rule_fail(request, error,
                         "%s: axis %" PRId32 " of %s needs a number here, "
                         "found the name of an extent",
                         kci_rule_operand_name(request->op, index), axis, text);
}

kc_status_t kci_rule_float32(const kci_op_request_t *request, const char *name,
                             double value, kc_error_t *error)
{
    char text[32];
    float rounded = (float)value;
    if (isfinite(value) && isfinite(rounded) && rounded != 0.0f) {
        return KC_OK;
    }
    kci_format_double(value, text);
    return kci_rule_fail(request, error,
                         "attribute %s: expected a finite number other than "
                         "0 in float32, found %s",
                         name, text);
}

kc_status_t kci_rule_epsilon(const kci_op_request_t *request, double value,
                             kc_error_t *error)
{
    char text[32];
    KC_RETURN_IF_ERROR(kci_rule_float32(request, "eps", value, error));
    if (value > 0) {
        return KC_OK;
    }
    kci_format_double(value, text);
    return kci_rule_fail(request, error,
                         "attribute eps: expected a number above 0, found %s",
                         text);
}

kc_status_t kci_rule_choice(const kci_op_request_t *request, const char *name,
                            int64_t value, int64_t count, kc_error_t *error)
{
    if (value >= 0 && value < count) {
        return KC_OK;
    }
    return kci_rule_fail(request, error,
                         "attribute %s: expected 0 to %" PRId64
                         ", found %" PRId64,
                         name, count - 1, value);
}

kc_status_t kci_rule_target(const kci_op_request_t *request, int64_t rank,
                            const int64_t *dims, kci_shape_t *out,
                            kc_error_t *error)
{
    if (rank < 0 || rank > KC_MAX_RANK) {
        return kci_rule_fail(request, error,
                             "attribute shape: expected a rank of 0 to %d, "
                             "found %" PRId64,
                             KC_MAX_RANK, rank);
    }
    out->rank = (int32_t)rank;
    for (int32_t axis = 0; axis < out->rank; axis++) {
        out->dims[axis] = dims[axis];
    }
    return KC_OK;
}

kci_shape_t kci_rule_vector(int64_t extent)
{
    kci_shape_t shape = {.rank = 1};
    shape.dims[0] = extent;
    return shape;
}

void kci_rule_remove_axis(kci_shape_t *shape, int64_t axis)
{
    for (int64_t i = axis; i + 1 < shape->rank; i++) {
        shape->dims[i] = shape->dims[i + 1];
    }
    shape->rank--;
}

kci_shape_t kci_rule_without_name(const kci_shape_t *shape)
{
    kci_shape_t copy = *shape;
    if (copy.rank > 0 && copy.dims[0] < 0) {
        copy.dims[0] = 1;
    }
    return copy;
}
