/* SPDX-License-Identifier: Apache-2.0
 *
 * The suites of the conform layer, in the order in which they run.
 */
#include "unit/conform/suites.h"
#include "unit/runner.h"

#define SUITE(file) suite_conform_##file,

kc_suite_fn const kc_suites[] = {CONFORM_SUITES(SUITE) NULL};
