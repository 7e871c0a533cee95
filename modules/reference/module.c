/* SPDX-License-Identifier: Apache-2.0
 *
 * The reference module: its record and the list of its handlers. What each
 * capsule promises is decided in contracts.c, what it computes in the family
 * files.
 */
#include "handlers.h"

#include <kcapsule/module.h>

KC_MODULE(.name = "reference", .version = "0.1.0",
          .author = "The Kernel Capsules authors", .licence = "Apache-2.0",
          .description = "Portable C: every sum in its written order, the "
                         "same bits at every width and thread count");

#define ADDRESS(name) &kc_reference_##name,

static const kc_handler_t *const handlers[] = {
    KC_REFERENCE_FOR_EACH_HANDLER(ADDRESS)};

KC_MODULE_ENTRY(handlers, sizeof handlers / sizeof handlers[0]);
