/* SPDX-License-Identifier: Apache-2.0
 *
 * The form of a binding. Which names there are, the commands know.
 */
#include "cli/binding.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/message.h"

int cli_read_binding(const char *command, const char *text,
                     size_t *out_name_length, int64_t *out_value)
{
    const char *equals = strchr(text, '=');
    char *end = NULL;
    errno = 0;
    long long value = equals != NULL ? strtoll(equals + 1, &end, 10) : -1;
    if (equals == NULL || equals == text || equals[1] < '0' ||
        equals[1] > '9' || *end != 0 || errno != 0) {
        return cli_refuse("%s: --bind: expected NAME=NUMBER, found `%s`",
                          command, text);
    }
    *out_name_length = (size_t)(equals - text);
    *out_value = value;
    return CLI_DONE;
}
