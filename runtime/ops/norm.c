/* SPDX-License-Identifier: Apache-2.0
 *
 * Normalisation by statistics of a suffix of axes or of a channel.
 */
#include "ops/entries.h"

#include <inttypes.h>

#include "ops/rule.h"

/* Statistics of nothing have no meaning, so no extent of x may be 0. */
static kc_status_t check_no_zero_extent(const kci_op_request_t *request,
                                        kc_error_t *error)
{
    const kci_shape_t *x = &kci_rule_operand(request, 0)->shape;
    char text[KCI_RULE_SHAPE_SIZE];
    for (int32_t axis = 0; axis < x->rank; axis++) {
        if (x->dims[axis] == 0) {
            kci_rule_format(request, x, text);
            return kci_rule_fail(
                request, error,
                "x: expected extents above 0, found %s with 0 on axis %" PRId32,
                text, axis);
        }
    }
    return KC_OK;
}

static kc_status_t infer_layer_norm(const kci_op_request_t *request,
                                    kc_attributes_t *attributes,
                                    kci_tensor_type_t *out_type,
                                    kc_error_t *error)
{
    const kci_shape_t *x = &kci_rule_operand(request, 0)->shape;
    int64_t axis = attributes->u.layer_norm.axis;
    kci_shape_t suffix = {0};
    KC_RETURN_IF_ERROR(kci_rule_rank_at_least(request, 0, 1, error));
    KC_RETURN_IF_ERROR(kci_rule_axis(request, "axis", axis, 0, error));
    KC_RETURN_IF_ERROR(
        kci_rule_epsilon(request, attributes->u.layer_norm.eps, error));
    KC_RETURN_IF_ERROR(check_no_zero_extent(request, error));
    if ((kci_rule_operand(request, 1) == NULL) !=
        (kci_rule_operand(request, 2) == NULL)) {
        return kci_rule_fail(request, error,
                             "expected gamma and beta, or neither");
    }
    for (int64_t i = axis; i < x->rank; i++) {
        suffix.dims[suffix.rank++] = x->dims[i];
    }
    KC_RETURN_IF_ERROR(kci_rule_shape_is(request, 1, &suffix, error));
    out_type->shape = *x;
    return kci_rule_shape_is(request, 2, &suffix, error);
}

/* eval brings its statistics as operands 3 and 4, the other modes compute
 * them and take none. */
static kc_status_t check_statistics(const kci_op_request_t *request,
                                    int32_t mode, kc_error_t *error)
{
    bool is_eval = mode == KC_BATCH_NORM_EVAL;
    for (size_t i = 3; i < 5; i++) {
        bool is_there = kci_rule_operand(request, i) != NULL;
        if (is_there != is_eval) {
            return kci_rule_fail(
                request, error,
                "attribute mode: %s statistics as inputs 3 and 4, found %s",
                is_eval ? "eval takes its" : "sample and batch take no",
                is_there ? "some" : "none");
        }
    }
    return KC_OK;
}

static kc_status_t infer_batch_norm(const kci_op_request_t *request,
                                    kc_attributes_t *attributes,
                                    kci_tensor_type_t *out_type,
                                    kc_error_t *error)
{
    const kc_batch_norm_attributes_t *norm = &attributes->u.batch_norm;
    const kci_shape_t *x = &kci_rule_operand(request, 0)->shape;
    KC_RETURN_IF_ERROR(kci_rule_choice(request, "mode", norm->mode,
                                       KC_BATCH_NORM_EVAL + 1, error));
    KC_RETURN_IF_ERROR(check_statistics(request, norm->mode, error));
    KC_RETURN_IF_ERROR(kci_rule_rank_at_least(request, 0, 1, error));
    KC_RETURN_IF_ERROR(
        kci_rule_axis(request, "channel_axis", norm->channel_axis, 0, error));
    if (norm->mode == KC_BATCH_NORM_BATCH && norm->channel_axis == 0) {
        return kci_rule_fail(request, error,
                             "attribute channel_axis: axis 0 is the batch, "
                             "expected 1 or more, found 0");
    }
    KC_RETURN_IF_ERROR(kci_rule_epsilon(request, norm->eps, error));
    KC_RETURN_IF_ERROR(check_no_zero_extent(request, error));
    kci_shape_t channels = kci_rule_vector(x->dims[norm->channel_axis]);
    for (size_t i = 1; i < 5; i++) {
        KC_RETURN_IF_ERROR(kci_rule_shape_is(request, i, &channels, error));
    }
    out_type->shape = *x;
    return KC_OK;
}

static const char *const layer_names[] = {"x", "gamma", "beta"};
static const char *const batch_names[] = {"x", "gamma", "beta", "mean", "var"};
static const kci_operand_kind_t kinds[] = {KCI_OPERAND_FLOAT, KCI_OPERAND_FLOAT,
                                           KCI_OPERAND_FLOAT, KCI_OPERAND_FLOAT,
                                           KCI_OPERAND_FLOAT};

static const kci_attribute_info_t layer_attributes[] = {
    {"axis", KCI_ATTRIBUTE_INTEGER,
     offsetof(kc_attributes_t, u.layer_norm.axis), NULL, NULL,
     "axes from here on are normalised together"},
    {"eps", KCI_ATTRIBUTE_NUMBER, offsetof(kc_attributes_t, u.layer_norm.eps),
     "1e-05", NULL, "added to the variance"},
};

static const char *const mode_words[] = {"sample", "batch", "eval", NULL};
static const kci_attribute_info_t batch_attributes[] = {
    {"mode", KCI_ATTRIBUTE_WORD, offsetof(kc_attributes_t, u.batch_norm.mode),
     NULL, mode_words, "statistics of each sample, of the batch, or given"},
    {"channel_axis", KCI_ATTRIBUTE_INTEGER,
     offsetof(kc_attributes_t, u.batch_norm.channel_axis), NULL, NULL,
     "the axis of the channels"},
    {"eps", KCI_ATTRIBUTE_NUMBER, offsetof(kc_attributes_t, u.batch_norm.eps),
     "1e-05", NULL, "added to the variance"},
};

const kci_op_info_t kci_op_layer_norm = {
    .op = KC_OP_LAYER_NORM,
    .input_min = 1,
    .input_max = 3,
    .input_names = layer_names,
    .input_kinds = kinds,
    .attributes = layer_attributes,
    .attribute_count = 2,
    .requires_vjp = true,
    .doc = "centred and scaled over the last axes, then gamma and beta",
    .infer = infer_layer_norm,
};

const kci_op_info_t kci_op_batch_norm = {
    .op = KC_OP_BATCH_NORM,
    .input_min = 3,
    .input_max = 5,
    .input_names = batch_names,
    .input_kinds = kinds,
    .attributes = batch_attributes,
    .attribute_count = 3,
    .requires_vjp = true,
    .doc = "centred and scaled by channel, then gamma and beta",
    .infer = infer_batch_norm,
};
