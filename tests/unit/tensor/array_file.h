/* SPDX-License-Identifier: Apache-2.0
 *
 * Bytes of npy and safetensors files for tests, put together here rather than
 * by the code that is being tested.
 */
#ifndef KC_TESTS_UNIT_TENSOR_ARRAY_FILE_H
#define KC_TESTS_UNIT_TENSOR_ARRAY_FILE_H

#include <stddef.h>

#define ARRAY_FILE_SIZE 4096

typedef struct array_file {
    unsigned char bytes[ARRAY_FILE_SIZE];
    size_t size;
} array_file_t;

/* Version `major`.0; the header is `header` as it is. */
array_file_t array_file_npy(int major, const char *header, const void *data,
                            size_t data_size);
array_file_t array_file_safetensors(const char *header, const void *data,
                                    size_t data_size);
/* A copy without a byte more than `size`, for a sanitizer to watch. Freed by
 * the caller. */
unsigned char *array_file_exact(const array_file_t *file, size_t size);

#endif
