/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Rules of the family. */
#include "autograd/rule.h"
#include "unit/autograd/suites.h"

Suite *suite_autograd_norm(void)
{
    Suite *suite = suite_create("autograd/norm");
    return suite;
}
