/* SPDX-License-Identifier: Apache-2.0
 *
 * Derivative rules of the family; to be written.
 */
#include "autograd/rules.h"

const kci_rule_t kci_rule_selective_scan = {NULL, NULL, NULL};
