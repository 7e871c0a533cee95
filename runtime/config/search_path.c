/* SPDX-License-Identifier: Apache-2.0
 *
 * Where modules and profiles are looked for, in which order, and who said so.
 */
#include "config/search_path.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/string_buffer.h"
#include "config/environment.h"

#define MODULE_PATH     "KCAPSULE_MODULE_PATH"
#define ADD_MODULE_PATH "KCAPSULE_ADD_MODULE_PATH"
#define PROFILE_PATH    "KCAPSULE_PROFILE_PATH"

typedef struct path_builder {
    kci_search_path_t path;
    size_t capacity;
    const kci_log_t *log;
    kc_error_t *error;
} path_builder_t;

/* Takes `directory` over, also when it fails. */
static kc_status_t add_directory(path_builder_t *builder, char *directory,
                                 const char *origin)
{
    void *directories = builder->path.directories;
    kc_status_t status = kci_grow_array(
        &directories, &builder->capacity, builder->path.count + 1,
        sizeof *builder->path.directories, builder->error);
    if (status != KC_OK) {
        kci_free(directory);
        return status;
    }
    builder->path.directories = directories;
    builder->path.directories[builder->path.count++] =
        (kci_search_directory_t){directory, origin};
    return KC_OK;
}

/* The text without slashes at its end, of which the root keeps one. */
static size_t length_without_slashes(const char *text, size_t length)
{
    while (length > 1 && text[length - 1] == '/') {
        length--;
    }
    return length;
}

static kc_status_t add_text(path_builder_t *builder, const char *text,
                            size_t length, const char *origin)
{
    char *directory = NULL;
    kci_string_buffer_t buffer = KCI_STRING_BUFFER_INIT;
    kci_string_append_bytes(&buffer, text,
                            length_without_slashes(text, length));
    KC_RETURN_IF_ERROR(kci_string_take(&buffer, &directory, builder->error));
    return add_directory(builder, directory, origin);
}

/* One component of a path variable; a bad one costs only itself. */
static kc_status_t add_component(path_builder_t *builder, const char *text,
                                 size_t length, const char *origin)
{
    if (length == 0) {
        kci_log_write(builder->log, KC_LOG_WARNING,
                      "%s: an empty component is ignored", origin);
        return KC_OK;
    }
    if (text[0] != '/') {
        kci_log_write(builder->log, KC_LOG_WARNING,
                      "%s: `%.*s` is ignored: expected an absolute path",
                      origin, (int)(length < 256 ? length : 256), text);
        return KC_OK;
    }
    return add_text(builder, text, length, origin);
}

static kc_status_t add_list(path_builder_t *builder, const char *list,
                            const char *origin)
{
    for (;;) {
        size_t length = strcspn(list, ":");
        KC_RETURN_IF_ERROR(add_component(builder, list, length, origin));
        if (list[length] == '\0') {
            return KC_OK;
        }
        list += length + 1;
    }
}

static kc_status_t append_working_directory(kci_string_buffer_t *buffer,
                                            kc_error_t *error)
{
    size_t capacity = 0;
    void *text = NULL;
    do {
        kc_status_t status =
            kci_grow_array(&text, &capacity, capacity + 256, 1, error);
        if (status != KC_OK) {
            kci_free(text);
            return status;
        }
        if (getcwd(text, capacity) != NULL) {
            kci_string_append(buffer, text);
            kci_free(text);
            return KC_OK;
        }
    } while (errno == ERANGE);
    int errno_value = errno;
    kci_free(text);
    return kci_fail(error, KC_ERR_IO, "working directory: %s",
                    kci_errno_text(errno_value));
}

