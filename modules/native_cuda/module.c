/* SPDX-License-Identifier: Apache-2.0
 *
 * The native_cuda module: its record, and so far no handlers. Plans and
 * audits for a CUDA machine need the contracts only.
 */
#include <kcapsule/module.h>

KC_MODULE(.name = "native_cuda", .version = "0.1.0",
          .author = "The Kernel Capsules authors", .licence = "Apache-2.0",
          .flags = KC_MODULE_CONTRACTS_ONLY,
          .description = "CUDA kernels with backward passes of their own");

KC_MODULE_ENTRY(NULL, 0);
