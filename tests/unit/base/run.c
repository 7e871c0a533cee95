/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * The suites of the base layer, in the order in which they run. */
#include "unit/runner.h"

kc_suite_fn const kc_suites[] = {
    NULL,
};
