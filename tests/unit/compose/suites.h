/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * The suites of the compose layer. */
#ifndef KC_TESTS_UNIT_COMPOSE_SUITES_H
#define KC_TESTS_UNIT_COMPOSE_SUITES_H

#include <check.h>

Suite *suite_compose_attention(void);
Suite *suite_compose_composition(void);
Suite *suite_compose_forward(void);
Suite *suite_compose_graph_nodes(void);
Suite *suite_compose_operand_check(void);
Suite *suite_compose_scan(void);
Suite *suite_compose_spectral(void);
Suite *suite_compose_terms(void);
Suite *suite_compose_transform(void);

#endif
