/* SPDX-License-Identifier: Apache-2.0
 *
 * The kinds of nodes of graph files and what each one lowers to: one
 * catalogue operation with resolved attributes, or no kernel at all.
 */
#ifndef KC_GRAPH_KINDS_H
#define KC_GRAPH_KINDS_H

#include "graph/graph.h"

typedef struct kci_kind {
    const char *label;
    kci_kind_role_t role;
    int32_t op; /* -1 unless the role is operation */
    uint32_t parent_min;
    uint32_t parent_max;
    kci_lowering_t lowering;
    /* Reads the file's attributes of this kind into those of the operation;
     * NULL: the operation's own table does (kci_op_attributes_from_json). */
    kc_status_t (*read_attributes)(const kci_op_request_t *request,
                                   const json_t *object,
                                   const kci_tensor_type_t *declared,
                                   kc_attributes_t *out_attributes,
                                   kc_error_t *error);
} kci_kind_t;

/* The table and its length, in the order of the specification. */
const kci_kind_t *kci_kind(int32_t index);
int32_t kci_kind_count(void);
/* -1 when there is no such kind. */
int32_t kci_kind_find(const char *label);

#endif
