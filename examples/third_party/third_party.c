/* SPDX-License-Identifier: Apache-2.0
 *
 * third_party FOLDER PROFILE.ini: an application that brings a module of its
 * own. It finds acme.so in the folder, puts its capsules before all others,
 * and runs relu with what is then chosen.
 */
#include <stdio.h>
#include <stdlib.h>
#include <kcapsule/kcapsule.h>

typedef struct app {
    kc_runtime_t *runtime;
    kc_profile_t *base;
    kc_capsule_module_t *module;
    kc_profile_t *profile;
    kc_tensor_t *input;
    kc_session_t *session;
    kc_tensor_t *output;
    kc_record_t *record;
} app_t;

/* KC_OK is 0: the first call that fails ends a chain. */
static int make_profile(app_t *app, const char *folder, const char *profile,
                        kc_error_t *error)
{
    kc_runtime_options_t options = {.struct_size = sizeof options,
                                    .module_directories = &folder,
                                    .module_directory_count = 1};
    return kc_runtime_create(&options, &app->runtime, error) ||
           kc_profile_load(app->runtime, profile, &app->base, error) ||
           kc_capsule_module_find(app->runtime, "acme", &app->module, error) ||
           kc_profile_with_capsule_modules(app->base, &app->module, 1,
                                           &app->profile, error);
}

static int run_relu(app_t *app, float *values, int64_t count, kc_error_t *error)
{
    if (kc_tensor_wrap(app->runtime, KC_DTYPE_F32, 1, &count, NULL, values,
                       &app->input, error)) {
        return -1;
    }
    const DLTensor *input = kc_tensor_view(app->input);
    return kc_session_create(app->runtime, app->profile, 0, &app->session,
                             error) ||
           kc_session_apply(app->session, KC_OP_RELU, NULL, &input, 1,
                            &app->output, error) ||
           kc_session_record(app->session, &app->record, error);
}

static void print_result(app_t *app, int64_t count)
{
    const float *values = kc_tensor_data(kc_tensor_view(app->output));
    kc_record_row_t row = {.struct_size = sizeof row};
    kc_record_row(app->record, 0, &row);
    printf("relu by %s of module %s:", row.capsule, row.module_name);
    for (int64_t idx = 0; idx < count; idx++) {
        printf(" %g", values[idx]);
    }
    printf("\n");
}

int main(int argc, char **argv)
{
    kc_error_t error = KC_ERROR_INIT;
    app_t app = {NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL};
    float values[] = {-2.0f, -0.5f, 0.0f, 0.5f, 2.0f};
    int64_t count = sizeof values / sizeof values[0];
    if (argc != 3) {
        fprintf(stderr, "usage: third_party FOLDER PROFILE.ini\n");
        return EXIT_FAILURE;
    }
    int has_failed = make_profile(&app, argv[1], argv[2], &error) ||
                     run_relu(&app, values, count, &error);
    if (has_failed) {
        fprintf(stderr, "third_party: %s\n", error.message);
    } else {
        print_result(&app, count);
    }
    kc_record_release(app.record);
    kc_tensor_release(app.output);
    kc_session_release(app.session);
    kc_tensor_release(app.input);
    kc_profile_release(app.profile);
    kc_capsule_module_release(app.module);
    kc_profile_release(app.base);
    kc_runtime_release(app.runtime);
    return has_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
