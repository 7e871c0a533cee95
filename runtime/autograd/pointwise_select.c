/* SPDX-License-Identifier: Apache-2.0
 *
 * Derivative rules of the family; to be written.
 */
#include "autograd/rules.h"

const kci_rule_t kci_rule_abs = {NULL, NULL, NULL};
const kci_rule_t kci_rule_clamp = {NULL, NULL, NULL};
const kci_rule_t kci_rule_max = {NULL, NULL, NULL};
const kci_rule_t kci_rule_min = {NULL, NULL, NULL};
const kci_rule_t kci_rule_relu = {NULL, NULL, NULL};
const kci_rule_t kci_rule_gelu = {NULL, NULL, NULL};
