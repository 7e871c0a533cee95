/* SPDX-License-Identifier: Apache-2.0
 *
 * The C locale for the calling thread, while foreign code that follows the
 * locale (printf, strtod, jansson) works for a file format. The application's
 * locale, the thread's and the process's, is as before afterwards.
 */
#ifndef KC_BASE_C_LOCALE_H
#define KC_BASE_C_LOCALE_H

#include <locale.h>

typedef struct kci_c_locale {
    locale_t c_locale;
    locale_t previous;
} kci_c_locale_t;

kci_c_locale_t kci_c_locale_begin(void);
void kci_c_locale_end(kci_c_locale_t scope);

#endif
