/* SPDX-License-Identifier: Apache-2.0
 *
 * The bytes of a module file: headers, notes, records, symbols. The corpus is
 * of x86-64; elsewhere its files are refused by their machine.
 */
#include "fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>
#include "module/module_file.h"

const char kc_fuzz_name[] = "module";

/* What a listing reads of an accepted file. */
static void look_at(const kci_module_file_t *file)
{
    for (size_t idx = 0; idx < file->capsule_count; idx++) {
        (void)kci_capsule_is_known(&file->capsules[idx]);
        (void)kci_capsule_is_aligned(&file->capsules[idx], NULL);
        (void)kci_module_file_handler(file, &file->capsules[idx]);
    }
}

static void free_parts(kci_module_file_t *file)
{
    for (char **at = file->needed; at != NULL && *at != NULL; at++) {
        free(*at);
    }
    free(file->needed);
    free(file->capsules);
    free(file->provenance);
    free(file->notes);
}

/* A block of exactly the size and of the alignment that the parser wants. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    kci_module_file_t file;
    kc_error_t error = KC_ERROR_INIT;
    unsigned char *bytes = malloc(size > 0 ? size : 1);
    if (bytes == NULL) {
        return 0;
    }
    if (size > 0) {
        memcpy(bytes, data, size);
    }
    memset(&file, 0, sizeof file);
    file.verdict.struct_size = sizeof file.verdict;
    if (kci_module_file_parse(&file, bytes, size, &error) == KC_OK &&
        file.verdict.status == KC_OK) {
        look_at(&file);
    }
    free_parts(&file);
    free(bytes);
    return 0;
}
