/* SPDX-License-Identifier: Apache-2.0
 *
 * The free places of a block whose buffers come and go. Only the arena uses
 * it.
 */
#ifndef KC_EXEC_ARENA_GAPS_H
#define KC_EXEC_ARENA_GAPS_H

#include <stddef.h>

typedef struct kci_gap {
    size_t offset;
    size_t size;
} kci_gap_t;

/* Gaps below `end`, by rising offset, never touching each other. */
typedef struct kci_gap_list {
    kci_gap_t *gaps; /* borrowed; room for one more than buffers in use */
    size_t count;
    size_t end;
} kci_gap_list_t;

/* A buffer of that size: the smallest gap that holds it, else the end. Its
 * offset is a multiple of kci_arena_alignment(size). */
size_t kci_gaps_take(kci_gap_list_t *list, size_t size);
void kci_gaps_give_back(kci_gap_list_t *list, size_t offset, size_t size);

#endif
