/* SPDX-License-Identifier: Apache-2.0
 *
 * The libtorch module as it is built without LibTorch: the same contracts,
 * no handlers.
 */
#include <kcapsule/module.h>

KC_MODULE(.name = "libtorch", .version = "0.1.0",
          .author = "The Kernel Capsules authors", .licence = "Apache-2.0",
          .flags = KC_MODULE_CONTRACTS_ONLY,
          .description = "LibTorch on the cpu, attention forward on CUDA; "
                         "built without LibTorch: contracts only");

KC_MODULE_ENTRY(NULL, 0);
