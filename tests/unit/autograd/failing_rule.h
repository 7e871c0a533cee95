/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * A composed rule on a heap that ends: wherever that is, composing goes on
 * to its end, and the failure is the one of the heap. */
#ifndef KC_TESTS_UNIT_AUTOGRAD_FAILING_RULE_H
#define KC_TESTS_UNIT_AUTOGRAD_FAILING_RULE_H

#include "unit/autograd/composed_rule.h"

/* The heap ends after each number of requests in turn, until it is enough.
 * `wanted` of the case is ignored: everything is. */
void failing_rule_check(const composed_case_t *from);

#endif
