/* SPDX-License-Identifier: Apache-2.0
 *
 * What doctor finds out, for text and JSON alike.
 */
#ifndef KC_CLI_DOCTOR_H
#define KC_CLI_DOCTOR_H

#include "cli/probe.h"

typedef struct cli_doctor_folder {
    kc_search_directory_t facts;
    int is_problem;
} cli_doctor_folder_t;

typedef struct cli_doctor_module {
    kc_module_info_t facts;
    cli_probe_t probe; /* only of a module whose verdict is KC_OK */
    int is_problem;
} cli_doctor_module_t;

typedef struct cli_doctor_profile {
    const char *name;
    char *line; /* owned; why it does not load, or loads without; or NULL */
    int is_problem;
} cli_doctor_profile_t;

/* Warnings of the library, but for those about a folder. */
typedef struct cli_doctor_log {
    char **warnings; /* owned */
    size_t warning_count;
    cli_doctor_profile_t *profile; /* being loaded: gets them; or NULL */
} cli_doctor_log_t;

#define CLI_OPENMP_PROBLEM_SIZE 1024

typedef struct cli_findings {
    long processor_count; /* usable by this process */
    cli_doctor_folder_t *folders;
    size_t folder_count;
    cli_doctor_module_t *modules;
    size_t module_count;
    cli_doctor_profile_t *profiles;
    size_t profile_count;
    char openmp_problem[CLI_OPENMP_PROBLEM_SIZE]; /* or "" */
    const cli_doctor_log_t *log;
    size_t problem_count;
} cli_findings_t;

/* doctor_log.c; `context` is a cli_doctor_log_t. */
void cli_doctor_log(void *context, int32_t level, const char *line);
void cli_doctor_log_release(cli_doctor_log_t *log);

/* doctor_openmp.c: whether the modules that load bring different OpenMP
 * runtimes into one process; says which bring which. */
void cli_doctor_look_at_openmp(cli_findings_t *findings);

/* doctor_print.c */
void cli_findings_print_text(const cli_findings_t *findings);
void cli_findings_print_json(const cli_findings_t *findings);

#endif
