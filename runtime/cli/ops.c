/* SPDX-License-Identifier: Apache-2.0
 *
 * kcapsule ops: the catalogue of operations, or one of them.
 */
#include "cli/command.h"

int cli_ops(const cli_options_t *options)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_status_t status = KC_OK;
    char *text = NULL;
    if (options->operand_count == 0) {
        status = kc_report_ops(options->format, &text, &error);
    } else {
        int32_t op = 0;
        status = kc_op_parse(options->operands[0], &op, &error);
        if (status == KC_OK) {
            status = kc_report_op(op, options->format, &text, &error);
        }
    }
    return cli_print_report(status, text, &error);
}
