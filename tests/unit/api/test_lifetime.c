/* SPDX-License-Identifier: Apache-2.0
 *
 * Handles keep alive what they were made from: whatever the order in which
 * an application releases them, nothing dangles and everything is given back.
 */
#include <stdlib.h>
#include <string.h>
#include "unit/api/api_fixture.h"
#include "unit/api/suites.h"
#include "unit/expect.h"

/* Every handle of one run, in the order in which they were made. */
typedef struct handles {
    kc_runtime_t *runtime;
    kc_profile_t *profile;
    kc_graph_t *graph;
    kc_plan_t *plan;
    kc_accepted_plan_t *accepted;
    kc_weights_t *weights;
    kc_executor_t *executor;
    kc_session_t *session;
    kc_tensor_t *input;
    kc_tensor_t *output;
    kc_record_t *record;
} handles_t;

enum { HANDLE_COUNT = 11 };

static handles_t make_all(fixture_heap_t *heap)
{
    kc_error_t error = KC_ERROR_INIT;
    handles_t all = {0};
    all.runtime = fixture_runtime(heap);
    all.profile = fixture_profile(all.runtime, "checked_cpu");
    all.graph = fixture_graph();
    EXPECT_OK(error, kc_plan_graph(all.profile, all.graph, &all.plan, &error));
    EXPECT_OK(error,
              kc_plan_accept(all.plan, &all.accepted, NULL, NULL, &error));
    all.weights = fixture_weights(all.runtime);
    EXPECT_OK(error, kc_executor_create(all.runtime, all.accepted, all.weights,
                                        0, &all.executor, &error));
    EXPECT_OK(error, kc_session_create(all.runtime, all.profile, 0,
                                       &all.session, &error));
    all.input = fixture_tensor(all.runtime, 0.0F);
    all.output = fixture_tensor(all.runtime, 9.0F);
    EXPECT_OK(error, kc_executor_record(all.executor, &all.record, &error));
    return all;
}

static void release(handles_t *all, int which)
{
    switch (which) {
    case 0:
        kc_runtime_release(all->runtime);
        break;
    case 1:
        kc_profile_release(all->profile);
        break;
    case 2:
        kc_graph_release(all->graph);
        break;
    case 3:
        kc_plan_release(all->plan);
        break;
    case 4:
        kc_accepted_plan_release(all->accepted);
        break;
    case 5:
        kc_weights_release(all->weights);
        break;
    case 6:
        kc_executor_release(all->executor);
        break;
    case 7:
        kc_session_release(all->session);
        break;
    case 8:
        kc_tensor_release(all->input);
        break;
    case 9:
        kc_tensor_release(all->output);
        break;
    default:
        kc_record_release(all->record);
        break;
    }
}

/* What a record takes from its caller. */
START_TEST(a_record_names_extents_and_results)
{
    kc_error_t error = KC_ERROR_INIT;
    char *text = NULL;
    handles_t all = make_all(NULL);
    EXPECT_OK(error, kc_record_add_extent(all.record, "N", 3, &error));
    EXPECT_FAILURE(error, KC_ERR_ARGUMENT, "found `N` again",
                   kc_record_add_extent(all.record, "N", 4, &error));
    EXPECT_OK(error, kc_record_add_result(all.record, "output", "y", "y.npy",
                                          NULL, &error));
    EXPECT_FAILURE(error, KC_ERR_IO, "/nowhere/y",
                   kc_record_add_result(all.record, "output", "y", "y.npy",
                                        "/nowhere/y", &error));
    EXPECT_OK(error,
              kc_report_record(all.record, KC_FORMAT_JSON, &text, &error));
    ck_assert_ptr_nonnull(strstr(text, "\"N\": 3"));
    ck_assert_ptr_nonnull(strstr(text, "\"reuse\": true"));
    ck_assert_ptr_nonnull(strstr(text, "\"file\": \"y.npy\""));
    kc_text_release(text);
    for (int which = 0; which < HANDLE_COUNT; which++) {
        release(&all, which);
    }
}
END_TEST

