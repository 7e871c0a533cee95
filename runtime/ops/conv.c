/* SPDX-License-Identifier: Apache-2.0
 *
 * Convolutions, channel first: x is [leading..., channels, spatial...], and
 * the spatial rank is that of the weight without its two channel axes.
 */
#include "ops/entries.h"

#include <inttypes.h>

#include "base/checked_size.h"
#include "ops/rule.h"
#include "ops/window.h"

/* Place of the channel axis of x; needs x of sufficient rank. */
static int32_t channel_axis(const kci_op_request_t *request,
                            const kc_conv_attributes_t *conv)
{
    return kci_rule_operand(request, 0)->shape.rank -
           (int32_t)conv->spatial_rank - 1;
}

static kc_status_t check_operands(const kci_op_request_t *request,
                                  const kc_conv_attributes_t *conv,
                                  kc_error_t *error)
{
    const kci_shape_t *weight = &kci_rule_operand(request, 1)->shape;
    const kci_shape_t *x = &kci_rule_operand(request, 0)->shape;
    KC_RETURN_IF_ERROR(kci_rule_rank_at_least(request, 1, 3, error));
    if (conv->spatial_rank != weight->rank - 2) {
        return kci_rule_fail(request, error,
                             "attributes of %" PRId64 " spatial axes, but the "
                             "weight has rank %" PRId32,
                             conv->spatial_rank, weight->rank);
    }
    KC_RETURN_IF_ERROR(
        kci_rule_rank_at_least(request, 0, weight->rank - 1, error));
    KC_RETURN_IF_ERROR(kci_rule_known(request, 1, 0, error));
    for (int32_t axis = channel_axis(request, conv); axis < x->rank; axis++) {
        KC_RETURN_IF_ERROR(kci_rule_known(request, 0, axis, error));
    }
    for (int32_t axis = 2; axis < weight->rank; axis++) {
        if (weight->dims[axis] < 1 || weight->dims[axis] > KCI_WINDOW_MAX) {
            return kci_rule_fail(request, error,
                                 "weight: expected a kernel of 1 to %" PRId64
                                 ", found %" PRId64 " on spatial axis %" PRId32,
                                 KCI_WINDOW_MAX, weight->dims[axis], axis - 2);
        }
    }
    return KC_OK;
}

static kc_status_t check_geometry(const kci_op_request_t *request,
                                  const kc_conv_attributes_t *conv,
                                  kc_error_t *error)
{
    int64_t count = conv->spatial_rank;
    KC_RETURN_IF_ERROR(
        kci_window_range(request, "stride", conv->stride, count, 1, error));
    KC_RETURN_IF_ERROR(
        kci_window_range(request, "padding", conv->padding, count, 0, error));
    KC_RETURN_IF_ERROR(kci_window_range(request, "padding_after",
                                        conv->padding_after, count, 0, error));
    return kci_window_range(request, "dilation", conv->dilation, count, 1,
                            error);
}

/* Weight [out, in / groups, kernel...]: output channel o belongs to group
 * o / (out / groups). */
static kc_status_t check_groups(const kci_op_request_t *request,
                                const kc_conv_attributes_t *conv,
                                kc_error_t *error)
{
    const kci_shape_t *weight = &kci_rule_operand(request, 1)->shape;
    int64_t groups = conv->groups;
    int64_t inputs =
        kci_rule_operand(request, 0)->shape.dims[channel_axis(request, conv)];
    int64_t outputs = weight->dims[0];
    if (groups < 1) {
        return kci_rule_fail(request, error,
                             "attribute groups: expected 1 or more, found "
                             "%" PRId64,
                             groups);
    }
    if (inputs % groups != 0 || outputs % groups != 0) {
        return kci_rule_fail(request, error,
                             "attribute groups: %" PRId64 " does not divide "
                             "the channels, %" PRId64 " of x and %" PRId64
                             " of the result",
                             groups, inputs, outputs);
    }
    if (weight->dims[1] != inputs / groups) {
        return kci_rule_fail(request, error,
                             "weight: expected %" PRId64 " channels (%" PRId64
                             " of x in %" PRId64 " groups), found %" PRId64,
                             inputs / groups, inputs, groups, weight->dims[1]);
    }
    return KC_OK;
}

static kc_status_t check_bias(const kci_op_request_t *request, int64_t channels,
                              kc_error_t *error)
{
    kci_shape_t bias = kci_rule_vector(channels);
    return kci_rule_shape_is(request, 2, &bias, error);
}

static kc_status_t infer_conv(const kci_op_request_t *request,
                              kc_attributes_t *attributes,
                              kci_tensor_type_t *out_type, kc_error_t *error)
{
    const kc_conv_attributes_t *conv = &attributes->u.conv;
    const kci_shape_t *weight = &kci_rule_operand(request, 1)->shape;
    const kci_shape_t *x = &kci_rule_operand(request, 0)->shape;
    KC_RETURN_IF_ERROR(check_operands(request, conv, error));
    KC_RETURN_IF_ERROR(check_geometry(request, conv, error));
    KC_RETURN_IF_ERROR(check_groups(request, conv, error));
    KC_RETURN_IF_ERROR(check_bias(request, weight->dims[0], error));
    int32_t channel = channel_axis(request, conv);
    out_type->shape = *x;
    out_type->shape.dims[channel] = weight->dims[0];
    for (int32_t i = 0; i < (int32_t)conv->spatial_rank; i++) {
        /* At most 2^60 + 1: both factors are bounded by KCI_WINDOW_MAX. */
        int64_t effective = conv->dilation[i] * (weight->dims[2 + i] - 1) + 1;
        kci_window_t window = {i,
                               x->dims[channel + 1 + i],
                               effective,
                               conv->stride[i],
                               conv->padding[i],
                               conv->padding_after[i]};
        KC_RETURN_IF_ERROR(kci_window_places(
            request, &window, &out_type->shape.dims[channel + 1 + i], error));
    }
    return kci_window_result(request, &out_type->shape, "padding", error);
}

