/* SPDX-License-Identifier: Apache-2.0
 *
 * The suites of the graph layer, one a source file.
 */
#ifndef KC_TESTS_UNIT_GRAPH_SUITES_H
#define KC_TESTS_UNIT_GRAPH_SUITES_H

#include <check.h>

Suite *suite_graph_append(void);
Suite *suite_graph_attribute_pool(void);
Suite *suite_graph_attribute_text(void);
Suite *suite_graph_bind(void);
Suite *suite_graph_builder(void);
Suite *suite_graph_composed_nodes(void);
Suite *suite_graph_demand(void);
Suite *suite_graph_describe(void);
Suite *suite_graph_dim_names(void);
Suite *suite_graph_draft(void);
Suite *suite_graph_extend(void);
Suite *suite_graph_graph(void);
Suite *suite_graph_kind_attributes(void);
Suite *suite_graph_kinds(void);
Suite *suite_graph_literal(void);
Suite *suite_graph_parse(void);
Suite *suite_graph_parse_node(void);

#endif
