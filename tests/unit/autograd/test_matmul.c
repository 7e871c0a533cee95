/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Rules of the family. */
#include "autograd/rule.h"
#include "unit/autograd/suites.h"

Suite *suite_autograd_matmul(void)
{
    Suite *suite = suite_create("autograd/matmul");
    return suite;
}
