/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * The module record is smaller than the smallest there ever was. */
#include "mocks/mock.h"

MOCK_SIZED_MODULE(KC_MODULE_RECORD_SIZE_MIN - 4, "short_record");
KC_CAPSULES(MOCK_RELU("short_record.relu", "acme"));
MOCK_RELU_ENTRY("acme", .spare = 0);
