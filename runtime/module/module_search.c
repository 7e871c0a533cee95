/* SPDX-License-Identifier: Apache-2.0
 *
 * Looks for module files: folders in the order of the path, names sorted by
 * their bytes within a folder, so the result does not depend on the file
 * system or the locale. Whatever is wrong with an entry is said of that entry.
 */
#include "module/module_search.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/alloc.h"
#include "base/error.h"
#include "base/string_buffer.h"
#include "module/file_judge.h"
#include "module/folder_names.h"

/* The set while it grows. */
typedef struct search {
    kci_module_set_t set;
    size_t file_capacity;
    size_t entry_capacity;
} search_t;

static bool is_same_file(const kci_module_file_t *a, const kci_module_file_t *b)
{
    if (a->inode == 0 || b->inode == 0) { /* no such file: known by its path */
        return strcmp(a->path, b->path) == 0;
    }
    return a->device == b->device && a->inode == b->inode;
}

static const kci_module_file_t *find_listed(const kci_module_set_t *set,
                                            const kci_module_file_t *file)
{
    for (size_t idx = 0; idx < set->file_count; idx++) {
        if (is_same_file(set->files[idx], file)) {
            return set->files[idx];
        }
    }
    return NULL;
}

/* Which of two files of one name is meant would depend on the search path. */
static void refuse_second(const kci_module_set_t *set, kci_module_file_t *file)
{
    if (file->verdict.status != KC_OK) {
        return;
    }
    const kci_module_file_t *first =
        kci_module_set_find(set, file->record.name);
    if (first == NULL) {
        return;
    }
    kc_status_t status =
        kci_fail(&file->verdict, KC_ERR_DUPLICATE,
                 "%s: expected a name of its own, found `%s`, the module of %s",
                 kci_path_in_message(file->path), file->record.name,
                 kci_path_in_message(first->path));
    file->verdict.status = status;
    (void)close(file->descriptor);
    file->descriptor = -1;
}

/* The path becomes the entry's on KC_OK only. */
static kc_status_t add_entry(search_t *search, char *path,
                             const kci_module_file_t *file, bool is_repeat,
                             kc_error_t *error)
{
    struct stat status;
    void *entries = search->set.entries;
    KC_RETURN_IF_ERROR(kci_grow_array(&entries, &search->entry_capacity,
                                      search->set.entry_count + 1,
                                      sizeof *search->set.entries, error));
    search->set.entries = entries;
    search->set.entries[search->set.entry_count++] = (kci_found_entry_t){
        .path = path,
        .file = file,
        .is_link = lstat(path, &status) == 0 && S_ISLNK(status.st_mode),
        .is_repeat = is_repeat};
    return KC_OK;
}

/* Moves the record into the set, or lets go of it. */
static kc_status_t add_file(search_t *search, kci_module_file_t *file,
                            const kci_module_file_t **out_listed,
                            kc_error_t *error)
{
    *out_listed = find_listed(&search->set, file);
    if (*out_listed != NULL) {
        kci_module_file_release(file);
        return KC_OK;
    }
    void *files = search->set.files;
    kc_status_t status = kci_grow_array(&files, &search->file_capacity,
                                        search->set.file_count + 1,
                                        sizeof *search->set.files, error);
    if (status != KC_OK) {
        kci_module_file_release(file);
        return status;
    }
    search->set.files = files;
    refuse_second(&search->set, file);
    search->set.files[search->set.file_count++] = file;
    *out_listed = file;
    return KC_OK;
}

/* A process that has no descriptor left finds nothing that it could judge. */
static kc_status_t need_descriptors(const char *path, kc_error_t *error)
{
    int descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (descriptor < 0 && (errno == EMFILE || errno == ENFILE)) {
        return kci_fail(error, KC_ERR_IO, "%s: cannot be opened: %s",
                        kci_path_in_message(path), kci_errno_text(errno));
    }
    if (descriptor >= 0) {
        (void)close(descriptor);
    }
    return KC_OK;
}

static kc_status_t inspect_entry(search_t *search, char *path,
                                 kc_error_t *error)
{
    kci_module_file_t *file = NULL;
    const kci_module_file_t *listed = NULL;
    size_t count = search->set.file_count;
    KC_RETURN_IF_ERROR(kci_module_file_inspect(path, &file, error));
    if (file->verdict.status == KC_ERR_IO) {
        kc_status_t status = need_descriptors(path, error);
        if (status != KC_OK) {
            kci_module_file_release(file);
            return status;
        }
    }
    KC_RETURN_IF_ERROR(add_file(search, file, &listed, error));
    return add_entry(search, path, listed, search->set.file_count == count,
                     error);
}

