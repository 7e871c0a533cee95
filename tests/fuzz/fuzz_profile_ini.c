/* SPDX-License-Identifier: Apache-2.0
 *
 * Feeds bytes to the INI reader as a profile, and asks for the keys of one.
 */
#include "fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>
#include "config/ini.h"

const char kc_fuzz_name[] = "ini";

/* What is found stands in the text: on a line of it, no longer than it. */
static void check_entry(const kci_ini_entry_t *entry, size_t size)
{
    if (entry != NULL && (entry->line < 1 || (size_t)entry->line > size ||
                          strlen(entry->value) > size)) {
        abort();
    }
}

/* A refusal has a message. */
static void check_use(const kci_ini_t *ini)
{
    kc_error_t error = KC_ERROR_INIT;
    if (kci_ini_check_all_used(ini, &error) != KC_OK &&
        error.message[0] == '\0') {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    kci_ini_t *ini = NULL;
    kc_error_t error = KC_ERROR_INIT;
    if (kci_ini_parse((const char *)data, size, "fuzz.ini", &ini, &error) !=
        KC_OK) {
        return 0;
    }
    check_use(ini);
    check_entry(kci_ini_find(ini, "profile", "name"), size);
    check_entry(kci_ini_find(ini, "profile", "provider"), size);
    check_entry(kci_ini_find(ini, "modules", "prepend"), size);
    check_use(ini);
    kci_ini_release(ini);
    return 0;
}
