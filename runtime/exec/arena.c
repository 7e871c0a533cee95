/* SPDX-License-Identifier: Apache-2.0
 *
 * Two ways to lay out, the smaller result wins. In order of time, best fit
 * into freed gaps: linear for the chains that graphs mostly are. In order of
 * size, lowest place that is free at that time: tighter, but quadratic, so
 * only when the first missed the bound and the buffers are few.
 */
#include "exec/arena.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/checked_size.h"
#include "base/error.h"
#include "exec/arena_gaps.h"

#define BY_SIZE_COUNT_MAX 2048
/* Below these sizes rounding up costs more than alignment brings. */
#define SMALL_BYTES 64
#define LARGE_BYTES 4096
#define NO_BUFFER   UINT32_MAX

/* Buffers by their last step: `heads[step]`, then `links[buffer]`. */
static void link_by_last(const kci_buffer_t *buffers, size_t count,
                         uint32_t step_count, uint32_t *heads, uint32_t *links)
{
    for (uint32_t step = 0; step < step_count; step++) {
        heads[step] = NO_BUFFER;
    }
    for (size_t i = 0; i < count; i++) {
        links[i] = heads[buffers[i].last];
        heads[buffers[i].last] = (uint32_t)i;
    }
}

static size_t layout_by_time(kci_buffer_t *buffers, size_t count,
                             uint32_t step_count, kci_gap_t *gaps,
                             const uint32_t *heads, const uint32_t *links)
{
    kci_gap_list_t list = {.gaps = gaps};
    size_t next = 0;
    for (uint32_t step = 0; step < step_count; step++) {
        while (next < count && buffers[next].first == step) {
            buffers[next].offset =
                kci_gaps_take(&list, buffers[next].size_bytes);
            next++;
        }
        for (uint32_t i = heads[step]; i != NO_BUFFER; i = links[i]) {
            kci_gaps_give_back(&list, buffers[i].offset, buffers[i].size_bytes);
        }
    }
    return list.end;
}

/* The most bytes in use at one step: no layout is smaller. */
static size_t least_size(const kci_buffer_t *buffers, size_t count,
                         uint32_t step_count, const uint32_t *heads,
                         const uint32_t *links)
{
    size_t live = 0;
    size_t most = 0;
    size_t next = 0;
    for (uint32_t step = 0; step < step_count; step++) {
        while (next < count && buffers[next].first == step) {
            live += buffers[next++].size_bytes;
        }
        most = live > most ? live : most;
        for (uint32_t i = heads[step]; i != NO_BUFFER; i = links[i]) {
            live -= buffers[i].size_bytes;
        }
    }
    return most;
}

static bool meet(const kci_buffer_t *a, const kci_buffer_t *b)
{
    return a->first <= b->last && b->first <= a->last;
}

static int compare_by_size(const void *a, const void *b)
{
    const kci_buffer_t *left = *(kci_buffer_t *const *)a;
    const kci_buffer_t *right = *(kci_buffer_t *const *)b;
    if (left->size_bytes != right->size_bytes) {
        return left->size_bytes > right->size_bytes ? -1 : 1;
    }
    return left < right ? -1 : left > right;
}

/* Into `placed`, which is sorted by offset. */
static void place_lowest(kci_buffer_t *buffer, kci_buffer_t **placed,
                         size_t placed_count)
{
    size_t offset = 0;
    for (size_t i = 0; i < placed_count; i++) {
        if (!meet(buffer, placed[i])) {
            continue;
        }
        if (kci_arena_align(offset, buffer->size_bytes) + buffer->size_bytes <=
            placed[i]->offset) {
            break;
        }
        size_t end = placed[i]->offset + placed[i]->size_bytes;
        offset = end > offset ? end : offset;
    }
    offset = kci_arena_align(offset, buffer->size_bytes);
    buffer->offset = offset;
    size_t place = placed_count;
    while (place > 0 && placed[place - 1]->offset > offset) {
        placed[place] = placed[place - 1];
        place--;
    }
    placed[place] = buffer;
}

