/* SPDX-License-Identifier: Apache-2.0
 *
 * From options to a runtime and a profile.
 */
#include "cli/context.h"

#include <stdlib.h>
#include <string.h>
#include <kcapsule/host.h>

#include "cli/message.h"

/* The notes of the library are for programs; warnings are for people. */
static void log_warning(void *context, int32_t level, const char *line)
{
    (void)context;
    if (level <= KC_LOG_WARNING) {
        cli_say("%s%s", level == KC_LOG_WARNING ? "warning: " : "", line);
    }
}

int cli_open_runtime(const cli_options_t *options, unsigned thread_count,
                     kc_runtime_t **out_runtime)
{
    return cli_open_runtime_with_log(options, thread_count, log_warning, NULL,
                                     out_runtime);
}

int cli_open_runtime_with_log(const cli_options_t *options,
                              unsigned thread_count, cli_log_fn log,
                              void *log_context, kc_runtime_t **out_runtime)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_runtime_options_t runtime_options = {
        .struct_size = sizeof runtime_options,
        .thread_count = thread_count,
        .module_directories = options->module_paths.items,
        .module_directory_count = options->module_paths.count,
        .log = log,
        .log_context = log_context};
    kc_status_t status =
        kc_runtime_create(&runtime_options, out_runtime, &error);
    return status == KC_OK ? CLI_DONE : cli_report(status, &error);
}

/* `auto` is a word of the command line only. `*out_option` is the last one
 * that was read. */
static kc_status_t override_policy(const cli_options_t *options,
                                   kc_policy_t *policy, const char **out_option,
                                   kc_error_t *error)
{
    kc_status_t status = KC_OK;
    if (options->device != NULL) {
        *out_option = "--device";
        int is_auto = strcmp(options->device, "auto") == 0;
        status = kc_policy_set_device(
            policy, is_auto ? kc_device_label(KC_DEVICE_CPU) : options->device,
            error);
    }
    if (status == KC_OK && options->provider != NULL) {
        *out_option = "--provider";
        status = kc_policy_set_preference(policy, options->provider, error);
    }
    if (status == KC_OK && options->assurance != NULL) {
        *out_option = "--assurance";
        status = kc_policy_set_assurance(policy, options->assurance, error);
    }
    if (status == KC_OK && options->vjp != NULL) {
        *out_option = "--vjp";
        status = kc_policy_set_vjp_mode(policy, options->vjp, error);
    }
    return status;
}

int cli_context_set_policy(cli_context_t *context, const kc_policy_t *policy)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_profile_t *profile = NULL;
    kc_status_t status =
        kc_profile_with_policy(context->profile, policy, &profile, &error);
    if (status != KC_OK) {
        return cli_report(status, &error);
    }
    kc_profile_release(context->profile);
    context->profile = profile;
    return CLI_DONE;
}

static int apply_policy(const cli_options_t *options, cli_context_t *context)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_policy_t policy = {.struct_size = sizeof policy};
    kc_profile_policy(context->profile, &policy);
    const char *option = "";
    kc_status_t status = override_policy(options, &policy, &option, &error);
    if (status != KC_OK) {
        cli_say("%s: %s", option, error.message);
        return cli_exit_code(status);
    }
    return cli_context_set_policy(context, &policy);
}

/* --module: these files' capsules come first, and the profile may name them. */
static int load_with_modules(const cli_options_t *options,
                             cli_context_t *context)
{
    const cli_list_t *files = &options->modules;
    kc_error_t error = KC_ERROR_INIT;
    kc_status_t status = KC_OK;
    size_t count = 0;
    kc_capsule_module_t **modules = calloc(files->count, sizeof *modules);
    if (modules == NULL) {
        cli_say("out of memory");
        return CLI_FAILED;
    }
    for (; count < files->count && status == KC_OK; count++) {
        status = kc_capsule_module_from_file(
            context->runtime, files->items[count], &modules[count], &error);
    }
    if (status == KC_OK) {
        status = kc_profile_load_with_modules(context->runtime,
                                              options->profile, modules, count,
                                              &context->profile, &error);
    }
    for (size_t idx = 0; idx < count; idx++) {
        kc_capsule_module_release(modules[idx]);
    }
    free(modules);
    return status == KC_OK ? CLI_DONE : cli_report(status, &error);
}

static int load_profile(const cli_options_t *options, cli_context_t *context)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_status_t status = kc_profile_load(context->runtime, options->profile,
                                         &context->profile, &error);
    return status == KC_OK ? CLI_DONE : cli_report(status, &error);
}

int cli_context_load(const cli_options_t *options, cli_context_t *context)
{
    int code = options->modules.count > 0 ? load_with_modules(options, context)
                                          : load_profile(options, context);
    return code != CLI_DONE ? code : apply_policy(options, context);
}

int cli_context_open(const char *command, const cli_options_t *options,
                     cli_context_t *out_context)
{
    memset(out_context, 0, sizeof *out_context);
    if (options->profile == NULL) {
        return cli_refuse("%s: no profile: give one with -p; `kcapsule "
                          "profiles` lists them",
                          command);
    }
    int code =
        cli_open_runtime(options, options->thread_count, &out_context->runtime);
    return code != CLI_DONE ? code : cli_context_load(options, out_context);
}

void cli_context_close(cli_context_t *context)
{
    kc_profile_release(context->profile);
    kc_runtime_release(context->runtime);
    memset(context, 0, sizeof *context);
}
