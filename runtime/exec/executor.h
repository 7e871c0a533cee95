/* SPDX-License-Identifier: Apache-2.0
 *
 * The graph executor: takes an accepted plan of a graph without named
 * extents, binds every operation once, lays out buffers by liveness, and
 * runs. A repeated run into the caller's buffers allocates nothing.
 */
#ifndef KC_EXEC_EXECUTOR_H
#define KC_EXEC_EXECUTOR_H

#include "exec/session.h"

typedef struct kc_executor kc_executor_t; /* one thread at a time */

typedef struct kci_executor_options {
    bool no_reuse; /* every value has memory of its own */
    bool keep_time;
} kci_executor_options_t;

/* Values of the const nodes by name; looked up once, retained. A missing one
 * or one of another type or shape is an error naming node and both. */
typedef struct kci_named_tensor {
    const char *name;
    kc_tensor_t *tensor;
} kci_named_tensor_t;

KC_MUST_USE kc_status_t
kci_executor_create(kci_host_t *host, kc_accepted_plan_t *accepted,
                    const kci_named_tensor_t *consts, size_t const_count,
                    const kci_executor_options_t *options,
                    kc_executor_t **out_executor, kc_error_t *error);
void kci_executor_destroy(kc_executor_t *executor); /* accepts NULL */

/* `inputs` in the order of the graph's input nodes, `outputs` in that of its
 * outputs; views of the caller, outputs dense and distinct. */
KC_MUST_USE kc_status_t kci_executor_run(
    kc_executor_t *executor, const DLTensor *const *inputs, size_t input_count,
    DLTensor *const *outputs, size_t output_count, kc_error_t *error);
/* Of an executor whose plan has gradients (autograd/gradient_plan): forward,
 * then backward, in one run. `seeds`, in the order of the plan's seeds, are
 * the cotangents of those outputs; NULL for a scalar one is 1. `gradients`,
 * in the order of the plan's gradients, are the caller's, dense, distinct,
 * and of the type of their node; they are overwritten. `outputs` may be NULL
 * with a count of 0: the values are not wanted. Such an executor has no other
 * run (KC_ERR_ARGUMENT), and others do not have this one. */
KC_MUST_USE kc_status_t kci_executor_run_gradients(
    kc_executor_t *executor, const DLTensor *const *inputs, size_t input_count,
    const DLTensor *const *seeds, size_t seed_count, DLTensor *const *outputs,
    size_t output_count, DLTensor *const *gradients, size_t gradient_count,
    kc_error_t *error);
const kci_run_record_t *kci_executor_record(const kc_executor_t *executor);
/* Whether buffers share memory by liveness. */
bool kci_executor_is_reusing(const kc_executor_t *executor);
/* Bytes of the buffers laid out for intermediate values. */
size_t kci_executor_buffer_bytes(const kc_executor_t *executor);

/* The same graph through a session, node by node, values released after
 * their last reader: eager mode. */
KC_MUST_USE kc_status_t kci_session_run_graph(
    kc_session_t *session, const kc_graph_t *graph,
    const kci_named_tensor_t *consts, size_t const_count,
    const DLTensor *const *inputs, size_t input_count,
    kc_tensor_t **out_outputs, size_t output_count, kc_error_t *error);

#endif
