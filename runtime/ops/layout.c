/* SPDX-License-Identifier: Apache-2.0
 *
 * Operations that move elements and compute none. They take any dtype.
 */
#include "ops/entries.h"

#include <inttypes.h>

#include "base/checked_size.h"
#include "ops/rule.h"

static kc_status_t target_shape(const kci_op_request_t *request,
                                const kc_attributes_t *attributes,
                                kci_shape_t *out, kc_error_t *error)
{
    return kci_rule_target(request, attributes->u.shape.rank,
                           attributes->u.shape.shape, out, error);
}

static kc_status_t fail_target(const kci_op_request_t *request,
                               const kci_shape_t *target, const char *problem,
                               kc_error_t *error)
{
    char x_text[KCI_RULE_SHAPE_SIZE];
    char target_text[KCI_RULE_SHAPE_SIZE];
    kci_rule_format(request, &kci_rule_operand(request, 0)->shape, x_text);
    kci_rule_format(request, target, target_text);
    return kci_rule_fail(request, error, "%s %s to %s", problem, x_text,
                         target_text);
}

/* A name that leads on both sides stands for one number, so the rest must
 * hold equally many elements. Any other name would have to be known. */
static kc_status_t infer_reshape(const kci_op_request_t *request,
                                 kc_attributes_t *attributes,
                                 kci_tensor_type_t *out_type, kc_error_t *error)
{
    kci_shape_t x = kci_rule_operand(request, 0)->shape;
    kci_shape_t target = {0};
    KC_RETURN_IF_ERROR(target_shape(request, attributes, &target, error));
    int64_t x_name = x.rank > 0 && x.dims[0] < 0 ? x.dims[0] : 0;
    int64_t target_name =
        target.rank > 0 && target.dims[0] < 0 ? target.dims[0] : 0;
    int64_t x_count = 0;
    int64_t target_count = 0;
    out_type->shape = target;
    if (x_name != target_name) {
        return fail_target(request, &target,
                           "the name of an extent must lead on both sides, "
                           "found",
                           error);
    }
    KC_RETURN_IF_ERROR(kci_rule_count(request, &x, "x", &x_count, error));
    KC_RETURN_IF_ERROR(
        kci_rule_count(request, &target, "result", &target_count, error));
    if (x_count != target_count) {
        return fail_target(request, &target,
                           "expected equal element counts, found", error);
    }
    return KC_OK;
}

static kc_status_t infer_broadcast(const kci_op_request_t *request,
                                   kc_attributes_t *attributes,
                                   kci_tensor_type_t *out_type,
                                   kc_error_t *error)
{
    const kci_shape_t *x = &kci_rule_operand(request, 0)->shape;
    kci_shape_t *target = &out_type->shape;
    KC_RETURN_IF_ERROR(target_shape(request, attributes, target, error));
    bool is_legal = target->rank >= x->rank;
    for (int32_t i = 1; is_legal && i <= x->rank; i++) {
        int64_t from = x->dims[x->rank - i];
        is_legal = from == 1 || from == target->dims[target->rank - i];
    }
    if (!is_legal) {
        return fail_target(request, target,
                           "right-aligned extents must be equal or 1, found",
                           error);
    }
    return KC_OK;
}

static kc_status_t infer_permute(const kci_op_request_t *request,
                                 kc_attributes_t *attributes,
                                 kci_tensor_type_t *out_type, kc_error_t *error)
{
    const kci_shape_t *x = &kci_rule_operand(request, 0)->shape;
    const kc_permute_attributes_t *permute = &attributes->u.permute;
    uint32_t seen = 0;
    if (permute->rank != x->rank) {
        return kci_rule_fail(request, error,
                             "attribute perm: expected %" PRId32
                             " axes, found %" PRId64,
                             x->rank, permute->rank);
    }
    out_type->shape.rank = x->rank;
    for (int32_t i = 0; i < x->rank; i++) {
        int64_t axis = permute->perm[i];
        KC_RETURN_IF_ERROR(kci_rule_axis(request, "perm", axis, 0, error));
        if ((seen & (1u << axis)) != 0) {
            return kci_rule_fail(request, error,
                                 "attribute perm: not a permutation, axis "
                                 "%" PRId64 " comes twice",
                                 axis);
        }
        seen |= 1u << axis;
        out_type->shape.dims[i] = x->dims[axis];
    }
    return KC_OK;
}

/* Adds the extent of one more piece; the other extents must agree. */
static kc_status_t join_piece(const kci_op_request_t *request, size_t index,
                              int64_t axis, kci_shape_t *shape,
                              kc_error_t *error)
{
    const kci_shape_t *piece = &kci_rule_operand(request, index)->shape;
    kci_shape_t expected = *shape;
    char first_text[KCI_RULE_SHAPE_SIZE];
    char piece_text[KCI_RULE_SHAPE_SIZE];
    if (piece->rank == shape->rank) {
        expected.dims[axis] = piece->dims[axis];
    }
    if (!kci_shape_equal(&expected, piece)) {
        kci_rule_format(request, &kci_rule_operand(request, 0)->shape,
                        first_text);
        kci_rule_format(request, piece, piece_text);
        return kci_rule_fail(request, error,
                             "input %zu: expected the shape of input 0 but "
                             "for axis %" PRId64 ", found %s and %s",
                             index, axis, first_text, piece_text);
    }
    KC_RETURN_IF_ERROR(kci_rule_known(request, index, (int32_t)axis, error));
    if (!kci_int64_add(shape->dims[axis], piece->dims[axis],
                       &shape->dims[axis])) {
        return kci_rule_fail(request, error,
                             "axis %" PRId64 ": the sum of extents overflows",
                             axis);
    }
    return KC_OK;
}

