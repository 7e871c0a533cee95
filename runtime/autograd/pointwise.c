/* SPDX-License-Identifier: Apache-2.0
 *
 * Derivative rules of the family; to be written.
 */
#include "autograd/rules.h"

const kci_rule_t kci_rule_add = {NULL, NULL, NULL};
const kci_rule_t kci_rule_sub = {NULL, NULL, NULL};
const kci_rule_t kci_rule_mul = {NULL, NULL, NULL};
const kci_rule_t kci_rule_scale = {NULL, NULL, NULL};
const kci_rule_t kci_rule_sqrt = {NULL, NULL, NULL};
const kci_rule_t kci_rule_sigmoid = {NULL, NULL, NULL};
const kci_rule_t kci_rule_tanh = {NULL, NULL, NULL};
const kci_rule_t kci_rule_softplus = {NULL, NULL, NULL};
const kci_rule_t kci_rule_exp = {NULL, NULL, NULL};
const kci_rule_t kci_rule_log = {NULL, NULL, NULL};
const kci_rule_t kci_rule_sin = {NULL, NULL, NULL};
const kci_rule_t kci_rule_cos = {NULL, NULL, NULL};
const kci_rule_t kci_rule_inv = {NULL, NULL, NULL};
const kci_rule_t kci_rule_safe_log = {NULL, NULL, NULL};
