/* SPDX-License-Identifier: Apache-2.0
 *
 * Copies of operands whose layout, or whose bool bytes, the capsule does not
 * take. The output is always dense for the handler: a result in gaps is
 * copied out after success, so the gaps stay as they were.
 */
#include "dispatch/operand_copy.h"

#include <string.h>

#include "base/checked_size.h"
#include "base/error.h"
#include "dispatch/guard.h"
#include "tensor/shape.h"
#include "tensor/tensor.h"

#define COPY_ALIGNMENT 64
#define ATTENTION_MASK 3

static bool is_row_padded(const DLTensor *view)
{
    int32_t last = view->ndim - 1;
    if (view->ndim < 2 || (view->shape[last] > 1 && view->strides[last] != 1) ||
        view->strides[last - 1] < view->shape[last]) {
        return false;
    }
    for (int32_t axis = last - 2; axis >= 0; axis--) {
        if (view->strides[axis] !=
            view->strides[axis + 1] * view->shape[axis + 1]) {
            return false;
        }
    }
    return true;
}

static bool takes_layout(const kc_capsule_record_t *capsule,
                         const DLTensor *view)
{
    uint32_t layouts = capsule->limits.layouts;
    return kci_tensor_is_dense(view) || (layouts & KC_OPERAND_STRIDED) != 0 ||
           ((layouts & KC_OPERAND_ROW_PADDED) != 0 && is_row_padded(view));
}

/* The interface says true = may attend; this kernel reads the opposite. */
static bool is_inverted_mask(const kci_operands_t *operands, size_t index)
{
    return operands->op == KC_OP_SCALED_DOT_PRODUCT_ATTENTION &&
           index == ATTENTION_MASK &&
           operands->capsule->limits.mask_polarity == KC_MASK_TRUE_IS_BLOCKED;
}

bool kci_input_needs_copy(const kci_operands_t *operands, size_t index)
{
    const DLTensor *view = operands->inputs[index];
    if (view->dtype.code != KC_DLPACK_BOOL) {
        return !takes_layout(operands->capsule, view);
    }
    return is_inverted_mask(operands, index) || !kci_tensor_is_dense(view) ||
           !kci_bool_is_canonical(view);
}

/* A view with the strides of dense memory and no data yet. */
static kci_prepared_view_t *add_view(kci_prepared_t *prepared,
                                     const DLTensor *like)
{
    kci_prepared_view_t *added = &prepared->views[prepared->view_count++];
    added->view = *like;
    added->view.strides = added->strides;
    added->memory = NULL;
    added->size_bytes = 0;
    kci_shape_dense_strides(like->ndim, like->shape, added->strides);
    return added;
}

static kc_status_t add_copy(kci_prepared_t *prepared, const DLTensor *like,
                            kci_prepared_view_t **out_added, kc_error_t *error)
{
    void *memory = NULL;
    size_t size_bytes = 0;
    /* A view with strides of 0 counts far more elements than it has. */
    if (!kci_size_multiply((size_t)kc_tensor_element_count(like),
                           like->dtype.bits / 8u, &size_bytes)) {
        return kci_fail(error, KC_ERR_MEMORY,
                        "a dense copy of an operand does not fit memory");
    }
    KC_RETURN_IF_ERROR(kci_host_allocate(prepared->allocator, size_bytes,
                                         COPY_ALIGNMENT, &memory, error));
    kci_prepared_view_t *added = add_view(prepared, like);
    added->view.data = memory;
    added->view.byte_offset = 0;
    added->memory = memory;
    added->size_bytes = size_bytes;
    *out_added = added;
    return KC_OK;
}

static void invert_mask(const kci_prepared_view_t *mask)
{
    unsigned char *bytes = mask->memory;
    for (size_t i = 0; i < mask->size_bytes; i++) {
        bytes[i] = bytes[i] == 0;
    }
}

static kc_status_t prepare_input(const kci_operands_t *operands, size_t index,
                                 kci_prepared_t *prepared, kc_error_t *error)
{
    const DLTensor *view = operands->inputs[index];
    kci_prepared_view_t *added = NULL;
    if (view == NULL) {
        prepared->inputs[index] = NULL;
        return KC_OK;
    }
    if (!kci_input_needs_copy(operands, index)) {
        prepared->inputs[index] = view->ndim > 0 && view->strides == NULL
                                      ? &add_view(prepared, view)->view
                                      : view;
        return KC_OK;
    }
    KC_RETURN_IF_ERROR(add_copy(prepared, view, &added, error));
    kci_tensor_copy_elements(view, &added->view);
    if (is_inverted_mask(operands, index)) {
        invert_mask(added);
    }
    prepared->inputs[index] = &added->view;
    return KC_OK;
}

static kc_status_t prepare_output(DLTensor *output, kci_prepared_t *prepared,
                                  kc_error_t *error)
{
    kci_prepared_view_t *added = NULL;
    if (kci_tensor_is_dense(output)) {
        prepared->output = output->ndim > 0 && output->strides == NULL
                               ? &add_view(prepared, output)->view
                               : output;
        return KC_OK;
    }
    KC_RETURN_IF_ERROR(add_copy(prepared, output, &added, error));
    prepared->is_output_copied = true;
    prepared->output = &added->view;
    return KC_OK;
}

static void pad_inputs(const kci_operands_t *operands, kci_prepared_t *prepared)
{
    const kci_op_info_t *info = kci_op_info(operands->op);
    size_t most = info->has_repeated_input ? 0 : info->input_max;
    for (size_t i = operands->input_count; i < most; i++) {
        prepared->inputs[i] = NULL;
    }
}

kc_status_t kci_prepare_operands(const kci_operands_t *operands,
                                 kci_host_allocator_t *allocator,
                                 DLTensor *output, kci_prepared_t *out_prepared,
                                 kc_error_t *error)
{
    out_prepared->allocator = allocator;
    out_prepared->view_count = 0;
    out_prepared->is_output_copied = false;
    kc_status_t status = KC_OK;
    for (size_t i = 0; i < operands->input_count && status == KC_OK; i++) {
        status = prepare_input(operands, i, out_prepared, error);
    }
    if (status == KC_OK) {
        status = prepare_output(output, out_prepared, error);
    }
    if (status != KC_OK) {
        kci_prepared_release(out_prepared);
        return status;
    }
    pad_inputs(operands, out_prepared);
    return KC_OK;
}

void kci_prepared_finish(const kci_prepared_t *prepared, DLTensor *output)
{
    if (prepared->is_output_copied) {
        kci_tensor_copy_elements(prepared->output, output);
    }
}

void kci_prepared_release(kci_prepared_t *prepared)
{
    for (size_t i = 0; i < prepared->view_count; i++) {
        kci_host_deallocate(prepared->allocator, prepared->views[i].memory,
                            prepared->views[i].size_bytes);
    }
    prepared->view_count = 0;
}
