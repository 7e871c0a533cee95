/* SPDX-License-Identifier: Apache-2.0
 *
 * Opening and closing: once, all or nothing, from many threads, from within
 * itself, a thousand times.
 */
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include "unit/module/mock_fixture.h"
#include "unit/module/suites.h"
#include "unit/expect.h"

enum { ROUNDS = 1000, THREADS = 16 };

static kc_status_t open_file(kci_module_file_t *file, kc_error_t *error)
{
    return kci_module_file_open(file, plain_host(), NULL, error);
}

START_TEST(an_opened_file_has_its_handlers)
{
    kc_error_t error = KC_ERROR_INIT;
    float from[3] = {-1.0f, 0.5f, 2.0f};
    float to[3] = {9.0f, 9.0f, 9.0f};
    int64_t shape = 3;
    int64_t stride = 1;
    DLTensor x = {.data = from, .ndim = 1, .shape = &shape, .strides = &stride};
    DLTensor y = {.data = to, .ndim = 1, .shape = &shape, .strides = &stride};
    const DLTensor *inputs[1] = {&x};
    DLTensor *outputs[1] = {&y};
    kci_module_file_t *file = inspect_mock("good");
    EXPECT_OK(error, open_file(file, &error));
    EXPECT_OK(error, open_file(file, &error));
    ck_assert_uint_eq(file->handler_count, 1);
    ck_assert_str_eq(file->entry->name, "acme");
    kc_call_t call = {.struct_size = sizeof call,
                      .inputs = inputs,
                      .outputs = outputs,
                      .input_count = 1,
                      .output_count = 1};
    const kc_handler_t *handler =
        kci_module_file_handler(file, &file->capsules[0]);
    ck_assert_int_eq(handler->forward(&call), KC_OK);
    ck_assert(to[0] == 0.0f && to[1] == 0.5f && to[2] == 2.0f);
    kci_module_file_release(file);
}
END_TEST

START_TEST(other_sizes_of_records_work)
{
    static const char *const names[] = {"long_record", "short_entry",
                                        "newer_minor"};
    for (size_t idx = 0; idx < sizeof names / sizeof *names; idx++) {
        kc_error_t error = KC_ERROR_INIT;
        kci_module_file_t *file = inspect_mock(names[idx]);
        EXPECT_OK(error, open_file(file, &error));
        ck_assert_uint_eq(file->handler_count, 1);
        ck_assert_int_eq(file->handlers[0].op, KC_OP_RELU);
        ck_assert(file->handlers[0].vjp == NULL);
        ck_assert(file->entry->open == NULL);
        kci_module_file_release(file);
    }
}
END_TEST

START_TEST(a_module_may_have_no_handlers)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_module_file_t *file = inspect_mock("contracts_only");
    EXPECT_OK(error, open_file(file, &error));
    ck_assert_ptr_null(kci_module_file_handler(file, &file->capsules[0]));
    kci_module_file_release(file);
}
END_TEST

START_TEST(a_backward_comes_with_its_handler)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_module_file_t *file = inspect_mock("own_backward");
    ck_assert_uint_eq(file->capsule_count, 3);
    ck_assert_uint_eq(file->capsules[0].saved_inputs, 0);
    ck_assert_uint_eq(file->capsules[0].saved_outputs, 1);
    ck_assert_uint_eq(file->capsules[2].saved_inputs, 3);
    EXPECT_OK(error, open_file(file, &error));
    for (size_t idx = 0; idx < file->capsule_count; idx++) {
        const kc_handler_t *handler =
            kci_module_file_handler(file, &file->capsules[idx]);
        ck_assert_int_eq(file->capsules[idx].vjp_mode, KC_VJP_BACKEND);
        ck_assert(handler->vjp != NULL);
        ck_assert((handler->vjp_workspace != NULL) == (idx == 2));
    }
    kci_module_file_release(file);
    /* A promise that is not kept is found when the capsule is bound. */
    file = inspect_mock("vjp_missing");
    EXPECT_OK(error, open_file(file, &error));
    ck_assert(file->handlers[0].vjp == NULL);
    kci_module_file_release(file);
}
END_TEST

START_TEST(a_failing_open_is_told_and_undone)
{
    expect_unopenable("init_fails",
                      "its open failed with status 3: no licence?found on "
                      "this machine");
    expect_unopenable("undefined_symbol",
                      "undefined symbol: kc_mock_missing_function");
}
END_TEST

