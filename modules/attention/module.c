/* SPDX-License-Identifier: Apache-2.0
 *
 * The attention module: its record and its one handler. The direct CUDA kernel
 * is a contract only; capsules of the provider torchlean are run by the host,
 * from catalogue operations.
 */
#include "streaming.h"

#include <kcapsule/module.h>

KC_MODULE(.name = "attention", .version = "0.1.0",
          .author = "The Kernel Capsules authors", .licence = "Apache-2.0",
          .description = "Attention with boolean masks: streaming on the cpu, "
                         "direct and composed on CUDA");

static const kc_handler_t *const handlers[] = {&kc_attention_streaming};

KC_MODULE_ENTRY(handlers, 1);
