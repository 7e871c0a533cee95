/* SPDX-License-Identifier: Apache-2.0
 *
 * A folder of a test's own for the files it makes. A failed test leaves it
 * behind, so that one can look.
 */
#include "unit/scratch.h"

#include <check.h>
#include <dirent.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define OPEN_FOLDERS_MAX 8

scratch_t scratch_make(void)
{
    scratch_t scratch;
    const char *parent = getenv("TMPDIR");
    int length =
        snprintf(scratch.path, sizeof scratch.path, "%s/kcapsule-test-XXXXXX",
                 parent == NULL || *parent == '\0' ? "/tmp" : parent);
    ck_assert(length > 0 && (size_t)length < sizeof scratch.path);
    ck_assert_ptr_nonnull(mkdtemp(scratch.path));
    return scratch;
}

static int remove_entry(const char *path, const struct stat *status, int type,
                        struct FTW *position)
{
    (void)status;
    (void)type;
    (void)position;
    return remove(path);
}

void scratch_remove(const scratch_t *scratch)
{
    ck_assert_int_eq(nftw(scratch->path, remove_entry, OPEN_FOLDERS_MAX,
                          FTW_DEPTH | FTW_PHYS),
                     0);
}

void scratch_name(const scratch_t *scratch, const char *name, char *out)
{
    int length = snprintf(out, SCRATCH_PATH_SIZE, "%s/%s", scratch->path, name);
    ck_assert(length > 0 && length < SCRATCH_PATH_SIZE);
}

void scratch_write(const scratch_t *scratch, const char *name, const void *data,
                   size_t size, char *out_path)
{
    scratch_name(scratch, name, out_path);
    FILE *file = fopen(out_path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(data, 1, size, file), size);
    ck_assert_int_eq(fclose(file), 0);
}

int scratch_count(const scratch_t *scratch)
{
    int count = 0;
    DIR *folder = opendir(scratch->path);
    ck_assert_ptr_nonnull(folder);
    while (readdir(folder) != NULL) {
        count++;
    }
    closedir(folder);
    return count - 2; /* . and .. */
}
