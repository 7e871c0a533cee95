/* SPDX-License-Identifier: Apache-2.0
 *
 * Argument checks of the application interface. A caller's NULL is a status
 * that names the argument, never a crash.
 */
#ifndef KC_API_ARGUMENT_H
#define KC_API_ARGUMENT_H

#include "base/error.h"

/* Returns from the function when a required pointer is NULL. A function that
 * serves several others is told which one the caller knows. */
#define KC_REQUIRE_FOR(function, pointer, error)                               \
    do {                                                                       \
        if ((pointer) == NULL) {                                               \
            return kci_fail(error, KC_ERR_ARGUMENT,                            \
                            "%s: expected " #pointer ", found NULL",           \
                            function);                                         \
        }                                                                      \
    } while (0)
#define KC_REQUIRE(pointer, error) KC_REQUIRE_FOR(__func__, pointer, error)

/* The same for a struct whose size the caller must have set. */
#define KC_REQUIRE_SIZED_FOR(function, pointer, type, error)                   \
    do {                                                                       \
        KC_REQUIRE_FOR(function, pointer, error);                              \
        if ((pointer)->struct_size < sizeof(type)) {                           \
            return kci_fail(error, KC_ERR_ARGUMENT,                            \
                            "%s: expected struct_size %zu of " #type           \
                            ", found %u",                                      \
                            function, sizeof(type), (pointer)->struct_size);   \
        }                                                                      \
    } while (0)
#define KC_REQUIRE_SIZED(pointer, type, error)                                 \
    KC_REQUIRE_SIZED_FOR(__func__, pointer, type, error)

#endif
