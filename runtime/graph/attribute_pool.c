/* SPDX-License-Identifier: Apache-2.0
 *
 * Records by their bytes in a hash table. A look-up ends after a few places
 * in any case: missing an equal record costs memory, never time, so chosen
 * collisions gain nothing.
 */
#include "graph/attribute_pool.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"

enum { PROBES = 8, FIRST_SLOTS = 64 };

/* FNV-1a over words. */
static uint64_t hash_record(const kc_attributes_t *attributes)
{
    const unsigned char *bytes = (const unsigned char *)attributes;
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i + sizeof hash <= sizeof *attributes;
         i += sizeof hash) {
        uint64_t word = 0;
        memcpy(&word, bytes + i, sizeof word);
        hash = (hash ^ word) * UINT64_C(0x100000001b3);
        hash ^= hash >> 32;
    }
    return hash;
}

static bool is_equal(const kc_attributes_t *a, const kc_attributes_t *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

/* The slot of an equal record, else a free one, else NULL. */
static uint32_t *find_slot(kci_attribute_pool_t *pool, const kc_graph_t *graph,
                           const kc_attributes_t *attributes)
{
    uint64_t hash = hash_record(attributes);
    for (size_t i = 0; i < PROBES; i++) {
        uint32_t *slot = &pool->slots[(hash + i) & (pool->slot_count - 1)];
        if (*slot == 0 || is_equal(&graph->attributes[*slot - 1], attributes)) {
            return slot;
        }
    }
    return NULL;
}

static kc_status_t grow_slots(kci_attribute_pool_t *pool,
                              const kc_graph_t *graph, kc_error_t *error)
{
    kci_attribute_pool_t larger = *pool;
    void *slots = NULL;
    larger.slot_count =
        pool->slot_count == 0 ? FIRST_SLOTS : 2 * pool->slot_count;
    KC_RETURN_IF_ERROR(
        kci_alloc_array(larger.slot_count, sizeof *pool->slots, &slots, error));
    larger.slots = slots;
    for (uint32_t i = 0; i < graph->attribute_pool_count; i++) {
        uint32_t *slot = find_slot(&larger, graph, &graph->attributes[i]);
        if (slot != NULL && *slot == 0) {
            *slot = i + 1;
        }
    }
    kci_free(pool->slots);
    *pool = larger;
    return KC_OK;
}

kc_status_t kci_attribute_pool_reserve(kci_attribute_pool_t *pool,
                                       kc_graph_t *graph, kc_error_t *error)
{
    size_t needed = (size_t)graph->attribute_pool_count + 1;
    if (2 * needed > pool->slot_count) {
        KC_RETURN_IF_ERROR(grow_slots(pool, graph, error));
    }
    return kci_grow_array((void **)&graph->attributes, &pool->capacity, needed,
                          sizeof *graph->attributes, error);
}

uint32_t kci_attribute_pool_add(kci_attribute_pool_t *pool, kc_graph_t *graph,
                                const kc_attributes_t *attributes)
{
    uint32_t *slot = find_slot(pool, graph, attributes);
    if (slot != NULL && *slot != 0) {
        return *slot - 1;
    }
    uint32_t index = graph->attribute_pool_count++;
    /* Padding too, or equal records would compare different. */
    memcpy(&graph->attributes[index], attributes, sizeof *attributes);
    if (slot != NULL) {
        *slot = index + 1;
    }
    return index;
}

void kci_attribute_pool_release(kci_attribute_pool_t *pool)
{
    kci_free(pool->slots);
    *pool = (kci_attribute_pool_t){0};
}
