/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Records of a later minor version with a tail that this host does not know,
 * in the notes, the getter's record and the handler: it works. */
#include "mocks/mock.h"

#undef KC_ABI_MINOR
#define KC_ABI_MINOR 1
#define TAIL         0xa5a5a5a5u

typedef struct long_module {
    uint32_t struct_size, abi_major, abi_minor, flags;
    char name[KC_MODULE_NAME_SIZE];
    char version[32];
    char rest[sizeof(kc_module_record_t) - 16 - KC_MODULE_NAME_SIZE - 32];
    uint32_t tail[16];
} long_module_t;

typedef struct long_capsule {
    kc_capsule_record_t known;
    uint32_t tail[4];
} long_capsule_t;

MOCK_NOTE(kc_module_note, KC_NOTE_MODULE, long_module_t,
          {.struct_size = sizeof(long_module_t),
           .abi_major = KC_ABI_MAJOR,
           .abi_minor = KC_ABI_MINOR,
           .name = "long_record",
           .version = "1.0",
           .tail = {TAIL, TAIL, TAIL}});

/* The SDK's macro states the size of the record that this host knows, so the
 * record is written out. */
MOCK_NOTE(capsules, KC_NOTE_CAPSULES, long_capsule_t,
          {.known = {.struct_size = sizeof(long_capsule_t),
                     .op = KC_OP_RELU,
                     .device = KC_DEVICE_CPU,
                     .trust = KC_TRUST_CHECKED,
                     .vjp_mode = KC_VJP_NONE,
                     .supports_forward = 1,
                     .name = "long_record.relu",
                     .provider = "acme",
                     .shape = KC_SHAPE_GUARD(KC_OP_RELU, "shape", "shapes"),
                     .layout = KC_LAYOUT_GUARD(KC_OP_RELU,
                                               KC_LAYOUT_CANONICAL_TENSOR,
                                               "layout", "dense"),
                     .value = KC_VALUE_SUITE(KC_OP_RELU, "mocks", "max(x, 0)"),
                     .vjp = KC_NO_VJP(KC_OP_RELU, "none"),
                     .numerics = {.reduction = KC_REDUCTION_NOT_APPLICABLE}},
           .tail = {TAIL, TAIL, TAIL, TAIL}});

typedef struct long_handler {
    kc_handler_t known;
    void *tail[4];
} long_handler_t;

static const long_handler_t relu = {
    .known = {.struct_size = sizeof(long_handler_t),
              .op = KC_OP_RELU,
              .device = KC_DEVICE_CPU,
              .provider = "acme",
              .forward = mock_relu}};
static const kc_handler_t *const handlers[] = {&relu.known};

static const struct {
    kc_module_t known;
    void *tail[4];
} entry = {.known = {.struct_size = sizeof entry,
                     .abi_major = KC_ABI_MAJOR,
                     .abi_minor = KC_ABI_MINOR,
                     .handler_count = 1,
                     .name = "long_record",
                     .version = "1.0",
                     .handlers = handlers}};

const kc_module_t *kc_module_entry(void)
{
    return &entry.known;
}
