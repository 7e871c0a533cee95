/* SPDX-License-Identifier: Apache-2.0
 *
 * The findings of doctor, as text and as JSON.
 */
#include "cli/doctor.h"

#include <stdio.h>
#include <string.h>
#include <kcapsule/module.h>

#include "cli/json_text.h"
#include "cli/message.h"

#define TEXT_SIZE 64

static const char *verdict(int is_problem)
{
    return is_problem ? "PROBLEM" : "ok";
}

/* Why the module is of no use, or "". Most reasons begin with the path. */
static const char *module_reason(const cli_doctor_module_t *module)
{
    return module->facts.verdict != KC_OK ? module->facts.verdict_line
                                          : module->probe.line;
}

static void print_module(const cli_doctor_module_t *module)
{
    if (module->is_problem) {
        const char *reason = module_reason(module);
        size_t length = strlen(module->facts.path);
        int is_named = strncmp(reason, module->facts.path, length) == 0;
        cli_print_line("  PROBLEM  %s%s%s", is_named ? "" : module->facts.path,
                       is_named ? "" : ": ", reason);
        return;
    }
    char handlers[TEXT_SIZE] = "contracts only";
    char openmp[CLI_OPENMP_TEXT_SIZE];
    if (!(module->facts.flags & KC_MODULE_CONTRACTS_ONLY)) {
        snprintf(handlers, sizeof handlers, "%zu handler%s",
                 module->probe.handler_count,
                 module->probe.handler_count == 1 ? "" : "s");
    }
    cli_openmp_text(&module->probe.openmp, openmp);
    cli_print_line("  ok       %-14s %s, %u capsule%s, %s%s%s",
                   module->facts.name, module->facts.version,
                   module->facts.capsule_count,
                   module->facts.capsule_count == 1 ? "" : "s", handlers,
                   openmp[0] != 0 ? ", OpenMP of " : "", openmp);
}

static void print_folder(const cli_doctor_folder_t *folder)
{
    const char *remark = folder->facts.remark;
    cli_print_line("  %-7s  %s (%s): %zu file%s%s%s",
                   verdict(folder->is_problem), folder->facts.path,
                   folder->facts.origin, folder->facts.file_count,
                   folder->facts.file_count == 1 ? "" : "s",
                   remark != NULL ? ", " : "", remark != NULL ? remark : "");
}

static void print_profiles(const cli_findings_t *findings)
{
    printf("\nprofiles\n");
    for (size_t idx = 0; idx < findings->profile_count; idx++) {
        const cli_doctor_profile_t *profile = &findings->profiles[idx];
        cli_print_line("  %-7s  %s%s%s", verdict(profile->is_problem),
                       profile->name, profile->is_problem ? ": " : "",
                       profile->line != NULL ? profile->line : "");
    }
    for (size_t idx = 0; idx < findings->log->warning_count; idx++) {
        printf("%s", idx == 0 ? "\nsettings\n" : "");
        cli_print_line("  PROBLEM  %s", findings->log->warnings[idx]);
    }
}

void cli_findings_print_text(const cli_findings_t *findings)
{
    printf("kcapsule %s, module interface %d.%d, %ld processor%s\n\nfolders\n",
           kc_library_version(), KC_ABI_MAJOR, KC_ABI_MINOR,
           findings->processor_count,
           findings->processor_count == 1 ? "" : "s");
    for (size_t idx = 0; idx < findings->folder_count; idx++) {
        print_folder(&findings->folders[idx]);
    }
    printf("\nmodules, each loaded in a process of its own\n");
    for (size_t idx = 0; idx < findings->module_count; idx++) {
        print_module(&findings->modules[idx]);
    }
    if (findings->module_count == 0) {
        printf("  PROBLEM  no module was found\n");
    }
    if (findings->openmp_problem[0] != 0) {
        cli_print_line("  PROBLEM  %s", findings->openmp_problem);
    }
    print_profiles(findings);
    if (findings->problem_count == 0) {
        printf("\nall well\n");
    } else {
        printf("\n%zu problem%s\n", findings->problem_count,
               findings->problem_count == 1 ? "" : "s");
    }
}

/* "NAME": "TEXT" with what stands before it. */
static void print_member(const char *before, const char *name, const char *text)
{
    printf("%s\"%s\": ", before, name);
    cli_json_string(text != NULL ? text : "");
}

static void print_folders_json(const cli_findings_t *findings)
{
    for (size_t idx = 0; idx < findings->folder_count; idx++) {
        const cli_doctor_folder_t *folder = &findings->folders[idx];
        print_member(idx > 0 ? ",\n    {" : "\n    {", "path",
                     folder->facts.path);
        print_member(", ", "origin", folder->facts.origin);
        printf(", \"files\": %zu", folder->facts.file_count);
        print_member(", ", "problem", folder->facts.remark);
        putchar('}');
    }
}

static void print_openmp_json(const kc_openmp_runtimes_t *openmp)
{
    printf(", \"openmp\": [");
    for (uint32_t idx = 0; idx < openmp->count; idx++) {
        printf("%s", idx > 0 ? ", " : "");
        cli_json_string(openmp->names[idx]);
    }
    putchar(']');
}

static void print_modules_json(const cli_findings_t *findings)
{
    for (size_t idx = 0; idx < findings->module_count; idx++) {
        const cli_doctor_module_t *module = &findings->modules[idx];
        print_member(idx > 0 ? ",\n    {" : "\n    {", "file",
                     module->facts.path);
        print_member(", ", "sha256", module->facts.sha256);
        if (module->facts.verdict == KC_OK) {
            print_member(", ", "name", module->facts.name);
            print_member(", ", "version", module->facts.version);
            printf(", \"capsules\": %u, \"handlers\": %zu",
                   module->facts.capsule_count, module->probe.handler_count);
            print_openmp_json(&module->probe.openmp);
        }
        print_member(", ", "problem", module_reason(module));
        putchar('}');
    }
}

static void print_profiles_json(const cli_findings_t *findings)
{
    for (size_t idx = 0; idx < findings->profile_count; idx++) {
        const cli_doctor_profile_t *profile = &findings->profiles[idx];
        print_member(idx > 0 ? ",\n    {" : "\n    {", "name", profile->name);
        print_member(", ", "problem", profile->line);
        putchar('}');
    }
}

void cli_findings_print_json(const cli_findings_t *findings)
{
    print_member("{\n  \"format\": \"kcapsule-doctor\",\n  \"version\": 1,\n  ",
                 "library", kc_library_version());
    printf(",\n  \"interface\": [%d, %d],\n  \"processors\": %ld,\n"
           "  \"folders\": [",
           KC_ABI_MAJOR, KC_ABI_MINOR, findings->processor_count);
    print_folders_json(findings);
    printf("\n  ],\n  \"modules\": [");
    print_modules_json(findings);
    print_member("\n  ],\n  ", "openmp_problem", findings->openmp_problem);
    printf(",\n  \"profiles\": [");
    print_profiles_json(findings);
    printf("\n  ],\n  \"settings\": [");
    for (size_t idx = 0; idx < findings->log->warning_count; idx++) {
        print_member(idx > 0 ? ",\n    {" : "\n    {", "problem",
                     findings->log->warnings[idx]);
        putchar('}');
    }
    printf("\n  ],\n  \"problems\": %zu\n}\n", findings->problem_count);
}
