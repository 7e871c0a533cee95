/* SPDX-License-Identifier: Apache-2.0
 *
 * The run record as a value of its own: a copy of what a session or executor
 * noted while it called handlers, plus the files that took part.
 */
#ifndef KC_REPORT_RUN_RECORD_H
#define KC_REPORT_RUN_RECORD_H

#include "base/hash.h"
#include "exec/record.h"

typedef struct kci_record_file {
    char *role;
    char *name;
    char *path;
    char sha256[KCI_SHA256_TEXT_SIZE];
} kci_record_file_t;

typedef struct kci_record_extent {
    char *name;
    int64_t value;
} kci_record_extent_t;

typedef struct kc_record {
    kci_run_record_t run; /* its profile is retained */
    const char *mode;     /* "eager" or "graph" */
    bool is_reusing;      /* graph mode: buffers share memory */
    kci_record_extent_t *extents;
    size_t extent_count;
    size_t extent_capacity;
    kci_record_file_t *files;
    size_t file_count;
    size_t file_capacity;
} kc_record_t;

KC_MUST_USE kc_status_t kci_record_create(const kci_run_record_t *run,
                                          const char *mode,
                                          kc_record_t **out_record,
                                          kc_error_t *error);
/* A named extent of the graph and the value that it had. */
KC_MUST_USE kc_status_t kci_record_add_extent(kc_record_t *record,
                                              const char *name, int64_t value,
                                              kc_error_t *error);
/* `bytes_path`: where the bytes to hash are; NULL: none are kept. */
KC_MUST_USE kc_status_t kci_record_add_file(kc_record_t *record,
                                            const char *role, const char *name,
                                            const char *path,
                                            const char *bytes_path,
                                            kc_error_t *error);
void kci_record_release(kc_record_t *record); /* accepts NULL */

#endif
