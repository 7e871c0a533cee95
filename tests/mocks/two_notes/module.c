/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * The capsule table twice: which one counts is nobody's guess. */
#include "mocks/mock.h"

KC_MODULE(MOCK_MODULE("two_notes"));
KC_CAPSULES(MOCK_RELU("two_notes.relu", "acme"));
MOCK_NOTE(again, KC_NOTE_CAPSULES, kc_capsule_record_t,
          MOCK_RELU("two_notes.second", "acme"));
MOCK_RELU_ENTRY("acme", .spare = 0);
