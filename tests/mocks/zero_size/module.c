/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * The capsule record states that it has no size. */
#include "mocks/mock.h"

KC_MODULE(MOCK_MODULE("zero_size"));
MOCK_NOTE(capsules, KC_NOTE_CAPSULES, kc_capsule_record_t,
          {.struct_size = 0, .name = "zero_size.relu", .provider = "acme"});
KC_MODULE_ENTRY(NULL, 0);
