/* SPDX-License-Identifier: Apache-2.0
 *
 * Where modules and profiles are looked for, in which order, and who said
 * so. Order: option, KCAPSULE_MODULE_PATH (replaces what follows),
 * else KCAPSULE_ADD_MODULE_PATH, then the installed directory. Set but empty
 * means unset; empty and relative components are ignored with a warning;
 * the environment is ignored in a privileged process.
 */
#ifndef KC_CONFIG_SEARCH_PATH_H
#define KC_CONFIG_SEARCH_PATH_H

#include <stddef.h>
#include <kcapsule/status.h>
#include "base/log.h"

typedef struct kci_search_directory {
    char *path;         /* owned */
    const char *origin; /* "option", "KCAPSULE_MODULE_PATH", "built-in" ... */
} kci_search_directory_t;

typedef struct kci_search_path {
    kci_search_directory_t *directories;
    size_t count;
    char *note; /* e.g. "environment ignored: privileged process"; or NULL */
} kci_search_path_t;

/* `options` are directories the caller gave (absolute or relative to the
 * working directory, made absolute here). */
KC_MUST_USE kc_status_t kci_module_search_path(const char *const *options,
                                               size_t option_count,
                                               const kci_log_t *log,
                                               kci_search_path_t *out_path,
                                               kc_error_t *error);
/* KCAPSULE_PROFILE_PATH, then the configured profile folders. */
KC_MUST_USE kc_status_t kci_profile_search_path(const char *const *options,
                                                size_t option_count,
                                                const kci_log_t *log,
                                                kci_search_path_t *out_path,
                                                kc_error_t *error);
void kci_search_path_release(kci_search_path_t *path);

#endif
