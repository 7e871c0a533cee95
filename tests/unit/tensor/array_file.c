/* SPDX-License-Identifier: Apache-2.0
 *
 * Bytes of npy and safetensors files for tests.
 */
#include "unit/tensor/array_file.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static void append(array_file_t *file, const void *bytes, size_t size)
{
    ck_assert_uint_le(size, sizeof file->bytes - file->size);
    if (size > 0) {
        memcpy(file->bytes + file->size, bytes, size);
    }
    file->size += size;
}

static void append_length(array_file_t *file, size_t length, int byte_count)
{
    for (int i = 0; i < byte_count; i++) {
        unsigned char byte = (unsigned char)(length >> 8 * i & 0xff);
        append(file, &byte, 1);
    }
}

array_file_t array_file_npy(int major, const char *header, const void *data,
                            size_t data_size)
{
    array_file_t file = {.size = 0};
    unsigned char version[2] = {(unsigned char)major, 0};
    append(&file, "\x93NUMPY", 6);
    append(&file, version, 2);
    append_length(&file, strlen(header), major == 1 ? 2 : 4);
    append(&file, header, strlen(header));
    append(&file, data, data_size);
    return file;
}

array_file_t array_file_safetensors(const char *header, const void *data,
                                    size_t data_size)
{
    array_file_t file = {.size = 0};
    append_length(&file, strlen(header), 8);
    append(&file, header, strlen(header));
    append(&file, data, data_size);
    return file;
}

unsigned char *array_file_exact(const array_file_t *file, size_t size)
{
    unsigned char *copy = malloc(size == 0 ? 1 : size);
    ck_assert_ptr_nonnull(copy);
    memcpy(copy, file->bytes, size);
    return copy;
}
