/* SPDX-License-Identifier: Apache-2.0
 *
 * What a tape keeps: variables with their values, and of each operation that
 * a gradient may pass the node that remembers it. Both are numbered places in
 * growing arrays, so that a walk of any depth is a loop.
 */
#ifndef KC_AUTOGRAD_TAPE_STATE_H
#define KC_AUTOGRAD_TAPE_STATE_H

#include "autograd/rule.h"
#include "autograd/tape.h"

#define KCI_NO_PLACE SIZE_MAX

/* `number` and `generation` are what references carry; numbers rise by one
 * from variable to variable, and messages print them. */
typedef struct kci_tape_variable {
    uint64_t number;
    uint64_t generation;
    kc_tensor_t *tensor;   /* owned */
    kc_tensor_t *gradient; /* owned, of leaves; NULL: none yet */
    char *name;            /* owned, of leaves; NULL: none */
    size_t root; /* the variable whose value it shows; mostly itself */
    int32_t op;  /* that made it; -1: a leaf, a literal */
    bool is_leaf;
    bool needs_gradient;
} kci_tape_variable_t;

/* A saved operand: a private copy, or the variable's own memory and what its
 * bytes were. */
typedef struct kci_tape_saved {
    kc_tensor_t *copy; /* owned; NULL: the variable's memory */
    uint64_t fingerprint;
} kci_tape_saved_t;

typedef enum kci_tape_rule {
    KCI_TAPE_RULE_VIEW, /* the same elements with another shape: no kernel */
    KCI_TAPE_RULE_BACKEND,
    KCI_TAPE_RULE_RUNTIME,
    KCI_TAPE_RULE_COMPOSED
} kci_tape_rule_t;

typedef struct kci_tape_node {
    const kci_binding_t *binding; /* the session's; NULL of a view */
    kci_tape_rule_t rule;
    size_t result;      /* place of the variable */
    size_t first_input; /* into `inputs` */
    size_t input_count;
    size_t first_saved; /* into `saved`: inputs by rising place, the output */
    size_t attributes;  /* place, or KCI_NO_PLACE: the operation has none */
    uint32_t saved_inputs;
    uint32_t saved_outputs;
} kci_tape_node_t;

struct kc_tape {
    kc_session_t *session;     /* retained */
    uint64_t number;           /* of the tape, in every reference */
    uint64_t generation;       /* of variables to come */
    uint64_t reset_generation; /* references of older ones ended by a reset */
    uint64_t next_number;
    /* The leaves that survived backwards, then all since, whose numbers have
     * no gaps and begin with `base_number`. */
    kci_tape_variable_t *variables;
    size_t variable_count;
    size_t variable_capacity;
    size_t kept_count;
    uint64_t base_number;
    kci_tape_node_t *nodes; /* each after those that made its inputs */
    size_t node_count;
    size_t node_capacity;
    size_t *inputs; /* places of variables; KCI_NO_PLACE: absent */
    size_t input_count;
    size_t input_capacity;
    kci_tape_saved_t *saved;
    size_t saved_count;
    size_t saved_capacity;
    kc_attributes_t *attributes; /* resolved */
    size_t attributes_count;
    size_t attributes_capacity;
    kci_composition_t composition; /* of one rule after another */
};

kci_host_allocator_t *kci_tape_allocator(const kc_tape_t *tape);

/* tape.c. Where the tape stood, and back to it: what came later is given
 * back, and nobody may have a reference to it. */
typedef struct kci_tape_mark {
    size_t variable_count;
    size_t node_count;
    size_t input_count;
    size_t saved_count;
    size_t attributes_count;
    uint64_t next_number;
} kci_tape_mark_t;
kci_tape_mark_t kci_tape_mark(const kc_tape_t *tape);
void kci_tape_return(kc_tape_t *tape, const kci_tape_mark_t *mark);
/* Everything but the leaves ends; their gradients stay. */
void kci_tape_consume(kc_tape_t *tape);

/* tape_variable.c. The place of a reference: KC_ERR_ARGUMENT for a foreign, a
 * stale and an unknown one. Absent ones give KCI_NO_PLACE where
 * `is_optional`. */
KC_MUST_USE kc_status_t kci_tape_find(const kc_tape_t *tape,
                                      kc_variable_t variable, bool is_optional,
                                      size_t *out_place, kc_error_t *error);
kc_variable_t kci_tape_reference(const kc_tape_t *tape, size_t place);
/* "leaf x", "leaf 2", "the result of operation 3 (mul)". */
#define KCI_TAPE_NAME_SIZE 160
void kci_tape_describe(const kc_tape_t *tape, size_t place, char *out,
                       size_t size);
