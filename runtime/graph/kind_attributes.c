/* SPDX-License-Identifier: Apache-2.0
 *
 * File attributes of the kinds that differ from their operation.
 */
#include "graph/kind_attributes.h"

#include <inttypes.h>

#include "ops/attribute_table.h"
#include "ops/rule.h"

static void copy_shape(const kci_tensor_type_t *declared, int64_t *out_rank,
                       int64_t *out_shape)
{
    *out_rank = declared->shape.rank;
    for (int32_t axis = 0; axis < declared->shape.rank; axis++) {
        out_shape[axis] = declared->shape.dims[axis];
    }
}

kc_status_t kci_read_target_shape(const kci_op_request_t *request,
                                  const json_t *object,
                                  const kci_tensor_type_t *declared,
                                  kc_attributes_t *out_attributes,
                                  kc_error_t *error)
{
    KC_RETURN_IF_ERROR(
        kci_attributes_read(request, NULL, 0, object, out_attributes, error));
    kc_shape_attributes_t *shape = &out_attributes->u.shape;
    copy_shape(declared, &shape->rank, shape->shape);
    return KC_OK;
}

kc_status_t kci_read_flatten(const kci_op_request_t *request,
                             const json_t *object,
                             const kci_tensor_type_t *declared,
                             kc_attributes_t *out_attributes, kc_error_t *error)
{
    kc_attributes_t attributes;
    KC_RETURN_IF_ERROR(
        kci_read_target_shape(request, object, declared, &attributes, error));
    if (declared->shape.rank != 1) {
        return kci_rule_fail(request, error,
                             "expected one declared axis, found rank %" PRId32,
                             declared->shape.rank);
    }
    *out_attributes = attributes;
    return KC_OK;
}

kc_status_t kci_read_sum(const kci_op_request_t *request, const json_t *object,
                         const kci_tensor_type_t *declared,
                         kc_attributes_t *out_attributes, kc_error_t *error)
{
    (void)declared;
    KC_RETURN_IF_ERROR(
        kci_attributes_read(request, NULL, 0, object, out_attributes, error));
    out_attributes->u.axis.axis = 0;
    return KC_OK;
}

/* The count of a list of axes lands in permute.rank. */
static const kci_attribute_info_t transpose_attributes[] = {
    {"axes", KCI_ATTRIBUTE_INTEGERS, offsetof(kc_attributes_t, u.permute.perm),
     NULL, NULL, "the two axes that are swapped"},
};

kc_status_t kci_read_transpose(const kci_op_request_t *request,
                               const json_t *object,
                               const kci_tensor_type_t *declared,
                               kc_attributes_t *out_attributes,
                               kc_error_t *error)
{
    kc_permute_attributes_t *permute = &out_attributes->u.permute;
    (void)declared;
    KC_RETURN_IF_ERROR(kci_attributes_read(request, transpose_attributes, 1,
                                           object, out_attributes, error));
    if (permute->rank != 2) {
        return kci_rule_fail(request, error,
                             "attribute axes: expected two axes, found "
                             "%" PRId64,
                             permute->rank);
    }
    int64_t first = permute->perm[0];
    int64_t second = permute->perm[1];
    KC_RETURN_IF_ERROR(kci_rule_axis(request, "axes", first, 0, error));
    KC_RETURN_IF_ERROR(kci_rule_axis(request, "axes", second, 0, error));
    permute->rank = kci_rule_operand(request, 0)->shape.rank;
    for (int64_t i = 0; i < permute->rank; i++) {
        permute->perm[i] = i;
    }
    permute->perm[first] = second;
    permute->perm[second] = first;
    return KC_OK;
}

void kci_transpose_axes(const json_t *object, uint8_t out_axes[2])
{
    const json_t *axes = json_object_get(object, "axes");
    for (size_t i = 0; i < 2; i++) {
        out_axes[i] = (uint8_t)json_integer_value(json_array_get(axes, i));
    }
}

#define CHANNEL_AXIS                                                           \
    {                                                                          \
        "channel_axis", KCI_ATTRIBUTE_INTEGER,                                 \
            offsetof(kc_attributes_t, u.batch_norm.channel_axis), NULL, NULL,  \
            "the axis of the channels"                                         \
    }
#define EPS                                                                    \
    {                                                                          \
        "eps", KCI_ATTRIBUTE_NUMBER,                                           \
            offsetof(kc_attributes_t, u.batch_norm.eps), "1e-05", NULL,        \
            "added to the variance"                                            \
    }

static const kci_attribute_info_t eval_attributes[] = {CHANNEL_AXIS, EPS};

kc_status_t kci_read_batch_norm_eval(const kci_op_request_t *request,
                                     const json_t *object,
                                     const kci_tensor_type_t *declared,
                                     kc_attributes_t *out_attributes,
                                     kc_error_t *error)
{
    (void)declared;
    KC_RETURN_IF_ERROR(kci_attributes_read(request, eval_attributes, 2, object,
                                           out_attributes, error));
    out_attributes->u.batch_norm.mode = KC_BATCH_NORM_EVAL;
    return KC_OK;
}

static const char *const mode_words[] = {"sample", "batch", NULL};
static const kci_attribute_info_t batch_norm_attributes[] = {
    {"mode", KCI_ATTRIBUTE_WORD, offsetof(kc_attributes_t, u.batch_norm.mode),
     NULL, mode_words, "sample or batch"},
    CHANNEL_AXIS,
    EPS,
};

kc_status_t kci_read_batch_norm(const kci_op_request_t *request,
                                const json_t *object,
                                const kci_tensor_type_t *declared,
                                kc_attributes_t *out_attributes,
                                kc_error_t *error)
{
    (void)declared;
    return kci_attributes_read(request, batch_norm_attributes, 3, object,
                               out_attributes, error);
}

static const kci_attribute_info_t random_attributes[] = {
    {"seed", KCI_ATTRIBUTE_SEED, offsetof(kc_attributes_t, u.random.seed), "0",
     NULL, "64 bits"},
};

kc_status_t kci_read_random(const kci_op_request_t *request,
                            const json_t *object,
                            const kci_tensor_type_t *declared,
                            kc_attributes_t *out_attributes, kc_error_t *error)
{
    KC_RETURN_IF_ERROR(kci_attributes_read(request, random_attributes, 1,
                                           object, out_attributes, error));
    kc_random_attributes_t *random = &out_attributes->u.random;
    copy_shape(declared, &random->rank, random->shape);
    return KC_OK;
}
