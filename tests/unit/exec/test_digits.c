/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * A real model: the same bytes in every mode and with every number of
 * threads, within the promised memory, without a single allocation once it
 * runs. */
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit/built_modules.h"
#include "unit/exec/digits_fixture.h"
#include "unit/exec/graph_fixture.h"
#include "unit/exec/heap_counter.h"
#include "unit/exec/suites.h"
#include "unit/expect.h"

#define MIB ((size_t)1 << 20)

typedef struct digits_case {
    host_fixture_t host;
    kc_profile_t *profile;
    digits_t digits;
    kc_tensor_t *output;
    kc_error_t error;
} digits_case_t;

static void digits_begin(digits_case_t *at, uint32_t thread_count)
{
    host_fixture_begin(&at->host, thread_count);
    at->error = (kc_error_t)KC_ERROR_INIT;
    at->profile = built_checked_cpu();
    ck_assert_msg(digits_load(&at->digits, &at->host.allocator, &at->error),
                  "%s", at->error.message);
    EXPECT_OK(at->error,
              kci_tensor_create(&at->host.allocator, KC_DTYPE_F32, 2,
                                DIMS(359, 10), &at->output, &at->error));
}

static void digits_end(digits_case_t *at)
{
    kci_tensor_release(at->output);
    digits_release(&at->digits);
    kci_profile_release(at->profile);
    host_fixture_end(&at->host);
}

static kc_executor_t *compile(digits_case_t *at, bool no_reuse)
{
    kc_executor_t *executor = NULL;
    kci_executor_options_t options = {.no_reuse = no_reuse};
    kc_accepted_plan_t *accepted = accept_graph(at->profile, at->digits.graph);
    EXPECT_OK(at->error,
              kci_executor_create(at->host.host, accepted, at->digits.consts,
                                  at->digits.const_count, &options, &executor,
                                  &at->error));
    kci_accepted_plan_release(accepted);
    return executor;
}

static void run(digits_case_t *at, kc_executor_t *executor)
{
    const DLTensor *inputs[] = {&at->digits.images->view};
    DLTensor *outputs[] = {&at->output->view};
    EXPECT_OK(at->error,
              kci_executor_run(executor, inputs, 1, outputs, 1, &at->error));
}

static void expect_logits(const digits_case_t *at, const kc_tensor_t *found)
{
    size_t bytes = 359 * 10 * sizeof(float);
    ck_assert_int_eq(memcmp(kc_tensor_data(&found->view),
                            kc_tensor_data(&at->digits.logits->view), bytes),
                     0);
}

static const uint32_t thread_counts[] = {1, 2, 7};

START_TEST(graph_mode_bytes)
{
    digits_case_t at;
    digits_begin(&at, thread_counts[_i / 2]);
    kc_executor_t *executor = compile(&at, _i % 2 == 1);
    for (int round = 0; round < 2; round++) {
        memset(kc_tensor_data(&at.output->view), 0xff, 359 * 10 * 4);
        run(&at, executor);
        expect_logits(&at, at.output);
    }
    kci_executor_destroy(executor);
    digits_end(&at);
}
END_TEST

START_TEST(eager_mode_bytes)
{
    digits_case_t at;
    kc_session_t *session = NULL;
    kc_tensor_t *logits = NULL;
    digits_begin(&at, thread_counts[_i]);
    EXPECT_OK(at.error, kci_session_create(at.host.host, at.profile, false,
                                           &session, &at.error));
    const DLTensor *inputs[] = {&at.digits.images->view};
    EXPECT_OK(at.error,
              kci_session_run_graph(session, at.digits.graph, at.digits.consts,
                                    at.digits.const_count, inputs, 1, &logits,
                                    1, &at.error));
    expect_logits(&at, logits);
    kci_tensor_release(logits);
    kci_session_destroy(session);
    digits_end(&at);
}
END_TEST

/* At most inputs, weights, the intermediate values in use, and 1 MiB. */
START_TEST(memory_of_a_run)
{
    digits_case_t at;
    digits_begin(&at, 1);
    size_t before = atomic_load(&at.host.allocator.live_bytes);
    kc_executor_t *executor = compile(&at, false);
    /* matmul 359x48, its bias as wide, the sum beside one of them. */
    size_t live = 3 * (size_t)359 * 48 * sizeof(float);
    ck_assert_uint_le(kci_executor_buffer_bytes(executor), live);
    kci_host_allocator_reset_peak(&at.host.allocator);
    run(&at, executor);
    run(&at, executor);
    ck_assert_uint_le(atomic_load(&at.host.allocator.peak_bytes),
                      before + live + MIB);
    kci_executor_destroy(executor);
    ck_assert_uint_eq(atomic_load(&at.host.allocator.live_bytes), before);
    digits_end(&at);
}
END_TEST

