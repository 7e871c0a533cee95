/* SPDX-License-Identifier: Apache-2.0
 *
 * How many threads the system gives. The library of the pool does not look
 * whether a thread was made, and waits for ever for one that was not.
 */
#ifndef KC_DISPATCH_THREAD_TRIAL_H
#define KC_DISPATCH_THREAD_TRIAL_H

#include <stdint.h>

/* Makes up to `wanted` threads that are alive at once, ends them, and returns
 * how many there were; their places are free again. Call it with all signals
 * blocked: the threads take over the mask. */
uint32_t kci_thread_trial(uint32_t wanted);

#endif
