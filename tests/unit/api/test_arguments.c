/* SPDX-License-Identifier: Apache-2.0
 *
 * Mistakes of the caller are statuses that name the argument, and leave
 * outputs alone.
 */
#include <stdlib.h>
#include "unit/api/api_fixture.h"
#include "unit/api/suites.h"
#include "unit/expect.h"

START_TEST(missing_pointers_are_named)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_runtime_t *runtime = fixture_runtime(NULL);
    kc_profile_t *profile = NULL;
    EXPECT_FAILURE(error, KC_ERR_ARGUMENT, "out_runtime",
                   kc_runtime_create(NULL, NULL, &error));
    EXPECT_FAILURE(error, KC_ERR_ARGUMENT, "name_or_path",
                   kc_profile_load(runtime, NULL, &profile, &error));
    EXPECT_FAILURE(error, KC_ERR_ARGUMENT, "out_profile",
                   kc_profile_load(runtime, "checked_cpu", NULL, &error));
    EXPECT_FAILURE(error, KC_ERR_ARGUMENT, "plan",
                   kc_plan_accept(NULL, NULL, NULL, NULL, &error));
    ck_assert_ptr_null(profile);
    kc_runtime_release(runtime);
}
END_TEST

/* Whatever function of the library looks at them. */
START_TEST(the_function_that_was_called_is_named)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_runtime_t *runtime = fixture_runtime(NULL);
    kc_profile_t *profile = fixture_profile(runtime, "checked_cpu");
    kc_profile_t *given = NULL;
    kc_graph_t *graph = fixture_graph();
    kc_plan_t *plan = NULL;
    kc_gradient_request_t request = {.struct_size = 7};
    EXPECT_FAILURE(error, KC_ERR_ARGUMENT,
                   "kc_plan_gradients: expected struct_size",
                   kc_plan_gradients(profile, graph, &request, &plan, &error));
    request = (kc_gradient_request_t){.struct_size = sizeof request,
                                      .output_count = 1};
    EXPECT_FAILURE(error, KC_ERR_ARGUMENT,
                   "kc_plan_gradients: expected request->outputs",
                   kc_plan_gradients(profile, graph, &request, &plan, &error));
    EXPECT_FAILURE(
        error, KC_ERR_ARGUMENT,
        "kc_profile_with_capsule_modules: expected modules",
        kc_profile_with_capsule_modules(profile, NULL, 1, &given, &error));
    EXPECT_FAILURE(error, KC_ERR_ARGUMENT,
                   "kc_profile_load_with_modules: expected modules",
                   kc_profile_load_with_modules(runtime, "checked_cpu", NULL, 1,
                                                &given, &error));
    EXPECT_FAILURE(error, KC_ERR_ARGUMENT,
                   "kc_compose_rfft_graph: expected builder",
                   kc_compose_rfft_graph(NULL, 0, NULL, &error));
    EXPECT_FAILURE(
        error, KC_ERR_ARGUMENT, "kc_compose_irfft_tape: expected tape",
        kc_compose_irfft_tape(NULL, (kc_variable_t){0}, 1, NULL, &error));
    ck_assert(plan == NULL && given == NULL);
    kc_graph_release(graph);
    kc_profile_release(profile);
    kc_runtime_release(runtime);
}
END_TEST

START_TEST(sizes_of_structs_must_be_set)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_runtime_t *runtime = NULL;
    kc_runtime_options_t options = {.struct_size = 4};
    EXPECT_FAILURE(error, KC_ERR_ARGUMENT, "struct_size",
                   kc_runtime_create(&options, &runtime, &error));
    ck_assert_ptr_null(runtime);
}
END_TEST

START_TEST(half_an_allocator_is_refused)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_runtime_t *runtime = NULL;
    kc_runtime_options_t options = {
        .struct_size = sizeof options,
        .deallocate = (void (*)(void *, void *, size_t))abort};
    EXPECT_FAILURE(error, KC_ERR_ARGUMENT, "together",
                   kc_runtime_create(&options, &runtime, &error));
}
END_TEST

START_TEST(a_list_of_operations_is_never_executable)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_runtime_t *runtime = fixture_runtime(NULL);
    kc_profile_t *profile = fixture_profile(runtime, "checked_cpu");
    static const int32_t ops[] = {KC_OP_RELU};
    kc_plan_t *plan = NULL;
    kc_accepted_plan_t *accepted = NULL;
    EXPECT_OK(error, kc_plan_ops(profile, ops, 1, &plan, &error));
    EXPECT_FAILURE(error, KC_ERR_ARGUMENT, "plan of a graph",
                   kc_plan_accept(plan, &accepted, NULL, NULL, &error));
    ck_assert_ptr_null(accepted);
    kc_plan_release(plan);
    kc_profile_release(profile);
    kc_runtime_release(runtime);
}
END_TEST

START_TEST(unknown_flags_are_refused)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_runtime_t *runtime = fixture_runtime(NULL);
    kc_profile_t *profile = fixture_profile(runtime, "checked_cpu");
    kc_session_t *session = NULL;
    EXPECT_FAILURE(
        error, KC_ERR_ARGUMENT, "flags",
        kc_session_create(runtime, profile, 1u << 9, &session, &error));
    ck_assert_ptr_null(session);
    kc_profile_release(profile);
    kc_runtime_release(runtime);
}
END_TEST

START_TEST(a_missing_weight_names_node_and_entry)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_runtime_t *runtime = fixture_runtime(NULL);
    kc_profile_t *profile = fixture_profile(runtime, "checked_cpu");
    kc_graph_t *graph = fixture_graph();
    kc_plan_t *plan = NULL;
    kc_accepted_plan_t *accepted = NULL;
    kc_executor_t *executor = NULL;
    EXPECT_OK(error, kc_plan_graph(profile, graph, &plan, &error));
    EXPECT_OK(error, kc_plan_accept(plan, &accepted, NULL, NULL, &error));
    EXPECT_FAILURE(
        error, KC_ERR_NOT_FOUND, "node 1 const b",
        kc_executor_create(runtime, accepted, NULL, 0, &executor, &error));
    ck_assert_ptr_null(executor);
    kc_accepted_plan_release(accepted);
    kc_plan_release(plan);
    kc_graph_release(graph);
    kc_profile_release(profile);
    kc_runtime_release(runtime);
}
END_TEST

Suite *suite_api_arguments(void)
{
    Suite *suite = suite_create("api.arguments");
    TCase *tests = tcase_create("mistakes");
    tcase_add_test(tests, missing_pointers_are_named);
    tcase_add_test(tests, the_function_that_was_called_is_named);
    tcase_add_test(tests, sizes_of_structs_must_be_set);
    tcase_add_test(tests, half_an_allocator_is_refused);
    tcase_add_test(tests, a_list_of_operations_is_never_executable);
    tcase_add_test(tests, unknown_flags_are_refused);
    tcase_add_test(tests, a_missing_weight_names_node_and_entry);
    suite_add_tcase(suite, tests);
    return suite;
}
