/* SPDX-License-Identifier: Apache-2.0
 *
 * Offsets for buffers whose times of use are known, in one block.
 */
#ifndef KC_EXEC_ARENA_H
#define KC_EXEC_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <kcapsule/status.h>

/* Of the block, and the most that a buffer in it gets. */
#define KCI_ARENA_ALIGNMENT 64

/* In use from step `first` to step `last`, both included. */
typedef struct kci_buffer {
    uint32_t first;
    uint32_t last;
    size_t size_bytes; /* of kci_arena_size, above 0 */
    size_t offset;     /* the answer */
} kci_buffer_t;

/* Bytes to keep for a value of so many: large ones whole cache lines, tiny
 * ones no more than they have, so that very many stay small together. */
size_t kci_arena_size(size_t bytes);
/* `offset` rounded up for a buffer of that size: to the power of two that
 * divides the size, at most KCI_ARENA_ALIGNMENT. It is a multiple of the
 * element, as the size is. */
size_t kci_arena_align(size_t offset, size_t size_bytes);

/* Buffers in order of `first`. Without `no_reuse` two buffers share bytes
 * only when their times do not meet. `*out_size` is the size of the block, a
 * multiple of KCI_ARENA_ALIGNMENT.
 * KC_ERR_MEMORY when that is not a size_t. */
KC_MUST_USE kc_status_t kci_arena_layout(kci_buffer_t *buffers, size_t count,
                                         uint32_t step_count, bool no_reuse,
                                         size_t *out_size, kc_error_t *error);

#endif
