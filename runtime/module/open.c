/* SPDX-License-Identifier: Apache-2.0
 *
 * Opens a judged file: maps it, asks the getter, compares with the notes, runs
 * the module's open. All or nothing: after a failure nothing of the module is
 * mapped, and the next attempt starts afresh.
 */
#include <stdio.h>
#include <string.h>
#include "base/alloc.h"
#include "base/error.h"
#include "module/entry_check.h"
#include "module/file_judge.h"
#include "module/image.h"
#include "module/opened.h"
#include "module/state_guard.h"

#define WHAT_SIZE 384

/* Everything that opening makes, moved into the record at the end. */
typedef struct opening {
    kci_image_t *image;
    kci_entry_t entry;
    kc_module_t *module; /* owned copy, for the record */
    void *state;
} opening_t;

static kc_status_t map_file(const kci_module_file_t *file, opening_t *opening,
                            kc_module_entry_fn *out_getter, kc_error_t *error)
{
    kc_status_t status = kci_image_acquire_locked(file, &opening->image, error);
    if (status == KC_OK) {
        status = kci_image_entry(opening->image, out_getter, error);
    }
    if (status != KC_OK) {
        kci_file_name_in(file->path, error);
    }
    return status;
}

/* What a module writes as its reason is not trusted to end or to be a line. */
static kc_status_t run_open(const kci_module_file_t *file,
                            const kc_host_t *host, opening_t *opening,
                            kc_error_t *error)
{
    kc_error_t reason = KC_ERROR_INIT;
    void *state = NULL;
    if (opening->module->open == NULL) {
        return KC_OK;
    }
    kc_status_t status = opening->module->open(host, &state, &reason);
    if (status == KC_OK) {
        opening->state = state;
        return KC_OK;
    }
    reason.message[KC_ERROR_MESSAGE_SIZE - 1] = '\0';
    return kci_fail(
        error, KC_ERR_BINDING, "%s: its open failed with status %d: %s",
        kci_path_in_message(file->path), status,
        reason.message[0] != '\0' ? reason.message : "no reason given");
}

static kc_status_t load(const kci_module_file_t *file, const kc_host_t *host,
                        kci_state_guard_t *guard, opening_t *opening,
                        kc_error_t *error)
{
    kc_module_entry_fn getter = NULL;
    void *copy = NULL;
    KC_RETURN_IF_ERROR(map_file(file, opening, &getter, error));
    const kc_module_t *given = getter();
    /* Threads that the module's open makes the host start inherit them. */
    kci_state_guard_restore_fp(guard);
    KC_RETURN_IF_ERROR(kci_entry_check(file, given, &opening->entry, error));
    KC_RETURN_IF_ERROR(kci_alloc_array(1, sizeof(kc_module_t), &copy, error));
    opening->module = copy;
    *opening->module = opening->entry.module;
    return run_open(file, host, opening, error);
}

static void undo(opening_t *opening)
{
    kci_entry_release(&opening->entry);
    kci_free(opening->module);
    kci_image_release_locked(opening->image);
}

static void describe(const kci_module_file_t *file, const char *when,
                     char what[WHAT_SIZE])
{
    (void)snprintf(what, WHAT_SIZE, "module `%s` (%s), while it was %s,",
                   file->record.name, kci_path_in_message(file->path), when);
}

static kc_status_t load_guarded(const kci_module_file_t *file,
                                const kc_host_t *host, const kci_log_t *log,
                                opening_t *opening, kc_error_t *error)
{
    kci_state_guard_t guard;
    char what[WHAT_SIZE];
    kci_state_guard_begin(&guard);
    kc_status_t status = load(file, host, &guard, opening, error);
    if (status != KC_OK) {
        undo(opening);
    }
    describe(file, "opened", what);
    kci_state_guard_end(&guard, log, what);
    return status;
}

static void publish_locked(kci_module_file_t *file, const kc_host_t *host,
                           const opening_t *opening)
{
    file->library = kci_image_library(opening->image);
    file->image = opening->image;
    file->host = host;
    file->entry = opening->module;
    file->handlers = opening->entry.handlers;
    file->handler_count = opening->entry.handler_count;
    file->devices = opening->entry.devices;
    file->device_count = opening->entry.device_count;
    file->state = opening->state;
    file->is_opened = true;
}

