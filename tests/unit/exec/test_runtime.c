/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * The runtime: what it finds, when it makes the host, who outlives it. */
#include "exec/runtime.h"

#include <stdlib.h>

#include "tensor/tensor.h"
#include "unit/exec/suites.h"
#include "unit/expect.h"

static kc_runtime_t *create(uint32_t thread_count)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_runtime_t *runtime = NULL;
    const char *folder = getenv("KCAPSULE_MODULE_PATH");
    ck_assert_ptr_nonnull(folder);
    kci_runtime_settings_t settings = {.thread_count = thread_count,
                                       .module_directories = &folder,
                                       .module_directory_count = 1};
    EXPECT_OK(error, kci_runtime_create(&settings, &runtime, &error));
    return runtime;
}

START_TEST(modules_are_found_and_not_run)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_profile_t *profile = NULL;
    kc_runtime_t *runtime = create(1);
    kci_module_file_t *file =
        kci_module_set_find(&runtime->modules, "reference");
    ck_assert_ptr_nonnull(file);
    ck_assert(!file->is_opened);
    ck_assert_ptr_null(runtime->host);
    kci_profile_source_t source = kci_runtime_profile_source(runtime);
    EXPECT_OK(error,
              kci_profile_load(&source, "checked_cpu", &profile, &error));
    ck_assert_ptr_null(runtime->host);
    kci_profile_release(profile);
    kci_runtime_release(runtime);
}
END_TEST

START_TEST(threads_by_options_then_by_profile)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_host_t *host = NULL;
    kci_host_t *again = NULL;
    kc_runtime_t *runtime = create(3);
    EXPECT_OK(error, kci_runtime_host(runtime, 2, &host, &error));
    ck_assert_uint_eq(host->thread_count, 3);
    EXPECT_OK(error, kci_runtime_host(runtime, 5, &again, &error));
    ck_assert_ptr_eq(host, again);
    kci_runtime_release(runtime);
    runtime = create(0);
    EXPECT_OK(error, kci_runtime_host(runtime, 2, &host, &error));
    ck_assert_uint_eq(host->thread_count, 2);
    kci_runtime_release(runtime);
    runtime = create(0);
    EXPECT_OK(error, kci_runtime_host(runtime, 0, &host, &error));
    ck_assert_uint_eq(host->thread_count, kci_processor_count());
    kci_runtime_release(runtime);
}
END_TEST

START_TEST(a_failing_host_can_be_asked_again)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_host_t *host = NULL;
    kc_runtime_t *runtime = create(0);
    EXPECT_FAILURE(error, KC_ERR_ARGUMENT, "found 99999",
                   kci_runtime_host(runtime, 99999, &host, &error));
    ck_assert_ptr_null(host);
    EXPECT_OK(error, kci_runtime_host(runtime, 1, &host, &error));
    kci_runtime_release(runtime);
}
END_TEST

START_TEST(what_was_made_outlives_the_handle)
{
    const int64_t dims[] = {4};
    kc_error_t error = KC_ERROR_INIT;
    kc_tensor_t *tensor = NULL;
    kc_runtime_t *runtime = create(1);
    ck_assert_ptr_eq(kci_runtime_retain(runtime), runtime);
    kci_runtime_release(runtime);
    EXPECT_OK(error, kci_tensor_create(runtime->allocator, KC_DTYPE_F32, 1,
                                       dims, &tensor, &error));
    kci_runtime_release(runtime);
    *(float *)kc_tensor_data(&tensor->view) = 1;
    kci_tensor_release(tensor);
    kci_runtime_release(NULL);
}
END_TEST

Suite *suite_exec_runtime(void)
{
    Suite *suite = suite_create("exec/runtime");
    TCase *tcase = tcase_create("runtime");
    tcase_add_test(tcase, modules_are_found_and_not_run);
    tcase_add_test(tcase, threads_by_options_then_by_profile);
    tcase_add_test(tcase, a_failing_host_can_be_asked_again);
    tcase_add_test(tcase, what_was_made_outlives_the_handle);
    suite_add_tcase(suite, tcase);
    return suite;
}
