/* SPDX-License-Identifier: Apache-2.0
 *
 * All module files of a search path, in its order, sorted within a folder.
 * One bad file costs only itself.
 */
#ifndef KC_MODULE_MODULE_SEARCH_H
#define KC_MODULE_MODULE_SEARCH_H

#include "config/search_path.h"
#include "module/module_file.h"

typedef struct kci_found_directory {
    const kci_search_directory_t *directory; /* borrowed from the path */
    size_t file_count;                       /* files named *.so looked at */
    char *remark; /* "does not exist", "world-writable", or NULL */
} kci_found_directory_t;

/* A name in a folder. The file may be elsewhere, and have other names. */
typedef struct kci_found_entry {
    char *path;                    /* folder and name, links not followed */
    const kci_module_file_t *file; /* in the set */
    bool is_link;
    bool is_repeat; /* the same file as an entry before */
} kci_found_entry_t;

typedef struct kci_module_set {
    kci_found_directory_t *directories;
    size_t directory_count;
    kci_module_file_t **files; /* retained; refused ones included */
    size_t file_count;
    kci_found_entry_t *entries; /* in the order of the search */
    size_t entry_count;
} kci_module_set_t;

/* A file seen before by device and inode is listed once. A second file with
 * the name of an accepted module gets a verdict naming both. Running out of
 * descriptors says nothing of any file: KC_ERR_IO. */
KC_MUST_USE kc_status_t kci_module_search(const kci_search_path_t *path,
                                          const kci_log_t *log,
                                          kci_module_set_t *out_set,
                                          kc_error_t *error);
void kci_module_set_release(kci_module_set_t *set);
/* The accepted file of that module name, or NULL. Borrowed. */
kci_module_file_t *kci_module_set_find(const kci_module_set_t *set,
                                       const char *name);
/* A refused file cannot be trusted to tell its name, so it is known by the
 * name of the file, or that of a link to it; or NULL. Borrowed. */
const kci_module_file_t *
kci_module_set_find_refused(const kci_module_set_t *set, const char *name);

#endif
