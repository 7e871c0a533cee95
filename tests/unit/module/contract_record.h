/* SPDX-License-Identifier: Apache-2.0
 *
 * Records in memory, right in every field, for tests to break.
 */
#ifndef KC_TESTS_UNIT_MODULE_CONTRACT_RECORD_H
#define KC_TESTS_UNIT_MODULE_CONTRACT_RECORD_H

#include <kcapsule/module.h>

/* relu on the cpu by provider acme, VJP torchlean-tape. */
static inline kc_capsule_record_t contract_record(void)
{
    kc_capsule_record_t capsule = {
        .struct_size = sizeof(kc_capsule_record_t),
        .op = KC_OP_RELU,
        .device = KC_DEVICE_CPU,
        .trust = KC_TRUST_CHECKED,
        .vjp_mode = KC_VJP_TORCHLEAN_TAPE,
        .supports_forward = 1,
        .saved_inputs = 1,
        .name = "acme.relu",
        .provider = "acme",
        .shape = KC_SHAPE_GUARD(KC_OP_RELU, "shape", "shapes"),
        .layout = KC_LAYOUT_GUARD(KC_OP_RELU, KC_LAYOUT_CANONICAL_TENSOR,
                                  "layout", "dense"),
        .value = KC_VALUE_SUITE(KC_OP_RELU, "suite", "max(x, 0)"),
        .vjp = KC_VJP_SUITE(KC_OP_RELU, KC_VJP_TORCHLEAN_TAPE, "suite", "rule"),
        .numerics = {.reduction = KC_REDUCTION_NOT_APPLICABLE}};
    return capsule;
}

static inline kc_module_record_t module_record(void)
{
    kc_module_record_t record = {.struct_size = sizeof(kc_module_record_t),
                                 .abi_major = KC_ABI_MAJOR,
                                 .abi_minor = KC_ABI_MINOR,
                                 .name = "acme",
                                 .version = "1.0",
                                 .author = "authors",
                                 .licence = "Apache-2.0"};
    return record;
}

static inline kc_provenance_record_t provenance_record(void)
{
    kc_provenance_record_t record = {.struct_size =
                                         sizeof(kc_provenance_record_t),
                                     .kind = KC_PROVENANCE_SOURCE_PATH,
                                     .obligation = KC_OBLIGATION_VALUE,
                                     .capsule = "acme.relu",
                                     .path = "relu.c"};
    return record;
}

#endif
