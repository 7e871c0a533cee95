/* SPDX-License-Identifier: Apache-2.0
 *
 * Environment variables. Set but empty is unset, so that `VARIABLE= command`
 * does what it looks like.
 */
#include "config/environment.h"

#include <stdlib.h>
#include <sys/auxv.h>
#include <unistd.h>

bool kci_process_is_privileged(void)
{
    return getauxval(AT_SECURE) != 0 || getuid() != geteuid() ||
           getgid() != getegid();
}

const char *kci_environment_get(const char *name)
{
    if (kci_process_is_privileged()) {
        return NULL;
    }
    const char *value = secure_getenv(name);
    return value == NULL || *value == '\0' ? NULL : value;
}
