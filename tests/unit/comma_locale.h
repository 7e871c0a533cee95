/* SPDX-License-Identifier: Apache-2.0
 *
 * A locale whose decimal mark is a comma: an installed one, or one made for
 * the test by localedef.
 */
#ifndef KC_TESTS_UNIT_COMMA_LOCALE_H
#define KC_TESTS_UNIT_COMMA_LOCALE_H

#include <stdbool.h>
#include "unit/scratch.h"

/* Sets it for the process (setlocale, all categories). `scratch` is where it
 * is made if need be. False when the system has no such locale and cannot
 * make one; the test then has nothing to say. */
bool comma_locale_begin(const scratch_t *scratch);
/* True while numbers are printed with a comma: nobody reset the locale. */
bool comma_locale_is_on(void);
void comma_locale_end(void);

#endif
