/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Building compositions. */
#include "compose/composition.h"
#include "unit/compose/suites.h"

Suite *suite_compose_terms(void)
{
    Suite *suite = suite_create("compose/terms");
    return suite;
}
