/* SPDX-License-Identifier: Apache-2.0
 *
 * Names of OpenMP runtimes: under one name the dynamic linker loads one file,
 * so a process that loads several modules has as many as there are names.
 */
#ifndef KC_CLI_OPENMP_H
#define KC_CLI_OPENMP_H

#include <kcapsule/runtime.h>

#define CLI_OPENMP_TEXT_SIZE                                                   \
    (KC_OPENMP_RUNTIMES_MAX * (KC_OPENMP_NAME_SIZE + 2))

int cli_openmp_has(const kc_openmp_runtimes_t *openmp, const char *name);
/* Each name once; more than there is room for are left out. */
void cli_openmp_add(kc_openmp_runtimes_t *openmp, const char *name);
/* "NAME, NAME", of CLI_OPENMP_TEXT_SIZE bytes. */
void cli_openmp_text(const kc_openmp_runtimes_t *openmp, char *text);

#endif