/* (n - 1) * stride + kernel - 2 * padding; nothing from nothing. */
static kc_status_t spread(const kci_op_request_t *request,
                          const kc_conv_attributes_t *conv, int32_t axis,
                          int64_t extent, int64_t *out_extent,
                          kc_error_t *error)
{
    int64_t kernel = kci_rule_operand(request, 1)->shape.dims[2 + axis];
    int64_t size = 0;
    if (extent == 0) {
        *out_extent = 0;
        return KC_OK;
    }
    if (!kci_int64_multiply(extent - 1, conv->stride[axis], &size) ||
        !kci_int64_add(size, kernel, &size)) {
        return kci_rule_fail(request, error,
                             "attribute stride: %" PRId64 " with extent "
                             "%" PRId64 " overflows on spatial axis %" PRId32,
                             conv->stride[axis], extent, axis);
    }
    if (size - 2 * conv->padding[axis] < 1) {
        return kci_rule_fail(request, error,
                             "attribute padding: %" PRId64 " on both sides "
                             "leaves nothing of %" PRId64
                             " on spatial axis %" PRId32,
                             conv->padding[axis], size, axis);
    }
    *out_extent = size - 2 * conv->padding[axis];
    return KC_OK;
}

/* The record has fields that the file has not: resolve them. */
static void resolve_transpose(kc_conv_attributes_t *conv)
{
    conv->groups = 1;
    for (int64_t i = 0; i < conv->spatial_rank; i++) {
        conv->dilation[i] = 1;
        conv->padding_after[i] = conv->padding[i];
    }
}

static kc_status_t infer_conv_transpose(const kci_op_request_t *request,
                                        kc_attributes_t *attributes,
                                        kci_tensor_type_t *out_type,
                                        kc_error_t *error)
{
    kc_conv_attributes_t *conv = &attributes->u.conv;
    const kci_shape_t *weight = &kci_rule_operand(request, 1)->shape;
    const kci_shape_t *x = &kci_rule_operand(request, 0)->shape;
    KC_RETURN_IF_ERROR(check_operands(request, conv, error));
    resolve_transpose(conv);
    KC_RETURN_IF_ERROR(check_geometry(request, conv, error));
    int32_t channel = channel_axis(request, conv);
    if (weight->dims[0] != x->dims[channel]) {
        return kci_rule_fail(request, error,
                             "weight: expected %" PRId64
                             " input channels first, found %" PRId64,
                             x->dims[channel], weight->dims[0]);
    }
    KC_RETURN_IF_ERROR(check_bias(request, weight->dims[1], error));
    out_type->shape = *x;
    out_type->shape.dims[channel] = weight->dims[1];
    for (int32_t i = 0; i < (int32_t)conv->spatial_rank; i++) {
        int64_t *extent = &out_type->shape.dims[channel + 1 + i];
        KC_RETURN_IF_ERROR(spread(request, conv, i, *extent, extent, error));
    }
    return kci_window_result(request, &out_type->shape, "stride", error);
}

static const char *const names[] = {"x", "weight", "bias"};
static const kci_operand_kind_t kinds[] = {KCI_OPERAND_FLOAT, KCI_OPERAND_FLOAT,
                                           KCI_OPERAND_FLOAT};

#define STRIDE                                                                 \
    {                                                                          \
        "stride", KCI_ATTRIBUTE_INTEGERS,                                      \
            offsetof(kc_attributes_t, u.conv.stride), "1", NULL,               \
            "step of the window"                                               \
    }
#define PADDING(text)                                                          \
    {                                                                          \
        "padding", KCI_ATTRIBUTE_INTEGERS,                                     \
            offsetof(kc_attributes_t, u.conv.padding), "0", NULL, text         \
    }

static const kci_attribute_info_t conv_attributes[] = {
    STRIDE,
    PADDING("zeros before each axis"),
    {"padding_after", KCI_ATTRIBUTE_INTEGERS,
     offsetof(kc_attributes_t, u.conv.padding_after), "padding", NULL,
     "zeros after each axis"},
    {"dilation", KCI_ATTRIBUTE_INTEGERS,
     offsetof(kc_attributes_t, u.conv.dilation), "1", NULL,
     "distance of the taps"},
    {"groups", KCI_ATTRIBUTE_INTEGER, offsetof(kc_attributes_t, u.conv.groups),
     "1", NULL, "groups of channels; divides both counts"},
};
static const kci_attribute_info_t transpose_attributes[] = {
    STRIDE,
    PADDING("taken off both ends of the result"),
};

const kci_op_info_t kci_op_conv = {
    .op = KC_OP_CONV,
    .input_min = 2,
    .input_max = 3,
    .input_names = names,
    .input_kinds = kinds,
    .attributes = conv_attributes,
    .attribute_count = 5,
    .requires_vjp = true,
    .doc = "cross-correlation; weight [out, in / groups, kernel...]",
    .infer = infer_conv,
};

const kci_op_info_t kci_op_conv_transpose = {
    .op = KC_OP_CONV_TRANSPOSE,
    .input_min = 2,
    .input_max = 3,
    .input_names = names,
    .input_kinds = kinds,
    .attributes = transpose_attributes,
    .attribute_count = 2,
    .requires_vjp = true,
    .doc = "adjoint of convolution; weight [in, out, kernel...]",
    .infer = infer_conv_transpose,
};
