/* SPDX-License-Identifier: Apache-2.0
 *
 * A folder of a test's own for the files it makes, removed with all that is
 * in it.
 */
#ifndef KC_TESTS_UNIT_SCRATCH_H
#define KC_TESTS_UNIT_SCRATCH_H

#include <stddef.h>

#define SCRATCH_PATH_SIZE 512

typedef struct scratch {
    char path[SCRATCH_PATH_SIZE];
} scratch_t;

/* Below $TMPDIR, or /tmp. Fails the test when there is no room. */
scratch_t scratch_make(void);
void scratch_remove(const scratch_t *scratch);
/* PATH/NAME into `out`, which holds SCRATCH_PATH_SIZE bytes. */
void scratch_name(const scratch_t *scratch, const char *name, char *out);
/* Writes a file with stdio, not with what is being tested. */
void scratch_write(const scratch_t *scratch, const char *name, const void *data,
                   size_t size, char *out_path);
/* Entries of the folder, whatever their names. */
int scratch_count(const scratch_t *scratch);

#endif
