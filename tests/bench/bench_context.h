/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * What benchmarks run on: the built modules and checked_cpu over them. */
#ifndef KC_TESTS_BENCH_CONTEXT_H
#define KC_TESTS_BENCH_CONTEXT_H

#include "dispatch/host.h"
#include "registry/profile.h"

typedef struct bench_context {
    kci_host_allocator_t allocator;
    kci_log_t log;
    kci_search_path_t path;
    kci_module_set_t modules;
    kci_host_t *host;
    kc_profile_t *profile;
    kc_error_t error;
} bench_context_t;

/* Modules from KCAPSULE_MODULE_PATH. 0 with a line on stderr on failure. */
int bench_begin(bench_context_t *context, unsigned thread_count);
/* The same under another profile. */
int bench_begin_under(bench_context_t *context, const char *profile,
                      unsigned thread_count);
void bench_end(bench_context_t *context);

#endif
