/* SPDX-License-Identifier: Apache-2.0
 *
 * Execution: an eager session that accepts operation by operation, and an
 * executor that runs an accepted plan of a graph. Both record what really
 * ran. A session or executor is used by one thread at a time.
 */
#ifndef KCAPSULE_SESSION_H
#define KCAPSULE_SESSION_H

#include <kcapsule/attributes.h>
#include <kcapsule/plan.h>
#include <kcapsule/values.h>

KC_BEGIN_DECLS

enum {
    KC_SESSION_GRADIENTS = 1u << 0, /* for a tape: kcapsule/tape.h         */
    KC_SESSION_TIME = 1u << 1       /* keep times for the record           */
};

/* Without KC_SESSION_GRADIENTS the VJP mode in force is none. */
KC_API KC_MUST_USE kc_status_t kc_session_create(kc_runtime_t *runtime,
                                                 kc_profile_t *profile,
                                                 uint32_t flags,
                                                 kc_session_t **out_session,
                                                 kc_error_t *error);
KC_API void kc_session_release(kc_session_t *session);

/* Plans, accepts and binds the operation at its first use, then calls it.
 * `attributes` may be NULL for an operation without any; optional inputs
 * that are absent are NULL. The first form writes into `output` (dense, of
 * the right type), whose contents are undefined after a failure; the second
 * allocates. Errors: planning, acceptance, binding, KC_ERR_TENSOR naming the
 * guard, KC_ERR_KERNEL. */
KC_API KC_MUST_USE kc_status_t kc_session_run(kc_session_t *session, int32_t op,
                                              const kc_attributes_t *attributes,
                                              const DLTensor *const *inputs,
                                              size_t input_count,
                                              DLTensor *output,
                                              kc_error_t *error);
KC_API KC_MUST_USE kc_status_t kc_session_apply(
    kc_session_t *session, int32_t op, const kc_attributes_t *attributes,
    const DLTensor *const *inputs, size_t input_count, kc_tensor_t **out_tensor,
    kc_error_t *error);
/* A graph node by node. `inputs` in the order of kc_graph_input, the tensors
 * written to `out_outputs` (the caller's) in that of kc_graph_output.
 * `weights` may be NULL. */
KC_API KC_MUST_USE kc_status_t kc_session_run_graph(
    kc_session_t *session, kc_graph_t *graph, kc_weights_t *weights,
    const DLTensor *const *inputs, size_t input_count,
    kc_tensor_t **out_outputs, size_t output_count, kc_error_t *error);

enum {
    KC_EXECUTOR_NO_REUSE = 1u << 0, /* every value has its own memory */
    KC_EXECUTOR_TIME = 1u << 1
};

/* Binds every operation, reads the weights, lays out the buffers. A dense
 * tensor of kc_weights_from_tensors is shared for good: what the application
 * writes into it between two runs, as a step of a descent does, the next run
 * reads. One with gaps, or with bool bytes other than 0 and 1, is copied here.
 */
KC_API KC_MUST_USE kc_status_t kc_executor_create(
    kc_runtime_t *runtime, kc_accepted_plan_t *accepted, kc_weights_t *weights,
    uint32_t flags, kc_executor_t **out_executor, kc_error_t *error);
KC_API void kc_executor_release(kc_executor_t *executor);
/* Into the caller's dense, distinct outputs. Allocates nothing, except for
 * copies of what kernels cannot read as it is: the first time that an input
 * comes with gaps or with bool bytes other than 0 and 1 (the memory is kept),
 * and in every run for a mask of a kernel that reads the other polarity. */
KC_API KC_MUST_USE kc_status_t kc_executor_run(
    kc_executor_t *executor, const DLTensor *const *inputs, size_t input_count,
    DLTensor *const *outputs, size_t output_count, kc_error_t *error);

