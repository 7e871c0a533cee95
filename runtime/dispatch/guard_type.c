/* SPDX-License-Identifier: Apache-2.0
 *
 * dispatch.device, dispatch.dtype and dispatch.shape: what an operand is,
 * before anyone looks at its memory.
 */
#include "dispatch/guard.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/checked_size.h"
#include "base/error.h"
#include "base/label.h"
#include "tensor/shape.h"

static const char *dtype_text(const DLTensor *view, char *out, size_t size)
{
    int32_t dtype = kc_tensor_dtype(view);
    if (dtype >= 0) {
        return kci_label(&kci_dtypes, dtype);
    }
    snprintf(out, size, "DLPack code %d with %d bits and %d lanes",
             (int)view->dtype.code, (int)view->dtype.bits,
             (int)view->dtype.lanes);
    return out;
}

/* Every capsule that can be bound in this build is one of the cpu. */
static kc_status_t check_device(const kci_operands_t *operands, int32_t index,
                                kc_error_t *error)
{
    const DLTensor *view = kci_operand(operands, index);
    if (view->device.device_type == kDLCPU) {
        return KC_OK;
    }
    return kci_guard_fail(KCI_GUARD_DEVICE, operands, index, error,
                          "expected device cpu, found DLPack device %d:%d",
                          (int)view->device.device_type,
                          (int)view->device.device_id);
}

static kc_status_t check_dtype(const kci_operands_t *operands,
                               const kci_op_info_t *info, int32_t index,
                               kc_error_t *error)
{
    const DLTensor *view = operands->inputs[index];
    int32_t dtype = kc_tensor_dtype(view);
    kci_operand_kind_t kind = kci_op_input_kind(info, (size_t)index);
    char found[64];
    if (!kci_operand_kind_takes(kind, dtype)) {
        return kci_guard_fail(KCI_GUARD_DTYPE, operands, index, error,
                              "expected %s, found %s",
                              kci_operand_kind_dtypes(kind),
                              dtype_text(view, found, sizeof found));
    }
    if (!kci_operand_kind_follows(kind) ||
        dtype == kc_tensor_dtype(operands->inputs[0])) {
        return KC_OK;
    }
    return kci_guard_fail(KCI_GUARD_DTYPE, operands, index, error,
                          "expected %s like the first input, found %s",
                          dtype_text(operands->inputs[0], found, sizeof found),
                          kci_label(&kci_dtypes, dtype));
}

/* Rank and extents are usable numbers and their product is one. */
static kc_status_t read_shape(const kci_operands_t *operands, int32_t index,
                              kci_shape_t *out_shape, kc_error_t *error)
{
    const DLTensor *view = kci_operand(operands, index);
    int64_t product = 1;
    if (view->ndim < 0 || view->ndim > KC_MAX_RANK ||
        (view->ndim > 0 && view->shape == NULL)) {
        return kci_guard_fail(KCI_GUARD_SHAPE, operands, index, error,
                              "expected rank 0 to %d with a shape, found "
                              "rank %d%s",
                              KC_MAX_RANK, (int)view->ndim,
                              view->shape == NULL ? " without" : "");
    }
    out_shape->rank = view->ndim;
    for (int32_t axis = 0; axis < view->ndim; axis++) {
        int64_t extent = view->shape[axis];
        out_shape->dims[axis] = extent;
        if (extent < 0) {
            return kci_guard_fail(KCI_GUARD_SHAPE, operands, index, error,
                                  "expected extents >= 0, found %" PRId64
                                  " on axis %d",
                                  extent, (int)axis);
        }
        if (extent > 0 && !kci_int64_multiply(product, extent, &product)) {
            return kci_guard_fail(KCI_GUARD_ELEMENT_COUNT, operands, index,
                                  error,
                                  "expected less than 2^63 elements, found "
                                  "more up to axis %d",
                                  (int)axis);
        }
    }
    return KC_OK;
}

static kc_status_t check_arity(const kci_operands_t *operands,
                               const kci_op_info_t *info, kc_error_t *error)
{
    if (operands->input_count < info->input_min ||
        operands->input_count > info->input_max) {
        return kci_fail(error, KC_ERR_TENSOR,
                        "%s: %s: expected %u to %u inputs, found %zu",
                        KCI_GUARD_SHAPE, kci_label(&kci_ops, operands->op),
                        (unsigned)info->input_min, (unsigned)info->input_max,
                        operands->input_count);
    }
    for (uint32_t i = 0; i < info->input_min; i++) {
        if (operands->inputs[i] == NULL) {
            return kci_guard_fail(KCI_GUARD_SHAPE, operands, (int32_t)i, error,
                                  "expected an operand, found none");
        }
    }
    return KC_OK;
}

