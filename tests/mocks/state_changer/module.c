/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Its open changes what belongs to the whole process: working directory,
 * umask, the action of a signal, the signal mask, the numeric locale. */
#include "mocks/mock.h"

#include <locale.h>
#include <signal.h>
#include <sys/stat.h>

KC_MODULE(MOCK_MODULE("state_changer"));
KC_CAPSULES(MOCK_RELU("state_changer.relu", "acme"));

static kc_status_t open_module(const kc_host_t *host, void **out_state,
                               kc_error_t *error)
{
    (void)host;
    (void)out_state;
    (void)error;
    sigset_t mask;
    sigemptyset(&mask);
    sigaddset(&mask, SIGUSR2);
    sigprocmask(SIG_BLOCK, &mask, NULL);
    signal(SIGUSR1, SIG_IGN);
    umask(0);
    setlocale(LC_ALL, "C.UTF-8");
    return chdir("/") == 0 ? KC_OK : KC_ERR_IO;
}

MOCK_RELU_ENTRY("acme", .open = open_module);
