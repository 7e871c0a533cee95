/* SPDX-License-Identifier: Apache-2.0
 *
 * Mock modules for the tests of this layer, with the eyes to watch them.
 */
#include "unit/module/mock_fixture.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "unit/expect.h"

void mock_path(const char *name, char *out)
{
    const char *build = getenv("KC_BUILDDIR");
    int length = snprintf(out, SCRATCH_PATH_SIZE, "%s/tests/mocks/.libs/%s.so",
                          build != NULL ? build : ".", name);
    ck_assert(length > 0 && length < SCRATCH_PATH_SIZE);
}

unsigned char *mock_bytes(const char *name, size_t *out_size)
{
    char path[SCRATCH_PATH_SIZE];
    mock_path(name, path);
    FILE *file = fopen(path, "rb");
    ck_assert_msg(file != NULL, "no %s", path);
    ck_assert_int_eq(fseek(file, 0, SEEK_END), 0);
    long size = ftell(file);
    ck_assert_int_gt(size, 0);
    rewind(file);
    unsigned char *bytes = malloc((size_t)size);
    ck_assert_ptr_nonnull(bytes);
    ck_assert_uint_eq(fread(bytes, 1, (size_t)size, file), (size_t)size);
    ck_assert_int_eq(fclose(file), 0);
    *out_size = (size_t)size;
    return bytes;
}

void mock_copy(const char *name, const scratch_t *scratch, const char *as,
               char *out_path)
{
    size_t size = 0;
    unsigned char *bytes = mock_bytes(name, &size);
    scratch_write(scratch, as, bytes, size, out_path);
    ck_assert_int_eq(chmod(out_path, 0644), 0);
    free(bytes);
}

kci_module_file_t *inspect_path(const char *path)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_module_file_t *file = NULL;
    EXPECT_OK(error, kci_module_file_inspect(path, &file, &error));
    ck_assert_ptr_nonnull(file);
    return file;
}

kci_module_file_t *inspect_mock(const char *name)
{
    char path[SCRATCH_PATH_SIZE];
    mock_path(name, path);
    return inspect_path(path);
}

void expect_refused(const char *name, const char *text)
{
    char path[SCRATCH_PATH_SIZE];
    kc_error_t error = KC_ERROR_INIT;
    kci_module_file_t *file = inspect_mock(name);
    mock_path(name, path);
    ck_assert_int_eq(file->verdict.status, KC_ERR_MODULE);
    ck_assert_msg(strstr(file->verdict.message, text) != NULL, "no `%s` in: %s",
                  text, file->verdict.message);
    ck_assert_msg(strncmp(file->verdict.message, path, strlen(path)) == 0, "%s",
                  file->verdict.message);
    ck_assert_int_eq(file->descriptor, -1);
    ck_assert_uint_eq(file->capsule_count, 0);
    ck_assert_uint_eq(strlen(file->sha256), 64);
    EXPECT_FAILURE(error, KC_ERR_BINDING, text,
                   kci_module_file_open(file, plain_host(), NULL, &error));
    kci_module_file_release(file);
}

void expect_unopenable(const char *name, const char *text)
{
    char path[SCRATCH_PATH_SIZE];
    kc_error_t error = KC_ERROR_INIT;
    kci_module_file_t *file = inspect_mock(name);
    mock_path(name, path);
    ck_assert_msg(file->verdict.status == KC_OK, "%s", file->verdict.message);
    EXPECT_FAILURE(error, KC_ERR_BINDING, text,
                   kci_module_file_open(file, plain_host(), NULL, &error));
    ck_assert_msg(strstr(error.message, path) != NULL, "%s", error.message);
    ck_assert_msg(strstr(error.message, "/proc/") == NULL, "%s", error.message);
    ck_assert_int_eq(file->open_verdict.status, KC_ERR_BINDING);
    ck_assert(!file->is_opened);
    ck_assert_int_eq(mapped_lines(path), 0);
    kci_module_file_release(file);
}

static void *allocate(const kc_host_t *host, size_t size, size_t alignment)
{
    (void)host;
    return aligned_alloc(alignment, size);
}

static void deallocate(const kc_host_t *host, void *memory, size_t size)
{
    (void)host;
    (void)size;
    free(memory);
}

static void ignore(const kc_host_t *host, int32_t level, const char *message)
{
    (void)host;
    (void)level;
    (void)message;
}

const kc_host_t *plain_host(void)
{
    static const kc_host_t host = {.struct_size = sizeof(kc_host_t),
                                   .abi_major = KC_ABI_MAJOR,
                                   .abi_minor = KC_ABI_MINOR,
                                   .allocate = allocate,
                                   .deallocate = deallocate,
                                   .log = ignore};
    return &host;
}

static void hear(void *context, int32_t level, const char *line)
{
    heard_t *heard = context;
    size_t length = strlen(heard->text);
    (void)level;
    (void)snprintf(heard->text + length, sizeof heard->text - length, "%s\n",
                   line);
    heard->count++;
}

kci_log_t heard_log(heard_t *heard)
{
    kci_log_t log = {hear, heard};
    memset(heard, 0, sizeof *heard);
    return log;
}

int mapped_lines(const char *text)
{
    char line[SCRATCH_PATH_SIZE + 256];
    int count = 0;
    FILE *file = fopen("/proc/self/maps", "r");
    ck_assert_ptr_nonnull(file);
    while (fgets(line, sizeof line, file) != NULL) {
        count += strstr(line, text) != NULL;
    }
    fclose(file);
    return count;
}

int descriptor_count(void)
{
    int count = 0;
    DIR *folder = opendir("/proc/self/fd");
    ck_assert_ptr_nonnull(folder);
    while (readdir(folder) != NULL) {
        count++;
    }
    closedir(folder);
    return count;
}

void set_mark(const scratch_t *scratch, char *out_path)
{
    scratch_name(scratch, "mark", out_path);
    ck_assert_int_eq(setenv("KC_TEST_MARK", out_path, 1), 0);
}

int line_count(const char *path, const char *line)
{
    char text[256];
    int count = 0;
    size_t length = strlen(line);
    FILE *file = fopen(path, "r");
    while (file != NULL && fgets(text, sizeof text, file) != NULL) {
        count += strncmp(text, line, length) == 0 && text[length] == '\n';
    }
    if (file != NULL) {
        fclose(file);
    }
    return count;
}