static void run_executor(const handles_t *all)
{
    kc_error_t error = KC_ERROR_INIT;
    const DLTensor *inputs[] = {kc_tensor_view(all->input)};
    DLTensor *outputs[] = {kc_tensor_view(all->output)};
    EXPECT_OK(error,
              kc_executor_run(all->executor, inputs, 1, outputs, 1, &error));
    fixture_expect_result(outputs[0]);
}

static void run_session_graph(handles_t *all)
{
    kc_error_t error = KC_ERROR_INIT;
    const DLTensor *inputs[] = {kc_tensor_view(all->input)};
    kc_tensor_t *result = NULL;
    EXPECT_OK(error,
              kc_session_run_graph(all->session, all->graph, all->weights,
                                   inputs, 1, &result, 1, &error));
    fixture_expect_result(kc_tensor_view(result));
    kc_tensor_release(result);
}

START_TEST(any_order_of_release_gives_everything_back)
{
    /* The loop number is the seed of the shuffle. */
    srandom((unsigned)_i);
    fixture_heap_t heap = {0};
    handles_t all = make_all(&heap);
    run_executor(&all);
    run_session_graph(&all);
    int order[HANDLE_COUNT];
    for (int i = 0; i < HANDLE_COUNT; i++) {
        int j = (int)(random() % (i + 1));
        order[i] = order[j];
        order[j] = i;
    }
    for (int i = 0; i < HANDLE_COUNT; i++) {
        release(&all, order[i]);
    }
    ck_assert_msg(heap.live_blocks == 0, "seed %d: %zu blocks left", _i,
                  heap.live_blocks);
}
END_TEST

START_TEST(an_executor_runs_after_all_it_came_from_was_released)
{
    fixture_heap_t heap = {0};
    handles_t all = make_all(&heap);
    for (int which = 0; which <= 5; which++) {
        release(&all, which);
    }
    run_executor(&all);
    run_executor(&all);
    for (int which = 6; which < HANDLE_COUNT; which++) {
        release(&all, which);
    }
    ck_assert_uint_eq(heap.live_blocks, 0);
}
END_TEST

START_TEST(a_session_runs_after_its_runtime_was_released)
{
    kc_error_t error = KC_ERROR_INIT;
    handles_t all = make_all(NULL);
    release(&all, 0);
    release(&all, 1);
    kc_tensor_t *result = NULL;
    const DLTensor *inputs[] = {kc_tensor_view(all.input)};
    EXPECT_OK(error, kc_session_apply(all.session, KC_OP_EXP, NULL, inputs, 1,
                                      &result, &error));
    ck_assert(((float *)kc_tensor_data(kc_tensor_view(result)))[0] == 1.0F);
    for (int which = 2; which < HANDLE_COUNT; which++) {
        release(&all, which);
    }
    kc_tensor_release(result); /* the last thing of this runtime */
}
END_TEST

START_TEST(null_handles_are_released_quietly)
{
    handles_t none = {0};
    for (int which = 0; which < HANDLE_COUNT; which++) {
        release(&none, which);
    }
    kc_capsule_module_release(NULL);
    kc_graph_builder_release(NULL);
    kc_candidates_release(NULL);
    kc_failures_release(NULL);
    kc_text_release(NULL);
}
END_TEST

Suite *suite_api_lifetime(void)
{
    Suite *suite = suite_create("api.lifetime");
    TCase *tests = tcase_create("release");
    tcase_add_loop_test(tests, any_order_of_release_gives_everything_back, 0,
                        24);
    tcase_add_test(tests, an_executor_runs_after_all_it_came_from_was_released);
    tcase_add_test(tests, a_session_runs_after_its_runtime_was_released);
    tcase_add_test(tests, a_record_names_extents_and_results);
    tcase_add_test(tests, null_handles_are_released_quietly);
    suite_add_tcase(suite, tests);
    return suite;
}
