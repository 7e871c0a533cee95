/* SPDX-License-Identifier: Apache-2.0
 *
 * The record of a module file: its life, and what its bytes say. Nothing here
 * runs code of the file except the end of one that was opened.
 */
#include "module/module_file.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/alloc.h"
#include "base/error.h"
#include "module/file_judge.h"
#include "module/inspect_dynamic.h"
#include "module/inspect_records.h"
#include "module/opened.h"

/* The real path, or the path as given when there is no such file. */
static kc_status_t set_path(kci_module_file_t *file, const char *path,
                            kc_error_t *error)
{
    char *real = realpath(path, NULL);
    kc_status_t status =
        kci_copy_string(real != NULL ? real : path, &file->path, error);
    free(real);
    return status;
}

kc_status_t kci_module_file_inspect(const char *path,
                                    kci_module_file_t **out_file,
                                    kc_error_t *error)
{
    void *memory = NULL;
    KC_RETURN_IF_ERROR(
        kci_alloc_array(1, sizeof(kci_module_file_t), &memory, error));
    kci_module_file_t *file = memory;
    file->reference_count = 1;
    file->descriptor = -1;
    file->verdict.struct_size = sizeof file->verdict;
    file->open_verdict.struct_size = sizeof file->open_verdict;
    if (pthread_mutex_init(&file->mutex, NULL) != 0) {
        kci_free(file);
        return kci_fail(error, KC_ERR_MEMORY, "%s: no mutex to be had", path);
    }
    kc_status_t status = set_path(file, path, error);
    if (status == KC_OK) {
        status = kci_file_judge(file, error);
    }
    if (status != KC_OK) {
        kci_module_file_release(file);
        return status;
    }
    *out_file = file;
    return KC_OK;
}

kci_module_file_t *kci_module_file_retain(kci_module_file_t *file)
{
    atomic_fetch_add(&file->reference_count, 1);
    return file;
}

static void drop_contents(kci_module_file_t *file)
{
    kci_free(file->capsules);
    kci_free(file->provenance);
    kci_free(file->notes);
    kci_needed_free(file->needed);
    file->capsules = NULL;
    file->provenance = NULL;
    file->notes = NULL;
    file->needed = NULL;
    file->capsule_count = 0;
    file->provenance_count = 0;
    file->notes_size = 0;
    memset(&file->record, 0, sizeof file->record);
}

void kci_module_file_release(kci_module_file_t *file)
{
    if (file == NULL || atomic_fetch_sub(&file->reference_count, 1) != 1) {
        return;
    }
    kci_opened_end(file);
    drop_contents(file);
    if (file->descriptor >= 0) {
        (void)close(file->descriptor);
    }
    (void)pthread_mutex_destroy(&file->mutex);
    kci_free(file->path);
    kci_free(file);
}

static kc_status_t parse_records(kci_module_file_t *file,
                                 const kci_elf_file_t *elf, kc_error_t *error)
{
    kci_module_notes_t notes;
    KC_RETURN_IF_ERROR(kci_notes_find(elf, &notes, error));
    KC_RETURN_IF_ERROR(
        kci_records_read_module(&notes.module, &file->record, error));
    KC_RETURN_IF_ERROR(kci_records_read_capsules(&notes.capsules, &file->record,
                                                 &file->capsules,
                                                 &file->capsule_count, error));
    if (notes.provenance.count > 0) {
        KC_RETURN_IF_ERROR(kci_records_read_provenance(
            &notes.provenance, file->capsules, file->capsule_count,
            &file->provenance, &file->provenance_count, error));
    }
    return kci_notes_copy(elf, &file->notes, &file->notes_size, error);
}

static kc_status_t parse_linkage(kci_module_file_t *file,
                                 const kci_elf_file_t *elf, kc_error_t *error)
{
    kci_dynamic_t dynamic;
    KC_RETURN_IF_ERROR(kci_dynamic_read(elf, &dynamic, &file->needed, error));
    if (!kci_symbol_is_exported(elf, &dynamic, KC_MODULE_ENTRY_SYMBOL)) {
        return kci_fail(error, KC_ERR_MODULE,
                        "expected the exported function " KC_MODULE_ENTRY_SYMBOL
                        ", found none");
    }
    return KC_OK;
}

static kc_status_t parse_elf(kci_module_file_t *file, const kci_elf_file_t *elf,
                             kc_error_t *error)
{
    KC_RETURN_IF_ERROR(parse_records(file, elf, error));
    return parse_linkage(file, elf, error);
}

kc_status_t kci_module_file_parse(kci_module_file_t *file,
                                  const unsigned char *bytes, size_t size,
                                  kc_error_t *error)
{
    kci_elf_file_t elf = {NULL, 0, NULL, NULL, 0};
    kc_error_t reason = KC_ERROR_INIT;
    kc_status_t status = kci_elf_open(bytes, size, &elf, &reason);
    if (status == KC_OK) {
        status = parse_elf(file, &elf, &reason);
        kci_elf_close(&elf);
    }
    if (status != KC_OK) {
        drop_contents(file);
        kci_file_name_in(file->path, &reason);
    }
    if (status == KC_ERR_MEMORY) {
        return kci_fail(error, status, "%s", reason.message);
    }
    file->verdict = reason;
    return KC_OK;
}

/* A handler that names another capsule is not meant; one that names this
 * capsule goes before one that names none. */
static int fitness(const kc_handler_t *handler,
                   const kc_capsule_record_t *capsule)
{
    if (handler->op != capsule->op || handler->device != capsule->device ||
        strcmp(handler->provider, capsule->provider) != 0) {
        return 0;
    }
    if (handler->capsule == NULL) {
        return 1;
    }
    return strcmp(handler->capsule, capsule->name) == 0 ? 2 : 0;
}

const kc_handler_t *kci_module_file_handler(const kci_module_file_t *file,
                                            const kc_capsule_record_t *capsule)
{
    const kc_handler_t *best = NULL;
    int best_fitness = 0;
    for (size_t idx = 0; idx < file->handler_count; idx++) {
        int fit = fitness(&file->handlers[idx], capsule);
        if (fit > best_fitness) {
            best = &file->handlers[idx];
            best_fitness = fit;
        }
    }
    return best;
}