/* F22: a thousand failures, then the repair, under the same name. */
START_TEST(failures_leave_nothing_behind)
{
    char path[SCRATCH_PATH_SIZE];
    char repaired[SCRATCH_PATH_SIZE];
    kc_error_t error = KC_ERROR_INIT;
    scratch_t scratch = scratch_make();
    mock_copy("init_fails", &scratch, "m.so", path);
    scratch_name(&scratch, "repaired", repaired);
    ck_assert_int_eq(setenv("KC_TEST_REPAIRED", repaired, 1), 0);
    int descriptors = descriptor_count();
    for (int round = 0; round < ROUNDS; round++) {
        kci_module_file_t *file = inspect_path(path);
        ck_assert_int_eq(open_file(file, &error), KC_ERR_BINDING);
        ck_assert_uint_eq(file->handler_count, 0);
        kci_module_file_release(file);
    }
    ck_assert_int_eq(mapped_lines(path), 0);
    ck_assert_int_eq(descriptor_count(), descriptors);
    kci_module_file_t *file = inspect_path(path);
    ck_assert_int_eq(open_file(file, &error), KC_ERR_BINDING);
    scratch_write(&scratch, "repaired", "", 0, repaired);
    EXPECT_OK(error, open_file(file, &error)); /* failures are not kept */
    ck_assert_int_eq(file->open_verdict.status, KC_OK);
    free(file->state);
    kci_module_file_release(file);
    scratch_remove(&scratch);
}
END_TEST

START_TEST(opening_and_closing_does_not_grow)
{
    char path[SCRATCH_PATH_SIZE];
    kc_error_t error = KC_ERROR_INIT;
    mock_path("good", path);
    int descriptors = descriptor_count();
    int all_lines = 0;
    for (int round = 0; round < ROUNDS; round++) {
        kci_module_file_t *file = inspect_path(path);
        EXPECT_OK(error, open_file(file, &error));
        kci_module_file_release(file);
        if (round == 10) {
            all_lines = mapped_lines("");
        }
    }
    ck_assert_int_eq(mapped_lines(path), 0);
    /* Heaps split their mappings, but not each time. */
    ck_assert_int_lt(mapped_lines(""), all_lines + ROUNDS / 10);
    ck_assert_int_eq(descriptor_count(), descriptors);
}
END_TEST

START_TEST(open_and_close_run_once)
{
    char mark[SCRATCH_PATH_SIZE];
    kc_error_t error = KC_ERROR_INIT;
    scratch_t scratch = scratch_make();
    set_mark(&scratch, mark);
    kci_module_file_t *file = inspect_mock("slow_init");
    EXPECT_OK(error, open_file(file, &error));
    EXPECT_OK(error, open_file(file, &error));
    ck_assert_ptr_nonnull(file->state);
    kci_module_file_release(kci_module_file_retain(file));
    ck_assert_int_eq(line_count(mark, "close"), 0);
    kci_module_file_release(file);
    ck_assert_int_eq(line_count(mark, "open"), 1);
    ck_assert_int_eq(line_count(mark, "close"), 1);
    scratch_remove(&scratch);
}
END_TEST

START_TEST(two_records_of_one_file_do_not_disturb_each_other)
{
    char mark[SCRATCH_PATH_SIZE];
    char path[SCRATCH_PATH_SIZE];
    kc_error_t error = KC_ERROR_INIT;
    scratch_t scratch = scratch_make();
    set_mark(&scratch, mark);
    mock_path("slow_init", path);
    kci_module_file_t *first = inspect_path(path);
    kci_module_file_t *second = inspect_path(path);
    EXPECT_OK(error, open_file(first, &error));
    EXPECT_OK(error, open_file(second, &error));
    ck_assert_ptr_eq(first->library, second->library);
    ck_assert_int_eq(line_count(mark, "open"), 2);
    kci_module_file_release(first);
    ck_assert_int_eq(line_count(mark, "close"), 1);
    ck_assert_int_gt(mapped_lines(path), 0);
    ck_assert_str_eq(second->entry->name, "slow_init");
    kci_module_file_release(second);
    ck_assert_int_eq(line_count(mark, "close"), 2);
    ck_assert_int_eq(mapped_lines(path), 0);
    scratch_remove(&scratch);
}
END_TEST

typedef struct crowd {
    pthread_barrier_t barrier;
    kci_module_file_t *shared;
    const kc_handler_t *found[THREADS];
    kc_status_t own_status[THREADS];
} crowd_t;

typedef struct member {
    crowd_t *crowd;
    int number;
    pthread_t thread;
} member_t;

/* Each opens the shared record and one of its own of the same file. */
static void *open_in_crowd(void *context)
{
    member_t *member = context;
    crowd_t *crowd = member->crowd;
    kc_error_t error = KC_ERROR_INIT;
    kci_module_file_t *own = NULL;
    char path[SCRATCH_PATH_SIZE];
    mock_path("slow_init", path);
    pthread_barrier_wait(&crowd->barrier);
    if (open_file(crowd->shared, &error) == KC_OK) {
        crowd->found[member->number] =
            kci_module_file_handler(crowd->shared, &crowd->shared->capsules[0]);
    }
    kc_status_t status = kci_module_file_inspect(path, &own, &error);
    if (status == KC_OK && member->number % 8 == 0) {
        status = open_file(own, &error);
    }
    crowd->own_status[member->number] = status;
    kci_module_file_release(own);
    return NULL;
}

