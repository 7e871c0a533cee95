/* SPDX-License-Identifier: Apache-2.0
 *
 * The suites of the registry layer, one a source file, and the alignment
 * matrix, which judges what the registry is made of.
 */
#ifndef KC_TESTS_UNIT_REGISTRY_SUITES_H
#define KC_TESTS_UNIT_REGISTRY_SUITES_H

#include <check.h>

Suite *suite_registry_alignment_matrix(void);
Suite *suite_registry_capsule_module(void);
Suite *suite_registry_catalogue(void);
Suite *suite_registry_maintained(void);
Suite *suite_registry_policy(void);
Suite *suite_registry_profile(void);
Suite *suite_registry_profile_draft(void);
Suite *suite_registry_profile_file(void);
Suite *suite_registry_profile_load(void);
Suite *suite_registry_profile_resolve(void);
Suite *suite_registry_provider(void);
Suite *suite_registry_validate(void);
Suite *suite_registry_word_list(void);

#endif
