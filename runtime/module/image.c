/* SPDX-License-Identifier: Apache-2.0
 *
 * Maps exactly the file that was judged, through its descriptor. The dynamic
 * linker compares names before it opens anything, so the descriptor under
 * which it knows an image stays open as long as the image is mapped: its
 * number cannot come to mean another file. That is why images are counted for
 * the process and not for a runtime.
 */
#include "module/image.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/alloc.h"
#include "base/error.h"
#include "module/loaded_image.h"

#define NAME_SIZE 64

struct kci_image {
    kci_image_t *next;
    dev_t device;
    ino_t inode;
    char sha256[KCI_SHA256_TEXT_SIZE];
    int descriptor;
    char name[NAME_SIZE]; /* what the dynamic linker calls it */
    void *library;
    size_t user_count;
    bool stays;
    bool is_refused; /* loaded, refused, and could not be unmapped */
};

static pthread_mutex_t loader_mutex = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static kci_image_t *images;

void kci_loader_lock(void)
{
    (void)pthread_mutex_lock(&loader_mutex);
}

void kci_loader_unlock(void)
{
    (void)pthread_mutex_unlock(&loader_mutex);
}

static kci_image_t *find_image(const kci_module_file_t *file)
{
    for (kci_image_t *image = images; image != NULL; image = image->next) {
        if (image->device == file->device && image->inode == file->inode) {
            return image;
        }
    }
    return NULL;
}

static void unlink_image(kci_image_t *image)
{
    kci_image_t **link = &images;
    while (*link != NULL && *link != image) {
        link = &(*link)->next;
    }
    if (*link != NULL) {
        *link = image->next;
    }
}

static kc_status_t check_bytes(const kci_image_t *image, const char *when,
                               kc_error_t *error)
{
    char found[KCI_SHA256_TEXT_SIZE];
    KC_RETURN_IF_ERROR(kci_sha256_descriptor(image->descriptor, found, error));
    if (strcmp(found, image->sha256) == 0) {
        return KC_OK;
    }
    return kci_fail(error, KC_ERR_BINDING,
                    "expected the bytes that were judged (sha256 %.16s...), "
                    "found others %s loading (%.16s...)",
                    image->sha256, when, found);
}

/* By the number of the process, not "self": a debugger that opens the name
 * would otherwise find a descriptor of its own. */
static kc_status_t set_name(kci_image_t *image, kc_error_t *error)
{
    struct stat status;
    (void)snprintf(image->name, sizeof image->name, "/proc/%ld/fd/%d",
                   (long)getpid(), image->descriptor);
    if (stat(image->name, &status) != 0) {
        return kci_fail(error, KC_ERR_BINDING,
                        "loading needs /proc: expected the file at %s, found "
                        "%s",
                        image->name, kci_errno_text(errno));
    }
    if (status.st_dev != image->device || status.st_ino != image->inode) {
        return kci_fail(error, KC_ERR_BINDING,
                        "loading needs /proc: expected the judged file at %s, "
                        "found another",
                        image->name);
    }
    return KC_OK;
}

/* No other image may be what the linker returned for this one's name. */
static kc_status_t check_alone(const kci_image_t *image, kc_error_t *error)
{
    for (const kci_image_t *other = images; other != NULL;
         other = other->next) {
        if (other->library == image->library) {
            return kci_fail(error, KC_ERR_BINDING,
                            "expected an image of its own, found that of "
                            "another module");
        }
    }
    return KC_OK;
}

static kc_status_t load(kci_image_t *image, const kci_module_file_t *file,
                        kc_error_t *error)
{
    KC_RETURN_IF_ERROR(check_bytes(image, "before", error));
    KC_RETURN_IF_ERROR(set_name(image, error));
    image->library = dlopen(image->name, RTLD_NOW | RTLD_LOCAL);
    if (image->library == NULL) {
        return kci_loaded_explain(dlerror(), image->name, file->path, error);
    }
    KC_RETURN_IF_ERROR(check_alone(image, error));
    KC_RETURN_IF_ERROR(kci_loaded_compare_notes(image->library, file->notes,
                                                file->notes_size, error));
    return check_bytes(image, "after", error);
}

