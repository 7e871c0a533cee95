/* SPDX-License-Identifier: Apache-2.0
 *
 * A locale whose decimal mark is a comma. LOCPATH makes glibc look for it where
 * make check or this file made it.
 */
#include "unit/comma_locale.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOCALE_NAME "de_DE.UTF-8"

bool comma_locale_is_on(void)
{
    char text[16];
    snprintf(text, sizeof text, "%.1f", 0.5);
    return strcmp(text, "0,5") == 0;
}

/* One that make check made before, for all tests. */
static bool find_made_locale(void)
{
    const char *folder = getenv("KC_LOCPATH");
    return folder != NULL && *folder != '\0' &&
           setenv("LOCPATH", folder, 1) == 0 &&
           setlocale(LC_ALL, LOCALE_NAME) != NULL;
}

static bool make_locale(const scratch_t *scratch)
{
    char command[2 * SCRATCH_PATH_SIZE];
    snprintf(command, sizeof command,
             "localedef -i de_DE -f UTF-8 '%s/" LOCALE_NAME "' >/dev/null 2>&1",
             scratch->path);
    /* localedef ends with 1 when it only had warnings. */
    return system(command) != -1 && setenv("LOCPATH", scratch->path, 1) == 0;
}

bool comma_locale_begin(const scratch_t *scratch)
{
    if (setlocale(LC_ALL, LOCALE_NAME) == NULL && !find_made_locale() &&
        make_locale(scratch)) {
        (void)setlocale(LC_ALL, LOCALE_NAME);
    }
    if (!comma_locale_is_on()) {
        fputs("# no locale with a decimal comma, and none could be made\n",
              stderr);
        return false;
    }
    return true;
}

void comma_locale_end(void)
{
    (void)setlocale(LC_ALL, "C");
    (void)unsetenv("LOCPATH");
}
