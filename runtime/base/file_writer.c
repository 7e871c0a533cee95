/* SPDX-License-Identifier: Apache-2.0
 *
 * Files out, in pieces: a temporary file beside the target, renamed at the
 * end. Devices, FIFOs and descriptors under /dev are written to directly,
 * since a rename would replace the device itself.
 */
#include "base/file_bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/number.h"
#include "base/string_buffer.h"

/* Names tried before giving up; O_EXCL makes a clash harmless. */
#define TEMPORARY_ATTEMPTS 100
#define NO_DESCRIPTOR      (-1)

static kc_status_t fail_for_errno(const char *path, const char *what,
                                  int errno_value, kc_error_t *error)
{
    return kci_fail(error, KC_ERR_IO, "%s: %s: %s", path, what,
                    kci_errno_text(errno_value));
}

/* N of "/dev/fd/N" and its other spellings, or NO_DESCRIPTOR. A second open
 * of such a name would start at byte 0 and write over what is there. */
static int descriptor_named(const char *path)
{
    static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
    if (strcmp(path, "/dev/stdout") == 0) {
        return STDOUT_FILENO;
    }
    if (strcmp(path, "/dev/stderr") == 0) {
        return STDERR_FILENO;
    }
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        size_t length = strlen(folders[i]);
        int64_t number = 0;
        if (strncmp(path, folders[i], length) == 0 &&
            kci_parse_int64(path + length, &number) && number >= 0 &&
            number < 1 << 30) {
            return (int)number;
        }
    }
    return NO_DESCRIPTOR;
}

/* Opened without blocking, so that a FIFO nobody reads is an error instead
 * of a hang; the writes may wait. */
static kc_status_t open_directly(kci_file_writer_t *writer, const char *path,
                                 kc_error_t *error)
{
    int descriptor = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (descriptor < 0) {
        return fail_for_errno(path, "cannot be written", errno, error);
    }
    int flags = fcntl(descriptor, F_GETFL);
    if (flags < 0 || fcntl(descriptor, F_SETFL, flags & ~O_NONBLOCK) != 0) {
        int errno_value = errno;
        (void)close(descriptor);
        return fail_for_errno(path, "cannot be written", errno_value, error);
    }
    writer->descriptor = descriptor;
    return KC_OK;
}

static kc_status_t duplicate_descriptor(kci_file_writer_t *writer, int number,
                                        const char *path, kc_error_t *error)
{
    writer->descriptor = fcntl(number, F_DUPFD_CLOEXEC, 0);
    if (writer->descriptor < 0) {
        return fail_for_errno(path, "cannot be written", errno, error);
    }
    return KC_OK;
}

/* The folder of the path with its slash, "" for the working directory. */
static size_t folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? 0 : (size_t)(slash - path) + 1;
}

static kc_status_t name_temporary(const char *path, unsigned attempt,
                                  char **out_name, kc_error_t *error)
{
    unsigned long long unique = kci_clock_ns() + attempt;
    kci_string_buffer_t name = KCI_STRING_BUFFER_INIT;
    kci_string_append_bytes(&name, path, folder_length(path));
    kci_string_appendf(&name, ".kcapsule-%ld-%llx", (long)getpid(), unique);
    return kci_string_take(&name, out_name, error);
}

/* Mode 0666 less the umask, which the system applies. */
static kc_status_t open_temporary(kci_file_writer_t *writer, kc_error_t *error)
{
    int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW;
    for (unsigned attempt = 0; attempt < TEMPORARY_ATTEMPTS; attempt++) {
        char *name = NULL;
        KC_RETURN_IF_ERROR(name_temporary(writer->path, attempt, &name, error));
        int descriptor = open(name, flags, 0666);
        if (descriptor >= 0) {
            writer->descriptor = descriptor;
            writer->temporary_path = name;
            return KC_OK;
        }
        int errno_value = errno;
        kci_free(name);
        if (errno_value != EEXIST && errno_value != EINTR) {
            return fail_for_errno(writer->path, "cannot be created",
                                  errno_value, error);
        }
    }
    return fail_for_errno(writer->path, "cannot be created", EEXIST, error);
}

