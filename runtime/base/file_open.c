/* SPDX-License-Identifier: Apache-2.0
 *
 * Opening files to read. O_NONBLOCK lets the open of a FIFO return, fstat on
 * the descriptor then refuses it; there is no window between the two.
 */
#include "base/file_open.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

/* Linux transfers less than 2^31 bytes a call in any case. */
#define READ_SIZE_MAX ((size_t)1 << 30)

static const char *kind_of(mode_t mode)
{
    if (S_ISDIR(mode)) {
        return "a directory";
    }
    if (S_ISFIFO(mode)) {
        return "a FIFO";
    }
    if (S_ISCHR(mode) || S_ISBLK(mode)) {
        return "a device";
    }
    return S_ISSOCK(mode) ? "a socket" : "something else";
}

static kc_status_t check_regular(int descriptor, const char *path,
                                 uint64_t *out_size, kc_error_t *error)
{
    struct stat status;
    if (fstat(descriptor, &status) != 0) {
        return kci_fail(error, KC_ERR_IO, "%s: cannot be examined: %s", path,
                        kci_errno_text(errno));
    }
    if (!S_ISREG(status.st_mode)) {
        return kci_fail(error, KC_ERR_IO, "%s: expected a file, found %s", path,
                        kind_of(status.st_mode));
    }
    *out_size = (uint64_t)status.st_size;
    return KC_OK;
}

kc_status_t kci_file_open(const char *path, int *out_descriptor,
                          uint64_t *out_size, kc_error_t *error)
{
    int flags = O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY;
    int descriptor = -1;
    do {
        descriptor = open(path, flags);
    } while (descriptor < 0 && errno == EINTR);
    if (descriptor < 0) {
        return kci_fail(error, KC_ERR_IO, "%s: cannot be opened: %s", path,
                        kci_errno_text(errno));
    }
    kc_status_t status = check_regular(descriptor, path, out_size, error);
    if (status != KC_OK) {
        (void)close(descriptor);
        return status;
    }
    *out_descriptor = descriptor;
    return KC_OK;
}

kc_status_t kci_file_read_at(int descriptor, uint64_t offset, void *out_data,
                             size_t size, const char *name, kc_error_t *error)
{
    unsigned char *data = out_data;
    while (size > 0) {
        size_t wanted = size < READ_SIZE_MAX ? size : READ_SIZE_MAX;
        ssize_t got = pread(descriptor, data, wanted, (off_t)offset);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return kci_fail(error, KC_ERR_IO, "%s: cannot be read: %s", name,
                            kci_errno_text(errno));
        }
        if (got == 0) {
            return kci_fail(error, KC_ERR_IO,
                            "%s: became shorter while it was read: expected "
                            "%zu more bytes at byte %llu",
                            name, size, (unsigned long long)offset);
        }
        data += got;
        size -= (size_t)got;
        offset += (uint64_t)got;
    }
    return KC_OK;
}
