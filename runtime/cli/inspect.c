/* SPDX-License-Identifier: Apache-2.0
 *
 * kcapsule inspect: what a module or capsule promises, from the bytes of its
 * file. A file that is refused and named here is an error.
 */
#include "cli/command.h"
#include "cli/context.h"

int cli_inspect(const cli_options_t *options)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_runtime_t *runtime = NULL;
    char *text = NULL;
    if (options->operand_count == 0) {
        return cli_refuse("inspect: name a module, a file or a capsule");
    }
    int code = cli_open_runtime(options, 0, &runtime);
    if (code != CLI_DONE) {
        return code;
    }
    kc_status_t status = kc_report_inspect(runtime, options->operands[0],
                                           options->format, &text, &error);
    code = cli_print_report(status, text, &error);
    kc_runtime_release(runtime);
    return code;
}
