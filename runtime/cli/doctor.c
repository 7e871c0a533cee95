/* SPDX-License-Identifier: Apache-2.0
 *
 * kcapsule doctor: looks at the folders searched, judges every module file
 * and loads the accepted ones in processes of their own, and loads every
 * profile. A problem is whatever keeps something installed from working.
 */
#include "cli/doctor.h"

#include <sched.h>
#include <stdlib.h>
#include <unistd.h>
#include <kcapsule/host.h>

#include "cli/command.h"
#include "cli/context.h"

static long usable_processors(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) {
        return CPU_COUNT(&set);
    }
    return sysconf(_SC_NPROCESSORS_ONLN);
}

static void look_at_folders(const kc_runtime_t *runtime,
                            cli_findings_t *findings)
{
    for (size_t idx = 0; idx < findings->folder_count; idx++) {
        cli_doctor_folder_t *folder = &findings->folders[idx];
        folder->facts.struct_size = sizeof folder->facts;
        kc_runtime_search_directory(runtime, idx, &folder->facts);
        folder->is_problem = folder->facts.remark != NULL;
        findings->problem_count += (size_t)folder->is_problem;
    }
}

static void look_at_modules(const kc_runtime_t *runtime,
                            const cli_options_t *options,
                            cli_findings_t *findings)
{
    for (size_t idx = 0; idx < findings->module_count; idx++) {
        cli_doctor_module_t *module = &findings->modules[idx];
        module->facts.struct_size = sizeof module->facts;
        kc_runtime_module_info(runtime, idx, &module->facts);
        if (module->facts.verdict == KC_OK) {
            cli_probe(module->facts.path, &options->module_paths,
                      &module->probe);
        }
        module->is_problem = !module->probe.is_loaded;
        findings->problem_count += (size_t)module->is_problem;
    }
    findings->problem_count += findings->module_count == 0;
}

/* A maintained profile loads without a module of its own, with a warning. */
static void look_at_profiles(kc_runtime_t *runtime, char **names,
                             cli_doctor_log_t *log, cli_findings_t *findings)
{
    for (size_t idx = 0; idx < findings->profile_count; idx++) {
        kc_error_t error = KC_ERROR_INIT;
        cli_doctor_profile_t *entry = &findings->profiles[idx];
        kc_profile_t *profile = NULL;
        entry->name = names[idx];
        log->profile = entry;
        if (kc_profile_load(runtime, names[idx], &profile, &error) != KC_OK) {
            cli_doctor_log(log, KC_LOG_ERROR, error.message);
        }
        log->profile = NULL;
        findings->problem_count += (size_t)entry->is_problem;
        kc_profile_release(profile);
    }
}

static int allocate(const kc_runtime_t *runtime, size_t profile_count,
                    cli_findings_t *findings)
{
    findings->folder_count = kc_runtime_search_directory_count(runtime);
    findings->module_count = kc_runtime_module_count(runtime);
    findings->profile_count = profile_count;
    findings->folders =
        calloc(findings->folder_count + 1, sizeof *findings->folders);
    findings->modules =
        calloc(findings->module_count + 1, sizeof *findings->modules);
    findings->profiles = calloc(profile_count + 1, sizeof *findings->profiles);
    return findings->folders != NULL && findings->modules != NULL &&
           findings->profiles != NULL;
}

static void release_findings(cli_findings_t *findings)
{
    for (size_t idx = 0;
         findings->profiles != NULL && idx < findings->profile_count; idx++) {
        free(findings->profiles[idx].line);
    }
    free(findings->folders);
    free(findings->modules);
    free(findings->profiles);
}

static int examine(kc_runtime_t *runtime, const cli_options_t *options,
                   char **names, size_t name_count, cli_doctor_log_t *log)
{
    cli_findings_t findings = {.processor_count = usable_processors(),
                               .log = log,
                               .problem_count = log->warning_count};
    int code = CLI_FAILED;
    if (!allocate(runtime, name_count, &findings)) {
        cli_say("out of memory");
    } else {
        look_at_folders(runtime, &findings);
        look_at_modules(runtime, options, &findings);
        cli_doctor_look_at_openmp(&findings);
        look_at_profiles(runtime, names, log, &findings);
        if (options->format == KC_FORMAT_JSON) {
            cli_findings_print_json(&findings);
        } else {
            cli_findings_print_text(&findings);
        }
        code = findings.problem_count > 0 ? CLI_NEGATIVE : CLI_DONE;
    }
    release_findings(&findings);
    return code;
}

int cli_doctor(const cli_options_t *options)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_runtime_t *runtime = NULL;
    char **names = NULL;
    size_t name_count = 0;
    cli_doctor_log_t log = {NULL, 0, NULL};
    int code =
        cli_open_runtime_with_log(options, 0, cli_doctor_log, &log, &runtime);
    if (code != CLI_DONE) {
        cli_doctor_log_release(&log);
        return code;
    }
    kc_status_t status = kc_profile_names(runtime, &names, &name_count, &error);
    code = status == KC_OK ? examine(runtime, options, names, name_count, &log)
                           : cli_report(status, &error);
    kc_profile_names_release(names, name_count);
    kc_runtime_release(runtime);
    cli_doctor_log_release(&log);
    return code;
}
