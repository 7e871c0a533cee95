/* SPDX-License-Identifier: Apache-2.0
 *
 * Cutting names for messages, between two characters.
 */
#include "base/short_name.h"

#include <string.h>

#include "base/one_line.h"

#define MARK "..."

kci_short_name_t kci_short_name(const char *name)
{
    kci_short_name_t result = {{'\0'}};
    size_t length = strlen(name);
    size_t room = sizeof result.text - sizeof MARK;
    if (length <= room) {
        memcpy(result.text, name, length);
        return result;
    }
    size_t kept = 0;
    for (;;) {
        size_t size = kci_utf8_character_size(name + kept, length - kept);
        size = size == 0 ? 1 : size;
        if (kept + size > room) {
            break;
        }
        kept += size;
    }
    memcpy(result.text, name, kept);
    memcpy(result.text + kept, MARK, sizeof MARK);
    return result;
}
