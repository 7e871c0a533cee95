/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * The suites of the graph layer, in the order in which they run. */
#include "unit/graph/suites.h"
#include "unit/runner.h"

kc_suite_fn const kc_suites[] = {
    suite_graph_kinds,
    suite_graph_kind_attributes,
    suite_graph_draft,
    suite_graph_demand,
    suite_graph_attribute_pool,
    suite_graph_attribute_text,
    suite_graph_dim_names,
    suite_graph_append,
    suite_graph_builder,
    suite_graph_literal,
    suite_graph_composed_nodes,
    suite_graph_graph,
    suite_graph_parse_node,
    suite_graph_parse,
    suite_graph_bind,
    suite_graph_extend,
    suite_graph_describe,
    NULL,
};
