/* SPDX-License-Identifier: Apache-2.0
 *
 * Attributes of one operation from JSON text, for operands that exist.
 */
#include <kcapsule/graph.h>

#include <string.h>

#include "api/argument.h"
#include "base/json.h"
#include "ops/op_info.h"

static kc_status_t type_of(const DLTensor *view, size_t place,
                           kci_tensor_type_t *out_type, kc_error_t *error)
{
    int32_t dtype = kc_tensor_dtype(view);
    if (dtype < 0 || view->ndim < 0 || view->ndim > KC_MAX_RANK) {
        return kci_fail(error, KC_ERR_ARGUMENT,
                        "input %zu: expected a known element type and rank 0 "
                        "to %d, found code %d of %d bits and rank %d",
                        place, KC_MAX_RANK, view->dtype.code, view->dtype.bits,
                        view->ndim);
    }
    out_type->dtype = dtype;
    out_type->shape.rank = view->ndim;
    for (int32_t axis = 0; axis < view->ndim; axis++) {
        out_type->shape.dims[axis] = view->shape[axis];
    }
    return KC_OK;
}

static kc_status_t parse(const kci_op_request_t *request, const char *json,
                         kc_attributes_t *attributes, kc_error_t *error)
{
    kci_tensor_type_t output;
    json_t *object = NULL;
    if (json != NULL) {
        KC_RETURN_IF_ERROR(
            kci_json_parse(json, strlen(json), "attributes", &object, error));
    }
    kc_status_t status =
        kci_op_attributes_from_json(request, object, attributes, error);
    json_decref(object);
    if (status == KC_OK) {
        status = kci_op_infer(request, attributes, &output, error);
    }
    return status;
}

kc_status_t kc_attributes_parse(int32_t op, const char *json,
                                const DLTensor *const *inputs,
                                size_t input_count,
                                kc_attributes_t *out_attributes,
                                kc_error_t *error)
{
    kci_tensor_type_t types[KC_MAX_INPUTS];
    const kci_tensor_type_t *operands[KC_MAX_INPUTS];
    kc_attributes_t attributes;
    KC_REQUIRE(out_attributes, error);
    if (op < 0 || op >= KC_OP_COUNT || input_count > KC_MAX_INPUTS) {
        return kci_fail(error, KC_ERR_ARGUMENT,
                        "%s: expected an operation below %d and at most %d "
                        "inputs, found %d and %zu",
                        __func__, KC_OP_COUNT, KC_MAX_INPUTS, op, input_count);
    }
    if (input_count != 0) {
        KC_REQUIRE(inputs, error);
    }
    for (size_t i = 0; i < input_count; i++) {
        operands[i] = NULL;
        if (inputs[i] != NULL) {
            KC_RETURN_IF_ERROR(type_of(inputs[i], i, &types[i], error));
            operands[i] = &types[i];
        }
    }
    kci_op_request_t request = {
        .op = op, .input_count = input_count, .inputs = operands};
    memset(&attributes, 0, sizeof attributes);
    KC_RETURN_IF_ERROR(parse(&request, json, &attributes, error));
    *out_attributes = attributes;
    return KC_OK;
}
