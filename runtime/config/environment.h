/* SPDX-License-Identifier: Apache-2.0
 *
 * Environment variables, which a privileged process does not believe.
 */
#ifndef KC_CONFIG_ENVIRONMENT_H
#define KC_CONFIG_ENVIRONMENT_H

#include <stdbool.h>

/* Real and effective ids differ, or the kernel says so (AT_SECURE): whoever
 * started the process has less power than the process has. */
bool kci_process_is_privileged(void);
/* Borrowed from the environment. NULL when unset, empty, or privileged. */
const char *kci_environment_get(const char *name);

#endif