/* The same, but a detached value is told from what it shows. */
void kci_tape_describe_own(const kc_tape_t *tape, size_t place, char *out,
                           size_t size);
void kci_tape_place_type(const kc_tape_t *tape, size_t place,
                         kci_tensor_type_t *out_type);
bool kci_tape_is_floating(const kc_tape_t *tape, size_t place);
/* A variable with this value, which it takes on KC_OK. `model` says what it
 * is: name, root (KCI_NO_PLACE: itself), op, flags. */
KC_MUST_USE kc_status_t kci_tape_add_variable(kc_tape_t *tape,
                                              const kci_tape_variable_t *model,
                                              kc_tensor_t *tensor,
                                              size_t *out_place,
                                              kc_error_t *error);

/* tape_record.c. An operation on variables by place. Keys of random sources
 * are taken as they are. On failure the tape is as it was. */
KC_MUST_USE kc_status_t kci_tape_record(kc_tape_t *tape, int32_t op,
                                        const kc_attributes_t *attributes,
                                        const size_t *inputs,
                                        size_t input_count, size_t *out_place,
                                        kc_error_t *error);
/* The elements of a variable as one axis: no operation, a gradient passes. */
KC_MUST_USE kc_status_t kci_tape_flatten(kc_tape_t *tape, size_t input,
                                         size_t *out_place, kc_error_t *error);
KC_MUST_USE kc_status_t kci_tape_detach_place(kc_tape_t *tape, size_t source,
                                              size_t *out_place,
                                              kc_error_t *error);
/* Whether input `place` of the operation has a cotangent. */
bool kci_tape_has_cotangent(const kc_tape_t *tape, const kci_tape_node_t *node,
                            size_t place);

/* tape_saved.c. Remembers what the rule of the node will read. */
KC_MUST_USE kc_status_t kci_tape_save(kc_tape_t *tape, kci_tape_node_t *node,
                                      kc_error_t *error);
/* What was saved, as the rule reads it; NULL for the rest. KC_ERR_TENSOR when
 * bytes have changed since. */
typedef struct kci_tape_operands {
    const DLTensor *inputs[KC_MAX_INPUTS];
    const DLTensor *output;
} kci_tape_operands_t;
KC_MUST_USE kc_status_t kci_tape_take_saved(const kc_tape_t *tape,
                                            const kci_tape_node_t *node,
                                            kci_tape_operands_t *out_operands,
                                            kc_error_t *error);

/* tape_rule.c. The cotangents of the wanted inputs of a node, of the
 * caller's; NULL where not wanted or zero. */
KC_MUST_USE kc_status_t kci_tape_run_rule(
    kc_tape_t *tape, const kci_tape_node_t *node, const kc_tensor_t *cotangent,
    const bool *wanted, kc_tensor_t **out_cotangents, kc_error_t *error);

/* tape_request.c. A backward request by places. */
typedef struct kci_tape_targets {
    size_t *outputs;
    kc_tensor_t **seeds; /* dense, one an output */
    size_t output_count;
    size_t *wanted; /* as asked for, or all leaves with a gradient */
    size_t wanted_count;
} kci_tape_targets_t;
KC_MUST_USE kc_status_t kci_tape_targets_create(
    const kc_tape_t *tape, const kc_backward_request_t *request,
    kci_tape_targets_t *out_targets, kc_error_t *error);
void kci_tape_targets_release(kci_tape_targets_t *targets);
/* tape_seed.c. A seed for each output; on failure some are made. */
KC_MUST_USE kc_status_t
kci_tape_make_seeds(const kc_tape_t *tape, const kc_backward_request_t *request,
                    kci_tape_targets_t *targets, kc_error_t *error);

/* tape_gradients.c. `*total`, of the variable at `place`, grows by `term`: the
 * first one stands, later ones are added by an operation. `term` is taken on
 * KC_OK. */
KC_MUST_USE kc_status_t kci_tape_add_term(kc_tape_t *tape, size_t place,
                                          kc_tensor_t **total,
                                          kc_tensor_t *term, kc_error_t *error);
/* One tensor a wanted place from the cotangents, which are taken out where
 * they are: what nothing reaches is zeros. With `is_added` what leaves have
 * so far is in it. On failure nothing is left. */
KC_MUST_USE kc_status_t kci_tape_make_gradients(
    kc_tape_t *tape, const kci_tape_targets_t *targets, bool is_added,
    kc_tensor_t **cotangents, kc_tensor_t **out_gradients, kc_error_t *error);

#endif
