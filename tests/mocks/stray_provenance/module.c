/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Provenance of a capsule that the module does not have. */
#include "mocks/mock.h"

KC_MODULE(MOCK_MODULE("stray_provenance"));
KC_CAPSULES(MOCK_RELU("stray_provenance.relu", "acme"));
KC_PROVENANCE({.struct_size = sizeof(kc_provenance_record_t),
               .kind = KC_PROVENANCE_SOURCE_PATH,
               .obligation = KC_OBLIGATION_VALUE,
               .capsule = "stray_provenance.matmul",
               .path = "kernels/matmul.c"});
MOCK_RELU_ENTRY("acme", .spare = 0);
