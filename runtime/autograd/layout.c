/* SPDX-License-Identifier: Apache-2.0
 *
 * Derivative rules of the family; to be written.
 */
#include "autograd/rules.h"

const kci_rule_t kci_rule_reshape = {NULL, NULL, NULL};
const kci_rule_t kci_rule_permute = {NULL, NULL, NULL};
const kci_rule_t kci_rule_broadcast = {NULL, NULL, NULL};
const kci_rule_t kci_rule_concat = {NULL, NULL, NULL};
const kci_rule_t kci_rule_slice = {NULL, NULL, NULL};