static kc_status_t check_devices(const kci_operands_t *operands,
                                 kc_error_t *error)
{
    for (size_t i = 0; i < operands->input_count; i++) {
        if (operands->inputs[i] != NULL) {
            KC_RETURN_IF_ERROR(check_device(operands, (int32_t)i, error));
        }
    }
    return operands->output == NULL
               ? KC_OK
               : check_device(operands, KCI_OUTPUT_OPERAND, error);
}

static kc_status_t infer(const kci_operands_t *operands,
                         kc_attributes_t *attributes,
                         kci_tensor_type_t *out_type, kc_error_t *error)
{
    /* Not zeroed: 64 of them are 9 KiB, and most calls fill two. */
    kci_tensor_type_t types[KC_MAX_INPUTS];
    const kci_tensor_type_t *pointers[KC_MAX_INPUTS];
    for (size_t i = 0; i < operands->input_count; i++) {
        pointers[i] = NULL;
        if (operands->inputs[i] != NULL) {
            pointers[i] = &types[i];
            types[i].dtype = kc_tensor_dtype(operands->inputs[i]);
            KC_RETURN_IF_ERROR(
                read_shape(operands, (int32_t)i, &types[i].shape, error));
        }
    }
    kci_op_request_t request = {.op = operands->op,
                                .input_count = operands->input_count,
                                .inputs = pointers};
    kc_status_t status = kci_op_infer(&request, attributes, out_type, error);
    if (status != KC_OK && error != NULL) {
        kci_error_prepend(error, "%s", KCI_GUARD_SHAPE);
        error->status = KC_ERR_TENSOR;
    }
    return status == KC_OK ? KC_OK : KC_ERR_TENSOR;
}

kc_status_t kci_guard_input_types(const kci_operands_t *operands,
                                  kc_attributes_t *attributes,
                                  kci_tensor_type_t *out_type,
                                  kc_error_t *error)
{
    const kci_op_info_t *info = kci_op_info(operands->op);
    KC_RETURN_IF_ERROR(check_arity(operands, info, error));
    KC_RETURN_IF_ERROR(check_devices(operands, error));
    for (size_t i = 0; i < operands->input_count; i++) {
        if (operands->inputs[i] != NULL) {
            KC_RETURN_IF_ERROR(check_dtype(operands, info, (int32_t)i, error));
        }
    }
    if (attributes->op != operands->op) {
        return kci_fail(error, KC_ERR_TENSOR,
                        "%s: %s attributes: expected those of %s, found "
                        "those of %s",
                        KCI_GUARD_SHAPE, kci_label(&kci_ops, operands->op),
                        kci_label(&kci_ops, operands->op),
                        kci_label(&kci_ops, attributes->op));
    }
    return infer(operands, attributes, out_type, error);
}

static kc_status_t refuse_output_shape(const kci_operands_t *operands,
                                       const kci_shape_t *expected,
                                       kc_error_t *error)
{
    char expected_text[KCI_SHAPE_TEXT_SIZE];
    char found_text[KCI_SHAPE_TEXT_SIZE];
    kci_shape_format(expected->rank, expected->dims, NULL, expected_text,
                     sizeof expected_text);
    kci_shape_format(operands->output->ndim, operands->output->shape, NULL,
                     found_text, sizeof found_text);
    return kci_guard_fail(KCI_GUARD_SHAPE, operands, KCI_OUTPUT_OPERAND, error,
                          "expected %.200s, found %.200s", expected_text,
                          found_text);
}

kc_status_t kci_guard_types(const kci_operands_t *operands,
                            kc_attributes_t *attributes, kc_error_t *error)
{
    kci_tensor_type_t type;
    kci_shape_t found;
    char text[64];
    KC_RETURN_IF_ERROR(
        kci_guard_input_types(operands, attributes, &type, error));
    if (kc_tensor_dtype(operands->output) != type.dtype) {
        return kci_guard_fail(KCI_GUARD_DTYPE, operands, KCI_OUTPUT_OPERAND,
                              error, "expected %s, found %s",
                              kci_label(&kci_dtypes, type.dtype),
                              dtype_text(operands->output, text, sizeof text));
    }
    KC_RETURN_IF_ERROR(read_shape(operands, KCI_OUTPUT_OPERAND, &found, error));
    return kci_shape_equal(&found, &type.shape)
               ? KC_OK
               : refuse_output_shape(operands, &type.shape, error);
}
