/* SPDX-License-Identifier: Apache-2.0
 *
 * The attributes of all nodes of a graph under construction. Equal records
 * are stored once, since a record is large and graphs repeat themselves.
 */
#ifndef KC_GRAPH_ATTRIBUTE_POOL_H
#define KC_GRAPH_ATTRIBUTE_POOL_H

#include "graph/graph.h"

typedef struct kci_attribute_pool {
    size_t capacity;   /* of graph->attributes */
    uint32_t *slots;   /* owned; index + 1, 0: free */
    size_t slot_count; /* 0 or a power of two */
} kci_attribute_pool_t;

/* Room for one more record, so that the next add cannot fail. */
KC_MUST_USE kc_status_t kci_attribute_pool_reserve(kci_attribute_pool_t *pool,
                                                   kc_graph_t *graph,
                                                   kc_error_t *error);
/* Index of a record with these bytes. */
uint32_t kci_attribute_pool_add(kci_attribute_pool_t *pool, kc_graph_t *graph,
                                const kc_attributes_t *attributes);
void kci_attribute_pool_release(kci_attribute_pool_t *pool);

#endif