/* True when nothing of the image is mapped any more. If somebody else keeps
 * it (or it marked itself as not to be unloaded), the reference found stays
 * with the image. */
static bool unload(kci_image_t *image)
{
    if (image->library == NULL) {
        return true;
    }
    (void)dlclose(image->library);
    image->library = dlopen(image->name, RTLD_NOW | RTLD_NOLOAD);
    return image->library == NULL;
}

static void drop_image(kci_image_t *image)
{
    if (image->descriptor >= 0) {
        (void)close(image->descriptor);
    }
    kci_free(image);
}

static kc_status_t make_image(const kci_module_file_t *file,
                              kci_image_t **out_image, kc_error_t *error)
{
    void *memory = NULL;
    KC_RETURN_IF_ERROR(kci_alloc_array(1, sizeof(kci_image_t), &memory, error));
    kci_image_t *image = memory;
    image->device = file->device;
    image->inode = file->inode;
    memcpy(image->sha256, file->sha256, sizeof image->sha256);
    image->descriptor = fcntl(file->descriptor, F_DUPFD_CLOEXEC, 3);
    if (image->descriptor < 0) {
        kci_free(image);
        return kci_fail(error, KC_ERR_BINDING,
                        "no descriptor to load it by: %s",
                        kci_errno_text(errno));
    }
    kc_status_t status = load(image, file, error);
    if (status == KC_OK) {
        *out_image = image;
        return KC_OK;
    }
    if (unload(image)) {
        drop_image(image);
        return status;
    }
    /* Still mapped: its descriptor must outlive it, so the record stays. */
    image->stays = true;
    image->is_refused = true;
    image->next = images;
    images = image;
    return status;
}

static kc_status_t reuse_image(kci_image_t *image,
                               const kci_module_file_t *file, kc_error_t *error)
{
    if (strcmp(image->sha256, file->sha256) != 0) {
        return kci_fail(error, KC_ERR_BINDING,
                        "expected nothing of it loaded or the same bytes "
                        "(sha256 %.16s...), found an earlier version still "
                        "loaded (%.16s...)",
                        file->sha256, image->sha256);
    }
    if (image->is_refused) {
        return kci_fail(error, KC_ERR_BINDING,
                        "it was refused after loading before and is still "
                        "mapped");
    }
    KC_RETURN_IF_ERROR(check_bytes(image, "before", error));
    image->user_count++;
    return KC_OK;
}

kc_status_t kci_image_acquire_locked(const kci_module_file_t *file,
                                     kci_image_t **out_image, kc_error_t *error)
{
    kci_image_t *image = find_image(file);
    if (image != NULL) {
        KC_RETURN_IF_ERROR(reuse_image(image, file, error));
        *out_image = image;
        return KC_OK;
    }
    KC_RETURN_IF_ERROR(make_image(file, &image, error));
    image->user_count = 1;
    image->stays = (file->record.flags & KC_MODULE_STARTS_THREADS) != 0;
    image->next = images;
    images = image;
    *out_image = image;
    return KC_OK;
}

void kci_image_release_locked(kci_image_t *image)
{
    if (image == NULL || --image->user_count > 0 || image->stays) {
        return;
    }
    if (!unload(image)) {
        image->stays = true;
        return;
    }
    unlink_image(image);
    drop_image(image);
}

void *kci_image_library(const kci_image_t *image)
{
    return image->library;
}

kc_status_t kci_image_entry(const kci_image_t *image,
                            kc_module_entry_fn *out_entry, kc_error_t *error)
{
    return kci_loaded_entry(image->library, out_entry, error);
}
