/* SPDX-License-Identifier: Apache-2.0
 *
 * A compiled graph: an array of steps over views of buffers. Made by
 * compile.c, laid out by liveness.c, run by executor.c.
 */
#ifndef KC_EXEC_EXECUTOR_STATE_H
#define KC_EXEC_EXECUTOR_STATE_H

#include "dispatch/guard.h"
#include "exec/arena.h"
#include "exec/executor.h"
#include "exec/graph_values.h"

#define KCI_NO_BUFFER UINT32_MAX

/* Where the value of a node lies. */
typedef enum kci_place {
    KCI_PLACE_INPUT,  /* the caller's input number `slot`   */
    KCI_PLACE_CONST,  /* const number `slot`                */
    KCI_PLACE_BUFFER, /* buffer number `slot` of the arena  */
    KCI_PLACE_OUTPUT  /* the caller's output number `slot`  */
} kci_place_t;

typedef struct kci_value {
    uint32_t root; /* the node whose value this is; not itself: detach */
    uint32_t slot;
    uint8_t place; /* kci_place_t */
} kci_value_t;

/* One planned operation. Operands are views that the executor owns. */
typedef struct kci_step {
    const kc_attributes_t *attributes; /* of the graph, or a head */
    const DLTensor **operands;         /* into the pool; padded by NULL */
    DLTensor *output;
    size_t workspace_bytes;
    uint32_t node;
    uint32_t operand_count;
    uint32_t binding;
    uint16_t op;
} kci_step_t;

/* A view whose memory is known only when the graph is run. */
typedef struct kci_patch {
    DLTensor *view;
    uint32_t slot;
    bool is_output;
} kci_patch_t;

/* Parent 0 of a `sum` as one axis. */
typedef struct kci_flat_view {
    DLTensor view;
    int64_t extent;
    int64_t stride;
} kci_flat_view_t;

/* A value that reaches an output by copying. */
typedef struct kci_output_copy {
    const DLTensor *from; /* a view of the executor */
    uint32_t output;
} kci_output_copy_t;

/* Made when an input first comes with gaps or other bool bytes than 0, 1. */
typedef struct kci_input_copy {
    void *memory;
    size_t size_bytes;
    void *address; /* of the input in this run: here, or the caller's */
} kci_input_copy_t;

struct kc_executor {
    kci_host_t *host;             /* retained */
    kc_accepted_plan_t *accepted; /* retained */
    const kc_graph_t *graph;      /* borrowed from the plan */
    kci_executor_options_t options;
    kci_graph_ports_t ports;
    kc_tensor_t **consts; /* one a const node */

    kci_binding_t *bindings; /* in first-use order */
    size_t binding_count;
    kci_step_t *steps;
    uint32_t step_count;
    const DLTensor **operand_pool;

    kci_value_t *values; /* one a node */
    DLTensor *views;     /* one a node; unused for detach */
    int64_t *dim_pool;   /* their shapes, then their strides */
    kci_flat_view_t *flat_views;
    size_t flat_view_count;
    kci_patch_t *patches;
    size_t patch_count;
    kci_output_copy_t *output_copies;
    size_t output_copy_count;
    kci_input_copy_t *input_copies; /* one an input */
    kci_byte_range_t *const_ranges; /* one a const */
    kci_byte_range_t *port_ranges;  /* inputs, then outputs, of a run */

    kci_buffer_t *buffers;
    size_t buffer_count;
    void *arena; /* buffers, then the workspace */
    size_t buffer_bytes;
    size_t arena_bytes;
    size_t workspace_bytes; /* the largest of all steps */

    kci_run_record_t record;
};

/* Steps and values without memory: bindings, roots, places of inputs,
 * consts and outputs. */
KC_MUST_USE kc_status_t kci_executor_compile(kc_executor_t *executor,
                                             kc_error_t *error);
/* Buffers of the values that only the executor sees. */
KC_MUST_USE kc_status_t kci_executor_plan_buffers(kc_executor_t *executor,
                                                  kc_error_t *error);
/* Views of everything, limits checked, workspaces asked for, memory. */
KC_MUST_USE kc_status_t kci_executor_link(kc_executor_t *executor,
                                          kc_error_t *error);
/* The caller's tensors of one run: checked, their addresses filled in. */
KC_MUST_USE kc_status_t kci_executor_attach(kc_executor_t *executor,
                                            const DLTensor *const *inputs,
                                            DLTensor *const *outputs,
                                            kc_error_t *error);
/* "node 3 (matmul): " in front of an error. */
void kci_executor_name_node(const kc_executor_t *executor, uint32_t node,
                            kc_error_t *error);
/* The same for the node of the largest value in the one block. */
void kci_executor_name_largest(const kc_executor_t *executor,
                               kc_error_t *error);

#endif
