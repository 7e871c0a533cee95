/* SPDX-License-Identifier: Apache-2.0
 *
 * A mock's bytes opened as ELF, for the tests of what is found in them.
 */
#ifndef KC_TESTS_UNIT_MODULE_OPEN_BYTES_H
#define KC_TESTS_UNIT_MODULE_OPEN_BYTES_H

#include <stdlib.h>
#include "module/inspect_elf.h"
#include "unit/module/mock_fixture.h"
#include "unit/expect.h"

typedef struct open_bytes {
    unsigned char *bytes;
    size_t size;
    kci_elf_file_t elf;
} open_bytes_t;

static inline open_bytes_t open_mock_bytes(const char *name)
{
    kc_error_t error = KC_ERROR_INIT;
    open_bytes_t open;
    open.bytes = mock_bytes(name, &open.size);
    EXPECT_OK(error, kci_elf_open(open.bytes, open.size, &open.elf, &error));
    return open;
}

static inline void close_bytes(open_bytes_t *open)
{
    kci_elf_close(&open->elf);
    free(open->bytes);
}

#endif
