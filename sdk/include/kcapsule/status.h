/* SPDX-License-Identifier: Apache-2.0
 *
 * Status codes and the error record. The detector of an error writes its
 * message once, in one line: what was expected, what was found, which thing.
 */
#ifndef KCAPSULE_STATUS_H
#define KCAPSULE_STATUS_H

#include <kcapsule/abi.h>

KC_BEGIN_DECLS

/* A status crosses the interface as int32_t. */
typedef int32_t kc_status_t;

enum {
    KC_OK = 0,
    KC_ERR_ARGUMENT = 1,    /* the caller passed something unusable        */
    KC_ERR_MEMORY = 2,      /* the allocator returned NULL                 */
    KC_ERR_IO = 3,          /* the system refused to open, read or write   */
    KC_ERR_FORMAT = 4,      /* a file or record is not what it claims      */
    KC_ERR_CONFIG = 5,      /* a profile or configuration line is wrong    */
    KC_ERR_NOT_FOUND = 6,   /* nothing has that name                       */
    KC_ERR_DUPLICATE = 7,   /* two things have one name or identity        */
    KC_ERR_GRAPH = 8,       /* a graph or an operation is not well formed  */
    KC_ERR_MODULE = 9,      /* a module file is refused                    */
    KC_ERR_NOT_IN_BUILD = 10, /* this build does not have it               */
    KC_ERR_NO_CAPSULE = 11, /* planning found no admissible capsule        */
    KC_ERR_REJECTED = 12,   /* the acceptance gate refused                 */
    KC_ERR_BINDING = 13,    /* no handler, device or library on this machine */
    KC_ERR_KERNEL = 14,     /* a handler reported failure                  */
    KC_ERR_TENSOR = 15,     /* a guard refused an operand of a call        */
    KC_ERR_IN_USE = 16      /* something of it is still alive              */
};

#define KC_ERROR_MESSAGE_SIZE 512

/*
 * Owned by the caller, written by the side that fails, never read to decide
 * anything. `struct_size` is set by the caller (KC_ERROR_INIT). The message
 * always ends with NUL and has no line break.
 */
typedef struct kc_error {
    uint32_t struct_size;
    kc_status_t status;
    char message[KC_ERROR_MESSAGE_SIZE];
} kc_error_t;

#define KC_ERROR_INIT {sizeof(kc_error_t), KC_OK, {0}}

KC_END_DECLS

#endif
