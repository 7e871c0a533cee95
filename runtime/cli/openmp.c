/* SPDX-License-Identifier: Apache-2.0
 *
 * Sets of names of OpenMP runtimes, and how they are written.
 */
#include "cli/openmp.h"

#include <stdio.h>
#include <string.h>

int cli_openmp_has(const kc_openmp_runtimes_t *openmp, const char *name)
{
    for (uint32_t idx = 0; idx < openmp->count; idx++) {
        if (strcmp(openmp->names[idx], name) == 0) {
            return 1;
        }
    }
    return 0;
}

void cli_openmp_add(kc_openmp_runtimes_t *openmp, const char *name)
{
    if (!cli_openmp_has(openmp, name) &&
        openmp->count < KC_OPENMP_RUNTIMES_MAX) {
        snprintf(openmp->names[openmp->count++], KC_OPENMP_NAME_SIZE, "%s",
                 name);
    }
}

void cli_openmp_text(const kc_openmp_runtimes_t *openmp, char *text)
{
    int length = 0;
    text[0] = 0;
    for (uint32_t idx = 0; idx < openmp->count; idx++) {
        length += snprintf(text + length, KC_OPENMP_NAME_SIZE + 2, "%s%s",
                           idx > 0 ? ", " : "", openmp->names[idx]);
    }
}
