/* SPDX-License-Identifier: Apache-2.0
 *
 * A handler goes with a capsule of its own file or is refused with the two
 * values that differ.
 */
#include "module/entry_check.h"

#include "unit/module/entry_fixture.h"
#include "unit/module/mock_fixture.h"
#include "unit/module/suites.h"
#include "unit/expect.h"

static entry_fixture_t fixture;

static void make_fixture(void)
{
    entry_fixture_make(&fixture);
}

static void expect_bad(const char *text)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_handler_t handler;
    bool is_known = false;
    EXPECT_FAILURE(error, KC_ERR_BINDING, text,
                   kci_handler_check(&fixture.file, &fixture.handler, &handler,
                                     &is_known, &error));
}

START_TEST(fields_are_in_range)
{
    fixture.handler.forward = NULL;
    expect_bad("expected a forward function, found NULL");
    make_fixture();
    fixture.handler.op = KC_OP_COUNT;
    expect_bad("expected an operation of 0 to 46, found 47");
    fixture.handler.op = -1;
    expect_bad("found -1");
    make_fixture();
    fixture.handler.device = KC_DEVICE_COUNT;
    expect_bad("expected a device of 0 to 8, found 9");
    make_fixture();
    fixture.handler.provider = NULL;
    expect_bad("found `NULL`");
    fixture.handler.provider = "Acme Inc";
    expect_bad("found `Acme Inc`");
    make_fixture();
    fixture.handler.struct_size = 39;
    expect_bad("struct_size: expected 40 to 65536, found 39");
}
END_TEST

START_TEST(a_provider_without_end_is_not_read_to_its_end)
{
    char provider[KC_PROVIDER_SIZE];
    memset(provider, 'a', sizeof provider);
    fixture.handler.provider = provider;
    expect_bad("expected a provider");
}
END_TEST

START_TEST(the_two_values_that_differ_are_said)
{
    fixture.handler.op = KC_OP_ABS;
    fixture.handler.device = KC_DEVICE_CUDA;
    expect_bad("does not match capsule `acme.abs`: expected device cpu, found "
               "cuda");
    make_fixture();
    fixture.handler.provider = "reference";
    expect_bad("does not match capsule `acme.relu`: expected provider acme, "
               "found reference");
    make_fixture();
    fixture.handler.op = KC_OP_MATMUL;
    expect_bad("expected a capsule of the file for op matmul, provider acme, "
               "device cpu, found none");
}
END_TEST

START_TEST(a_named_capsule_is_the_one_compared)
{
    fixture.handler.capsule = "acme.abs";
    expect_bad("does not match capsule `acme.abs`: expected op abs, found "
               "relu");
    fixture.handler.capsule = "acme.gelu";
    expect_bad("expected the name of a capsule of the file, found "
               "`acme.gelu`");
}
END_TEST

START_TEST(what_is_optional_may_be_missing)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_handler_t handler;
    bool is_known = false;
    fixture.handler.struct_size = offsetof(kc_handler_t, forward_workspace);
    fixture.handler.vjp = entry_fixture_forward; /* beyond its own size */
    EXPECT_OK(error, kci_handler_check(&fixture.file, &fixture.handler,
                                       &handler, &is_known, &error));
    ck_assert(is_known);
    ck_assert(handler.vjp == NULL);
    ck_assert_uint_eq(handler.struct_size, sizeof handler);
}
END_TEST

START_TEST(an_operation_of_a_newer_version_is_left_out)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_handler_t handler;
    bool is_known = true;
    fixture.file.record.abi_minor = KC_ABI_MINOR + 1;
    fixture.capsules[1].op = KC_OP_COUNT + 2;
    fixture.handler.op = KC_OP_COUNT + 2;
    EXPECT_OK(error, kci_handler_check(&fixture.file, &fixture.handler,
                                       &handler, &is_known, &error));
    ck_assert(!is_known);
}
END_TEST

START_TEST(the_mocks_are_refused)
{
    expect_unopenable("null_forward", "expected a forward function");
    expect_unopenable("handler_mismatch",
                      "does not match capsule `handler_mismatch.relu`: "
                      "expected device cpu, found cuda");
    expect_unopenable("stranger_matmul",
                      "does not match capsule `acme.matmul`: expected "
                      "provider acme, found reference");
}
END_TEST

Suite *suite_module_handler_check(void)
{
    Suite *suite = suite_create("module/handler_check");
    TCase *tests = tcase_create("handler_check");
    tcase_add_checked_fixture(tests, make_fixture, NULL);
    tcase_add_test(tests, fields_are_in_range);
    tcase_add_test(tests, a_provider_without_end_is_not_read_to_its_end);
    tcase_add_test(tests, the_two_values_that_differ_are_said);
    tcase_add_test(tests, a_named_capsule_is_the_one_compared);
    tcase_add_test(tests, what_is_optional_may_be_missing);
    tcase_add_test(tests, an_operation_of_a_newer_version_is_left_out);
    tcase_add_test(tests, the_mocks_are_refused);
    suite_add_tcase(suite, tests);
    return suite;
}
