/* SPDX-License-Identifier: Apache-2.0
 *
 * The mock modules of tests/mocks in the tests of this layer, and what a test
 * needs to see what became of them.
 */
#ifndef KC_TESTS_UNIT_MODULE_MOCK_FIXTURE_H
#define KC_TESTS_UNIT_MODULE_MOCK_FIXTURE_H

#include "module/module_file.h"
#include "unit/scratch.h"

/* Path of a built mock; `out` holds SCRATCH_PATH_SIZE bytes. */
void mock_path(const char *name, char *out);
/* Its bytes, aligned; the caller frees them. */
unsigned char *mock_bytes(const char *name, size_t *out_size);
/* A copy of the mock in a folder under another name. */
void mock_copy(const char *name, const scratch_t *scratch, const char *as,
               char *out_path);

/* A record, whatever its verdict. Released by the caller. */
kci_module_file_t *inspect_path(const char *path);
kci_module_file_t *inspect_mock(const char *name);
/* Refused with a message that names the file and has `text`. */
void expect_refused(const char *name, const char *text);
/* Accepted, then refused by opening; nothing stays mapped. */
void expect_unopenable(const char *name, const char *text);

/* A host with memory and a log; parallel_for is not there. */
const kc_host_t *plain_host(void);

/* What was logged, one line a message. */
typedef struct heard {
    char text[4096];
    int count;
} heard_t;
kci_log_t heard_log(heard_t *heard);

/* Lines of /proc/self/maps that contain the text. */
int mapped_lines(const char *text);
/* Open descriptors of this process. */
int descriptor_count(void);
/* Sets KC_TEST_MARK to a file in the folder that is not there yet. */
void set_mark(const scratch_t *scratch, char *out_path);
/* Lines of a file that equal `line`; 0 when there is no file. */
int line_count(const char *path, const char *line);

#endif
