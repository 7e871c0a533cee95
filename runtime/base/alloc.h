/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory of descriptions: graphs, plans, contracts, texts. Memory of runs
 * (tensors, workspaces) comes from the host allocator instead, which counts.
 */
#ifndef KC_BASE_ALLOC_H
#define KC_BASE_ALLOC_H

#include <stddef.h>
#include <kcapsule/status.h>

/* Zeroed memory for `count` items; fails on overflow of count * size. The
 * result of 0 items is a valid pointer. Owned by the caller. */
KC_MUST_USE kc_status_t kci_alloc_array(size_t count, size_t item_size,
                                        void **out_items, kc_error_t *error);
/* Grows `*items` to hold `needed` items (at least doubling `*capacity`); new
 * items are zero. `*items` and `*capacity` change on KC_OK only. */
KC_MUST_USE kc_status_t kci_grow_array(void **items, size_t *capacity,
                                       size_t needed, size_t item_size,
                                       kc_error_t *error);
KC_MUST_USE kc_status_t kci_copy_string(const char *text, char **out_copy,
                                        kc_error_t *error);
void kci_free(void *memory); /* accepts NULL */

#endif
