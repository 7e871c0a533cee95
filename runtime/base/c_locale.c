/* SPDX-License-Identifier: Apache-2.0
 *
 * The C locale for the calling thread. The system's C locale is static
 * memory, so making it neither allocates nor fails.
 */
#include "base/c_locale.h"

#include <stddef.h>

kci_c_locale_t kci_c_locale_begin(void)
{
    kci_c_locale_t scope = {newlocale(LC_ALL_MASK, "C", (locale_t)0),
                            (locale_t)0};
    if (scope.c_locale != (locale_t)0) {
        scope.previous = uselocale(scope.c_locale);
    }
    return scope;
}

void kci_c_locale_end(kci_c_locale_t scope)
{
    if (scope.c_locale == (locale_t)0) {
        return;
    }
    (void)uselocale(scope.previous);
    freelocale(scope.c_locale);
}
