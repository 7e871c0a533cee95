/* SPDX-License-Identifier: Apache-2.0
 *
 * A process that uses several modules has the OpenMP runtimes of all of them.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli/doctor.h"

/* What does not fit is cut. */
static void KC_PRINTF(2, 3) append(char *line, const char *format, ...)
{
    va_list arguments;
    size_t length = strlen(line);
    va_start(arguments, format);
    vsnprintf(line + length, CLI_OPENMP_PROBLEM_SIZE - length, format,
              arguments);
    va_end(arguments);
}

/* "RUNTIME (MODULE, MODULE)" */
static void append_runtime(cli_findings_t *findings, const char *name)
{
    const char *before = "(";
    append(findings->openmp_problem, "%s ", name);
    for (size_t idx = 0; idx < findings->module_count; idx++) {
        const cli_doctor_module_t *module = &findings->modules[idx];
        if (cli_openmp_has(&module->probe.openmp, name)) {
            append(findings->openmp_problem, "%s%s", before,
                   module->facts.name);
            before = ", ";
        }
    }
    append(findings->openmp_problem, ")");
}

void cli_doctor_look_at_openmp(cli_findings_t *findings)
{
    kc_openmp_runtimes_t all = {.count = 0};
    for (size_t idx = 0; idx < findings->module_count; idx++) {
        const kc_openmp_runtimes_t *openmp =
            &findings->modules[idx].probe.openmp;
        for (uint32_t name = 0; name < openmp->count; name++) {
            cli_openmp_add(&all, openmp->names[name]);
        }
    }
    if (all.count <= 1) {
        return;
    }
    append(findings->openmp_problem,
           "modules in one process: expected one OpenMP runtime, found ");
    for (uint32_t idx = 0; idx < all.count; idx++) {
        append(findings->openmp_problem, "%s", idx > 0 ? " and " : "");
        append_runtime(findings, all.names[idx]);
    }
    findings->problem_count++;
}