static kc_status_t look_at(search_t *search, const char *folder,
                           const char *name, kc_error_t *error)
{
    kci_string_buffer_t buffer = KCI_STRING_BUFFER_INIT;
    char *path = NULL;
    kci_string_appendf(&buffer, "%s/%s", folder, name);
    KC_RETURN_IF_ERROR(kci_string_take(&buffer, &path, error));
    kc_status_t status = inspect_entry(search, path, error);
    if (status != KC_OK) {
        kci_free(path);
    }
    return status;
}

static kc_status_t look_in(search_t *search, kci_found_directory_t *found,
                           kc_error_t *error)
{
    kci_folder_names_t names = {NULL, 0};
    int reason = 0;
    const char *folder = found->directory->path;
    KC_RETURN_IF_ERROR(
        kci_folder_names_read(folder, ".so", &names, &reason, error));
    if (reason != 0) {
        KC_RETURN_IF_ERROR(need_descriptors(folder, error));
        return kci_copy_string(reason == ENOENT ? "does not exist"
                                                : kci_errno_text(reason),
                               &found->remark, error);
    }
    if (kci_is_world_writable(folder)) {
        kci_folder_names_release(&names);
        return kci_copy_string("world-writable", &found->remark, error);
    }
    kc_status_t status = KC_OK;
    for (size_t idx = 0; idx < names.count && status == KC_OK; idx++) {
        status = look_at(search, folder, names.names[idx], error);
        found->file_count++;
    }
    kci_folder_names_release(&names);
    return status;
}

/* The built-in folder need not exist: nothing may be installed. */
static void warn(const kci_found_directory_t *found, const kci_log_t *log)
{
    bool is_usual = strcmp(found->directory->origin, "built-in") == 0 &&
                    strcmp(found->remark, "does not exist") == 0;
    if (!is_usual) {
        kci_log_write(
            log, KC_LOG_WARNING, "module folder %s (%s) is not searched: %s",
            found->directory->path, found->directory->origin, found->remark);
    }
}

static kc_status_t search_all(search_t *search, const kci_search_path_t *path,
                              const kci_log_t *log, kc_error_t *error)
{
    void *directories = NULL;
    KC_RETURN_IF_ERROR(kci_alloc_array(
        path->count, sizeof(kci_found_directory_t), &directories, error));
    search->set.directories = directories;
    for (size_t idx = 0; idx < path->count; idx++) {
        kci_found_directory_t *found = &search->set.directories[idx];
        found->directory = &path->directories[idx];
        search->set.directory_count++;
        KC_RETURN_IF_ERROR(look_in(search, found, error));
        if (found->remark != NULL) {
            warn(found, log);
        }
    }
    return KC_OK;
}

kc_status_t kci_module_search(const kci_search_path_t *path,
                              const kci_log_t *log, kci_module_set_t *out_set,
                              kc_error_t *error)
{
    search_t search;
    memset(&search, 0, sizeof search);
    kc_status_t status = search_all(&search, path, log, error);
    if (status != KC_OK) {
        kci_module_set_release(&search.set);
        return status;
    }
    *out_set = search.set;
    return KC_OK;
}

void kci_module_set_release(kci_module_set_t *set)
{
    for (size_t idx = 0; idx < set->file_count; idx++) {
        kci_module_file_release(set->files[idx]);
    }
    for (size_t idx = 0; idx < set->directory_count; idx++) {
        kci_free(set->directories[idx].remark);
    }
    for (size_t idx = 0; idx < set->entry_count; idx++) {
        kci_free(set->entries[idx].path);
    }
    kci_free(set->entries);
    kci_free(set->files);
    kci_free(set->directories);
    memset(set, 0, sizeof *set);
}

kci_module_file_t *kci_module_set_find(const kci_module_set_t *set,
                                       const char *name)
{
    for (size_t idx = 0; idx < set->file_count; idx++) {
        kci_module_file_t *file = set->files[idx];
        if (file->verdict.status == KC_OK &&
            strcmp(file->record.name, name) == 0) {
            return file;
        }
    }
    return NULL;
}

/* "FOLDER/NAME.so" */
static bool is_file_of(const char *path, const char *name)
{
    size_t length = strlen(name);
    const char *slash = strrchr(path, '/');
    const char *base = slash != NULL ? slash + 1 : path;
    return strncmp(base, name, length) == 0 &&
           strcmp(base + length, ".so") == 0;
}

const kci_module_file_t *
kci_module_set_find_refused(const kci_module_set_t *set, const char *name)
{
    for (size_t idx = 0; idx < set->entry_count; idx++) {
        const kci_found_entry_t *entry = &set->entries[idx];
        if (entry->file->verdict.status != KC_OK &&
            is_file_of(entry->path, name)) {
            return entry->file;
        }
    }
    for (size_t idx = 0; idx < set->file_count; idx++) {
        const kci_module_file_t *file = set->files[idx];
        if (file->verdict.status != KC_OK && is_file_of(file->path, name)) {
            return file;
        }
    }
    return NULL;
}
