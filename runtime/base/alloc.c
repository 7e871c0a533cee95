/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory of descriptions. The one place that multiplies a count by a size
 * for the heap.
 */
#include "base/alloc.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked_size.h"
#include "base/error.h"

#define FIRST_CAPACITY 4

static kc_status_t fail_for_memory(size_t count, size_t item_size,
                                   kc_error_t *error)
{
    return kci_fail(error, KC_ERR_MEMORY,
                    "out of memory: %zu items of %zu bytes", count, item_size);
}

kc_status_t kci_alloc_array(size_t count, size_t item_size, void **out_items,
                            kc_error_t *error)
{
    size_t size = 0;
    if (!kci_size_multiply(count, item_size, &size) || size > PTRDIFF_MAX) {
        return fail_for_memory(count, item_size, error);
    }
    void *items = calloc(1, size == 0 ? 1 : size);
    if (items == NULL) {
        return fail_for_memory(count, item_size, error);
    }
    *out_items = items;
    return KC_OK;
}

static size_t next_capacity(size_t capacity, size_t needed)
{
    size_t next = FIRST_CAPACITY;
    if (capacity > 0 && !kci_size_multiply(capacity, 2, &next)) {
        next = needed;
    }
    return next < needed ? needed : next;
}

kc_status_t kci_grow_array(void **items, size_t *capacity, size_t needed,
                           size_t item_size, kc_error_t *error)
{
    if (needed <= *capacity) {
        return KC_OK;
    }
    size_t next = next_capacity(*capacity, needed);
    size_t size = 0;
    if (!kci_size_multiply(next, item_size, &size) || size > PTRDIFF_MAX) {
        return fail_for_memory(next, item_size, error);
    }
    char *grown = realloc(*items, size == 0 ? 1 : size);
    if (grown == NULL) {
        return fail_for_memory(next, item_size, error);
    }
    size_t used = *capacity * item_size;
    memset(grown + used, 0, size - used);
    *items = grown;
    *capacity = next;
    return KC_OK;
}

kc_status_t kci_copy_string(const char *text, char **out_copy,
                            kc_error_t *error)
{
    size_t size = strlen(text) + 1;
    void *copy = NULL;
    KC_RETURN_IF_ERROR(kci_alloc_array(size, 1, &copy, error));
    memcpy(copy, text, size);
    *out_copy = copy;
    return KC_OK;
}

void kci_free(void *memory)
{
    free(memory);
}
