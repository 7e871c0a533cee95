/* SPDX-License-Identifier: Apache-2.0
 *
 * The attention module: its record, and so far no handlers. Capsules of the
 * provider torchlean are run by the host, from catalogue operations.
 */
#include <kcapsule/module.h>

KC_MODULE(.name = "attention", .version = "0.1.0",
          .author = "The Kernel Capsules authors", .licence = "Apache-2.0",
          .flags = KC_MODULE_CONTRACTS_ONLY,
          .description = "Attention with boolean masks on CUDA: direct kernel "
                         "and composition");

KC_MODULE_ENTRY(NULL, 0);
