/* SPDX-License-Identifier: Apache-2.0
 *
 * Feeds bytes to the safetensors reader and loads every entry of a file that
 * is accepted. Together the entries never have more bytes than the file.
 */
#include "fuzz/fuzz.h"

#include <stdlib.h>
#include "tensor/safetensors.h"

const char kc_fuzz_name[] = "safetensors";

static size_t load(const kci_safetensors_t *file, size_t index)
{
    kci_host_allocator_t allocator;
    kc_tensor_t *tensor = NULL;
    kc_error_t error = KC_ERROR_INIT;
    kci_host_allocator_init(&allocator, NULL, NULL, NULL);
    if (kci_safetensors_load(file, kci_safetensors_name(file, index),
                             &allocator, &tensor, &error) != KC_OK) {
        return 0;
    }
    size_t size_bytes = tensor->storage->size_bytes;
    kci_tensor_release(tensor);
    return size_bytes;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    kci_safetensors_t *file = NULL;
    kc_error_t error = KC_ERROR_INIT;
    size_t total = 0;
    if (kci_safetensors_parse(data, size, "fuzz.safetensors", &file, &error) !=
        KC_OK) {
        return 0;
    }
    for (size_t i = 0; i < kci_safetensors_count(file); i++) {
        total += load(file, i);
    }
    if (total > size) {
        abort();
    }
    kci_safetensors_close(file);
    return 0;
}