static kc_status_t layout_by_size(kci_buffer_t *buffers, size_t count,
                                  size_t *out_size, kc_error_t *error)
{
    void *memory = NULL;
    size_t size = 0;
    KC_RETURN_IF_ERROR(
        kci_alloc_array(2 * count, sizeof(kci_buffer_t *), &memory, error));
    kci_buffer_t **order = memory;
    kci_buffer_t **placed = order + count;
    for (size_t i = 0; i < count; i++) {
        order[i] = &buffers[i];
    }
    qsort(order, count, sizeof(kci_buffer_t *), compare_by_size);
    for (size_t i = 0; i < count; i++) {
        place_lowest(order[i], placed, i);
        size_t end = order[i]->offset + order[i]->size_bytes;
        size = end > size ? end : size;
    }
    kci_free(memory);
    *out_size = size;
    return KC_OK;
}

/* Tries by size on a copy and keeps it if it is smaller. */
static kc_status_t improve(kci_buffer_t *buffers, size_t count,
                           size_t *in_out_size, kc_error_t *error)
{
    void *memory = NULL;
    size_t size = 0;
    KC_RETURN_IF_ERROR(kci_alloc_array(count, sizeof *buffers, &memory, error));
    kci_buffer_t *copy = memory;
    memcpy(copy, buffers, count * sizeof *buffers);
    kc_status_t status = layout_by_size(copy, count, &size, error);
    if (status == KC_OK && size < *in_out_size) {
        memcpy(buffers, copy, count * sizeof *buffers);
        *in_out_size = size;
    }
    kci_free(copy);
    return status;
}

/* One after the other, each with the most that alignment may take: also the
 * proof that no other layout overflows. */
static kc_status_t layout_apart(kci_buffer_t *buffers, size_t count,
                                size_t *out_size, kc_error_t *error)
{
    size_t size = 0;
    size_t bound = KCI_ARENA_ALIGNMENT;
    for (size_t i = 0; i < count; i++) {
        buffers[i].offset = kci_arena_align(size, buffers[i].size_bytes);
        if (!kci_size_add(bound, KCI_ARENA_ALIGNMENT, &bound) ||
            !kci_size_add(bound, buffers[i].size_bytes, &bound)) {
            return kci_fail(error, KC_ERR_MEMORY,
                            "out of memory: the values of the graph together "
                            "take more bytes than there are addresses");
        }
        size = buffers[i].offset + buffers[i].size_bytes;
    }
    *out_size = size;
    return KC_OK;
}

size_t kci_arena_size(size_t bytes)
{
    size_t unit = bytes >= LARGE_BYTES ? KCI_ARENA_ALIGNMENT
                                       : (bytes >= SMALL_BYTES ? 16 : 1);
    return (bytes + unit - 1) & ~(unit - 1);
}

size_t kci_arena_align(size_t offset, size_t size_bytes)
{
    size_t alignment = size_bytes & (~size_bytes + 1);
    if (alignment > KCI_ARENA_ALIGNMENT) {
        alignment = KCI_ARENA_ALIGNMENT;
    }
    return (offset + alignment - 1) & ~(alignment - 1);
}

static kc_status_t layout_reused(kci_buffer_t *buffers, size_t count,
                                 uint32_t step_count, size_t *out_size,
                                 kc_error_t *error)
{
    void *gaps = NULL;
    void *lists = NULL;
    kc_status_t status =
        kci_alloc_array(count + 1, sizeof(kci_gap_t), &gaps, error);
    if (status == KC_OK) {
        status = kci_alloc_array((size_t)step_count + count, sizeof(uint32_t),
                                 &lists, error);
    }
    if (status == KC_OK) {
        uint32_t *heads = lists;
        uint32_t *links = heads + step_count;
        link_by_last(buffers, count, step_count, heads, links);
        *out_size =
            layout_by_time(buffers, count, step_count, gaps, heads, links);
        if (count <= BY_SIZE_COUNT_MAX &&
            *out_size > least_size(buffers, count, step_count, heads, links)) {
            status = improve(buffers, count, out_size, error);
        }
    }
    kci_free(gaps);
    kci_free(lists);
    return status;
}

kc_status_t kci_arena_layout(kci_buffer_t *buffers, size_t count,
                             uint32_t step_count, bool no_reuse,
                             size_t *out_size, kc_error_t *error)
{
    size_t size = 0;
    KC_RETURN_IF_ERROR(layout_apart(buffers, count, &size, error));
    if (!no_reuse && count > 0) {
        KC_RETURN_IF_ERROR(
            layout_reused(buffers, count, step_count, &size, error));
    }
    *out_size = kci_arena_align(size, KCI_ARENA_ALIGNMENT);
    return KC_OK;
}
