/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Derivative rules of built modules: called through the file they came in, and
 * which of them is chosen. */
#include <fenv.h>

#include "dispatch/call.h"
#include "plan/choose.h"
#include "unit/built_modules.h"
#include "unit/dispatch/suites.h"
#include "unit/expect.h"
#include "unit/handler_fixture.h"
#include "unit/operand_fixture.h"

/* One call of the rule of a mock: elementwise on 3 elements, or a product. */
typedef struct mock_case {
    host_fixture_t host;
    kc_capsule_module_t *module;
    kci_entry_t entry;
    kci_binding_t binding;
    kc_attributes_t attributes;
    operand_t operands[4]; /* x, y or output, g, cotangent of x */
    operand_t second;      /* cotangent of y */
    const DLTensor *inputs[2];
    DLTensor *cotangents_in[2];
    kci_vjp_call_t call;
    kc_error_t error;
} mock_case_t;

static void mock_begin(mock_case_t *mock, const char *module, const char *name)
{
    mock->error = (kc_error_t)KC_ERROR_INIT;
    host_fixture_begin(&mock->host, 1);
    mock->module = built_mock(module);
    mock->entry = built_entry(mock->module, name);
    EXPECT_OK(mock->error, kci_bind(&mock->entry, mock->host.host,
                                    &mock->binding, &mock->error));
    mock->attributes = operand_attributes(mock->entry.capsule->op);
    operand_floats(&mock->operands[0], 2, DIMS(1, 3), FLOATS(-1, 2, 3));
    operand_floats(&mock->operands[1], 2, DIMS(1, 3), FLOATS(0, 2, 3));
    operand_floats(&mock->operands[2], 2, DIMS(1, 3), FLOATS(5, 6, 7));
    operand_init(&mock->operands[3], KC_DTYPE_F32, 2, DIMS(1, 3));
    operand_init(&mock->second, KC_DTYPE_F32, 2, DIMS(1, 3));
    mock->inputs[0] = &mock->operands[0].view;
    mock->inputs[1] = NULL;
    mock->cotangents_in[0] = &mock->operands[3].view;
    mock->cotangents_in[1] = NULL;
    mock->call =
        (kci_vjp_call_t){.run = mock->binding.handler->vjp,
                         .workspace = mock->binding.handler->vjp_workspace,
                         .attributes = &mock->attributes,
                         .inputs = mock->inputs,
                         .input_count = 1,
                         .cotangent = &mock->operands[2].view,
                         .cotangents_in = mock->cotangents_in};
}

static kc_status_t mock_call(mock_case_t *mock)
{
    kci_call_context_t context = {.host = mock->host.host,
                                  .binding = &mock->binding};
    return kci_call_vjp(&context, &mock->call, &mock->error);
}

static void mock_end(mock_case_t *mock)
{
    kci_capsule_module_release(mock->module);
    host_fixture_end(&mock->host);
}

START_TEST(a_module_with_its_own_backward)
{
    static mock_case_t mock;
    built_mark_begin();
    mock_begin(&mock, "own_backward", "own_backward.relu");
    mock.inputs[0] = NULL;
    mock.call.output = &mock.operands[1].view;
    EXPECT_OK(mock.error, mock_call(&mock));
    ck_assert_mem_eq(mock.operands[3].bytes, FLOATS(0, 6, 7), 12);
    mock_end(&mock);
    mock_begin(&mock, "own_backward", "own_backward.mul");
    mock.call.input_count = 2;
    mock.inputs[1] = &mock.operands[1].view;
    mock.cotangents_in[0] = NULL;
    mock.cotangents_in[1] = &mock.second.view;
    EXPECT_OK(mock.error, mock_call(&mock));
    ck_assert_mem_eq(mock.second.bytes, FLOATS(-5, 12, 21), 12);
    mock_end(&mock);
    ck_assert_str_eq(built_mark(), "relu backward\nmul backward\n");
}
END_TEST

