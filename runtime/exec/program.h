/* SPDX-License-Identifier: Apache-2.0
 *
 * A program: every kernel call of a run in order, as data, over numbered
 * values. The forward of a planned graph lowers to one (compositions
 * unfolded); the tape's graph mode appends the backward. The executor binds,
 * lays out and runs it and knows of nothing else.
 */
#ifndef KC_EXEC_PROGRAM_H
#define KC_EXEC_PROGRAM_H

#include <kcapsule/handler.h>
#include "compose/composition.h"
#include "exec/call_role.h"
#include "plan/inner.h"
#include "plan/plan.h"

#define KCI_NO_VALUE UINT32_MAX

typedef enum kci_value_source {
    KCI_VALUE_INPUT,   /* `slot`: the graph's input number           */
    KCI_VALUE_CONST,   /* `slot`: its const number                   */
    KCI_VALUE_SEED,    /* `slot`: the seed number                    */
    KCI_VALUE_LITERAL, /* `slot`: the literal number                 */
    KCI_VALUE_STEP     /* `slot`: the step that makes it             */
} kci_value_source_t;

/* The first values are those of the graph's nodes, with the same numbers. A
 * value whose `root` is another one has the same elements in the same order:
 * a detach, or the one axis that `sum` sees. */
typedef struct kci_program_value {
    uint32_t root;
    uint32_t slot;
    uint32_t first_dim; /* into `dims` */
    int8_t dtype;
    int8_t rank;
    uint8_t source; /* kci_value_source_t */
} kci_program_value_t;

/*
 * One kernel call. A forward step has one result and its operands in the
 * order of the operation, KCI_NO_VALUE for absent ones. The operands of a VJP
 * step are the inputs that are saved (as many as the operation has, padded by
 * KCI_NO_VALUE to the most inputs it takes), the output if it is saved, the
 * cotangent of the output; its results are the cotangents of the inputs,
 * KCI_NO_VALUE for those that nobody wants, padded likewise. So a VJP step
 * has one operand more than results, or two when it reads the output; the
 * inputs that the kernel is told of are as many as the node has parents.
 */
typedef struct kci_program_step {
    uint32_t node; /* of the graph, that it serves */
    uint16_t op;
    uint16_t entry;         /* of the profile: the capsule that is called; of
                             * a rule of the runtime the one that it serves */
    uint16_t served;        /* entry that an inner operation serves; of others
                             * KCI_NO_ENTRY */
    uint8_t role;           /* kci_call_role_t */
    bool is_backend;        /* KCI_CALL_VJP: by the handler of the capsule */
    uint32_t attributes;    /* index, KCI_NO_VALUE: the operation has none */
    uint32_t kernel;        /* into `kernels`: a rule of the runtime; else
                             * KCI_NO_VALUE, the handler of the capsule */
    uint32_t first_operand; /* into `operands` */
    uint32_t operand_count;
    uint32_t first_result; /* into `results` */
    uint32_t result_count;
} kci_program_step_t;

/* A derivative rule of the runtime as a step calls it: rules live above this
 * layer, so whoever appends the step brings the functions (autograd/rule.h).
 */
typedef struct kci_program_kernel {
    kc_handler_fn run;
    kc_workspace_fn workspace; /* NULL: none needed */
} kci_program_kernel_t;

typedef struct kci_program_literal {
    uint32_t value;
    void *bytes; /* owned; dense */
    size_t size_bytes;
} kci_program_literal_t;

/* A derivative rule in use. Its steps begin at `first_step`; a composed one
 * may have none. One whose operands are looked at before it runs
 * (exec/composed_operands.h) has them here, as a VJP step has; others none. */
typedef struct kci_program_rule {
    uint32_t node;
    uint32_t first_step;
    uint32_t first_operand; /* into `operands` */
    uint32_t operand_count;
    uint16_t op;
    uint16_t entry; /* the capsule of the forward */
    bool is_composed;
} kci_program_rule_t;

/* A capsule of the forward that is a composition: `step_count` steps from
 * `first_step` on, possibly none. */
typedef struct kci_program_composed {
    uint32_t node;
    uint32_t first_step;
    uint32_t step_count;
    uint16_t op;
    uint16_t entry;
} kci_program_composed_t;

/* What a backward run takes or gives: the seed of a graph output, the
 * gradient of a node; `value` KCI_NO_VALUE: nothing reaches the node, zeros. */