typedef enum { OPENED, BEGUN, REENTERED } progress_t;

/* With the loader lock held nobody else can be in between, so a record that is
 * being opened is being opened by the caller. */
static progress_t begin_opening(kci_module_file_t *file)
{
    progress_t progress = BEGUN;
    (void)pthread_mutex_lock(&file->mutex);
    if (file->is_opened) {
        progress = OPENED;
    } else if (file->is_opening) {
        progress = REENTERED;
    } else {
        file->is_opening = true;
    }
    (void)pthread_mutex_unlock(&file->mutex);
    return progress;
}

static kc_status_t open_locked(kci_module_file_t *file, const kc_host_t *host,
                               const kci_log_t *log, kc_error_t *error)
{
    opening_t opening;
    kc_error_t reason = KC_ERROR_INIT;
    memset(&opening, 0, sizeof opening);
    progress_t progress = begin_opening(file);
    if (progress == OPENED) {
        return KC_OK;
    }
    if (progress == REENTERED) {
        return kci_fail(error, KC_ERR_BINDING,
                        "%s: expected to be opened once, found a second "
                        "opening from within its open",
                        kci_path_in_message(file->path));
    }
    kc_status_t status = load_guarded(file, host, log, &opening, &reason);
    (void)pthread_mutex_lock(&file->mutex);
    if (status == KC_OK) {
        publish_locked(file, host, &opening);
    }
    file->open_verdict = reason;
    file->is_opening = false;
    (void)pthread_mutex_unlock(&file->mutex);
    if (status == KC_OK) {
        return KC_OK;
    }
    return kci_fail(error,
                    status == KC_ERR_MEMORY ? KC_ERR_MEMORY : KC_ERR_BINDING,
                    "%s", reason.message);
}

static bool is_opened(kci_module_file_t *file)
{
    (void)pthread_mutex_lock(&file->mutex);
    bool answer = file->is_opened;
    (void)pthread_mutex_unlock(&file->mutex);
    return answer;
}

kc_status_t kci_module_file_open(kci_module_file_t *file, const kc_host_t *host,
                                 const kci_log_t *log, kc_error_t *error)
{
    if (file->verdict.status != KC_OK) {
        return kci_fail(error, KC_ERR_BINDING, "%s", file->verdict.message);
    }
    if (is_opened(file)) {
        return KC_OK;
    }
    kci_loader_lock();
    kc_status_t status = open_locked(file, host, log, error);
    kci_loader_unlock();
    return status;
}

void kci_module_file_keep_host(kci_module_file_t *file, const kc_host_t *host,
                               void (*retain)(const kc_host_t *host),
                               void (*release)(const kc_host_t *host))
{
    (void)pthread_mutex_lock(&file->mutex);
    if (file->is_opened && file->host == host && file->release_host == NULL) {
        retain(host);
        file->release_host = release;
    }
    (void)pthread_mutex_unlock(&file->mutex);
}

/* The host outlives the file, an application's log need not. */
static void log_by_host(void *context, int32_t level, const char *line)
{
    const kc_host_t *host = context;
    if (KC_HAS_FIELD(host, kc_host_t, log) && host->log != NULL) {
        host->log(host, level, line);
    }
}

void kci_opened_end(kci_module_file_t *file)
{
    if (!file->is_opened) {
        return;
    }
    kci_state_guard_t guard;
    char what[WHAT_SIZE];
    kci_log_t log = {log_by_host, (void *)(uintptr_t)file->host};
    describe(file, "closed", what);
    kci_loader_lock();
    kci_state_guard_begin(&guard);
    if (file->entry->close != NULL) {
        file->entry->close(file->state);
    }
    kci_image_release_locked(file->image);
    kci_state_guard_end(&guard, file->host != NULL ? &log : NULL, what);
    kci_loader_unlock();
    kci_free(file->handlers);
    kci_free(file->devices);
    kci_free((void *)(uintptr_t)file->entry);
    file->is_opened = false;
    if (file->release_host != NULL) {
        file->release_host(file->host);
    }
}