/* x [1, 3] times y [3, 2], g [1, 2]: dx = g yT, dy = xT g. */
START_TEST(a_backward_with_a_workspace)
{
    static mock_case_t mock;
    mock_begin(&mock, "own_backward", "own_backward.matmul");
    operand_floats(&mock.operands[1], 2, DIMS(3, 2), FLOATS(1, 2, 3, 4, 5, 6));
    operand_floats(&mock.operands[2], 2, DIMS(1, 2), FLOATS(1, 10));
    operand_init(&mock.second, KC_DTYPE_F32, 2, DIMS(3, 2));
    mock.call.input_count = 2;
    mock.inputs[1] = &mock.operands[1].view;
    mock.cotangents_in[1] = &mock.second.view;
    EXPECT_OK(mock.error, mock_call(&mock));
    ck_assert_mem_eq(mock.operands[3].bytes, FLOATS(21, 43, 65), 12);
    ck_assert_mem_eq(mock.second.bytes, FLOATS(-1, -10, 2, 20, 3, 30), 24);
    mock_end(&mock);
}
END_TEST

START_TEST(modules_whose_backward_misbehaves)
{
    static mock_case_t mock;
    mock_begin(&mock, "vjp_fails", "vjp_fails.relu");
    EXPECT_FAILURE(mock.error, KC_ERR_KERNEL,
                   "vjp_fails.relu backward: the mock rule gave up",
                   mock_call(&mock));
    mock_end(&mock);
    mock_begin(&mock, "vjp_fp_changer", "vjp_fp_changer.relu");
    EXPECT_OK(mock.error, mock_call(&mock));
    ck_assert_int_eq(fegetround(), FE_TONEAREST);
    ck_assert_mem_eq(mock.operands[3].bytes, FLOATS(0, 6, 7), 12);
    ck_assert_int_eq(mock.host.log_count, 1);
    mock_end(&mock);
}
END_TEST

/* The first eligible capsule of an operation of checked_cpu with the mock in
 * front, under this mode. */
static void expect_choice(const char *mock, int32_t op, int32_t mode,
                          const char *name)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_shortlist_t list;
    kc_profile_t *profile = built_profile_with(mock, "acme");
    kc_policy_t policy = profile->policy;
    policy.vjp_mode = mode;
    EXPECT_OK(error, kci_shortlist_create(profile, &policy, &list, &error));
    uint16_t entry = kci_shortlist_find(&list, op, NULL);
    ck_assert_uint_ne(entry, KCI_NO_ENTRY);
    ck_assert_str_eq(profile->entries[entry].capsule->name, name);
    kci_shortlist_release(&list);
    kci_profile_release(profile);
}

/* What a capsule saves is its contract: without gradients it does not
 * matter. */
START_TEST(who_is_chosen_for_a_gradient)
{
    expect_choice("own_backward", KC_OP_MATMUL, KC_VJP_TORCHLEAN_TAPE,
                  "own_backward.matmul");
    expect_choice("own_backward", KC_OP_MATMUL, KC_VJP_BACKEND,
                  "own_backward.matmul");
    expect_choice("saves_too_little", KC_OP_RELU, KC_VJP_NONE,
                  "saves_too_little.relu");
    expect_choice("saves_too_little", KC_OP_RELU, KC_VJP_TORCHLEAN_TAPE,
                  "reference.relu");
}
END_TEST

Suite *suite_dispatch_vjp_mocks(void)
{
    Suite *suite = suite_create("dispatch/vjp_mocks");
    TCase *tcase = tcase_create("vjp_mocks");
    tcase_add_test(tcase, a_module_with_its_own_backward);
    tcase_add_test(tcase, a_backward_with_a_workspace);
    tcase_add_test(tcase, modules_whose_backward_misbehaves);
    tcase_add_test(tcase, who_is_chosen_for_a_gradient);
    suite_add_tcase(suite, tcase);
    return suite;
}
