/* SPDX-License-Identifier: Apache-2.0
 *
 * Judges a module file from a private copy of its bytes: a mapping of the file
 * could be cut short by somebody else meanwhile. What is hashed is what is
 * judged, and the descriptor stays open so that this very file can be loaded.
 */
#include "module/file_judge.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/alloc.h"
#include "base/error.h"
#include "base/file_open.h"

/* Far above any module; below what would hurt to read. */
#define FILE_SIZE_MAX       ((uint64_t)512 << 20)
#define PATH_IN_MESSAGE_MAX 240

const char *kci_path_in_message(const char *path)
{
    size_t length = path != NULL ? strlen(path) : 0;
    if (length <= PATH_IN_MESSAGE_MAX) {
        return path != NULL ? path : "module";
    }
    const char *tail = path + length - PATH_IN_MESSAGE_MAX;
    const char *slash = strchr(tail, '/');
    return slash != NULL ? slash + 1 : tail;
}

void kci_file_name_in(const char *path, kc_error_t *error)
{
    kci_error_prepend(error, "%s", kci_path_in_message(path));
}

bool kci_is_world_writable(const char *folder)
{
    struct stat status;
    return stat(folder, &status) == 0 && (status.st_mode & S_IWOTH) != 0;
}

/* Whoever may write the folder may replace the file. */
static kc_status_t check_folder(const char *path, kc_error_t *error)
{
    char *folder = NULL;
    KC_RETURN_IF_ERROR(kci_copy_string(path, &folder, error));
    char *slash = strrchr(folder, '/');
    const char *name = ".";
    if (slash != NULL) {
        slash[slash == folder ? 1 : 0] = '\0';
        name = folder;
    }
    kc_status_t status = KC_OK;
    if (kci_is_world_writable(name)) {
        status = kci_fail(error, KC_ERR_MODULE,
                          "expected a folder that only its owner and group "
                          "write, found %s writable by everybody",
                          name);
    }
    kci_free(folder);
    return status;
}

static kc_status_t check_permissions(const kci_module_file_t *file,
                                     const struct stat *status,
                                     kc_error_t *error)
{
    if ((status->st_mode & S_IWOTH) != 0) {
        return kci_fail(error, KC_ERR_MODULE,
                        "expected a file that only its owner and group "
                        "write, found mode %04o",
                        (unsigned)(status->st_mode & 07777));
    }
    return check_folder(file->path, error);
}

/* `*out_bytes` is aligned for libelf and owned by the caller (kci_free). */
static kc_status_t read_bytes(const kci_module_file_t *file, uint64_t size,
                              unsigned char **out_bytes, kc_error_t *error)
{
    if (size > FILE_SIZE_MAX) {
        return kci_fail(
            error, KC_ERR_MODULE, "expected at most %llu bytes, found %llu",
            (unsigned long long)FILE_SIZE_MAX, (unsigned long long)size);
    }
    void *bytes = NULL;
    KC_RETURN_IF_ERROR(kci_alloc_array((size_t)size, 1, &bytes, error));
    kc_status_t status = kci_file_read_at(file->descriptor, 0, bytes,
                                          (size_t)size, "its bytes", error);
    if (status != KC_OK) {
        kci_free(bytes);
        return status;
    }
    *out_bytes = bytes;
    return KC_OK;
}

/* The parser writes the verdict of the bytes itself. */
static kc_status_t judge_descriptor(kci_module_file_t *file, kc_error_t *error)
{
    struct stat status;
    if (fstat(file->descriptor, &status) != 0) {
        return kci_fail(&file->verdict, KC_ERR_IO, "cannot be examined: %s",
                        kci_errno_text(errno));
    }
    file->device = status.st_dev;
    file->inode = status.st_ino;
    KC_RETURN_IF_ERROR(check_permissions(file, &status, &file->verdict));
    unsigned char *bytes = NULL;
    size_t size = (size_t)status.st_size;
    KC_RETURN_IF_ERROR(
        read_bytes(file, (uint64_t)status.st_size, &bytes, &file->verdict));
    kci_sha256_bytes(bytes, size, file->sha256);
    kc_status_t parsed = kci_module_file_parse(file, bytes, size, error);
    kci_free(bytes);
    return parsed;
}

/* So that a file under two names is seen once, also when it is refused. */
static void note_identity(kci_module_file_t *file)
{
    struct stat status;
    if (stat(file->path, &status) == 0) {
        file->device = status.st_dev;
        file->inode = status.st_ino;
    }
}

kc_status_t kci_file_judge(kci_module_file_t *file, kc_error_t *error)
{
    uint64_t size = 0;
    kc_status_t status =
        kci_file_open(file->path, &file->descriptor, &size, &file->verdict);
    if (status != KC_OK) {
        file->descriptor = -1;
        note_identity(file);
        return KC_OK; /* the verdict names the file already */
    }
    status = judge_descriptor(file, error);
    if (status == KC_ERR_MEMORY) {
        return kci_fail(error, status, "%s: no memory to judge the file",
                        file->path);
    }
    if (status != KC_OK) { /* before the bytes were parsed */
        kci_file_name_in(file->path, &file->verdict);
    }
    if (file->verdict.status != KC_OK) {
        (void)close(file->descriptor);
        file->descriptor = -1;
    }
    return KC_OK;
}
