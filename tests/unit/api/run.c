/* SPDX-License-Identifier: Apache-2.0
 *
 * The suites of the exported interface, in the order in which they run.
 */
#include "unit/api/suites.h"
#include "unit/runner.h"

kc_suite_fn const kc_suites[] = {
    suite_api_lifetime,
    suite_api_arguments,
    suite_api_reports,
    suite_api_given_modules,
    suite_api_tape,
    suite_api_gradients,
    suite_api_compose,
    suite_api_graph_nodes,
    suite_api_mixed_owners,
    NULL,
};
