/* SPDX-License-Identifier: Apache-2.0
 *
 * Status codes to exit codes. A status that is not listed is a failure.
 */
#include "cli/exit_code.h"

int cli_exit_code(kc_status_t status)
{
    switch (status) {
    case KC_OK:
        return CLI_DONE;
    case KC_ERR_NO_CAPSULE:
    case KC_ERR_REJECTED:
        return CLI_NEGATIVE;
    case KC_ERR_ARGUMENT:
    case KC_ERR_IO:
    case KC_ERR_FORMAT:
    case KC_ERR_CONFIG:
    case KC_ERR_NOT_FOUND:
    case KC_ERR_DUPLICATE:
    case KC_ERR_GRAPH:
    case KC_ERR_MODULE:
    case KC_ERR_NOT_IN_BUILD:
        return CLI_UNUSABLE;
    default:
        return CLI_FAILED;
    }
}

int cli_exit_code_of_run(kc_status_t status)
{
    if (status == KC_ERR_MODULE) {
        return CLI_FAILED;
    }
    return status == KC_ERR_TENSOR ? CLI_UNUSABLE : cli_exit_code(status);
}
