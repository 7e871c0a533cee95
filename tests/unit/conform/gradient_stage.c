/* SPDX-License-Identifier: Apache-2.0
 *
 * Opens and closes it.
 */
#include "unit/conform/gradient_stage.h"

#include <stdio.h>
#include <stdlib.h>

#include "unit/expect.h"

#define PATH_SIZE 1024

static void create_runtime(gradient_stage_t *stage)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_runtime_options_t options = {.struct_size = sizeof options,
                                    .thread_count = 1};
    EXPECT_OK(error, kc_runtime_create(&options, &stage->runtime, &error));
}

static void create_session(gradient_stage_t *stage)
{
    kc_error_t error = KC_ERROR_INIT;
    EXPECT_OK(error,
              kc_session_create(stage->runtime, stage->profile,
                                KC_SESSION_GRADIENTS, &stage->session, &error));
}

void gradient_stage_begin(gradient_stage_t *stage)
{
    kc_error_t error = KC_ERROR_INIT;
    create_runtime(stage);
    EXPECT_OK(error, kc_profile_load(stage->runtime, "checked_cpu",
                                     &stage->profile, &error));
    create_session(stage);
}

static const char *folder(const char *variable)
{
    const char *value = getenv(variable);
    ck_assert_msg(value != NULL, "%s is not set", variable);
    return value;
}

void gradient_stage_begin_mock(gradient_stage_t *stage, const char *name)
{
    kc_error_t error = KC_ERROR_INIT;
    char path[PATH_SIZE];
    kc_capsule_module_t *module = NULL;
    create_runtime(stage);
    snprintf(path, sizeof path, "%s/tests/mocks/.libs/%s.so",
             folder("KC_BUILDDIR"), name);
    EXPECT_OK(error, kc_capsule_module_from_file(stage->runtime, path, &module,
                                                 &error));
    snprintf(path, sizeof path, "%s/tests/unit/conform/%s.ini",
             folder("KC_SRCDIR"), name);
    EXPECT_OK(error, kc_profile_load_with_modules(stage->runtime, path, &module,
                                                  1, &stage->profile, &error));
    kc_capsule_module_release(module);
    create_session(stage);
}

void gradient_stage_end(gradient_stage_t *stage)
{
    kc_session_release(stage->session);
    kc_profile_release(stage->profile);
    kc_runtime_release(stage->runtime);
}

bool gradient_stage_find(const gradient_stage_t *stage, int32_t op,
                         kci_gradient_subject_t *out_subject)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_plan_t *plan = NULL;
    kc_plan_row_t row = {.struct_size = sizeof row};
    EXPECT_OK(error, kc_plan_ops(stage->profile, &op, 1, &plan, &error));
    kc_plan_row(plan, 0, &row);
    kc_plan_release(plan);
    *out_subject = (kci_gradient_subject_t){.capsule = row.capsule,
                                            .runtime = stage->runtime,
                                            .session = stage->session};
    return row.capsule != NULL && row.capsule->vjp_mode != KC_VJP_NONE;
}

kci_gradient_subject_t gradient_stage_subject(const gradient_stage_t *stage,
                                              int32_t op)
{
    kci_gradient_subject_t subject;
    ck_assert(gradient_stage_find(stage, op, &subject));
    return subject;
}
