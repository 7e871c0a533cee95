/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * What is the same forward and backward; what only shows through a whole call
 * is in test_call.c and test_call_vjp.c. */
#include "dispatch/invoke.h"

#include <string.h>

#include "unit/dispatch/suites.h"
#include "unit/expect.h"
#include "unit/handler_fixture.h"

typedef struct invoke_case {
    bound_fixture_t bound;
    kci_call_context_t context;
    kc_error_t handler_error;
    kc_error_t error;
    kc_call_t call;
} invoke_case_t;

static kc_status_t fill_workspace(const kc_call_t *call)
{
    if (call->workspace_size > 0) {
        memset(call->workspace, 5, call->workspace_size);
    }
    return call->workspace_size == 13
               ? kc_call_fail(call, KC_ERR_ARGUMENT, "13 is unlucky")
               : KC_OK;
}

static void invoke_begin(invoke_case_t *at)
{
    kc_capsule_record_t capsule =
        fixture_capsule("acme.relu", KC_OP_RELU, "acme", KC_DEVICE_CPU);
    kc_handler_t handler = handler_for(KC_OP_RELU, "acme", fill_workspace);
    bound_fixture_begin(&at->bound, &capsule, &handler);
    at->context = (kci_call_context_t){.host = at->bound.host.host,
                                       .binding = &at->bound.binding};
    at->error = (kc_error_t)KC_ERROR_INIT;
    kci_call_begin(&at->context, &at->handler_error, &at->call);
}

static kc_status_t invoke_sized(invoke_case_t *at, size_t size)
{
    kci_call_begin(&at->context, &at->handler_error, &at->call);
    return kci_invoke_sized(&at->context, KCI_BACKWARD_PART, fill_workspace,
                            &at->call, size, &at->error);
}

START_TEST(a_call_begins_empty)
{
    invoke_case_t at;
    invoke_begin(&at);
    ck_assert_uint_eq(at.call.struct_size, sizeof(kc_call_t));
    ck_assert_int_eq(at.call.op, KC_OP_RELU);
    ck_assert_ptr_null(at.call.workspace);
    ck_assert_ptr_null(at.call.cotangents_in);
    ck_assert_ptr_eq(at.call.error, &at.handler_error);
    ck_assert_str_eq(at.handler_error.message, "");
    bound_fixture_end(&at.bound);
}
END_TEST

START_TEST(the_contexts_workspace_serves_if_it_is_large_enough)
{
    _Alignas(64) unsigned char block[8] = {0};
    invoke_case_t at;
    invoke_begin(&at);
    kci_host_allocator_t *allocator = &at.bound.host.allocator;
    at.context.workspace = block;
    at.context.workspace_size = sizeof block;
    EXPECT_OK(at.error, invoke_sized(&at, 8));
    ck_assert_int_eq(block[7], 5);
    ck_assert_uint_eq(atomic_load(&allocator->allocation_count), 0);
    block[7] = 0;
    EXPECT_OK(at.error, invoke_sized(&at, 9));
    ck_assert_int_eq(block[7], 0);
    ck_assert_uint_eq(atomic_load(&allocator->allocation_count), 1);
    EXPECT_OK(at.error, invoke_sized(&at, 0));
    ck_assert_ptr_null(at.call.workspace);
    bound_fixture_end(&at.bound);
}
END_TEST

START_TEST(a_failure_gives_the_workspace_back)
{
    invoke_case_t at;
    invoke_begin(&at);
    EXPECT_FAILURE(at.error, KC_ERR_KERNEL, "acme.relu backward: 13 is unlucky",
                   invoke_sized(&at, 13));
    /* bound_fixture_end counts what is live. */
    bound_fixture_end(&at.bound);
}
END_TEST

START_TEST(a_record_without_end_is_cut)
{
    invoke_case_t at;
    invoke_begin(&at);
    memset(at.handler_error.message, 'x', sizeof at.handler_error.message);
    EXPECT_FAILURE(at.error, KC_ERR_KERNEL, "acme.relu: xxx",
                   kci_handler_failure(&at.context, KCI_FORWARD_PART, 3,
                                       &at.call, &at.error));
    bound_fixture_end(&at.bound);
}
END_TEST

Suite *suite_dispatch_invoke(void)
{
    Suite *suite = suite_create("dispatch/invoke");
    TCase *tcase = tcase_create("invoke");
    tcase_add_test(tcase, a_call_begins_empty);
    tcase_add_test(tcase, the_contexts_workspace_serves_if_it_is_large_enough);
    tcase_add_test(tcase, a_failure_gives_the_workspace_back);
    tcase_add_test(tcase, a_record_without_end_is_cut);
    suite_add_tcase(suite, tcase);
    return suite;
}
