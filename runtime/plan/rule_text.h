/* SPDX-License-Identifier: Apache-2.0
 *
 * What a derivative rule needs, in words.
 */
#ifndef KC_PLAN_RULE_TEXT_H
#define KC_PLAN_RULE_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* The operands by number and name: "input 0 (a), input 1 (b), the output", or
 * "nothing". Cut at `size`. */
void kci_rule_format_operands(int32_t op, uint32_t inputs, uint32_t outputs,
                              char *out, size_t size);
/* "permute, matmul" in the order of the catalogue, or "nothing". */
void kci_rule_format_ops(uint64_t ops, char *out, size_t size);

#endif