/* F53 */
START_TEST(many_threads_open_once)
{
    char mark[SCRATCH_PATH_SIZE];
    crowd_t crowd;
    member_t members[THREADS];
    scratch_t scratch = scratch_make();
    set_mark(&scratch, mark);
    memset(&crowd, 0, sizeof crowd);
    for (int round = 0; round < 5; round++) {
        ck_assert_int_eq(pthread_barrier_init(&crowd.barrier, NULL, THREADS),
                         0);
        crowd.shared = inspect_mock("slow_init");
        for (int idx = 0; idx < THREADS; idx++) {
            members[idx].crowd = &crowd;
            members[idx].number = idx;
            ck_assert_int_eq(pthread_create(&members[idx].thread, NULL,
                                            open_in_crowd, &members[idx]),
                             0);
        }
        for (int idx = 0; idx < THREADS; idx++) {
            ck_assert_int_eq(pthread_join(members[idx].thread, NULL), 0);
            ck_assert_int_eq(crowd.own_status[idx], KC_OK);
            ck_assert_ptr_eq(crowd.found[idx], &crowd.shared->handlers[0]);
        }
        kci_module_file_release(crowd.shared);
        pthread_barrier_destroy(&crowd.barrier);
        /* one for the shared record, two for own ones */
        ck_assert_int_eq(line_count(mark, "open"), 3 * (round + 1));
        ck_assert_int_eq(line_count(mark, "close"), 3 * (round + 1));
    }
    scratch_remove(&scratch);
}
END_TEST

/* What the host's log function does while reentrant_init opens. */
typedef struct reentry {
    kc_host_t host;
    kci_module_file_t *itself;
    kci_module_file_t *other;
    kc_error_t itself_error;
    kc_status_t itself_status;
    kc_status_t other_status;
} reentry_t;

static void reenter(const kc_host_t *host, int32_t level, const char *message)
{
    reentry_t *reentry = host->context;
    kc_error_t error = KC_ERROR_INIT;
    (void)level;
    (void)message;
    reentry->itself_status = kci_module_file_open(reentry->itself, host, NULL,
                                                  &reentry->itself_error);
    reentry->other_status =
        kci_module_file_open(reentry->other, host, NULL, &error);
}

START_TEST(an_open_that_opens_again_is_told_so)
{
    kc_error_t error = KC_ERROR_INIT;
    reentry_t reentry = {.host = *plain_host(),
                         .itself_error = KC_ERROR_INIT,
                         .itself = inspect_mock("reentrant_init"),
                         .other = inspect_mock("good")};
    reentry.host.context = &reentry;
    reentry.host.log = reenter;
    alarm(20);
    EXPECT_OK(error, kci_module_file_open(reentry.itself, &reentry.host, NULL,
                                          &error));
    alarm(0);
    ck_assert_int_eq(reentry.itself_status, KC_ERR_BINDING);
    ck_assert_ptr_nonnull(strstr(reentry.itself_error.message,
                                 "a second opening from within its open"));
    ck_assert_int_eq(reentry.other_status, KC_OK);
    kci_module_file_release(reentry.itself);
    kci_module_file_release(reentry.other);
}
END_TEST

START_TEST(threads_of_its_own_keep_a_module_mapped)
{
    char path[SCRATCH_PATH_SIZE];
    kc_error_t error = KC_ERROR_INIT;
    mock_path("starts_threads", path);
    for (int round = 0; round < 3; round++) {
        kci_module_file_t *file = inspect_path(path);
        EXPECT_OK(error, open_file(file, &error));
        kci_module_file_release(file);
        ck_assert_int_gt(mapped_lines(path), 0);
    }
}
END_TEST

Suite *suite_module_open(void)
{
    Suite *suite = suite_create("module/open");
    TCase *tests = tcase_create("open");
    tcase_add_test(tests, an_opened_file_has_its_handlers);
    tcase_add_test(tests, other_sizes_of_records_work);
    tcase_add_test(tests, a_module_may_have_no_handlers);
    tcase_add_test(tests, a_backward_comes_with_its_handler);
    tcase_add_test(tests, a_failing_open_is_told_and_undone);
    tcase_add_test(tests, failures_leave_nothing_behind);
    tcase_add_test(tests, opening_and_closing_does_not_grow);
    tcase_add_test(tests, open_and_close_run_once);
    tcase_add_test(tests, two_records_of_one_file_do_not_disturb_each_other);
    tcase_add_test(tests, many_threads_open_once);
    tcase_add_test(tests, an_open_that_opens_again_is_told_so);
    tcase_add_test(tests, threads_of_its_own_keep_a_module_mapped);
    suite_add_tcase(suite, tests);
    return suite;
}
