/* SPDX-License-Identifier: Apache-2.0
 *
 * A judged file and a getter's record in memory that agree, for tests of what
 * opening compares.
 */
#ifndef KC_TESTS_UNIT_MODULE_ENTRY_FIXTURE_H
#define KC_TESTS_UNIT_MODULE_ENTRY_FIXTURE_H

#include <string.h>
#include "module/module_file.h"
#include "unit/module/contract_record.h"

typedef struct entry_fixture {
    char path[32];
    kc_capsule_record_t capsules[2];
    kci_module_file_t file; /* acme.relu and acme.abs on the cpu */
    kc_handler_t handler;   /* for relu */
    const kc_handler_t *handlers[2];
    kc_module_t module;
} entry_fixture_t;

static inline kc_status_t entry_fixture_forward(const kc_call_t *call)
{
    (void)call;
    return KC_OK;
}

/* In place, because the parts point to each other. */
static inline void entry_fixture_make(entry_fixture_t *fixture)
{
    entry_fixture_t made = {.path = "/modules/acme.so",
                            .capsules = {contract_record(), contract_record()},
                            .handler = {.struct_size = sizeof(kc_handler_t),
                                        .op = KC_OP_RELU,
                                        .device = KC_DEVICE_CPU,
                                        .provider = "acme",
                                        .forward = entry_fixture_forward},
                            .module = {.struct_size = sizeof(kc_module_t),
                                       .abi_major = KC_ABI_MAJOR,
                                       .abi_minor = KC_ABI_MINOR,
                                       .handler_count = 1,
                                       .name = "acme",
                                       .version = "1.0"}};
    *fixture = made;
    strcpy(fixture->capsules[1].name, "acme.abs");
    fixture->capsules[1].op = KC_OP_ABS;
    fixture->file.path = fixture->path;
    fixture->file.record = module_record();
    fixture->file.capsules = fixture->capsules;
    fixture->file.capsule_count = 2;
    fixture->handlers[0] = &fixture->handler;
    fixture->handlers[1] = &fixture->handler;
    fixture->module.handlers = fixture->handlers;
}

#endif
