/* SPDX-License-Identifier: Apache-2.0
 *
 * dispatch.layout and dispatch.alias: where the elements of an operand lie,
 * and whether the output lies on any of them.
 */
#include "dispatch/guard.h"

#include <inttypes.h>

#include "base/checked_size.h"
#include "base/error.h"
#include "tensor/tensor.h"

static size_t element_size(const DLTensor *view)
{
    return view->dtype.bits / 8u;
}

static bool is_empty(const DLTensor *view)
{
    for (int32_t axis = 0; axis < view->ndim; axis++) {
        if (view->shape[axis] == 0) {
            return true;
        }
    }
    return false;
}

/* Elements from the first to one behind the last; false on overflow. */
static bool element_span(const DLTensor *view, size_t *out_span)
{
    size_t span = 1;
    if (view->strides == NULL) {
        for (int32_t axis = 0; axis < view->ndim; axis++) {
            span *= (size_t)view->shape[axis]; /* dispatch.shape checked it */
        }
        *out_span = span;
        return true;
    }
    for (int32_t axis = 0; axis < view->ndim; axis++) {
        size_t reach = 0;
        if (view->strides[axis] < 0 ||
            !kci_size_multiply((size_t)view->shape[axis] - 1,
                               (size_t)view->strides[axis], &reach) ||
            !kci_size_add(span, reach, &span)) {
            return false;
        }
    }
    *out_span = span;
    return true;
}

bool kci_view_byte_range(const DLTensor *view, kci_byte_range_t *out_range)
{
    size_t span = 0;
    size_t bytes = 0;
    uintptr_t start = (uintptr_t)kc_tensor_data(view);
    size_t end = 0;
    if (is_empty(view)) {
        *out_range = (kci_byte_range_t){start, start};
        return true;
    }
    if (!element_span(view, &span) ||
        !kci_size_multiply(span, element_size(view), &bytes) ||
        !kci_size_add(start, bytes, &end)) {
        return false;
    }
    *out_range = (kci_byte_range_t){start, end};
    return true;
}

static kc_status_t check_strides(const kci_operands_t *operands, int32_t index,
                                 kc_error_t *error)
{
    const DLTensor *view = kci_operand(operands, index);
    for (int32_t axis = 0; view->strides != NULL && axis < view->ndim; axis++) {
        if (view->strides[axis] < 0) {
            return kci_guard_fail(KCI_GUARD_LAYOUT, operands, index, error,
                                  "expected strides >= 0, found %" PRId64
                                  " on axis %d",
                                  view->strides[axis], (int)axis);
        }
    }
    return KC_OK;
}

static kc_status_t check_memory(const kci_operands_t *operands, int32_t index,
                                kc_error_t *error)
{
    const DLTensor *view = kci_operand(operands, index);
    kci_byte_range_t range;
    KC_RETURN_IF_ERROR(check_strides(operands, index, error));
    if (is_empty(view)) {
        return KC_OK;
    }
    if (view->data == NULL) {
        return kci_guard_fail(KCI_GUARD_LAYOUT, operands, index, error,
                              "expected memory, found NULL");
    }
    /* Sizes of elements are powers of two. */
    if (((uintptr_t)kc_tensor_data(view) & (element_size(view) - 1)) != 0) {
        return kci_guard_fail(KCI_GUARD_LAYOUT, operands, index, error,
                              "expected an address aligned to %zu bytes, "
                              "found %p",
                              element_size(view), kc_tensor_data(view));
    }
    if (!kci_view_byte_range(view, &range)) {
        return kci_guard_fail(KCI_GUARD_LAYOUT, operands, index, error,
                              "expected elements within the address space, "
                              "found strides that lead out of it");
    }
    return KC_OK;
}

/* Axes nested like boxes: by rising stride, each steps over all before. This
 * refuses a few layouts that are distinct in other ways. */
static bool has_distinct_elements(const DLTensor *view)
{
    uint32_t done = 0;
    int64_t reach = 0; /* of the axes done so far */
    for (int32_t round = 0; round < view->ndim; round++) {
        int32_t next = -1;
        for (int32_t axis = 0; axis < view->ndim; axis++) {
            bool is_open = (done >> axis & 1u) == 0;
            if (is_open &&
                (next < 0 || view->strides[axis] < view->strides[next])) {
                next = axis;
            }
        }
        done |= 1u << next;
        if (view->shape[next] <= 1) {
            continue;
        }
        if (view->strides[next] <= reach) {
            return false;
        }
        reach += (view->shape[next] - 1) * view->strides[next];
    }
    return true;
}

kc_status_t kci_guard_layout(const kci_operands_t *operands, kc_error_t *error)
{
    for (size_t i = 0; i < operands->input_count; i++) {
        if (operands->inputs[i] != NULL) {
            KC_RETURN_IF_ERROR(check_memory(operands, (int32_t)i, error));
        }
    }
    KC_RETURN_IF_ERROR(check_memory(operands, KCI_OUTPUT_OPERAND, error));
    if (kci_tensor_is_dense(operands->output) ||
        has_distinct_elements(operands->output)) {
        return KC_OK;
    }
    return kci_guard_fail(KCI_GUARD_LAYOUT, operands, KCI_OUTPUT_OPERAND, error,
                          "expected elements that do not overlap, "
                          "found strides under which they do");
}

/* The kernel says it may write over this input, and the output is exactly
 * that memory. */
static bool may_overwrite(const kci_operands_t *operands, size_t index,
                          const kci_byte_range_t *input,
                          const kci_byte_range_t *output)
{
    return index < 32 &&
           (operands->capsule->limits.overwrites >> index & 1u) != 0 &&
           input->start == output->start && input->end == output->end &&
           element_size(operands->inputs[index]) ==
               element_size(operands->output) &&
           kci_tensor_is_dense(operands->inputs[index]) &&
           kci_tensor_is_dense(operands->output);
}

kc_status_t kci_guard_alias(const kci_operands_t *operands, kc_error_t *error)
{
    kci_byte_range_t output;
    kci_byte_range_t input;
    if (!kci_view_byte_range(operands->output, &output)) {
        return kci_guard_fail(KCI_GUARD_ALIAS, operands, KCI_OUTPUT_OPERAND,
                              error, "expected a checked layout");
    }
    for (size_t i = 0; i < operands->input_count; i++) {
        char name[KCI_OPERAND_NAME_SIZE];
        if (operands->inputs[i] == NULL ||
            !kci_view_byte_range(operands->inputs[i], &input) ||
            !kci_byte_ranges_overlap(&input, &output) ||
            may_overwrite(operands, i, &input, &output)) {
            continue;
        }
        kci_operand_name(operands->op, (int32_t)i, name, sizeof name);
        return kci_guard_fail(KCI_GUARD_ALIAS, operands, KCI_OUTPUT_OPERAND,
                              error,
                              "expected memory apart from all inputs, found "
                              "it overlaps %s (capsule %s)",
                              name, operands->capsule->name);
    }
    return KC_OK;
}
