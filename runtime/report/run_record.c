/* SPDX-License-Identifier: Apache-2.0
 *
 * Copying run records and naming the files of a run with their hashes.
 */
#include "report/run_record.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"

static kc_status_t copy_array(const void *items, size_t count, size_t size,
                              void **out_copy, kc_error_t *error)
{
    KC_RETURN_IF_ERROR(kci_alloc_array(count, size, out_copy, error));
    if (count != 0) {
        memcpy(*out_copy, items, count * size);
    }
    return KC_OK;
}

static kc_status_t copy_run(const kci_run_record_t *from, kci_run_record_t *to,
                            kc_error_t *error)
{
    void *copy = NULL;
    to->policy = from->policy;
    to->thread_count = from->thread_count;
    to->has_time = from->has_time;
    to->profile = kci_profile_retain(from->profile);
    KC_RETURN_IF_ERROR(copy_array(from->entries, from->entry_count,
                                  sizeof *from->entries, &copy, error));
    to->entries = copy;
    to->entry_count = to->entry_capacity = from->entry_count;
    KC_RETURN_IF_ERROR(copy_array(from->nodes, from->node_count,
                                  sizeof *from->nodes, &copy, error));
    to->nodes = copy;
    to->node_count = to->node_capacity = from->node_count;
    return KC_OK;
}

kc_status_t kci_record_create(const kci_run_record_t *run, const char *mode,
                              kc_record_t **out_record, kc_error_t *error)
{
    void *memory = NULL;
    KC_RETURN_IF_ERROR(kci_alloc_array(1, sizeof(kc_record_t), &memory, error));
    kc_record_t *record = memory;
    record->mode = mode;
    kc_status_t status = copy_run(run, &record->run, error);
    if (status != KC_OK) {
        kci_record_release(record);
        return status;
    }
    *out_record = record;
    return KC_OK;
}

kc_status_t kci_record_add_extent(kc_record_t *record, const char *name,
                                  int64_t value, kc_error_t *error)
{
    void *extents = record->extents;
    for (size_t i = 0; i < record->extent_count; i++) {
        if (strcmp(record->extents[i].name, name) == 0) {
            return kci_fail(error, KC_ERR_ARGUMENT,
                            "expected each extent once, found `%s` again",
                            name);
        }
    }
    KC_RETURN_IF_ERROR(kci_grow_array(&extents, &record->extent_capacity,
                                      record->extent_count + 1,
                                      sizeof *record->extents, error));
    record->extents = extents;
    kci_record_extent_t *extent = &record->extents[record->extent_count];
    KC_RETURN_IF_ERROR(kci_copy_string(name, &extent->name, error));
    extent->value = value;
    record->extent_count++;
    return KC_OK;
}

static kc_status_t fill_file(kci_record_file_t *file, const char *role,
                             const char *name, const char *path,
                             const char *bytes_path, kc_error_t *error)
{
    if (bytes_path != NULL) {
        KC_RETURN_IF_ERROR(kci_sha256_file(bytes_path, file->sha256, error));
    }
    KC_RETURN_IF_ERROR(kci_copy_string(role, &file->role, error));
    KC_RETURN_IF_ERROR(kci_copy_string(name, &file->name, error));
    return kci_copy_string(path, &file->path, error);
}

static void release_file(kci_record_file_t *file)
{
    kci_free(file->role);
    kci_free(file->name);
    kci_free(file->path);
    memset(file, 0, sizeof *file);
}

kc_status_t kci_record_add_file(kc_record_t *record, const char *role,
                                const char *name, const char *path,
                                const char *bytes_path, kc_error_t *error)
{
    void *files = record->files;
    KC_RETURN_IF_ERROR(kci_grow_array(&files, &record->file_capacity,
                                      record->file_count + 1,
                                      sizeof *record->files, error));
    record->files = files;
    kci_record_file_t *file = &record->files[record->file_count];
    memset(file, 0, sizeof *file);
    kc_status_t status = fill_file(file, role, name, path, bytes_path, error);
    if (status != KC_OK) {
        release_file(file);
        return status;
    }
    record->file_count++;
    return KC_OK;
}

void kci_record_release(kc_record_t *record)
{
    if (record == NULL) {
        return;
    }
    for (size_t i = 0; i < record->file_count; i++) {
        release_file(&record->files[i]);
    }
    kci_free(record->files);
    for (size_t i = 0; i < record->extent_count; i++) {
        kci_free(record->extents[i].name);
    }
    kci_free(record->extents);
    kci_run_record_release(&record->run);
    kci_free(record);
}