START_TEST(repeated_runs_allocate_nothing)
{
    digits_case_t at;
    digits_begin(&at, thread_counts[_i]);
    kc_executor_t *executor = compile(&at, false);
    run(&at, executor);
    unsigned long long host_count =
        atomic_load(&at.host.allocator.allocation_count);
    unsigned long long heap_count = heap_counter_value();
    const DLTensor *inputs[] = {&at.digits.images->view};
    DLTensor *outputs[] = {&at.output->view};
    kc_status_t status = KC_OK;
    for (int round = 0; round < 10; round++) {
        status |= kci_executor_run(executor, inputs, 1, outputs, 1, &at.error);
    }
    unsigned long long heap_after = heap_counter_value();
    ck_assert_int_eq(status, KC_OK);
    ck_assert(atomic_load(&at.host.allocator.allocation_count) == host_count);
    ck_assert_msg(heap_after == heap_count, "%llu allocations",
                  heap_after - heap_count);
    if (getenv("KC_SANITIZERS") == NULL || getenv("KC_SANITIZERS")[0] == 0) {
        ck_assert(heap_counter_works());
    }
    expect_logits(&at, at.output);
    kci_executor_destroy(executor);
    digits_end(&at);
}
END_TEST

START_TEST(an_eager_operation_allocates_nothing)
{
    host_fixture_t host;
    kc_error_t error = KC_ERROR_INIT;
    kc_session_t *session = NULL;
    operand_t x;
    operand_t y;
    host_fixture_begin(&host, 1);
    kc_profile_t *profile = built_checked_cpu();
    EXPECT_OK(error,
              kci_session_create(host.host, profile, false, &session, &error));
    operand_init(&x, KC_DTYPE_F32, 1, DIMS(4));
    operand_init(&y, KC_DTYPE_F32, 1, DIMS(4));
    const DLTensor *inputs[] = {&x.view, &x.view};
    EXPECT_OK(error, kci_session_run(session, KC_OP_ADD, NULL, inputs, 2,
                                     &y.view, &error));
    unsigned long long heap_count = heap_counter_value();
    kc_status_t status = KC_OK;
    for (int round = 0; round < 1000; round++) {
        status |= kci_session_run(session, KC_OP_ADD, NULL, inputs, 2, &y.view,
                                  &error);
    }
    unsigned long long heap_after = heap_counter_value();
    ck_assert_int_eq(status, KC_OK);
    ck_assert(heap_after == heap_count);
    ck_assert(atomic_load(&host.allocator.allocation_count) == 0);
    kci_session_destroy(session);
    kci_profile_release(profile);
    host_fixture_end(&host);
}
END_TEST

/* A child after fork has no threads: the run is serial and ends. */
START_TEST(fork_then_run_in_the_child)
{
    digits_case_t at;
    digits_begin(&at, 2);
    kc_executor_t *executor = compile(&at, false);
    run(&at, executor);
    memset(kc_tensor_data(&at.output->view), 0, 359 * 10 * 4);
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        alarm(20);
        const DLTensor *inputs[] = {&at.digits.images->view};
        DLTensor *outputs[] = {&at.output->view};
        kc_status_t status =
            kci_executor_run(executor, inputs, 1, outputs, 1, &at.error);
        int differs = memcmp(kc_tensor_data(&at.output->view),
                             kc_tensor_data(&at.digits.logits->view),
                             359 * 10 * sizeof(float));
        _exit(status == KC_OK && differs == 0 ? 0 : 1);
    }
    int result = 0;
    ck_assert_int_eq(waitpid(child, &result, 0), child);
    ck_assert_int_eq(result, 0);
    run(&at, executor);
    expect_logits(&at, at.output);
    kci_executor_destroy(executor);
    digits_end(&at);
}
END_TEST

Suite *suite_exec_digits(void)
{
    Suite *suite = suite_create("exec/digits");
    TCase *tcase = tcase_create("digits");
    tcase_add_loop_test(tcase, graph_mode_bytes, 0, 6);
    tcase_add_loop_test(tcase, eager_mode_bytes, 0, 3);
    tcase_add_test(tcase, memory_of_a_run);
    tcase_add_loop_test(tcase, repeated_runs_allocate_nothing, 0, 3);
    tcase_add_test(tcase, an_eager_operation_allocates_nothing);
    tcase_add_test(tcase, fork_then_run_in_the_child);
    suite_add_tcase(suite, tcase);
    return suite;
}
