/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Its open takes 50 ms and writes the line "open" to the file that
 * KC_TEST_MARK names, its close the line "close": count them. */
#include "mocks/mock.h"

#include <time.h>

KC_MODULE(MOCK_MODULE("slow_init"));
KC_CAPSULES(MOCK_RELU("slow_init.relu", "acme"));

static kc_status_t open_module(const kc_host_t *host, void **out_state,
                               kc_error_t *error)
{
    static const char state[] = "slow_init";
    struct timespec pause = {0, 50 * 1000 * 1000};
    (void)host;
    (void)error;
    nanosleep(&pause, NULL);
    mock_mark("open\n");
    *out_state = (void *)(uintptr_t)state;
    return KC_OK;
}

static void close_module(void *state)
{
    mock_mark(state != NULL ? "close\n" : "close without state\n");
}

MOCK_RELU_ENTRY("acme", .open = open_module, .close = close_module);
