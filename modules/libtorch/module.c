/* SPDX-License-Identifier: Apache-2.0
 *
 * The libtorch module as it is built with LibTorch: its record, its handlers
 * and who opens it. The library is mapped with the module, at the first
 * binding, and stays.
 */
#include <kcapsule/module.h>

#include "handlers.h"

KC_MODULE(.name = "libtorch", .version = "0.1.0",
          .author = "The Kernel Capsules authors", .licence = "Apache-2.0",
          .flags = KC_MODULE_STARTS_THREADS,
          .description = "LibTorch on the cpu, and attention forward on CUDA "
                         "as a contract only; trusted from outside");

KC_MODULE_ENTRY_WITH(kc_libtorch_handlers, KC_LIBTORCH_HANDLER_COUNT,
                     .open = kc_libtorch_open, .close = kc_libtorch_close);
