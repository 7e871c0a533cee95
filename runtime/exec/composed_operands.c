/* SPDX-License-Identifier: Apache-2.0
 *
 * Looks through masks and through operands that have to be finite, in any
 * strides.
 */
#include "exec/composed_operands.h"

#include <math.h>

#include "base/error.h"
#include "base/label.h"
#include "exec/composed_products.h"
#include "tensor/shape.h"

enum { ATTENTION_Q, ATTENTION_K, ATTENTION_V, ATTENTION_MASK };

typedef bool (*element_test_fn)(const void *element);

static bool is_false(const void *element)
{
    return *(const unsigned char *)element == 0;
}

static bool is_infinite_f32(const void *element)
{
    return !isfinite(*(const float *)element);
}

static bool is_infinite_f64(const void *element)
{
    return !isfinite(*(const double *)element);
}

/* Whether an element of the view passes the test, looked at in row-major
 * order. */
static bool has_element(const DLTensor *view, element_test_fn test)
{
    int64_t dense[KC_MAX_RANK];
    int64_t index[KC_MAX_RANK] = {0};
    const int64_t *strides = view->strides;
    int64_t size = view->dtype.bits / 8;
    const char *at = kc_tensor_data(view);
    if (strides == NULL) {
        kci_shape_dense_strides(view->ndim, view->shape, dense);
        strides = dense;
    }
    for (int64_t left = kc_tensor_element_count(view); left > 0; left--) {
        if (test(at)) {
            return true;
        }
        for (int32_t axis = view->ndim - 1; axis >= 0; axis--) {
            at += strides[axis] * size;
            if (++index[axis] < view->shape[axis]) {
                break;
            }
            at -= strides[axis] * size * view->shape[axis];
            index[axis] = 0;
        }
    }
    return false;
}

/* The first query may see the first key only. */
static bool is_something_blocked(const kci_operands_t *operands,
                                 const kc_attributes_t *attributes)
{
    const DLTensor *k = operands->inputs[ATTENTION_K];
    const DLTensor *mask = operands->input_count > ATTENTION_MASK
                               ? operands->inputs[ATTENTION_MASK]
                               : NULL;
    if (attributes->u.attention.causal != 0 && k->ndim >= 2 &&
        k->shape[k->ndim - 2] > 1) {
        return true;
    }
    return mask != NULL && has_element(mask, is_false);
}

/* Products are asked of the cpu alone. */
static bool is_asked(const kci_operands_t *operands,
                     const kc_attributes_t *attributes)
{
    return operands->op == KC_OP_SCALED_DOT_PRODUCT_ATTENTION &&
           operands->inputs[ATTENTION_Q]->device.device_type == kDLCPU &&
           is_something_blocked(operands, attributes);
}

/* `whose`: "" or whose the capsule's products are. */
static kc_status_t check_finite(const kci_operands_t *operands,
                                const DLTensor *view, const char *name,
                                const char *whose, kc_error_t *error)
{
    if (!has_element(view, view->dtype.bits == 64 ? is_infinite_f64
                                                  : is_infinite_f32)) {
        return KC_OK;
    }
    return kci_fail(error, KC_ERR_TENSOR,
                    "%s %s: expected finite values where keys are blocked, "
                    "found one that is not (%s%s is made of products, which "
                    "cannot skip it)",
                    kci_label(&kci_ops, operands->op), name, whose,
                    operands->capsule->name);
}

static kc_status_t check_input(const kci_operands_t *operands, int32_t index,
                               const char *whose, kc_error_t *error)
{
    char name[KCI_OPERAND_NAME_SIZE];
    kci_operand_name(operands->op, index, name, sizeof name);
    return check_finite(operands, operands->inputs[index], name, whose, error);
}

kc_status_t kci_check_composed_operands(const kci_operands_t *operands,
                                        const kc_attributes_t *attributes,
                                        kc_error_t *error)
{
    if (!is_asked(operands, attributes)) {
        return KC_OK;
    }
    KC_RETURN_IF_ERROR(check_input(operands, ATTENTION_K, "", error));
    return check_input(operands, ATTENTION_V, "", error);
}

bool kci_composed_rule_is_checked(int32_t op)
{
    return op == KC_OP_SCALED_DOT_PRODUCT_ATTENTION;
}

kc_status_t kci_check_composed_rule(const kci_operands_t *operands,
                                    const DLTensor *cotangent,
                                    const kc_attributes_t *attributes,
                                    kc_error_t *error)
{
    static const char whose[] = "the derivative rule of ";
    if (!is_asked(operands, attributes)) {
        return KC_OK;
    }
    KC_RETURN_IF_ERROR(check_input(operands, ATTENTION_Q, whose, error));
    KC_RETURN_IF_ERROR(check_finite(operands, cotangent,
                                    "cotangent of the output", whose, error));
    return kci_check_composed_products(operands, cotangent, attributes, error);
}
