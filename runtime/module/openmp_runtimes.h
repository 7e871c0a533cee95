/* SPDX-License-Identifier: Apache-2.0
 *
 * OpenMP runtimes that modules bring along. Two different ones in one process
 * end it, or take each other's processors.
 */
#ifndef KC_MODULE_OPENMP_RUNTIMES_H
#define KC_MODULE_OPENMP_RUNTIMES_H

#include <kcapsule/runtime.h>

/* Those loaded into this process now, in the order of loading. */
void kci_openmp_runtimes_find(kc_openmp_runtimes_t *out_runtimes);

#endif