/* The file itself, not a link to it, is what a commit replaces. */
static kc_status_t begin_replacing(kci_file_writer_t *writer, const char *path,
                                   const struct stat *target, kc_error_t *error)
{
    char *resolved = target == NULL ? NULL : realpath(path, NULL);
    kc_status_t status = kci_copy_string(resolved != NULL ? resolved : path,
                                         &writer->path, error);
    free(resolved);
    KC_RETURN_IF_ERROR(status);
    KC_RETURN_IF_ERROR(open_temporary(writer, error));
    if (target != NULL) {
        /* Who kept a file from others' eyes keeps it so. */
        (void)fchmod(writer->descriptor, target->st_mode & 0777);
    }
    return KC_OK;
}

static kc_status_t begin_at(kci_file_writer_t *writer, const char *path,
                            kc_error_t *error)
{
    struct stat target;
    int number = descriptor_named(path);
    if (*path == '\0') {
        return kci_fail(error, KC_ERR_IO,
                        "expected the name of a file to write, found none");
    }
    if (number != NO_DESCRIPTOR) {
        return duplicate_descriptor(writer, number, path, error);
    }
    if (stat(path, &target) != 0) {
        return errno == ENOENT
                   ? begin_replacing(writer, path, NULL, error)
                   : fail_for_errno(path, "cannot be written", errno, error);
    }
    if (S_ISDIR(target.st_mode)) {
        return kci_fail(error, KC_ERR_IO,
                        "%s: expected a file to write, found a directory",
                        path);
    }
    if (!S_ISREG(target.st_mode)) {
        return open_directly(writer, path, error);
    }
    return begin_replacing(writer, path, &target, error);
}

kc_status_t kci_file_writer_begin(kci_file_writer_t *writer, const char *path,
                                  kc_error_t *error)
{
    *writer = (kci_file_writer_t){NO_DESCRIPTOR, NULL, NULL};
    kc_status_t status = begin_at(writer, path, error);
    if (status == KC_OK && writer->path == NULL) {
        status = kci_copy_string(path, &writer->path, error);
    }
    if (status != KC_OK) {
        kci_file_writer_abandon(writer);
    }
    return status;
}

kc_status_t kci_file_writer_put(kci_file_writer_t *writer, const void *data,
                                size_t size, kc_error_t *error)
{
    const unsigned char *bytes = data;
    while (size > 0) {
        ssize_t written = write(writer->descriptor, bytes, size);
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written < 0) {
            return fail_for_errno(writer->path, "cannot be written", errno,
                                  error);
        }
        bytes += written;
        size -= (size_t)written;
    }
    return KC_OK;
}

kc_status_t kci_file_writer_commit(kci_file_writer_t *writer, kc_error_t *error)
{
    kc_status_t status = KC_OK;
    /* Some file systems report a full disk here only. */
    if (close(writer->descriptor) != 0 && errno != EINTR) {
        status =
            fail_for_errno(writer->path, "cannot be written", errno, error);
    }
    writer->descriptor = NO_DESCRIPTOR;
    if (status == KC_OK && writer->temporary_path != NULL) {
        if (rename(writer->temporary_path, writer->path) != 0) {
            status = fail_for_errno(writer->path, "cannot be replaced", errno,
                                    error);
        } else {
            kci_free(writer->temporary_path);
            writer->temporary_path = NULL;
        }
    }
    kci_file_writer_abandon(writer);
    return status;
}

void kci_file_writer_abandon(kci_file_writer_t *writer)
{
    if (writer->descriptor != NO_DESCRIPTOR) {
        (void)close(writer->descriptor);
    }
    if (writer->temporary_path != NULL) {
        (void)unlink(writer->temporary_path);
    }
    kci_free(writer->temporary_path);
    kci_free(writer->path);
    *writer = (kci_file_writer_t){NO_DESCRIPTOR, NULL, NULL};
}
