/* SPDX-License-Identifier: Apache-2.0
 *
 * Scaled dot-product attention: q [..., queries, d], k [..., keys, d],
 * v [..., keys, d_v], and a mask whose true means that a query may attend.
 */
#include "ops/entries.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "ops/rule.h"

static kc_status_t check_leading(const kci_op_request_t *request, size_t index,
                                 kc_error_t *error)
{
    const kci_shape_t *q = &kci_rule_operand(request, 0)->shape;
    const kci_shape_t *other = &kci_rule_operand(request, index)->shape;
    char q_text[KCI_RULE_SHAPE_SIZE];
    char text[KCI_RULE_SHAPE_SIZE];
    size_t size = (size_t)(q->rank - 2) * sizeof *q->dims;
    if (other->rank == q->rank && memcmp(q->dims, other->dims, size) == 0) {
        return KC_OK;
    }
    kci_rule_format(request, q, q_text);
    kci_rule_format(request, other, text);
    return kci_rule_fail(request, error,
                         "expected equal leading extents of q and %s, found "
                         "%s and %s",
                         kci_rule_operand_name(request->op, index), q_text,
                         text);
}

/* Extent `a_axis` from the end of operand `a` equals that of `b`. */
static kc_status_t check_pair(const kci_op_request_t *request, size_t a,
                              size_t b, int32_t from_end, const char *what,
                              kc_error_t *error)
{
    const kci_shape_t *first = &kci_rule_operand(request, a)->shape;
    const kci_shape_t *second = &kci_rule_operand(request, b)->shape;
    char first_text[KCI_RULE_SHAPE_SIZE];
    char second_text[KCI_RULE_SHAPE_SIZE];
    if (first->dims[first->rank - from_end] ==
        second->dims[second->rank - from_end]) {
        return KC_OK;
    }
    kci_rule_format(request, first, first_text);
    kci_rule_format(request, second, second_text);
    return kci_rule_fail(
        request, error, "expected equal %s of %s and %s, found %s and %s", what,
        kci_rule_operand_name(request->op, a),
        kci_rule_operand_name(request->op, b), first_text, second_text);
}

static kc_status_t check_not_empty(const kci_op_request_t *request,
                                   size_t index, const char *what,
                                   kc_error_t *error)
{
    const kci_shape_t *shape = &kci_rule_operand(request, index)->shape;
    char text[KCI_RULE_SHAPE_SIZE];
    if (shape->dims[shape->rank - 2] != 0) {
        return KC_OK;
    }
    kci_rule_format(request, shape, text);
    return kci_rule_fail(request, error, "%s: expected 1 or more %s, found %s",
                         kci_rule_operand_name(request->op, index), what, text);
}

/* Right-aligned with the scores [..., queries, keys]; axes may be missing
 * or 1. */
static kc_status_t check_mask(const kci_op_request_t *request,
                              kc_error_t *error)
{
    const kci_tensor_type_t *mask = kci_rule_operand(request, 3);
    const kci_shape_t *k = &kci_rule_operand(request, 1)->shape;
    kci_shape_t scores = kci_rule_operand(request, 0)->shape;
    char mask_text[KCI_RULE_SHAPE_SIZE];
    char scores_text[KCI_RULE_SHAPE_SIZE];
    if (mask == NULL) {
        return KC_OK;
    }
    scores.dims[scores.rank - 1] = k->dims[k->rank - 2];
    bool fits = mask->shape.rank <= scores.rank;
    for (int32_t i = 1; fits && i <= mask->shape.rank; i++) {
        int64_t extent = mask->shape.dims[mask->shape.rank - i];
        fits = extent == 1 || extent == scores.dims[scores.rank - i];
    }
    if (fits) {
        return KC_OK;
    }
    kci_rule_format(request, &mask->shape, mask_text);
    kci_rule_format(request, &scores, scores_text);
    return kci_rule_fail(request, error,
                         "mask: expected %s, right-aligned, axes missing or "
                         "1, found %s",
                         scores_text, mask_text);
}

static kc_status_t resolve_scale(const kci_op_request_t *request,
                                 kc_attention_attributes_t *attention,
                                 kc_error_t *error)
{
    const kci_shape_t *q = &kci_rule_operand(request, 0)->shape;
    int64_t d = q->dims[q->rank - 1];
    char text[32];
    if (isnan(attention->scale)) {
        attention->scale = d == 0 ? 1.0 : (double)(1.0f / sqrtf((float)d));
    }
    if (isfinite(attention->scale)) {
        return KC_OK;
    }
    kci_format_double(attention->scale, text);
    return kci_rule_fail(request, error,
                         "attribute scale: expected a finite number, found "
                         "%s",
                         text);
}

static kc_status_t infer_attention(const kci_op_request_t *request,
                                   kc_attributes_t *attributes,
                                   kci_tensor_type_t *out_type,
                                   kc_error_t *error)
{
    const kci_shape_t *q = &kci_rule_operand(request, 0)->shape;
    const kci_shape_t *v = &kci_rule_operand(request, 2)->shape;
    KC_RETURN_IF_ERROR(kci_rule_choice(
        request, "causal", attributes->u.attention.causal, 2, error));
    for (size_t i = 0; i < 3; i++) {
        KC_RETURN_IF_ERROR(kci_rule_rank_at_least(request, i, 2, error));
    }
    KC_RETURN_IF_ERROR(check_leading(request, 1, error));
    KC_RETURN_IF_ERROR(check_leading(request, 2, error));
    KC_RETURN_IF_ERROR(check_not_empty(request, 0, "queries", error));
    KC_RETURN_IF_ERROR(check_not_empty(request, 1, "keys", error));
    KC_RETURN_IF_ERROR(check_pair(request, 0, 1, 1, "last extents", error));
    KC_RETURN_IF_ERROR(check_pair(request, 1, 2, 2, "numbers of keys", error));
    KC_RETURN_IF_ERROR(check_mask(request, error));
    out_type->shape = *q;
    out_type->shape.dims[q->rank - 1] = v->dims[v->rank - 1];
    return resolve_scale(request, &attributes->u.attention, error);
}

static const char *const names[] = {"q", "k", "v", "mask"};
static const kci_operand_kind_t kinds[] = {KCI_OPERAND_FLOAT, KCI_OPERAND_FLOAT,
                                           KCI_OPERAND_FLOAT, KCI_OPERAND_MASK};
static const kci_attribute_info_t attention_attributes[] = {
    {"scale", KCI_ATTRIBUTE_NUMBER,
     offsetof(kc_attributes_t, u.attention.scale), "1/sqrt(d)", NULL,
     "factor of the scores, rounded to float32"},
    {"causal", KCI_ATTRIBUTE_BOOLEAN,
     offsetof(kc_attributes_t, u.attention.causal), "false", NULL,
     "query i attends keys j <= i only"},
};

const kci_op_info_t kci_op_scaled_dot_product_attention = {
    .op = KC_OP_SCALED_DOT_PRODUCT_ATTENTION,
    .input_min = 3,
    .input_max = 4,
    .input_names = names,
    .input_kinds = kinds,
    .attributes = attention_attributes,
    .attribute_count = 2,
    .requires_vjp = true,
    .doc = "softmax of scaled scores over allowed keys, times v",
    .infer = infer_attention,
};
