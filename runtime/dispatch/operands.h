/* SPDX-License-Identifier: Apache-2.0
 *
 * The operands of one call as the guards look at them, and how a guard
 * refuses one.
 */
#ifndef KC_DISPATCH_OPERANDS_H
#define KC_DISPATCH_OPERANDS_H

#include <stdbool.h>
#include <kcapsule/capsule.h>
#include <kcapsule/status.h>
#include <kcapsule/tensor.h>

#define KCI_OUTPUT_OPERAND (-1)

/* All borrowed. Absent optional inputs are NULL. */
typedef struct kci_operands {
    int32_t op;
    const kc_capsule_record_t *capsule;
    const DLTensor *const *inputs;
    size_t input_count;
    const DLTensor *output;
} kci_operands_t;

/* The operand of number `index` (KCI_OUTPUT_OPERAND: the output). */
static inline const DLTensor *kci_operand(const kci_operands_t *operands,
                                          int32_t index)
{
    return index == KCI_OUTPUT_OPERAND ? operands->output
                                       : operands->inputs[index];
}

/* How many inputs are left without the absent ones at the end: an operation
 * called with and without them is the same call. */
static inline size_t kci_present_inputs(const DLTensor *const *inputs,
                                        size_t count)
{
    while (count > 0 && inputs[count - 1] == NULL) {
        count--;
    }
    return count;
}

/* "a", "mask", "input 3" of an operation with a repeated input, "output". */
void kci_operand_name(int32_t op, int32_t index, char *out, size_t size);
#define KCI_OPERAND_NAME_SIZE 64

/* "GUARD: OP OPERAND: message" with status KC_ERR_TENSOR. */
KC_MUST_USE kc_status_t kci_guard_fail(const char *guard,
                                       const kci_operands_t *operands,
                                       int32_t index, kc_error_t *error,
                                       const char *format, ...) KC_PRINTF(5, 6);

#endif
