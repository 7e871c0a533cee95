/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * The table of rules. */
#include "autograd/rule.h"
#include "unit/autograd/suites.h"

Suite *suite_autograd_rule(void)
{
    Suite *suite = suite_create("autograd/rule");
    return suite;
}
