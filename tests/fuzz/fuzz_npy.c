/* SPDX-License-Identifier: Apache-2.0
 *
 * Feeds bytes to the npy reader. A file that is accepted has exactly the data
 * its shape needs, so all of it is touched.
 */
#include "fuzz/fuzz.h"

#include <stdlib.h>
#include "tensor/npy.h"

const char kc_fuzz_name[] = "npy";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    kci_host_allocator_t allocator;
    kc_tensor_t *tensor = NULL;
    kc_error_t error = KC_ERROR_INIT;
    unsigned sum = 0;
    kci_host_allocator_init(&allocator, NULL, NULL, NULL);
    if (kci_npy_parse(&allocator, data, size, "fuzz.npy", &tensor, &error) !=
        KC_OK) {
        return 0;
    }
    const unsigned char *bytes = tensor->view.data;
    for (size_t i = 0; i < tensor->storage->size_bytes; i++) {
        sum += bytes[i];
    }
    if (tensor->storage->size_bytes > size || sum > 255u * size) {
        abort();
    }
    kci_tensor_release(tensor);
    return 0;
}
