/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * The suites of the registry layer, in the order in which they run. */
#include "unit/registry/suites.h"
#include "unit/runner.h"

kc_suite_fn const kc_suites[] = {
    suite_registry_alignment_matrix, suite_registry_capsule_module,
    suite_registry_catalogue,        suite_registry_maintained,
    suite_registry_policy,           suite_registry_profile,
    suite_registry_profile_draft,    suite_registry_profile_file,
    suite_registry_profile_load,     suite_registry_profile_resolve,
    suite_registry_provider,         suite_registry_validate,
    suite_registry_word_list,        NULL,
};
