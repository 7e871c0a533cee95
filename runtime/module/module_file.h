/* SPDX-License-Identifier: Apache-2.0
 *
 * A module file: judged from its bytes (nothing of it runs), later perhaps
 * opened, exactly the file that was judged. One record a file and runtime.
 */
#ifndef KC_MODULE_MODULE_FILE_H
#define KC_MODULE_MODULE_FILE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/types.h>
#include <kcapsule/module.h>
#include "base/hash.h"
#include "base/log.h"

typedef struct kci_module_file {
    _Atomic int reference_count;
    char *path; /* real path */
    dev_t device;
    ino_t inode;
    int descriptor;     /* open as long as the record lives; -1 when
                                 * the file was refused */
    kc_error_t verdict; /* KC_OK, or why it is refused             */
    char sha256[KCI_SHA256_TEXT_SIZE]; /* of the judged bytes; "" if unread */

    /* From the notes; copies of the current record size, fields that the
     * file does not have are zero. Only valid with verdict KC_OK. */
    kc_module_record_t record;
    kc_capsule_record_t *capsules;
    size_t capsule_count;
    kc_provenance_record_t *provenance;
    size_t provenance_count;
    char **needed;        /* DT_NEEDED of the file, NULL-terminated  */
    unsigned char *notes; /* the judged note segments, in their order,
                                 * compared with what was loaded           */
    size_t notes_size;

    /* After the first binding. */
    pthread_mutex_t mutex; /* guards what follows                     */
    bool is_opened;
    bool is_opening;
    kc_error_t open_verdict; /* the failure of opening; retried, not kept
                                 * across files                            */
    void *library;
    struct kci_image *image; /* what is mapped; shared by all records of
                                 * the same file in this process           */
    const kc_host_t *host;   /* as given to open; see keep_host         */
    void (*release_host)(const kc_host_t *host); /* NULL: host is borrowed */
    const kc_module_t *entry; /* a copy of the current size, with zeros for
                                 * fields that the module does not have    */
    kc_handler_t *handlers;   /* validated copies of the current size    */
    size_t handler_count;
    kc_device_services_t *devices; /* the same                             */
    size_t device_count;
    void *state;
} kci_module_file_t;

/* Whether this host knows the operation. A module of a newer minor version may
 * have others: they are listed and never planned. */
static inline bool kci_capsule_is_known(const kc_capsule_record_t *capsule)
{
    return capsule->op >= 0 && capsule->op < KC_OP_COUNT;
}

/* Judges the file. KC_OK means that a record exists, also for a refused file
 * (see `verdict`); errors are only lack of memory and the like. The record
 * is owned by the caller. A path that cannot be opened gives a record with
 * an I/O verdict. */
KC_MUST_USE kc_status_t kci_module_file_inspect(const char *path,
                                                kci_module_file_t **out_file,
                                                kc_error_t *error);
kci_module_file_t *kci_module_file_retain(kci_module_file_t *file);
/* Runs the module's close and unloads when the last reference goes and the
 * module has no threads of its own (those stay mapped). */
void kci_module_file_release(kci_module_file_t *file); /* accepts NULL */

/* Notes in bytes; the part of inspection that a fuzzer feeds. `bytes` must
 * be aligned to 8. Fills record, capsules, provenance, needed, verdict. */
KC_MUST_USE kc_status_t kci_module_file_parse(kci_module_file_t *file,
                                              const unsigned char *bytes,
                                              size_t size, kc_error_t *error);

/* Two records of one file (of two runtimes, say) share what is mapped; each
 * runs the module's open with its own host and has its own state.
 *
 * Opens the judged file (dlopen, getter, comparison with the note, handlers
 * validated, the module's open) unless it is open already. Thread-safe; on
 * failure everything is undone and the error names file and reason, status
 * KC_ERR_BINDING. `host` must outlive the file, or be kept by it with
 * kci_module_file_keep_host. Restores floating-point
 * control words, locale, working directory, umask and signal actions that
 * loading changed, and says so in `log`. */
KC_MUST_USE kc_status_t kci_module_file_open(kci_module_file_t *file,
                                             const kc_host_t *host,
                                             const kci_log_t *log,
                                             kc_error_t *error);

/* Makes an opened file hold `host`, if that is the host it was opened with, by
 * the host's own count until the file is closed. Thread-safe, any number of
 * calls; the caller holds the host meanwhile. */
void kci_module_file_keep_host(kci_module_file_t *file, const kc_host_t *host,
                               void (*retain)(const kc_host_t *host),
                               void (*release)(const kc_host_t *host));

/* The handler of an opened module for a capsule of the same file: equal
 * operation, provider and device. NULL when there is none. */
const kc_handler_t *kci_module_file_handler(const kci_module_file_t *file,
                                            const kc_capsule_record_t *capsule);

/* Whether the four claims of a contract fit their fields (ops.md 2.2).
 * `*out_obligation` (may be NULL) is the first that does not. */
bool kci_capsule_is_aligned(const kc_capsule_record_t *capsule,
                            int32_t *out_obligation);

#endif