/* Forward and backward of an executor of a plan with gradients
 * (kc_plan_gradients), in one run that allocates nothing beyond what
 * kc_executor_run does. `seeds`, in the order of kc_plan_seed, are the
 * cotangents of those outputs; an entry that is NULL is 1, for a scalar only.
 * Seeds come before outputs are known, so a loss is best part of the graph.
 * `gradients`, in the order of kc_plan_gradient, are the caller's: dense,
 * distinct, of the type of their node; they are overwritten. `outputs` may be
 * NULL with a count of 0. Such an executor has no kc_executor_run, and others
 * do not have this one (KC_ERR_ARGUMENT). Gradients have the same bits as on a
 * tape. */
KC_API KC_MUST_USE kc_status_t kc_executor_run_gradients(
    kc_executor_t *executor, const DLTensor *const *inputs, size_t input_count,
    const DLTensor *const *seeds, size_t seed_count, DLTensor *const *outputs,
    size_t output_count, DLTensor *const *gradients, size_t gradient_count,
    kc_error_t *error);

/* What ran so far, as a value of its own. */
KC_API KC_MUST_USE kc_status_t kc_session_record(const kc_session_t *session,
                                                 kc_record_t **out_record,
                                                 kc_error_t *error);
KC_API KC_MUST_USE kc_status_t kc_executor_record(const kc_executor_t *executor,
                                                  kc_record_t **out_record,
                                                  kc_error_t *error);
KC_API void kc_record_release(kc_record_t *record);

/* Why a capsule was called. An inner operation is one that a composed
 * capsule or a composed derivative rule is made of. */
typedef enum kc_call_kind {
    KC_CALL_FORWARD,       /* an operation that was asked for             */
    KC_CALL_INNER_FORWARD, /* one of the composition that `served` is     */
    KC_CALL_VJP,           /* the derivative rule that belongs to `capsule` */
    KC_CALL_INNER_VJP,     /* one of the composed rule that belongs to
                            * `served`                                    */
    KC_CALL_SUM            /* contributions to a cotangent, added          */
} kc_call_kind_t;

/* One capsule that was called in one way, in first-use order. A KC_CALL_VJP
 * row is about a rule: its own kernel's when the capsule's VJP mode is
 * backend-vjp, else the tape's, and then no code of the capsule's file ran. */
typedef struct kc_record_row {
    uint32_t struct_size;
    int32_t op;
    const char *capsule;
    const char *provider;
    const char *module_name;
    const char *module_path;
    const char *module_sha256;
    uint64_t call_count;
    uint64_t time_ns;   /* 0 unless time was kept */
    int32_t kind;       /* kc_call_kind_t */
    int32_t vjp_mode;   /* of the capsule */
    const char *served; /* capsule that an inner operation works for, or "" */
} kc_record_row_t;
KC_API size_t kc_record_row_count(const kc_record_t *record);
KC_API void kc_record_row(const kc_record_t *record, size_t index,
                          kc_record_row_t *out_row);
/* Names a file that took part: `role` is "graph", "weights", "input",
 * "output", ...; the SHA-256 is of the file as it is now. */
KC_API KC_MUST_USE kc_status_t kc_record_add_file(kc_record_t *record,
                                                  const char *role,
                                                  const char *name,
                                                  const char *path,
                                                  kc_error_t *error);
/* The same for a result that has another name until all are complete: its
 * bytes are in the file `bytes_path` now; NULL: nothing keeps them (a device),
 * and there is no hash. */
KC_API KC_MUST_USE kc_status_t kc_record_add_result(
    kc_record_t *record, const char *role, const char *name, const char *path,
    const char *bytes_path, kc_error_t *error);
/* A named extent of the graph with the value it was bound to (kc_graph_bind);
 * without it nobody could run the graph again. KC_ERR_ARGUMENT for a name
 * that was added before. */
KC_API KC_MUST_USE kc_status_t kc_record_add_extent(kc_record_t *record,
                                                    const char *name,
                                                    int64_t value,
                                                    kc_error_t *error);
/* The JSON of kc_report_record as a file, which appears complete or not at
 * all; an existing one is replaced. */
KC_API KC_MUST_USE kc_status_t kc_record_write(const kc_record_t *record,
                                               const char *path,
                                               kc_error_t *error);

KC_END_DECLS

#endif
