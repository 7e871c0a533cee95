/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * A getter but no contracts: not a module. */
#include "mocks/mock.h"

const kc_module_t *kc_module_entry(void)
{
    static const kc_module_t module = {.struct_size = sizeof(kc_module_t),
                                       .abi_major = KC_ABI_MAJOR,
                                       .abi_minor = KC_ABI_MINOR,
                                       .name = "no_note",
                                       .version = "1.0"};
    return &module;
}