static kc_status_t add_option(path_builder_t *builder, const char *option)
{
    char *absolute = NULL;
    kci_string_buffer_t buffer = KCI_STRING_BUFFER_INIT;
    if (option == NULL || *option == '\0') {
        return kci_fail(builder->error, KC_ERR_ARGUMENT,
                        "search path: expected a directory, found nothing");
    }
    if (*option != '/') {
        KC_RETURN_IF_ERROR(append_working_directory(&buffer, builder->error));
        while (strncmp(option, "./", 2) == 0) {
            option += 2 + strspn(option + 2, "/");
        }
        bool is_here = *option == '\0' || strcmp(option, ".") == 0;
        kci_string_append(&buffer, is_here ? "" : "/");
        kci_string_append(&buffer, is_here ? "" : option);
    } else {
        kci_string_append(&buffer, option);
    }
    KC_RETURN_IF_ERROR(kci_string_take(&buffer, &absolute, builder->error));
    absolute[length_without_slashes(absolute, strlen(absolute))] = '\0';
    return add_directory(builder, absolute, "option");
}

static kc_status_t add_options(path_builder_t *builder,
                               const char *const *options, size_t option_count)
{
    for (size_t i = 0; i < option_count; i++) {
        KC_RETURN_IF_ERROR(add_option(builder, options[i]));
    }
    return KC_OK;
}

static kc_status_t note_privilege(path_builder_t *builder)
{
    if (!kci_process_is_privileged()) {
        return KC_OK;
    }
    return kci_copy_string("environment ignored: privileged process",
                           &builder->path.note, builder->error);
}

static kc_status_t add_variable(path_builder_t *builder, const char *variable)
{
    const char *list = kci_environment_get(variable);
    return list == NULL ? KC_OK : add_list(builder, list, variable);
}

static kc_status_t build_module_path(path_builder_t *builder,
                                     const char *const *options,
                                     size_t option_count)
{
    KC_RETURN_IF_ERROR(note_privilege(builder));
    KC_RETURN_IF_ERROR(add_options(builder, options, option_count));
    if (kci_environment_get(MODULE_PATH) != NULL) {
        if (kci_environment_get(ADD_MODULE_PATH) != NULL) {
            kci_log_write(builder->log, KC_LOG_WARNING,
                          ADD_MODULE_PATH " is ignored: " MODULE_PATH
                                          " replaces the search path");
        }
        return add_variable(builder, MODULE_PATH);
    }
    KC_RETURN_IF_ERROR(add_variable(builder, ADD_MODULE_PATH));
    return add_text(builder, KC_MODULE_DIR, strlen(KC_MODULE_DIR), "built-in");
}

static kc_status_t build_profile_path(path_builder_t *builder,
                                      const char *const *options,
                                      size_t option_count)
{
    KC_RETURN_IF_ERROR(note_privilege(builder));
    KC_RETURN_IF_ERROR(add_options(builder, options, option_count));
    KC_RETURN_IF_ERROR(add_variable(builder, PROFILE_PATH));
    return add_list(builder, KC_PROFILE_DIRS, "built-in");
}

static kc_status_t finish(path_builder_t *builder, kc_status_t status,
                          kci_search_path_t *out_path)
{
    if (status != KC_OK) {
        kci_search_path_release(&builder->path);
        return status;
    }
    *out_path = builder->path;
    return KC_OK;
}

kc_status_t kci_module_search_path(const char *const *options,
                                   size_t option_count, const kci_log_t *log,
                                   kci_search_path_t *out_path,
                                   kc_error_t *error)
{
    path_builder_t builder = {.log = log, .error = error};
    return finish(&builder, build_module_path(&builder, options, option_count),
                  out_path);
}

kc_status_t kci_profile_search_path(const char *const *options,
                                    size_t option_count, const kci_log_t *log,
                                    kci_search_path_t *out_path,
                                    kc_error_t *error)
{
    path_builder_t builder = {.log = log, .error = error};
    return finish(&builder, build_profile_path(&builder, options, option_count),
                  out_path);
}

void kci_search_path_release(kci_search_path_t *path)
{
    for (size_t i = 0; i < path->count; i++) {
        kci_free(path->directories[i].path);
    }
    kci_free(path->directories);
    kci_free(path->note);
    *path = (kci_search_path_t){NULL, 0, NULL};
}
