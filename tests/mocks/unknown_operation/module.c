/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * An operation outside of the catalogue in a module of this minor version: the
 * file is refused. */
#include "mocks/mock.h"

KC_MODULE(MOCK_MODULE("unknown_operation"));
KC_CAPSULES(MOCK_CAPSULE("unknown_operation.novel", KC_OP_COUNT + 3, "acme"));
KC_MODULE_ENTRY(NULL, 0);
