/* SPDX-License-Identifier: Apache-2.0
 *
 * Which profiles there are, maintained ones first, then files by folder and
 * name, and which of them a name leads to.
 */
#include "report/profile_list.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/string_buffer.h"
#include "report/report.h"

void kci_profile_list_release(kci_profile_list_t *list)
{
    for (size_t i = 0; i < list->count; i++) {
        kci_free(list->paths[i]);
    }
    kci_free(list->paths);
}

static bool is_profile_file(const char *name)
{
    size_t length = strlen(name);
    return length > 4 && strcmp(name + length - 4, ".ini") == 0;
}

static kc_status_t add_path(kci_profile_list_t *list, const char *folder,
                            const char *name, kc_error_t *error)
{
    kci_string_buffer_t path = KCI_STRING_BUFFER_INIT;
    kci_string_appendf(&path, "%s/%s", folder, name);
    void *paths = list->paths;
    kc_status_t status = kci_grow_array(
        &paths, &list->capacity, list->count + 1, sizeof *list->paths, error);
    if (status == KC_OK) {
        list->paths = paths;
        status = kci_string_take(&path, &list->paths[list->count], error);
    }
    if (status != KC_OK) {
        kci_string_release(&path);
        return status;
    }
    list->count++;
    return KC_OK;
}

static int compare_paths(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static kc_status_t add_folder(kci_profile_list_t *list, const char *folder,
                              kc_error_t *error)
{
    size_t first = list->count;
    DIR *directory = opendir(folder);
    if (directory == NULL) {
        return KC_OK; /* a folder of the path need not exist */
    }
    kc_status_t status = KC_OK;
    for (struct dirent *item = readdir(directory);
         status == KC_OK && item != NULL; item = readdir(directory)) {
        if (is_profile_file(item->d_name)) {
            status = add_path(list, folder, item->d_name, error);
        }
    }
    closedir(directory);
    if (list->count > first) {
        qsort(list->paths + first, list->count - first, sizeof *list->paths,
              compare_paths);
    }
    return status;
}

kc_status_t kci_profile_list_find(const kc_runtime_t *runtime,
                                  kci_profile_list_t *out_list,
                                  kc_error_t *error)
{
    memset(out_list, 0, sizeof *out_list);
    for (size_t i = 0; i < runtime->profile_path.count; i++) {
        kc_status_t status = add_folder(
            out_list, runtime->profile_path.directories[i].path, error);
        if (status != KC_OK) {
            kci_profile_list_release(out_list);
            return status;
        }
    }
    return KC_OK;
}

kci_listed_profile_t kci_listed_maintained(size_t index)
{
    const char *name = kci_maintained_profile_name(index);
    return (kci_listed_profile_t){name, (int)strlen(name), name,
                                  kci_maintained_profile_doc(index), ""};
}

/* NAME of "FOLDER/NAME.ini". */
static const char *stem_of(const char *path, int *out_length)
{
    const char *name = strrchr(path, '/') + 1;
    *out_length = (int)strlen(name) - 4;
    return name;
}

static bool is_maintained(const char *stem, int length)
{
    for (size_t i = 0; i < kci_maintained_profile_count(); i++) {
        const char *name = kci_maintained_profile_name(i);
        if (strlen(name) == (size_t)length &&
            strncmp(name, stem, (size_t)length) == 0) {
            return true;
        }
    }
    return false;
}

/* Maintained names come first, then folders in the order of the path; what
 * ends like a file is one. */
static const char *remark_on(const kci_profile_list_t *list, size_t index,
                             const char *stem, int length)
{
    if (is_maintained(stem, length)) {
        return "shadowed by the maintained profile";
    }
    if (length > 4 && strncmp(stem + length - 4, ".ini", 4) == 0) {
        return "not reachable by name";
    }
    for (size_t i = 0; i < index; i++) {
        int other_length = 0;
        const char *other = stem_of(list->paths[i], &other_length);
        if (strcmp(other, stem) == 0) {
            return "not reachable by name: a folder before has one";
        }
    }
    return "";
}

kci_listed_profile_t kci_listed_file(const kci_profile_list_t *list,
                                     size_t index)
{
    int length = 0;
    const char *path = list->paths[index];
    const char *stem = stem_of(path, &length);
    return (kci_listed_profile_t){stem, length, path, path,
                                  remark_on(list, index, stem, length)};
}

static kc_status_t copy_names(const kci_profile_list_t *list, char **names,
                              kc_error_t *error)
{
    size_t maintained = kci_maintained_profile_count();
    for (size_t i = 0; i < maintained + list->count; i++) {
        const char *name = i < maintained ? kci_maintained_profile_name(i)
                                          : list->paths[i - maintained];
        KC_RETURN_IF_ERROR(kci_copy_string(name, &names[i], error));
    }
    return KC_OK;
}

kc_status_t kci_profile_names(const kc_runtime_t *runtime, char ***out_names,
                              size_t *out_count, kc_error_t *error)
{
    kci_profile_list_t list;
    void *names = NULL;
    KC_RETURN_IF_ERROR(kci_profile_list_find(runtime, &list, error));
    size_t count = kci_maintained_profile_count() + list.count;
    kc_status_t status = kci_alloc_array(count, sizeof(char *), &names, error);
    if (status == KC_OK) {
        status = copy_names(&list, names, error);
    }
    kci_profile_list_release(&list);
    if (status != KC_OK) {
        kci_profile_names_release(names, count);
        return status;
    }
    *out_names = names;
    *out_count = count;
    return KC_OK;
}

void kci_profile_names_release(char **names, size_t count)
{
    for (size_t i = 0; names != NULL && i < count; i++) {
        kci_free(names[i]);
    }
    kci_free(names);
}