typedef struct kci_program_port {
    uint32_t index; /* of a seed: the graph output; of a gradient: the node */
    uint32_t value;
} kci_program_port_t;

typedef struct kci_program {
    kc_graph_t *graph; /* retained */
    kci_program_value_t *values;
    size_t value_count;
    size_t value_capacity;
    int64_t *dims;
    size_t dim_count;
    size_t dim_capacity;
    kci_program_step_t *steps;
    size_t step_count;
    size_t step_capacity;
    size_t forward_step_count; /* the rest is the backward */
    uint32_t *operands;
    size_t operand_count;
    size_t operand_capacity;
    uint32_t *results;
    size_t result_count;
    size_t result_capacity;
    /* Those of the graph first, with the same places; then others. */
    kc_attributes_t *attributes;
    size_t attributes_count;
    size_t attributes_capacity;
    kci_program_literal_t *literals;
    size_t literal_count;
    size_t literal_capacity;
    kci_program_kernel_t *kernels;
    size_t kernel_count;
    size_t kernel_capacity;
    kci_program_composed_t *composed; /* in the order in which they run */
    size_t composed_count;
    size_t composed_capacity;
    kci_program_rule_t *rules; /* in the order in which they run */
    size_t rule_count;
    size_t rule_capacity;
    kci_program_port_t *seeds;
    size_t seed_count;
    kci_program_port_t *gradients;
    size_t gradient_count;
    uint8_t *accepted; /* one an entry: 1, the gate took it as an inner one */
} kci_program_t;

/* The forward of a complete plan of a graph without named extents. Capsules
 * of the provider torchlean become the operations they are composed of, each
 * planned with its operands under the inner policy and judged by the gate;
 * one that has no capsule is KC_ERR_NO_CAPSULE and names node and operation. */
KC_MUST_USE kc_status_t kci_program_create(const kc_plan_t *plan,
                                           kci_program_t **out_program,
                                           kc_error_t *error);
void kci_program_destroy(kci_program_t *program); /* accepts NULL */

void kci_program_value_type(const kci_program_t *program, uint32_t value,
                            kci_tensor_type_t *out_type);

/* For who appends. A value of that type, made by nobody yet. */
KC_MUST_USE kc_status_t kci_program_add_value(kci_program_t *program,
                                              const kci_tensor_type_t *type,
                                              kci_value_source_t source,
                                              uint32_t slot,
                                              uint32_t *out_value,
                                              kc_error_t *error);
/* A step; operands and results are copied, and so are the attributes, NULL
 * for an operation without any. Results are values of source
 * KCI_VALUE_STEP, whose slot is set here. A KCI_CALL_VJP step that is not
 * `is_backend` names the runtime's rule: `run`, and `workspace` if it has
 * one; other steps leave both NULL. */
typedef struct kci_step_spec {
    kci_program_step_t step; /* op, node, entry, served, role, is_backend */
    kc_handler_fn run;
    kc_workspace_fn workspace;
    const kc_attributes_t *attributes;
    const uint32_t *operands;
    size_t operand_count;
    const uint32_t *results;
    size_t result_count;
} kci_step_spec_t;
KC_MUST_USE kc_status_t kci_program_add_step(kci_program_t *program,
                                             const kci_step_spec_t *spec,
                                             kc_error_t *error);
/* A rule whose steps are appended next; `first_step` and the place of the
 * operands, which are copied, are set here. */
KC_MUST_USE kc_status_t kci_program_add_rule(kci_program_t *program,
                                             const kci_program_rule_t *rule,
                                             const uint32_t *operands,
                                             size_t operand_count,
                                             kc_error_t *error);
/* The steps of a composition. `arguments`: a value for each argument term;
 * `template`: node, served and role of every step. Their capsules come from
 * `inner` and pass the gate under its policy. Writes the value of each term asked for in `terms` (KCI_NO_TERM
 * gives KCI_NO_VALUE). */
KC_MUST_USE kc_status_t kci_program_add_composition(
    kci_program_t *program, const kci_composition_t *composition,
    const uint32_t *arguments, const kci_program_step_t *template_step,
    const kci_inner_plan_t *inner, const kci_term_t *terms, size_t term_count,
    uint32_t *out_values, kc_error_t *error);

#endif
