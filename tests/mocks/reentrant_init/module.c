/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Its open writes to the host's log. A test whose log function goes back into
 * the loader from there makes it re-entrant. */
#include "mocks/mock.h"

KC_MODULE(MOCK_MODULE("reentrant_init"));
KC_CAPSULES(MOCK_RELU("reentrant_init.relu", "acme"));

static kc_status_t open_module(const kc_host_t *host, void **out_state,
                               kc_error_t *error)
{
    (void)out_state;
    (void)error;
    host->log(host, KC_LOG_INFO, "reentrant_init opens");
    return KC_OK;
}

MOCK_RELU_ENTRY("acme", .open = open_module);
