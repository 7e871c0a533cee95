/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Its open allocates something, then fails and undoes its work. When the file
 * that KC_TEST_REPAIRED names exists, it works. */
#include "mocks/mock.h"

KC_MODULE(MOCK_MODULE("init_fails"));
KC_CAPSULES(MOCK_RELU("init_fails.relu", "acme"));

static kc_status_t open_module(const kc_host_t *host, void **out_state,
                               kc_error_t *error)
{
    static const char reason[] = "no licence\nfound on this machine";
    const char *repaired = getenv("KC_TEST_REPAIRED");
    void *half = host->allocate(host, 64, 64);
    mock_mark("open\n");
    if (repaired != NULL && access(repaired, F_OK) == 0) {
        *out_state = half;
        return KC_OK;
    }
    host->deallocate(host, half, 64);
    memcpy(error->message, reason, sizeof reason);
    return KC_ERR_IO;
}

MOCK_RELU_ENTRY("acme", .open = open_module);
