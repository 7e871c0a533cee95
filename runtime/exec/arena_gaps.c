/* SPDX-License-Identifier: Apache-2.0
 *
 * Best fit. What alignment leaves in front of a buffer stays a gap, for
 * smaller ones.
 */
#include "exec/arena_gaps.h"

#include <stdbool.h>
#include <string.h>

#include "exec/arena.h"

static void insert_gap(kci_gap_list_t *list, size_t place, kci_gap_t gap)
{
    kci_gap_t *at = &list->gaps[place];
    memmove(at + 1, at, (list->count - place) * sizeof *at);
    *at = gap;
    list->count++;
}

static void remove_gap(kci_gap_list_t *list, size_t place)
{
    kci_gap_t *at = &list->gaps[place];
    memmove(at, at + 1, (list->count - place - 1) * sizeof *at);
    list->count--;
}

/* Bytes [offset, offset + size) of the gap are used from now on. */
static void take_from_gap(kci_gap_list_t *list, size_t place, size_t offset,
                          size_t size)
{
    kci_gap_t gap = list->gaps[place];
    kci_gap_t before = {gap.offset, offset - gap.offset};
    kci_gap_t behind = {offset + size, gap.offset + gap.size - (offset + size)};
    remove_gap(list, place);
    if (behind.size > 0) {
        insert_gap(list, place, behind);
    }
    if (before.size > 0) {
        insert_gap(list, place, before);
    }
}

static size_t take_from_end(kci_gap_list_t *list, size_t size)
{
    size_t start = list->end;
    if (list->count > 0) {
        const kci_gap_t *last = &list->gaps[list->count - 1];
        if (last->offset + last->size == list->end) {
            start = last->offset;
            list->count--;
        }
    }
    size_t offset = kci_arena_align(start, size);
    if (offset > start) {
        insert_gap(list, list->count, (kci_gap_t){start, offset - start});
    }
    list->end = offset + size;
    return offset;
}

size_t kci_gaps_take(kci_gap_list_t *list, size_t size)
{
    size_t best = list->count;
    for (size_t i = 0; i < list->count; i++) {
        const kci_gap_t *gap = &list->gaps[i];
        size_t lost = kci_arena_align(gap->offset, size) - gap->offset;
        if (gap->size >= size && gap->size - size >= lost &&
            (best == list->count || gap->size < list->gaps[best].size)) {
            best = i;
        }
    }
    if (best == list->count) {
        return take_from_end(list, size);
    }
    size_t offset = kci_arena_align(list->gaps[best].offset, size);
    take_from_gap(list, best, offset, size);
    return offset;
}

void kci_gaps_give_back(kci_gap_list_t *list, size_t offset, size_t size)
{
    size_t low = 0;
    size_t high = list->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (list->gaps[middle].offset < offset) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    kci_gap_t *next = &list->gaps[low];
    bool joins_next = low < list->count && offset + size == next->offset;
    bool joins_previous =
        low > 0 &&
        list->gaps[low - 1].offset + list->gaps[low - 1].size == offset;
    if (joins_previous) {
        list->gaps[low - 1].size += size;
        if (joins_next) {
            list->gaps[low - 1].size += next->size;
            remove_gap(list, low);
        }
    } else if (joins_next) {
        next->offset = offset;
        next->size += size;
    } else {
        insert_gap(list, low, (kci_gap_t){offset, size});
    }
}
