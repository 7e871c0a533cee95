/* SPDX-License-Identifier: Apache-2.0
 *
 * A host for kernels under test: parallel_for with a given number of threads,
 * which take tiles from the last to the first, and no other service.
 */
#ifndef KC_TESTS_UNIT_MODULES_TEST_HOST_H
#define KC_TESTS_UNIT_MODULES_TEST_HOST_H

#include <kcapsule/host.h>

typedef struct test_host {
    kc_host_t interface;
    size_t thread_count; /* 0: serial, tiles in order */
} test_host_t;

/* Returns the interface to hand to a call. */
const kc_host_t *test_host_init(test_host_t *host, size_t thread_count);

#endif
