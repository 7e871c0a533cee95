/* SPDX-License-Identifier: Apache-2.0
 *
 * A compiled program: an array of calls over views of buffers. Made by
 * compile.c, laid out by liveness.c, linked by link.c, run by run.c.
 */
#ifndef KC_EXEC_EXECUTOR_STATE_H
#define KC_EXEC_EXECUTOR_STATE_H

#include "dispatch/guard.h"
#include "exec/arena.h"
#include "exec/executor.h"
#include "exec/graph_values.h"
#include "exec/program.h"

#define KCI_NO_BUFFER UINT32_MAX

/* Where a value lies. */
typedef enum kci_place {
    KCI_PLACE_INPUT,   /* the caller's input number `slot`    */
    KCI_PLACE_CONST,   /* const number `slot`                 */
    KCI_PLACE_SEED,    /* the caller's seed number `slot`     */
    KCI_PLACE_LITERAL, /* literal number `slot` of the program */
    KCI_PLACE_BUFFER,  /* buffer number `slot` of the arena   */
    KCI_PLACE_OUTPUT,  /* the caller's output number `slot`   */
    KCI_PLACE_GRADIENT /* the caller's gradient number `slot` */
} kci_place_t;

/* Of the value that is its own root; others lie where their root lies. */
typedef struct kci_value {
    uint32_t slot;
    uint8_t place; /* kci_place_t */
} kci_value_t;

/* One call. Operands are views that the executor owns. */
typedef struct kci_step {
    const kc_attributes_t *attributes; /* of the program, or a head */
    const DLTensor **operands;         /* into the pool; padded by NULL */
    union {
        DLTensor *output;
        const kci_vjp_call_t *vjp; /* of a derivative rule */
    };
    size_t workspace_bytes;
    uint32_t operand_count;
    uint32_t binding;
    uint32_t row;    /* of the record, in first-use order */
    bool is_vjp;     /* a derivative rule */
    bool is_planned; /* serves a node: the next one of the plan */
} kci_step_t;

/* What a run passes before step `step`, counted but no call: a capsule that
 * is a composition, or a rule that is one. Its operands are looked at there.
 * The last one is beyond all. */
typedef struct kci_event {
    uint32_t step;
    uint32_t node;
    uint32_t row;
    const kci_program_rule_t *rule; /* of the program; NULL: a capsule */
} kci_event_t;

/* A tensor of the caller's. Ports are in the order inputs, seeds, outputs,
 * gradients; the last two are written. */
typedef struct kci_port {
    const char *role; /* "input", "gradient of" */
    char *name;       /* owned */
    uint32_t node;
    bool is_written;
    kci_byte_range_t range; /* in the last run */
    void *address;          /* in this run: the caller's, or the copy */
    /* Made when one that is read first comes with gaps or other bool bytes
     * than 0, 1; kept. */
    void *copy;
    size_t copy_bytes;
} kci_port_t;

/* A view whose memory is known only when the program is run. */
typedef struct kci_patch {
    DLTensor *view;
    uint32_t port;
} kci_patch_t;

/* A value that reaches an output or gradient by copying; `from` NULL: zeros. */
typedef struct kci_port_copy {
    const DLTensor *from; /* a dense view of the executor */
    size_t size_bytes;
    uint32_t port;
} kci_port_copy_t;

struct kc_executor {
    kci_host_t *host;             /* retained */
    kc_accepted_plan_t *accepted; /* retained */
    const kc_graph_t *graph;      /* borrowed from the plan */
    kci_program_t *program;       /* of the plan, or owned */
    bool owns_program;
    bool has_gradients; /* forward and backward */
    kci_executor_options_t options;
    kci_graph_ports_t graph_ports;
    kc_tensor_t **consts; /* one a const node */

    kci_binding_t *bindings; /* in first-use order */
    size_t binding_count;
    kci_step_t *steps; /* one a step of the program */
    uint32_t step_count;
    const DLTensor **operand_pool;
    DLTensor **result_pool; /* of derivative rules */
    kci_vjp_call_t *vjp_calls;
    kci_event_t *events; /* by rising step; the last one at UINT32_MAX */

    kci_value_t *values; /* one a value of the program */
    DLTensor *views;     /* likewise; shapes are those of the program */
    int64_t *stride_pool;
    kci_port_t *ports;
    size_t port_count;
    kci_patch_t *patches;
    size_t patch_count;
    kci_port_copy_t *copies;
    size_t copy_count;
    kci_byte_range_t *const_ranges; /* one a const */
    bool has_apart_ports; /* the ranges of all ports were found apart */

    kci_buffer_t *buffers;
    size_t buffer_count;
    void *arena; /* buffers, then the workspace */
    size_t buffer_bytes;
    size_t arena_bytes;
    size_t workspace_bytes; /* the largest of all steps */

    kci_record_entry_t *rows; /* in first-use order, nothing counted */
    size_t row_count;
    size_t row_capacity;
    kci_run_record_t record;
};

/* First port of a kind. */
static inline size_t kci_first_seed(const kc_executor_t *executor)
{
    return executor->graph_ports.input_count;
}
static inline size_t kci_first_output(const kc_executor_t *executor)
{
    return kci_first_seed(executor) + executor->program->seed_count;
}
static inline size_t kci_first_gradient(const kc_executor_t *executor)
{
    return kci_first_output(executor) + executor->graph->output_count;
}

/* Names and nodes of the ports. */
KC_MUST_USE kc_status_t kci_executor_make_ports(kc_executor_t *executor,
                                                kc_error_t *error);
/* Calls and values without memory: bindings, places, what is copied. */
KC_MUST_USE kc_status_t kci_executor_compile(kc_executor_t *executor,
                                             kc_error_t *error);
/* Rows of the record and events, from the steps. */
KC_MUST_USE kc_status_t kci_executor_make_rows(kc_executor_t *executor,
                                               kc_error_t *error);
/* Buffers of the values that only the executor sees. */
KC_MUST_USE kc_status_t kci_executor_plan_buffers(kc_executor_t *executor,
                                                  kc_error_t *error);
/* Views of everything, limits checked, workspaces asked for, memory. */
KC_MUST_USE kc_status_t kci_executor_link(kc_executor_t *executor,
                                          kc_error_t *error);

/* The caller's tensors of one run; NULL where there are none of a kind. */
typedef struct kci_run_tensors {
    const DLTensor *const *inputs;
    const DLTensor *const *seeds;
    DLTensor *const *outputs; /* NULL: not wanted */
    DLTensor *const *gradients;
} kci_run_tensors_t;
/* Checked, their addresses filled in. */
KC_MUST_USE kc_status_t kci_executor_attach(kc_executor_t *executor,
                                            const kci_run_tensors_t *tensors,
                                            kc_error_t *error);
/* "node 3 (matmul): " in front of an error. */
void kci_executor_name_node(const kc_executor_t *executor, uint32_t node,
                            kc_error_t *error);
/* The same for the node of the largest value in the one block. */
void kci_executor_name_largest(const kc_executor_t *executor,
                               kc_error_t *error);

#endif
