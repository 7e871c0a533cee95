/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Works; has provenance, a native symbol and companions. */
#include "mocks/mock.h"

KC_MODULE(MOCK_MODULE("with_provenance"), .companions = "liba.so,libb.so");
KC_CAPSULES(MOCK_RELU("with_provenance.relu", "acme"));
KC_PROVENANCE({.struct_size = sizeof(kc_provenance_record_t),
               .kind = KC_PROVENANCE_SOURCE_PATH,
               .obligation = KC_OBLIGATION_VALUE,
               .capsule = "with_provenance.relu",
               .path = "kernels/relu.c"},
              {.struct_size = sizeof(kc_provenance_record_t),
               .kind = KC_PROVENANCE_NATIVE_SYMBOL,
               .obligation = KC_OBLIGATION_VALUE,
               .capsule = "with_provenance.relu",
               .path = "kernels/relu.c",
               .symbol = "acme_relu_f32",
               .build_target = "acme_kernels"});
MOCK_RELU_ENTRY("acme", .spare = 0);