static kc_status_t infer_concat(const kci_op_request_t *request,
                                kc_attributes_t *attributes,
                                kci_tensor_type_t *out_type, kc_error_t *error)
{
    int64_t axis = attributes->u.axis.axis;
    for (size_t i = 0; i < request->input_count; i++) {
        if (kci_rule_operand(request, i) == NULL) {
            return kci_rule_fail(request, error, "input %zu is missing", i);
        }
    }
    KC_RETURN_IF_ERROR(kci_rule_rank_at_least(request, 0, 1, error));
    KC_RETURN_IF_ERROR(kci_rule_axis(request, "axis", axis, 0, error));
    KC_RETURN_IF_ERROR(kci_rule_known(request, 0, (int32_t)axis, error));
    out_type->shape = kci_rule_operand(request, 0)->shape;
    for (size_t i = 1; i < request->input_count; i++) {
        KC_RETURN_IF_ERROR(
            join_piece(request, i, axis, &out_type->shape, error));
    }
    return KC_OK;
}

static kc_status_t infer_slice(const kci_op_request_t *request,
                               kc_attributes_t *attributes,
                               kci_tensor_type_t *out_type, kc_error_t *error)
{
    const kc_slice_attributes_t *slice = &attributes->u.slice;
    int64_t end = 0;
    KC_RETURN_IF_ERROR(kci_rule_rank_at_least(request, 0, 1, error));
    KC_RETURN_IF_ERROR(kci_rule_axis(request, "axis", slice->axis, 0, error));
    KC_RETURN_IF_ERROR(kci_rule_known(request, 0, (int32_t)slice->axis, error));
    out_type->shape = kci_rule_operand(request, 0)->shape;
    int64_t extent = out_type->shape.dims[slice->axis];
    if (slice->start < 0 || slice->length < 0) {
        return kci_rule_fail(request, error,
                             "attribute %s: expected 0 or more, found "
                             "%" PRId64,
                             slice->start < 0 ? "start" : "length",
                             slice->start < 0 ? slice->start : slice->length);
    }
    if (!kci_int64_add(slice->start, slice->length, &end) || end > extent) {
        return kci_rule_fail(request, error,
                             "attributes start and length: %" PRId64
                             " and %" PRId64 " reach past the extent %" PRId64
                             " of axis %" PRId64,
                             slice->start, slice->length, extent, slice->axis);
    }
    out_type->shape.dims[slice->axis] = slice->length;
    return KC_OK;
}

static const char *const x_names[] = {"x"};
static const char *const piece_names[] = {"input"};
static const kci_operand_kind_t kinds[] = {KCI_OPERAND_ANY};

static const kci_attribute_info_t shape_attributes[] = {
    {"shape", KCI_ATTRIBUTE_SHAPE, offsetof(kc_attributes_t, u.shape), NULL,
     NULL, "shape of the result"},
};
static const kci_attribute_info_t permute_attributes[] = {
    {"perm", KCI_ATTRIBUTE_INTEGERS, offsetof(kc_attributes_t, u.permute.perm),
     NULL, NULL, "axis i of the result is axis perm[i]"},
};
static const kci_attribute_info_t concat_attributes[] = {
    {"axis", KCI_ATTRIBUTE_INTEGER, offsetof(kc_attributes_t, u.axis.axis),
     NULL, NULL, "the axis whose extents are summed"},
};
static const kci_attribute_info_t slice_attributes[] = {
    {"axis", KCI_ATTRIBUTE_INTEGER, offsetof(kc_attributes_t, u.slice.axis),
     NULL, NULL, "the axis that is cut"},
    {"start", KCI_ATTRIBUTE_INTEGER, offsetof(kc_attributes_t, u.slice.start),
     NULL, NULL, "first index"},
    {"length", KCI_ATTRIBUTE_INTEGER, offsetof(kc_attributes_t, u.slice.length),
     NULL, NULL, "extent of the result"},
};

#define LAYOUT(symbol, constant, table, count, rule, text)                     \
    const kci_op_info_t kci_op_##symbol = {                                    \
        .op = constant,                                                        \
        .input_min = 1,                                                        \
        .input_max = 1,                                                        \
        .input_names = x_names,                                                \
        .input_kinds = kinds,                                                  \
        .attributes = table,                                                   \
        .attribute_count = count,                                              \
        .requires_vjp = true,                                                  \
        .doc = text,                                                           \
        .infer = rule,                                                         \
    }

LAYOUT(reshape, KC_OP_RESHAPE, shape_attributes, 1, infer_reshape,
       "the same elements in row-major order under another shape");
LAYOUT(permute, KC_OP_PERMUTE, permute_attributes, 1, infer_permute,
       "axes in another order");
LAYOUT(broadcast, KC_OP_BROADCAST, shape_attributes, 1, infer_broadcast,
       "repeats along axes of extent 1 and along new leading axes");
LAYOUT(slice, KC_OP_SLICE, slice_attributes, 3, infer_slice,
       "a range of one axis");

const kci_op_info_t kci_op_concat = {
    .op = KC_OP_CONCAT,
    .input_min = 2,
    .input_max = KC_MAX_INPUTS,
    .input_names = piece_names,
    .input_kinds = kinds,
    .has_repeated_input = true,
    .attributes = concat_attributes,
    .attribute_count = 1,
    .requires_vjp = true,
    .doc = "tensors one after the other along an axis",
    .infer = infer_concat,
};
