/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Modules whose handlers are functions of the test, as if their file had been
 * opened, and a host to call them with. */
#ifndef KC_TESTS_UNIT_HANDLER_FIXTURE_H
#define KC_TESTS_UNIT_HANDLER_FIXTURE_H

#include "dispatch/bind.h"
#include "unit/contract_fixture.h"

/* Of device cpu; the file is called /fixture/NAME.so. Owned by the caller. */
kc_capsule_module_t *handler_module(const char *name,
                                    const kc_capsule_record_t *capsules,
                                    size_t capsule_count,
                                    const kc_handler_t *handlers,
                                    size_t handler_count);
kc_handler_t handler_for(int32_t op, const char *provider,
                         kc_handler_fn forward);

/* A host with an allocator and a log that keeps its last line. */
typedef struct host_fixture {
    kci_host_allocator_t allocator;
    kci_host_t *host;
    int log_count;
    int32_t log_level;
    char log_line[KC_ERROR_MESSAGE_SIZE];
} host_fixture_t;
void host_fixture_begin(host_fixture_t *fixture, uint32_t thread_count);
/* Everything of the allocator came back. */
void host_fixture_end(host_fixture_t *fixture);

/* One capsule with one handler, bound. */
typedef struct bound_fixture {
    host_fixture_t host;
    kc_capsule_module_t *module;
    kci_entry_t entry;
    kci_binding_t binding;
} bound_fixture_t;
void bound_fixture_begin(bound_fixture_t *fixture,
                         const kc_capsule_record_t *capsule,
                         const kc_handler_t *handler);
void bound_fixture_end(bound_fixture_t *fixture);

#endif
