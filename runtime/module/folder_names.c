/* SPDX-License-Identifier: Apache-2.0
 *
 * Lists a folder in an order of our own: readdir's differs between file
 * systems and the locale's between users.
 */
#include "module/folder_names.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "base/alloc.h"
#include "base/error.h"

static bool is_wanted(const char *name, const char *ending)
{
    size_t length = strlen(name);
    size_t ending_length = strlen(ending);
    return name[0] != '.' && length > ending_length &&
           strcmp(name + length - ending_length, ending) == 0;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static kc_status_t add_name(kci_folder_names_t *names, size_t *capacity,
                            const char *name, kc_error_t *error)
{
    void *items = names->names;
    KC_RETURN_IF_ERROR(kci_grow_array(&items, capacity, names->count + 1,
                                      sizeof *names->names, error));
    names->names = items;
    KC_RETURN_IF_ERROR(
        kci_copy_string(name, &names->names[names->count], error));
    names->count++;
    return KC_OK;
}

static kc_status_t read_names(DIR *stream, const char *ending,
                              kci_folder_names_t *names, int *out_reason,
                              kc_error_t *error)
{
    size_t capacity = 0;
    const struct dirent *entry = NULL;
    while (errno = 0, (entry = readdir(stream)) != NULL) {
        if (is_wanted(entry->d_name, ending)) {
            KC_RETURN_IF_ERROR(
                add_name(names, &capacity, entry->d_name, error));
        }
    }
    *out_reason = errno;
    return KC_OK;
}

kc_status_t kci_folder_names_read(const char *folder, const char *ending,
                                  kci_folder_names_t *out_names,
                                  int *out_reason, kc_error_t *error)
{
    kci_folder_names_t names = {NULL, 0};
    int reason = 0;
    DIR *stream = opendir(folder);
    if (stream == NULL) {
        *out_reason = errno;
        return KC_OK;
    }
    kc_status_t status = read_names(stream, ending, &names, &reason, error);
    (void)closedir(stream);
    if (status != KC_OK || reason != 0) {
        kci_folder_names_release(&names);
        *out_reason = reason;
        return status;
    }
    if (names.count > 1) {
        qsort(names.names, names.count, sizeof *names.names, compare_names);
    }
    *out_names = names;
    *out_reason = 0;
    return KC_OK;
}

void kci_folder_names_release(kci_folder_names_t *names)
{
    for (size_t idx = 0; idx < names->count; idx++) {
        kci_free(names->names[idx]);
    }
    kci_free(names->names);
    names->names = NULL;
    names->count = 0;
}
