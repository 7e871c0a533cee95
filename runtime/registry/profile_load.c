/* SPDX-License-Identifier: Apache-2.0
 *
 * Finding profiles by name or file and following what they extend. The chain
 * is read from the file down to its base and applied from the base up; it is
 * bounded and a file never comes twice.
 */
#include "registry/profile_load.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/alloc.h"
#include "base/error.h"
#include "base/file_bytes.h"
#include "registry/profile_file.h"

#define CHAIN_MAX 16
#define SUFFIX    ".ini"

typedef struct link {
    kci_ini_t *ini; /* owned */
    char *path;     /* owned; the real path, to know a file again */
    char name[KCI_PROFILE_NAME_SIZE];
} link_t;

/* links[0] is the profile asked for, the last one extends `base`. */
typedef struct chain {
    link_t links[CHAIN_MAX];
    size_t count;
    const kci_maintained_profile_t *base;
} chain_t;

static void release_chain(chain_t *chain)
{
    for (size_t idx = 0; idx < chain->count; idx++) {
        kci_ini_release(chain->links[idx].ini);
        kci_free(chain->links[idx].path);
    }
}

/* The name of the file without folder and suffix; cut when it is too long. */
static void copy_stem(const char *path, char out[KCI_PROFILE_NAME_SIZE])
{
    const char *slash = strrchr(path, '/');
    const char *stem = slash != NULL ? slash + 1 : path;
    size_t length = strlen(stem);
    size_t suffix = strlen(SUFFIX);
    if (length > suffix && strcmp(stem + length - suffix, SUFFIX) == 0) {
        length -= suffix;
    }
    snprintf(out, KCI_PROFILE_NAME_SIZE, "%.*s", (int)length, stem);
}

static kc_status_t push_text(chain_t *chain, const char *text, size_t length,
                             const char *name, const char *path,
                             kc_error_t *error)
{
    link_t link = {NULL, NULL, {0}};
    KC_RETURN_IF_ERROR(kci_ini_parse(text, length, name, &link.ini, error));
    kc_status_t status = kci_copy_string(path, &link.path, error);
    if (status != KC_OK) {
        kci_ini_release(link.ini);
        return status;
    }
    copy_stem(name, link.name);
    chain->links[chain->count++] = link;
    return KC_OK;
}

static void describe_chain(const chain_t *chain, const char *last, char *out,
                           size_t size)
{
    size_t length = 0;
    for (size_t idx = 0; idx < chain->count && length < size; idx++) {
        int written = snprintf(out + length, size - length, "%s -> ",
                               chain->links[idx].name);
        length += written > 0 ? (size_t)written : size;
    }
    if (length < size) {
        snprintf(out + length, size - length, "%s", last);
    }
}

static kc_status_t check_cycle(const chain_t *chain, const char *path,
                               kc_error_t *error)
{
    char names[KC_ERROR_MESSAGE_SIZE / 2];
    char stem[KCI_PROFILE_NAME_SIZE];
    copy_stem(path, stem);
    for (size_t idx = 0; idx < chain->count; idx++) {
        if (strcmp(chain->links[idx].path, path) == 0) {
            describe_chain(chain, stem, names, sizeof names);
            return kci_fail(error, KC_ERR_CONFIG,
                            "profiles extend each other: %s", names);
        }
    }
    if (chain->count == CHAIN_MAX) {
        describe_chain(chain, stem, names, sizeof names);
        return kci_fail(error, KC_ERR_CONFIG,
                        "expected at most %d profiles that extend each other, "
                        "found more: %s",
                        CHAIN_MAX, names);
    }
    return KC_OK;
}

static kc_status_t push_file(chain_t *chain, const char *path,
                             kc_error_t *error)
{
    char *real_path = realpath(path, NULL);
    const char *known_path = real_path != NULL ? real_path : path;
    kci_bytes_t bytes = {NULL, 0};
    kc_status_t status = check_cycle(chain, known_path, error);
    if (status == KC_OK) {
        status = kci_file_read(path, &bytes, error);
    }
    if (status == KC_OK) {
        status = push_text(chain, (const char *)bytes.data, bytes.size, path,
                           known_path, error);
    }
    kci_bytes_release(&bytes);
    free(real_path);
    return status;
}

static bool is_path(const char *text)
{
    size_t length = strlen(text);
    size_t suffix = strlen(SUFFIX);
    return strchr(text, '/') != NULL ||
           (length > suffix && strcmp(text + length - suffix, SUFFIX) == 0);
}

static kc_status_t fail_unknown(const kci_profile_source_t *source,
                                const char *name, kc_error_t *error)
{
    char known[KC_ERROR_MESSAGE_SIZE / 4];
    char folders[KC_ERROR_MESSAGE_SIZE / 2];
    size_t length = 0;
    for (size_t idx = 0;
         idx < kci_maintained_profile_count() && length < sizeof known; idx++) {
        length += (size_t)snprintf(known + length, sizeof known - length,
                                   "%s%s", idx == 0 ? "" : ", ",
                                   kci_maintained_profile_name(idx));
    }
    length = 0;
    folders[0] = '\0';
    const kci_search_path_t *path = source->profile_path;
    for (size_t idx = 0; idx < path->count && length < sizeof folders; idx++) {
        length +=
            (size_t)snprintf(folders + length, sizeof folders - length, "%s%s",
                             idx == 0 ? "" : ", ", path->directories[idx].path);
    }
    return kci_fail(error, KC_ERR_NOT_FOUND,
                    "unknown profile `%s`: expected %s, or %.64s%s in: %s",
                    name, known, name, SUFFIX,
                    path->count == 0 ? "no directory" : folders);
}

