/* SPDX-License-Identifier: Apache-2.0
 *
 * dispatch.element_count: what the capsule's limits say it can take. Planning
 * has looked at them with the shapes it knew; a call has the real ones.
 */
#include "dispatch/guard.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/error.h"
#include "base/label.h"

static int32_t typed_operand(const kci_operands_t *operands)
{
    return operands->input_count > 0 ? 0 : KCI_OUTPUT_OPERAND;
}

/* "f32, f64" of a set of dtypes. */
static void dtype_list(uint32_t bits, char *out, size_t size)
{
    size_t length = 0;
    out[0] = '\0';
    for (int32_t dtype = 0; dtype < KC_DTYPE_COUNT; dtype++) {
        if ((bits >> dtype & 1u) == 0 || length >= size) {
            continue;
        }
        int written =
            snprintf(out + length, size - length, "%s%s",
                     length > 0 ? ", " : "", kci_label(&kci_dtypes, dtype));
        length += written > 0 ? (size_t)written : 0;
    }
}

static kc_status_t refuse_kind(const kci_operands_t *operands,
                               const kci_flat_limits_t *limits,
                               const kci_demand_t *demand, kc_reason_t reason,
                               kc_error_t *error)
{
    const char *capsule = operands->capsule->name;
    int32_t index = typed_operand(operands);
    char dtypes[64];
    if (reason == KC_REASON_LIMIT_DTYPE) {
        dtype_list(limits->dtypes, dtypes, sizeof dtypes);
        return kci_guard_fail(KCI_GUARD_ELEMENT_COUNT, operands, index, error,
                              "expected %s (limit dtypes of %s), found %s",
                              dtypes, capsule,
                              kci_label(&kci_dtypes, demand->dtype));
    }
    if (reason == KC_REASON_LIMIT_RANK) {
        return kci_guard_fail(KCI_GUARD_ELEMENT_COUNT, operands, index, error,
                              "expected a rank of the set 0x%x (limit ranks "
                              "of %s), found %d",
                              (unsigned)limits->ranks, capsule,
                              (int)demand->rank);
    }
    return kci_guard_fail(KCI_GUARD_ELEMENT_COUNT, operands, index, error,
                          "expected at most %u inputs (limit "
                          "input_count_max of %s), found %u",
                          (unsigned)limits->input_count_max, capsule,
                          (unsigned)demand->input_count);
}

static kc_status_t refuse_size(const kci_operands_t *operands,
                               const kci_flat_limits_t *limits, int32_t index,
                               kc_error_t *error)
{
    const DLTensor *view = kci_operand(operands, index);
    const char *capsule = operands->capsule->name;
    for (int32_t axis = 0; axis < view->ndim; axis++) {
        if (view->shape[axis] > limits->extent_max) {
            return kci_guard_fail(
                KCI_GUARD_ELEMENT_COUNT, operands, index, error,
                "expected extents up to %" PRId64
                " (limit extent_max of %s), found %" PRId64 " on axis %d",
                limits->extent_max, capsule, view->shape[axis], (int)axis);
        }
    }
    if (kc_tensor_element_count(view) > limits->element_max) {
        return kci_guard_fail(KCI_GUARD_ELEMENT_COUNT, operands, index, error,
                              "too many elements: expected up to %" PRId64
                              " (limit index_bits of %s), found %" PRId64,
                              limits->element_max, capsule,
                              kc_tensor_element_count(view));
    }
    return KC_OK;
}

kc_status_t kci_guard_limits(const kci_operands_t *operands,
                             const kci_flat_limits_t *limits, kc_error_t *error)
{
    kci_demand_t demand;
    if (!kci_operand_demand(operands->op, operands->inputs,
                            operands->input_count, operands->output,
                            kci_limits_have_sizes(limits), &demand)) {
        return kci_guard_fail(KCI_GUARD_ELEMENT_COUNT, operands,
                              typed_operand(operands), error,
                              "expected a checked shape");
    }
    kc_reason_t reason = kci_limits_judge(limits, &demand);
    if (reason == KC_REASON_SELECTED) {
        return KC_OK;
    }
    if (reason != KC_REASON_LIMIT_EXTENT &&
        reason != KC_REASON_LIMIT_ELEMENTS) {
        return refuse_kind(operands, limits, &demand, reason, error);
    }
    for (size_t i = 0; i < operands->input_count; i++) {
        if (operands->inputs[i] != NULL) {
            KC_RETURN_IF_ERROR(
                refuse_size(operands, limits, (int32_t)i, error));
        }
    }
    return refuse_size(operands, limits, KCI_OUTPUT_OPERAND, error);
}
