/* SPDX-License-Identifier: Apache-2.0
 *
 * Derivative rules of the family; to be written.
 */
#include "autograd/rules.h"

const kci_rule_t kci_rule_layer_norm = {NULL, NULL, NULL};
const kci_rule_t kci_rule_batch_norm = {NULL, NULL, NULL};