/* The file on the path with exactly that stem; owned by the caller. */
static kc_status_t find_file(const kci_profile_source_t *source,
                             const char *name, char **out_path,
                             kc_error_t *error)
{
    const kci_search_path_t *path = source->profile_path;
    bool is_stem = name[0] != '\0' && strchr(name, '/') == NULL;
    for (size_t idx = 0; idx < path->count && is_stem; idx++) {
        char file[PATH_MAX];
        int length = snprintf(file, sizeof file, "%s/%s%s",
                              path->directories[idx].path, name, SUFFIX);
        bool fits = length > 0 && (size_t)length < sizeof file;
        if (fits && access(file, F_OK) == 0) {
            return kci_copy_string(file, out_path, error);
        }
    }
    return fail_unknown(source, name, error);
}

static kc_status_t push_named(const kci_profile_source_t *source,
                              chain_t *chain, const char *name,
                              kc_error_t *error)
{
    char *path = NULL;
    KC_RETURN_IF_ERROR(find_file(source, name, &path, error));
    kc_status_t status = push_file(chain, path, error);
    kci_free(path);
    return status;
}

/* Follows `extends` of the last link; sets the base at the end. */
static kc_status_t follow(const kci_profile_source_t *source, chain_t *chain,
                          kc_error_t *error)
{
    while (chain->base == NULL) {
        kci_ini_t *ini = chain->links[chain->count - 1].ini;
        const kci_ini_entry_t *entry = kci_ini_find(ini, "profile", "extends");
        if (entry == NULL) {
            chain->base = kci_default_profile();
            break;
        }
        chain->base = kci_maintained_profile_find(entry->value);
        if (chain->base != NULL) {
            break;
        }
        kc_error_t cause = KC_ERROR_INIT;
        kc_status_t status = push_named(source, chain, entry->value, &cause);
        if (status != KC_OK) {
            return kci_fail(error,
                            status == KC_ERR_MEMORY ? status : KC_ERR_CONFIG,
                            "%s:%d: extends: %s", kci_ini_name(ini),
                            entry->line, cause.message);
        }
    }
    return KC_OK;
}

/* A file without a name has that of the file. */
static kc_status_t name_draft(const chain_t *chain, kci_profile_draft_t *draft,
                              kc_error_t *error)
{
    const link_t *link = &chain->links[0];
    if (kci_ini_find(link->ini, "profile", "name") != NULL) {
        return KC_OK;
    }
    bool is_maintained = kci_maintained_profile_find(link->name) != NULL;
    if (is_maintained || !kci_is_profile_name(link->name)) {
        return kci_fail(error, KC_ERR_CONFIG,
                        "%s: expected a name in section [profile], because "
                        "`%s` is %s",
                        kci_ini_name(link->ini), link->name,
                        is_maintained ? "a maintained profile" : "none");
    }
    memcpy(draft->name, link->name, sizeof draft->name);
    return KC_OK;
}

static kc_status_t fill_draft(const chain_t *chain, kci_profile_draft_t *draft,
                              kc_error_t *error)
{
    KC_RETURN_IF_ERROR(kci_profile_draft_begin(draft, chain->base, error));
    for (size_t idx = chain->count; idx > 0; idx--) {
        KC_RETURN_IF_ERROR(
            kci_profile_file_apply(chain->links[idx - 1].ini, draft, error));
    }
    return chain->count > 0 ? name_draft(chain, draft, error) : KC_OK;
}

static kc_status_t finish(const kci_profile_source_t *source, chain_t *chain,
                          const char *source_name, kc_profile_t **out_profile,
                          kc_error_t *error)
{
    kci_profile_draft_t draft;
    memset(&draft, 0, sizeof draft);
    kc_status_t status = follow(source, chain, error);
    if (status == KC_OK) {
        status = fill_draft(chain, &draft, error);
    }
    if (status == KC_OK) {
        status = kci_profile_resolve(source, &draft, source_name, out_profile,
                                     error);
    }
    kci_profile_draft_release(&draft);
    return status;
}

kc_status_t kci_profile_parse(const kci_profile_source_t *source,
                              const char *text, size_t length, const char *name,
                              kc_profile_t **out_profile, kc_error_t *error)
{
    chain_t chain = {.count = 0, .base = NULL};
    kc_status_t status = push_text(&chain, text, length, name, name, error);
    if (status == KC_OK) {
        status = finish(source, &chain, name, out_profile, error);
    }
    release_chain(&chain);
    return status;
}

kc_status_t kci_profile_load(const kci_profile_source_t *source,
                             const char *name_or_path,
                             kc_profile_t **out_profile, kc_error_t *error)
{
    chain_t chain = {.count = 0, .base = NULL};
    chain.base = kci_maintained_profile_find(name_or_path);
    kc_status_t status = KC_OK;
    if (chain.base == NULL) {
        status = is_path(name_or_path)
                     ? push_file(&chain, name_or_path, error)
                     : push_named(source, &chain, name_or_path, error);
    }
    const char *source_name = "maintained";
    if (status == KC_OK && chain.count > 0) {
        source_name = kci_ini_name(chain.links[0].ini);
    }
    if (status == KC_OK) {
        status = finish(source, &chain, source_name, out_profile, error);
    }
    release_chain(&chain);
    return status;
}
