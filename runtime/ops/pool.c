/* SPDX-License-Identifier: Apache-2.0
 *
 * Pools over the last axes of x, as many as the kernel has entries; all axes
 * before them are batch.
 */
#include "ops/entries.h"

#include <inttypes.h>

#include "base/checked_size.h"
#include "ops/rule.h"
#include "ops/window.h"

static kc_status_t check_geometry(const kci_op_request_t *request,
                                  const kc_pool_attributes_t *pool,
                                  kc_error_t *error)
{
    int64_t count = pool->spatial_rank;
    int64_t cells = 1;
    if (count < 1) {
        return kci_rule_fail(request, error,
                             "attribute kernel: expected one entry a spatial "
                             "axis, found none");
    }
    if (count > kci_rule_operand(request, 0)->shape.rank) {
        return kci_rule_fail(request, error,
                             "x: expected rank %" PRId64
                             " or more for attribute kernel, found %" PRId32,
                             count, kci_rule_operand(request, 0)->shape.rank);
    }
    KC_RETURN_IF_ERROR(
        kci_window_range(request, "kernel", pool->kernel, count, 1, error));
    KC_RETURN_IF_ERROR(
        kci_window_range(request, "stride", pool->stride, count, 1, error));
    KC_RETURN_IF_ERROR(
        kci_window_range(request, "padding", pool->padding, count, 0, error));
    for (int64_t i = 0; i < count; i++) {
        if (pool->padding[i] > pool->kernel[i] / 2) {
            return kci_rule_fail(
                request, error,
                "attribute padding: expected at most half the kernel %" PRId64
                ", found %" PRId64 " on spatial axis %" PRId64,
                pool->kernel[i], pool->padding[i], i);
        }
        if (!kci_int64_multiply(cells, pool->kernel[i], &cells)) {
            return kci_rule_fail(request, error,
                                 "attribute kernel: the window has too many "
                                 "cells");
        }
    }
    return KC_OK;
}

static kc_status_t infer_pool(const kci_op_request_t *request,
                              kc_attributes_t *attributes,
                              kci_tensor_type_t *out_type, kc_error_t *error)
{
    const kc_pool_attributes_t *pool = &attributes->u.pool;
    const kci_shape_t *x = &kci_rule_operand(request, 0)->shape;
    KC_RETURN_IF_ERROR(check_geometry(request, pool, error));
    int32_t first = x->rank - (int32_t)pool->spatial_rank;
    out_type->shape = *x;
    for (int32_t i = 0; i < (int32_t)pool->spatial_rank; i++) {
        KC_RETURN_IF_ERROR(kci_rule_known(request, 0, first + i, error));
        if (x->dims[first + i] == 0) {
            return kci_rule_fail(request, error,
                                 "the window does not fit on spatial axis "
                                 "%" PRId32 ": kernel %" PRId64
                                 ", found extent 0",
                                 i, pool->kernel[i]);
        }
        kci_window_t window = {i,
                               x->dims[first + i],
                               pool->kernel[i],
                               pool->stride[i],
                               pool->padding[i],
                               pool->padding[i]};
        KC_RETURN_IF_ERROR(kci_window_places(
            request, &window, &out_type->shape.dims[first + i], error));
    }
    return kci_window_result(request, &out_type->shape, "padding", error);
}

static kc_status_t infer_smooth_max_pool(const kci_op_request_t *request,
                                         kc_attributes_t *attributes,
                                         kci_tensor_type_t *out_type,
                                         kc_error_t *error)
{
    KC_RETURN_IF_ERROR(
        kci_rule_float32(request, "beta", attributes->u.pool.beta, error));
    return infer_pool(request, attributes, out_type, error);
}

static const char *const names[] = {"x"};
static const kci_operand_kind_t kinds[] = {KCI_OPERAND_FLOAT};

#define KERNEL                                                                 \
    {                                                                          \
        "kernel", KCI_ATTRIBUTE_INTEGERS,                                      \
            offsetof(kc_attributes_t, u.pool.kernel), NULL, NULL,              \
            "extents of the window, a list"                                    \
    }
#define STRIDE                                                                 \
    {                                                                          \
        "stride", KCI_ATTRIBUTE_INTEGERS,                                      \
            offsetof(kc_attributes_t, u.pool.stride), "kernel", NULL,          \
            "step of the window"                                               \
    }
#define PADDING                                                                \
    {                                                                          \
        "padding", KCI_ATTRIBUTE_INTEGERS,                                     \
            offsetof(kc_attributes_t, u.pool.padding), "0", NULL,              \
            "cells beyond both ends, at most half the kernel"                  \
    }

static const kci_attribute_info_t pool_attributes[] = {KERNEL, STRIDE, PADDING};
static const kci_attribute_info_t smooth_attributes[] = {
    KERNEL,
    STRIDE,
    PADDING,
    {"beta", KCI_ATTRIBUTE_NUMBER, offsetof(kc_attributes_t, u.pool.beta), NULL,
     NULL, "sharpness; finite and not 0 in float32"},
};

const kci_op_info_t kci_op_max_pool = {
    .op = KC_OP_MAX_POOL,
    .input_min = 1,
    .input_max = 1,
    .input_names = names,
    .input_kinds = kinds,
    .attributes = pool_attributes,
    .attribute_count = 3,
    .requires_vjp = true,
    .doc = "the largest cell of each window, padding ignored",
    .infer = infer_pool,
};

const kci_op_info_t kci_op_avg_pool = {
    .op = KC_OP_AVG_POOL,
    .input_min = 1,
    .input_max = 1,
    .input_names = names,
    .input_kinds = kinds,
    .attributes = pool_attributes,
    .attribute_count = 3,
    .requires_vjp = true,
    .doc = "the mean of each window, padding counted as zeros",
    .infer = infer_pool,
};

const kci_op_info_t kci_op_smooth_max_pool = {
    .op = KC_OP_SMOOTH_MAX_POOL,
    .input_min = 1,
    .input_max = 1,
    .input_names = names,
    .input_kinds = kinds,
    .attributes = smooth_attributes,
    .attribute_count = 4,
    .requires_vjp = true,
    .doc = "log of the summed exponentials of each window, over beta",
    .infer = infer_smooth_max_pool,
};
