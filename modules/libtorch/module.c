/* SPDX-License-Identifier: Apache-2.0
 *
 * The libtorch module: its record, and so far no handlers. It is optional: no
 * maintained profile but libtorch_forward_cuda takes it in.
 */
#include <kcapsule/module.h>

KC_MODULE(.name = "libtorch", .version = "0.1.0",
          .author = "The Kernel Capsules authors", .licence = "Apache-2.0",
          .flags = KC_MODULE_CONTRACTS_ONLY,
          .description = "Attention forward through LibTorch on CUDA, trusted "
                         "from outside");

KC_MODULE_ENTRY(NULL, 0);
