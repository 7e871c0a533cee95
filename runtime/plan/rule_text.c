/* SPDX-License-Identifier: Apache-2.0
 *
 * Sets of operands and of operations as lists.
 */
#include "plan/rule_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "base/label.h"
#include "ops/op_info.h"
#include "ops/vjp.h"

static void append(char *out, size_t size, const char *word)
{
    size_t length = strlen(out);
    snprintf(out + length, size - length, "%s%s", length == 0 ? "" : ", ",
             word);
}

void kci_rule_format_operands(int32_t op, uint32_t inputs, uint32_t outputs,
                              char *out, size_t size)
{
    const kci_op_info_t *info = kci_op_info(op);
    out[0] = '\0';
    for (uint32_t idx = 0; idx < info->input_max && idx < 32; idx++) {
        if ((inputs >> idx & 1u) != 0) {
            char word[48];
            uint32_t name = info->has_repeated_input ? 0 : idx;
            snprintf(word, sizeof word, "input %" PRIu32 " (%s)", idx,
                     info->input_names[name]);
            append(out, size, word);
        }
    }
    if (outputs != 0) {
        append(out, size, "the output");
    }
    if (out[0] == '\0') {
        append(out, size, "nothing");
    }
}

void kci_rule_format_ops(uint64_t ops, char *out, size_t size)
{
    out[0] = '\0';
    for (int32_t op = 0; op < KC_OP_COUNT; op++) {
        if ((ops & KCI_OP_BIT(op)) != 0) {
            append(out, size, kci_label(&kci_ops, op));
        }
    }
    if (out[0] == '\0') {
        append(out, size, "nothing");
    }
}
