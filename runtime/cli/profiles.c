/* SPDX-License-Identifier: Apache-2.0
 *
 * kcapsule profiles: the maintained ones and those on the profile path.
 */
#include "cli/command.h"
#include "cli/context.h"

int cli_profiles(const cli_options_t *options)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_runtime_t *runtime = NULL;
    char *text = NULL;
    int code = cli_open_runtime(options, 0, &runtime);
    if (code != CLI_DONE) {
        return code;
    }
    kc_status_t status =
        kc_report_profiles(runtime, options->format, &text, &error);
    code = cli_print_report(status, text, &error);
    kc_runtime_release(runtime);
    return code;
}
