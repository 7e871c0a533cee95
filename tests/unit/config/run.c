/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * The suites of the config layer, in the order in which they run. */
#include "unit/config/suites.h"
#include "unit/runner.h"

kc_suite_fn const kc_suites[] = {
    suite_config_environment,
    suite_config_ini,
    suite_config_search_path,
    NULL,
};
