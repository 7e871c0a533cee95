/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * A handler comes from its capsule's own file, or binding says why not. */
#include "dispatch/bind.h"

#include <stdlib.h>
#include <string.h>

#include "unit/built_modules.h"
#include "unit/dispatch/suites.h"
#include "unit/expect.h"
#include "unit/handler_fixture.h"

static kc_status_t succeed(const kc_call_t *call)
{
    (void)call;
    return KC_OK;
}

/* What kci_bind says of the one capsule of a module; frees the module. */
static kc_status_t bind_first(kc_capsule_module_t *module, kc_error_t *error)
{
    host_fixture_t host;
    kci_binding_t binding;
    kci_entry_t entry = {.capsule = module->capsules, .module = module};
    host_fixture_begin(&host, 1);
    kc_status_t status = kci_bind(&entry, host.host, &binding, error);
    if (status == KC_OK) {
        ck_assert_ptr_eq(binding.entry, &entry);
        ck_assert_int_eq(binding.handler->op, entry.capsule->op);
    }
    kci_capsule_module_release(module);
    host_fixture_end(&host);
    return status;
}

START_TEST(the_handler_of_the_same_file)
{
    host_fixture_t host;
    kc_error_t error = KC_ERROR_INIT;
    kci_binding_t binding;
    host_fixture_begin(&host, 1);
    kc_capsule_module_t *module = built_module("reference");
    kci_entry_t entry = built_entry(module, "reference.matmul");
    EXPECT_OK(error, kci_bind(&entry, host.host, &binding, &error));
    ck_assert_ptr_eq(binding.file, module->file);
    ck_assert_int_eq(binding.handler->op, KC_OP_MATMUL);
    ck_assert(binding.handler->forward != NULL);
    ck_assert((binding.limits.dtypes & 1u << KC_DTYPE_F32) != 0);
    kci_capsule_module_release(module);
    host_fixture_end(&host);
}
END_TEST

START_TEST(an_open_module_keeps_its_host)
{
    host_fixture_t host;
    kc_error_t error = KC_ERROR_INIT;
    kci_binding_t binding;
    host_fixture_begin(&host, 1);
    kc_capsule_module_t *module = built_mock("good");
    kci_entry_t entry = built_entry(module, "acme.relu");
    EXPECT_OK(error, kci_bind(&entry, host.host, &binding, &error));
    EXPECT_OK(error, kci_bind(&entry, host.host, &binding, &error));
    ck_assert_int_eq(atomic_load(&host.host->reference_count), 2);
    kci_capsule_module_release(module);
    ck_assert_int_eq(atomic_load(&host.host->reference_count), 1);
    host_fixture_end(&host);
}
END_TEST

START_TEST(contracts_in_memory_have_no_code)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_capsule_record_t capsule =
        fixture_capsule("acme.relu", KC_OP_RELU, "acme", KC_DEVICE_CPU);
    EXPECT_FAILURE(error, KC_ERR_BINDING, "contracts in memory",
                   bind_first(fixture_module("acme", &capsule, 1), &error));
    ck_assert_ptr_nonnull(
        strstr(error.message, "capsule acme.relu (provider acme, device cpu)"));
}
END_TEST

START_TEST(compositions_are_never_bound)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_capsule_record_t capsule = fixture_capsule(
        "torchlean.composed_attention", KC_OP_SCALED_DOT_PRODUCT_ATTENTION,
        "torchlean", KC_DEVICE_CPU);
    kc_handler_t handler =
        handler_for(KC_OP_SCALED_DOT_PRODUCT_ATTENTION, "torchlean", succeed);
    EXPECT_FAILURE(
        error, KC_ERR_BINDING, "carried out operation by operation",
        bind_first(handler_module("attention", &capsule, 1, &handler, 1),
                   &error));
    ck_assert_ptr_nonnull(
        strstr(error.message, "capsule torchlean.composed_attention"));
}
END_TEST

START_TEST(an_operation_without_composition_says_so)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_capsule_record_t capsule = fixture_capsule("torchlean.relu", KC_OP_RELU,
                                                  "torchlean", KC_DEVICE_CPU);
    EXPECT_FAILURE(
        error, KC_ERR_BINDING,
        "expected a composition of relu by the runtime, this build has none",
        bind_first(fixture_module("own", &capsule, 1), &error));
    ck_assert_ptr_nonnull(strstr(error.message, "capsule torchlean.relu"));
}
END_TEST

START_TEST(a_promised_backward_has_to_be_there)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_capsule_record_t capsule =
        fixture_capsule("acme.relu", KC_OP_RELU, "acme", KC_DEVICE_CPU);
    kc_handler_t handler = handler_for(KC_OP_RELU, "acme", succeed);
    capsule.vjp_mode = KC_VJP_BACKEND;
    EXPECT_FAILURE(
        error, KC_ERR_BINDING,
        "expected a vjp function for relu in /fixture/acme.so as the contract "
        "says (backend-vjp), found NULL",
        bind_first(handler_module("acme", &capsule, 1, &handler, 1), &error));
    ck_assert_ptr_nonnull(
        strstr(error.message, "capsule acme.relu (provider acme, device cpu)"));
    handler.vjp = succeed;
    EXPECT_OK(
        error,
        bind_first(handler_module("acme", &capsule, 1, &handler, 1), &error));
    EXPECT_FAILURE(error, KC_ERR_BINDING, "vjp_missing.so as the contract says",
                   bind_first(built_mock("vjp_missing"), &error));
    EXPECT_OK(error, bind_first(built_mock("own_backward"), &error));
}
END_TEST

