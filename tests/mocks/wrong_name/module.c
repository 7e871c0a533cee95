/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * The getter says another name than the note. */
#include "mocks/mock.h"

KC_MODULE(MOCK_MODULE("wrong_name"));
KC_CAPSULES(MOCK_RELU("wrong_name.relu", "acme"));

const kc_module_t *kc_module_entry(void)
{
    static const kc_handler_t relu =
        MOCK_HANDLER(KC_OP_RELU, "acme", mock_relu);
    static const kc_handler_t *const handlers[] = {&relu};
    static const kc_module_t module = {.struct_size = sizeof(kc_module_t),
                                       .abi_major = KC_ABI_MAJOR,
                                       .abi_minor = KC_ABI_MINOR,
                                       .handler_count = 1,
                                       .name = "somebody_else",
                                       .version = "1.0",
                                       .handlers = handlers};
    return &module;
}
