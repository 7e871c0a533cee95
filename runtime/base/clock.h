/* SPDX-License-Identifier: Apache-2.0
 *
 * The monotonic clock in nanoseconds, for `--time` and benchmarks only.
 */
#ifndef KC_BASE_CLOCK_H
#define KC_BASE_CLOCK_H

#include <stdint.h>

uint64_t kci_clock_ns(void);

#endif