START_TEST(contracts_only_modules_say_so)
{
    host_fixture_t host;
    kc_error_t error = KC_ERROR_INIT;
    kci_binding_t binding;
    host_fixture_begin(&host, 1);
    kc_capsule_module_t *module = built_module("native_cuda");
    kci_entry_t entry = built_entry(module, "native_cuda.matmul");
    EXPECT_FAILURE(error, KC_ERR_BINDING,
                   "was built without handlers: contracts only",
                   kci_bind(&entry, host.host, &binding, &error));
    ck_assert_ptr_nonnull(strstr(
        error.message,
        "capsule native_cuda.matmul (provider native_cuda, device cuda)"));
    ck_assert_ptr_nonnull(strstr(error.message, "native_cuda.so"));
    kci_capsule_module_release(module);
    host_fixture_end(&host);
}
END_TEST

START_TEST(a_capsule_without_handler_says_so)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_capsule_record_t capsule =
        fixture_capsule("acme.relu", KC_OP_RELU, "acme", KC_DEVICE_CPU);
    capsule.flags = KC_CAPSULE_NO_HANDLER;
    EXPECT_FAILURE(
        error, KC_ERR_BINDING, "without handlers for it: contracts only",
        bind_first(handler_module("acme", &capsule, 1, NULL, 0), &error));
}
END_TEST

START_TEST(other_devices_have_no_services)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_capsule_record_t capsule =
        fixture_capsule("acme.relu", KC_OP_RELU, "acme", KC_DEVICE_TPU);
    kc_handler_t handler = handler_for(KC_OP_RELU, "acme", succeed);
    handler.device = KC_DEVICE_TPU;
    EXPECT_FAILURE(
        error, KC_ERR_BINDING, "this build has no services for device tpu",
        bind_first(handler_module("acme", &capsule, 1, &handler, 1), &error));
}
END_TEST

START_TEST(missing_handlers_list_those_there_are)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_capsule_record_t capsule =
        fixture_capsule("acme.relu", KC_OP_RELU, "acme", KC_DEVICE_CPU);
    kc_handler_t handlers[12];
    for (int32_t i = 0; i < 12; i++) {
        handlers[i] = handler_for(KC_OP_ADD + i % 8, "acme", succeed);
    }
    EXPECT_FAILURE(
        error, KC_ERR_BINDING, "add/acme, sub/acme",
        bind_first(handler_module("acme", &capsule, 1, handlers, 12), &error));
    ck_assert_ptr_nonnull(strstr(error.message, "expected a handler for relu"));
    ck_assert_ptr_nonnull(strstr(error.message, " and 4 more"));
    EXPECT_FAILURE(
        error, KC_ERR_BINDING, "handlers for device cpu: none",
        bind_first(handler_module("acme", &capsule, 1, NULL, 0), &error));
}
END_TEST

START_TEST(instruction_sets_are_judged_before_loading)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_capsule_record_t capsule =
        fixture_capsule("acme.relu", KC_OP_RELU, "acme", KC_DEVICE_CPU);
    kc_handler_t handler = handler_for(KC_OP_RELU, "acme", succeed);
    strcpy(capsule.limits.instruction_set, "quantum");
    EXPECT_FAILURE(
        error, KC_ERR_BINDING, "unknown requirement quantum",
        bind_first(handler_module("acme", &capsule, 1, &handler, 1), &error));
}
END_TEST

START_TEST(a_strangers_handler_is_never_taken)
{
    host_fixture_t host;
    kc_error_t error = KC_ERROR_INIT;
    kci_binding_t binding;
    built_mark_begin();
    host_fixture_begin(&host, 1);
    kc_capsule_module_t *stranger = built_mock("stranger_matmul");
    kc_capsule_module_t *reference = built_module("reference");
    kci_entry_t own = built_entry(stranger, "acme.matmul");
    kc_status_t status = kci_bind(&own, host.host, &binding, &error);
    ck_assert_int_eq(status, KC_ERR_BINDING);
    kci_entry_t entry = built_entry(reference, "reference.matmul");
    EXPECT_OK(error, kci_bind(&entry, host.host, &binding, &error));
    ck_assert_ptr_eq(binding.file, reference->file);
    kci_capsule_module_release(stranger);
    kci_capsule_module_release(reference);
    host_fixture_end(&host);
    ck_assert_str_eq(built_mark(), "");
}
END_TEST

START_TEST(a_failing_open_names_the_file)
{
    kc_error_t error = KC_ERROR_INIT;
    unsetenv("KC_TEST_REPAIRED");
    EXPECT_FAILURE(error, KC_ERR_BINDING, "init_fails.so",
                   bind_first(built_mock("init_fails"), &error));
    ck_assert_ptr_nonnull(
        strstr(error.message, "capsule init_fails.relu (provider acme"));
}
END_TEST

Suite *suite_dispatch_bind(void)
{
    Suite *suite = suite_create("dispatch/bind");
    TCase *tcase = tcase_create("bind");
    tcase_add_test(tcase, the_handler_of_the_same_file);
    tcase_add_test(tcase, an_open_module_keeps_its_host);
    tcase_add_test(tcase, contracts_in_memory_have_no_code);
    tcase_add_test(tcase, compositions_are_never_bound);
    tcase_add_test(tcase, an_operation_without_composition_says_so);
    tcase_add_test(tcase, a_promised_backward_has_to_be_there);
    tcase_add_test(tcase, contracts_only_modules_say_so);
    tcase_add_test(tcase, a_capsule_without_handler_says_so);
    tcase_add_test(tcase, other_devices_have_no_services);
    tcase_add_test(tcase, missing_handlers_list_those_there_are);
    tcase_add_test(tcase, instruction_sets_are_judged_before_loading);
    tcase_add_test(tcase, a_strangers_handler_is_never_taken);
    tcase_add_test(tcase, a_failing_open_names_the_file);
    suite_add_tcase(suite, tcase);
    return suite;
}
