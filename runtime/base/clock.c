/* SPDX-License-Identifier: Apache-2.0
 *
 * The monotonic clock. It cannot fail for a clock that exists on every
 * system this runs on, so there is no status.
 */
#include "base/clock.h"

#include <time.h>

uint64_t kci_clock_ns(void)
{
    struct timespec now = {0, 0};
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}
