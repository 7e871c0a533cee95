/* SPDX-License-Identifier: Apache-2.0
 *
 * Modules that an application brings along: a profile may name them and
 * their providers, and they come in front of its own.
 */
#include <stdio.h>
#include <string.h>
#include "unit/api/api_fixture.h"
#include "unit/api/suites.h"
#include "unit/expect.h"
#include "unit/scratch.h"

static const char profile_text[] = "[profile]\n"
                                   "name = acme_cpu\n"
                                   "extends = checked_cpu\n"
                                   "provider = prefer:acme\n"
                                   "[availability]\n"
                                   "providers = acme, reference, torchlean\n"
                                   "[modules]\n"
                                   "prepend = acme\n";

static kc_capsule_module_t *acme_module(void)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_capsule_record_t relu = {
        .struct_size = sizeof relu,
        .op = KC_OP_RELU,
        .supports_forward = 1,
        .vjp_mode = KC_VJP_TORCHLEAN_TAPE,
        .saved_inputs = 1,
        .name = "acme.relu",
        .provider = "acme",
        .shape = KC_SHAPE_GUARD(KC_OP_RELU, "dispatch.shape", "shapes"),
        .layout = KC_LAYOUT_GUARD(KC_OP_RELU, KC_LAYOUT_CANONICAL_TENSOR,
                                  "dispatch.layout", "layouts"),
        .value = KC_VALUE_SUITE(KC_OP_RELU, "acme.values", "values"),
        .vjp = KC_VJP_SUITE(KC_OP_RELU, KC_VJP_TORCHLEAN_TAPE, "acme.rules",
                            "the rule of relu"),
        .numerics = {.reduction = KC_REDUCTION_NOT_APPLICABLE}};
    kc_capsule_module_t *module = NULL;
    EXPECT_OK(error, kc_capsule_module_from_records("acme", &relu, 1, &module,
                                                    &error));
    return module;
}

START_TEST(a_profile_may_name_what_was_given)
{
    kc_error_t error = KC_ERROR_INIT;
    scratch_t scratch = scratch_make();
    char path[SCRATCH_PATH_SIZE];
    scratch_write(&scratch, "acme.ini", profile_text, strlen(profile_text),
                  path);
    kc_runtime_t *runtime = fixture_runtime(NULL);
    kc_capsule_module_t *acme = acme_module();
    kc_profile_t *profile = NULL;
    EXPECT_FAILURE(error, KC_ERR_CONFIG, "acme.ini:8: module `acme`",
                   kc_profile_load(runtime, path, &profile, &error));
    EXPECT_OK(error, kc_profile_load_with_modules(runtime, path, &acme, 1,
                                                  &profile, &error));
    ck_assert_str_eq(kc_capsule_module_name(kc_profile_module(profile, 0)),
                     "acme");
    ck_assert_uint_eq(kc_profile_module_count(profile), 4);

    static const int32_t ops[] = {KC_OP_RELU, KC_OP_EXP};
    kc_plan_t *plan = NULL;
    kc_plan_row_t row = {.struct_size = sizeof row};
    EXPECT_OK(error, kc_plan_ops(profile, ops, 2, &plan, &error));
    kc_plan_row(plan, 0, &row);
    ck_assert_str_eq(row.capsule->name, "acme.relu");
    kc_plan_row(plan, 1, &row);
    ck_assert_str_eq(row.capsule->name, "reference.exp");
    kc_plan_release(plan);
    kc_profile_release(profile);
    kc_capsule_module_release(acme);
    kc_runtime_release(runtime);
    scratch_remove(&scratch);
}
END_TEST

START_TEST(two_given_modules_of_one_name_are_refused)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_runtime_t *runtime = fixture_runtime(NULL);
    kc_capsule_module_t *twice[] = {acme_module(), acme_module()};
    kc_profile_t *profile = NULL;
    EXPECT_FAILURE(error, KC_ERR_DUPLICATE,
                   "duplicate backend capsule module `acme`",
                   kc_profile_load_with_modules(runtime, "checked_cpu", twice,
                                                2, &profile, &error));
    ck_assert_ptr_null(profile);
    kc_capsule_module_release(twice[0]);
    kc_capsule_module_release(twice[1]);
    kc_runtime_release(runtime);
}
END_TEST

Suite *suite_api_given_modules(void)
{
    Suite *suite = suite_create("api.given_modules");
    TCase *tests = tcase_create("given");
    tcase_add_test(tests, a_profile_may_name_what_was_given);
    tcase_add_test(tests, two_given_modules_of_one_name_are_refused);
    suite_add_tcase(suite, tests);
    return suite;
}
