/* SPDX-License-Identifier: Apache-2.0
 *
 * The eager tape: operations that are remembered, so that gradients can be
 * asked for afterwards. A tape belongs to one session with
 * KC_SESSION_GRADIENTS; every operation is planned under the profile's VJP
 * mode, so a capsule without a gradient is never chosen for one that needs
 * it. Used by one thread at a time, together with its session.
 *
 * Rules (specification: operation catalogue 6.5, 8.3):
 * - A node runs backward once, after all its consumers; the contributions to
 *   a cotangent are added in a fixed order: consumers by falling number, of
 *   one consumer by rising argument place.
 * - What a rule will read is fingerprinted when it is saved. If its bytes
 *   have changed by the time of the backward, that is KC_ERR_TENSOR and names
 *   the operation and the operand; nothing is computed from it.
 * - A backward uses the tape up, unless it is told to keep it: every variable
 *   but the leaves is then stale. Whatever the graph, a second one is an
 *   error that says so. Nothing is saved any more, so leaves may be written,
 *   as a step of a descent does; what is applied next reads the new values.
 * - What is applied and never run backward stays on the tape until a backward
 *   or a reset: values alone are cheaper from kc_session_run_graph.
 * - Leaves stay until a reset: a loop that makes new ones each step, instead
 *   of writing the next batch into those it has, resets the tape.
 */
#ifndef KCAPSULE_TAPE_H
#define KCAPSULE_TAPE_H

#include <kcapsule/session.h>

KC_BEGIN_DECLS

typedef struct kc_tape kc_tape_t;

/* A value on a tape: a reference to copy freely. `index` is the number by which
 * messages name it, and the operation that made it. One of another tape, or one
 * that the tape no longer has, is KC_ERR_ARGUMENT wherever it is given; all
 * zero, it is no variable: an optional input that is absent. */
typedef struct kc_variable {
    uint64_t tape;
    uint64_t generation;
    uint64_t index;
} kc_variable_t;

/* Retains the session. KC_ERR_ARGUMENT for a session without gradients or of
 * a profile whose VJP mode is none. */
KC_API KC_MUST_USE kc_status_t kc_tape_create(kc_session_t *session,
                                              kc_tape_t **out_tape,
                                              kc_error_t *error);
KC_API void kc_tape_release(kc_tape_t *tape);

enum {
    KC_LEAF_GRADIENT = 1u << 0 /* what depends on it can be differentiated; its
                                * gradient is kept, and added up */
};

/* A tensor as a leaf, shared and not copied. `name` serves messages and may
 * be NULL. Leaves survive a backward; kc_tape_reset ends them. */
KC_API KC_MUST_USE kc_status_t kc_tape_leaf(kc_tape_t *tape,
                                            kc_tensor_t *tensor,
                                            const char *name, uint32_t flags,
                                            kc_variable_t *out_variable,
                                            kc_error_t *error);
/* One operation; the result is the tape's. An operation none of whose inputs
 * needs a gradient is computed and not remembered. A seeded random source has
 * no gradient, and what it drew ends with the backward like any result; its
 * key comes of its seed and of how many the session has drawn, whatever
 * `attributes` have for it. Errors: those of kc_session_apply. */
KC_API KC_MUST_USE kc_status_t kc_tape_apply(kc_tape_t *tape, int32_t op,
                                             const kc_attributes_t *attributes,
                                             const kc_variable_t *inputs,
                                             size_t input_count,
                                             kc_variable_t *out_variable,
                                             kc_error_t *error);
/* The same value; the gradient stops here. */
KC_API KC_MUST_USE kc_status_t kc_tape_detach(kc_tape_t *tape,
                                              kc_variable_t variable,
                                              kc_variable_t *out_variable,
                                              kc_error_t *error);
/* A graph node by node. `inputs` in the order of kc_graph_input, `consts` in
 * that of kc_graph_const, `out_outputs` in that of kc_graph_output. */
KC_API KC_MUST_USE kc_status_t kc_tape_run_graph(
    kc_tape_t *tape, kc_graph_t *graph, const kc_variable_t *inputs,
    size_t input_count, const kc_variable_t *consts, size_t const_count,
    kc_variable_t *out_outputs, size_t output_count, kc_error_t *error);

/* The value, of the caller's own (kc_tensor_release), sharing the memory. */
KC_API KC_MUST_USE kc_status_t kc_tape_value(kc_tape_t *tape,
                                             kc_variable_t variable,
                                             kc_tensor_t **out_tensor,
                                             kc_error_t *error);

enum {
    KC_BACKWARD_KEEP = 1u << 0 /* the tape can be used again */
};

/* Which gradients. `seeds[i]` is the cotangent of `outputs[i]`, dense or
 * strided, of its type; NULL, for one or for all: 1, of a scalar only.
 * `wanted` NULL: the leaves with KC_LEAF_GRADIENT, whose gradients grow by
 * what is found, those that nothing reaches by exact zeros. Else only these
 * variables get one, such leaves or results that depend on one, and
 * `out_gradients[i]` is a tensor of the caller's (kc_tensor_release); nothing
 * is added to leaves. A zeroed `order` means 1; gradients of gradients are
 * refused (KC_ERR_NOT_IN_BUILD). */
typedef struct kc_backward_request {
    uint32_t struct_size;
    uint32_t flags; /* KC_BACKWARD_* */
    const kc_variable_t *outputs;
    const DLTensor *const *seeds;
    size_t output_count;
    const kc_variable_t *wanted;
    kc_tensor_t **out_gradients;
    size_t wanted_count;
    uint32_t order;
    uint32_t spare;
} kc_backward_request_t;

/* KC_ERR_ARGUMENT for outputs or wanted variables that depend on no leaf with
 * a gradient, and for a tape that a backward has used up. On failure no
 * gradient has changed and the tape is as it was. */
KC_API KC_MUST_USE kc_status_t kc_tape_backward(
    kc_tape_t *tape, const kc_backward_request_t *request, kc_error_t *error);

/* The gradient of a leaf so far: a tensor of the caller's that shares the
 * tape's memory; NULL in `*out_tensor` before the first backward. */
KC_API KC_MUST_USE kc_status_t kc_tape_gradient(kc_tape_t *tape,
                                                kc_variable_t leaf,
                                                kc_tensor_t **out_tensor,
                                                kc_error_t *error);
/* Gradients of all leaves start anew. */
KC_API void kc_tape_clear_gradients(kc_tape_t *tape);
/* Forgets everything, leaves too; every variable is stale. The session's
 * record, plans and random counter stay. */
KC_API void kc_tape_reset(kc_tape_t *tape);

KC_END_DECLS

#endif
