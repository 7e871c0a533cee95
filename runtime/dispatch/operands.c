/* SPDX-License-Identifier: Apache-2.0
 *
 * Names of operands and the form of a refusal: guard, operation, operand,
 * then what was expected and what was found.
 */
#include "dispatch/operands.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/error.h"
#include "base/label.h"
#include "ops/op_info.h"

void kci_operand_name(int32_t op, int32_t index, char *out, size_t size)
{
    const kci_op_info_t *info = kci_op_info(op);
    if (index == KCI_OUTPUT_OPERAND) {
        snprintf(out, size, "output");
    } else if (!info->has_repeated_input && (uint32_t)index < info->input_max) {
        snprintf(out, size, "%s", info->input_names[index]);
    } else {
        snprintf(out, size, "input %d", (int)index);
    }
}

kc_status_t kci_guard_fail(const char *guard, const kci_operands_t *operands,
                           int32_t index, kc_error_t *error, const char *format,
                           ...)
{
    char text[KC_ERROR_MESSAGE_SIZE];
    char name[KCI_OPERAND_NAME_SIZE];
    va_list arguments;
    va_start(arguments, format);
    if (vsnprintf(text, sizeof text, format, arguments) < 0) {
        text[0] = '\0';
    }
    va_end(arguments);
    kci_operand_name(operands->op, index, name, sizeof name);
    return kci_fail(error, KC_ERR_TENSOR, "%s: %s %s: %s", guard,
                    kci_label(&kci_ops, operands->op), name, text);
}
