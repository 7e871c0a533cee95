/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * The suites of the compose layer, in the order in which they run. */
#include "unit/compose/suites.h"
#include "unit/runner.h"

kc_suite_fn const kc_suites[] = {
    suite_compose_composition, suite_compose_forward,
    suite_compose_graph_nodes, suite_compose_operand_check,
    suite_compose_scan,        suite_compose_spectral,
    suite_compose_terms,       suite_compose_transform,
    suite_compose_attention,   NULL,
};
