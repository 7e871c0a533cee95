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

#define KCI_ARENA_ALIGNMENT 64

/* In use from step `first` to step `last`, both included. */
typedef struct kci_buffer {
    uint32_t first;
    uint32_t last;
    size_t size_bytes; /* a multiple of KCI_ARENA_ALIGNMENT */
    size_t offset;     /* the answer */
} kci_buffer_t;

/* Buffers in order of `first`. Without `no_reuse` two buffers share bytes
 * only when their times do not meet. `*out_size` is the size of the block.
 * KC_ERR_MEMORY when that is not a size_t. */
KC_MUST_USE kc_status_t kci_arena_layout(kci_buffer_t *buffers, size_t count,
                                         uint32_t step_count, bool no_reuse,
                                         size_t *out_size, kc_error_t *error);

#endif
