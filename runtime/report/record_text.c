/* SPDX-License-Identifier: Apache-2.0
 *
 * The run record as a table for people: what ran, who owns it, how often.
 */
#include "report/report.h"

#include <string.h>

#include "base/label.h"
#include "report/record_roles.h"

static const char *file_of(const kci_entry_t *entry)
{
    return entry->module->file != NULL ? entry->module->file->path : "";
}

static size_t widest_capsule(const kci_run_record_t *run)
{
    size_t width = strlen("capsule");
    for (size_t i = 0; i < run->entry_count; i++) {
        if (run->entries[i].role != KCI_CALL_FORWARD) {
            continue;
        }
        size_t length = strlen(run->entries[i].entry->capsule->name);
        width = length > width ? length : width;
    }
    return width;
}

static void append_row(const kci_run_record_t *run,
                       const kci_record_entry_t *row, size_t width,
                       kci_string_buffer_t *out)
{
    const kc_capsule_record_t *capsule = row->entry->capsule;
    kci_string_appendf(out,
                       "  %-*s  provider %s, trust %s, reduction %s, "
                       "calls %llu",
                       (int)width, capsule->name, capsule->provider,
                       kci_label(&kci_trusts, capsule->trust),
                       kci_label(&kci_reductions, capsule->numerics.reduction),
                       (unsigned long long)row->call_count);
    if (run->has_time) {
        kci_string_appendf(out, ", %llu us",
                           (unsigned long long)(row->time_ns / 1000));
    }
    kci_string_append(out, "\n");
}

/* Each module file once, in first-use order. */
static void append_modules(const kci_run_record_t *run,
                           kci_string_buffer_t *out)
{
    for (size_t i = 0; i < run->entry_count; i++) {
        const kci_entry_t *entry = run->entries[i].entry;
        bool is_first = true;
        for (size_t j = 0; j < i; j++) {
            is_first =
                is_first && run->entries[j].entry->module != entry->module;
        }
        if (is_first && entry->module->file != NULL) {
            kci_string_appendf(out, "  module %s: ", entry->module->name);
            kci_report_append_path(file_of(entry), out);
            kci_string_appendf(out, "\n    sha256 %s\n",
                               entry->module->file->sha256);
        }
    }
}

void kci_report_record_text(const kc_record_t *record, kci_string_buffer_t *out)
{
    const kci_run_record_t *run = &record->run;
    char preference[KC_PROVIDER_SIZE + 16];
    kci_policy_format_preference(&run->policy, preference, sizeof preference);
    kci_string_appendf(out,
                       "ran under %s: device %s, provider %s, assurance %s, "
                       "vjp %s; mode %s, threads %u\n",
                       run->profile->name,
                       kci_label(&kci_devices, run->policy.device), preference,
                       kci_policy_assurance_label(&run->policy),
                       kci_label(&kci_vjp_modes, run->policy.vjp_mode),
                       record->mode, run->thread_count);
    size_t width = widest_capsule(run);
    for (size_t i = 0; i < run->entry_count; i++) {
        if (run->entries[i].role == KCI_CALL_FORWARD) {
            append_row(run, &run->entries[i], width, out);
        }
    }
    kci_record_roles_text(run, out);
    append_modules(run, out);
}
