/* SPDX-License-Identifier: Apache-2.0
 *
 * Graphs: nodes in an order in which every parent comes first. A graph that
 * exists is well formed; it never changes and may be shared by threads.
 */
#ifndef KC_GRAPH_GRAPH_H
#define KC_GRAPH_GRAPH_H

#include <stdatomic.h>
#include "ops/op_info.h"

#define KCI_NO_INDEX UINT32_MAX

typedef enum kci_kind_role {
    KCI_ROLE_INPUT,
    KCI_ROLE_CONST,
    KCI_ROLE_DETACH,
    KCI_ROLE_OPERATION
} kci_kind_role_t;

/* How the operand of a kernel differs from the parent's value. */
typedef enum kci_lowering {
    KCI_LOWERING_NONE,
    KCI_LOWERING_FLAT_INPUT /* `sum`: parent 0 seen as one axis */
} kci_lowering_t;

typedef struct kci_node {
    int16_t kind; /* index into the table of kinds */
    int16_t op;   /* kc_op_t, or -1: no kernel is needed */
    int8_t dtype; /* kc_dtype_t of the value */
    int8_t rank;
    uint8_t lowering;     /* kci_lowering_t */
    uint8_t is_trainable; /* const only */
    uint32_t parent_count;
    uint32_t first_parent; /* index into kc_graph.parents */
    uint32_t first_dim;    /* index into kc_graph.dims */
    uint32_t attributes;   /* index into kc_graph.attributes, or none */
    uint32_t name;         /* index into kc_graph.names, or none */
    uint8_t axes[2];       /* of a transpose, in the order of the file */
    uint8_t is_literal;    /* a const without a name: the graph has its value */
} kci_node_t;

/* What planning asks of a node, for limits: computed once at construction.
 * With a named extent, `is_bound` is 0 and the extents leave it out. */
typedef struct kci_demand {
    int16_t op;   /* -1: no kernel */
    int8_t dtype; /* of the first input, or of the output without inputs */
    int8_t rank;  /* likewise */
    uint8_t input_count;
    uint8_t is_bound;
    uint16_t spare;
    int64_t extent_max;  /* over all operands */
    int64_t element_max; /* over all operands */
} kci_demand_t;

/* The value of a const that came with the graph: nobody is asked for it. */
typedef struct kci_graph_literal {
    uint32_t node;
    void *bytes; /* owned; dense */
    size_t size_bytes;
} kci_graph_literal_t;

typedef struct kci_graph_output {
    char *name;
    uint32_t node;
} kci_graph_output_t;

typedef struct kc_graph {
    _Atomic int reference_count;
    char *source;    /* file name, or what the application called it */
    char sha256[65]; /* of the file; empty for a graph built in memory */
    kci_node_t *nodes;
    kci_demand_t *demands; /* one a node */
    uint32_t node_count;
    uint32_t *parents;
    int64_t *dims;
    kc_attributes_t *attributes; /* resolved */
    char **names;                /* of inputs and consts */
    char **dim_names;            /* of named extents; NULL-terminated */
    uint32_t dim_name_count;
    kci_graph_literal_t *literals; /* by rising node */
    uint32_t literal_count;
    kci_graph_output_t *outputs;
    uint32_t output_count;
    uint32_t parent_pool_count;
    uint32_t dim_pool_count;
    uint32_t attribute_pool_count;
    uint32_t name_count;
} kc_graph_t;

/* `name` is what errors call the text. Status KC_ERR_FORMAT for what is not a
 * graph file, KC_ERR_GRAPH for a graph that is not well formed. */
KC_MUST_USE kc_status_t kci_graph_parse(const char *text, size_t length,
                                        const char *name,
                                        kc_graph_t **out_graph,
                                        kc_error_t *error);
KC_MUST_USE kc_status_t kci_graph_read(const char *path, kc_graph_t **out_graph,
                                       kc_error_t *error);
kc_graph_t *kci_graph_retain(kc_graph_t *graph);
void kci_graph_release(kc_graph_t *graph); /* accepts NULL */

/* A graph without names of extents: each is given a value (an unknown name,
 * a missing one, or one given twice is an error), all shapes are inferred
 * and checked again. A graph without named extents is only retained. */
KC_MUST_USE kc_status_t kci_graph_bind(kc_graph_t *graph,
                                       const char *const *names,
                                       const int64_t *values, size_t count,
                                       kc_graph_t **out_graph,
                                       kc_error_t *error);

void kci_graph_node_type(const kc_graph_t *graph, uint32_t node,
                         kci_tensor_type_t *out_type);
static inline const uint32_t *kci_graph_parents(const kc_graph_t *graph,
                                                uint32_t node)
{
    return graph->parents + graph->nodes[node].first_parent;
}
/* NULL when the kind has no attributes. */
const kc_attributes_t *kci_graph_attributes(const kc_graph_t *graph,
                                            uint32_t node);
/* NULL unless the node is a literal. */
const kci_graph_literal_t *kci_graph_literal(const kc_graph_t *graph,
                                             uint32_t node);
/* The type of the kernel's operand `index` after lowering. */
void kci_graph_operand_type(const kc_graph_t *graph, uint32_t node,
                            uint32_t index, kci_tensor_type_t *out_type);

/* "reshape [4] [1, 4]", "transpose 0 1", "matmul": kind and attributes as
 * plans print them. */
void kci_graph_describe_node(const kc_graph_t *graph, uint32_t node, char *out,
                             size_t size);

#endif
