/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * The modules that were built with this tree, maintained ones and mocks, and
 * profiles over them. Everything fails the test when it cannot be had. */
#ifndef KC_TESTS_UNIT_BUILT_MODULES_H
#define KC_TESTS_UNIT_BUILT_MODULES_H

#include "registry/profile.h"

/* tests/mocks/NAME.so, or NAME.so of the maintained ones. Owned. */
kc_capsule_module_t *built_mock(const char *name);
kc_capsule_module_t *built_module(const char *name);

/* The capsule of that name of a module. */
kci_entry_t built_entry(kc_capsule_module_t *module, const char *capsule);

/* checked_cpu over the built modules; with `provider` made available and its
 * module (a mock's name) in front when that is not NULL. Owned. */
kc_profile_t *built_checked_cpu(void);
kc_profile_t *built_profile_with(const char *mock, const char *provider);

/* Sets KC_TEST_MARK to a file of its own; the text it has by now, "" when
 * there is none. The text is valid until the next call. */
void built_mark_begin(void);
const char *built_mark(void);

#endif
