/* SPDX-License-Identifier: Apache-2.0
 *
 * kcapsule diff: the same computation under two profiles, A and B, node by
 * node. What the steps hand on to each other; each gives CLI_DONE, or an exit
 * code after having said what is wrong.
 */
#ifndef KC_CLI_DIFF_H
#define KC_CLI_DIFF_H

#include <stdint.h>

#include "cli/context.h"

/* Indices of the two profiles. */
enum { DIFF_A = 0, DIFF_B = 1, DIFF_SIDES = 2 };

/* What a difference is held to. */
typedef enum cli_diff_rule {
    DIFF_NOT_COMPARED,
    DIFF_EQUAL_BITS, /* the policies promise one result to the bit          */
    DIFF_BOUNDED,    /* each element has a largest difference               */
    DIFF_NO_BOUND    /* none is stated for the operation                    */
} cli_diff_rule_t;

/* How far two arrays are apart. NaN equals NaN; an element that is NaN on one
 * side only has an error of INFINITY and UINT64_MAX ULP. */
typedef struct cli_diff_error {
    cli_diff_rule_t rule;
    int64_t count;
    int64_t different;     /* elements of unequal bits */
    uint64_t ulp;          /* the largest */
    double absolute;       /* the largest, */
    int64_t place;         /* where it is (row-major), */
    double allowed;        /* and what is allowed there; INFINITY: no bound */
    int64_t outside;       /* elements beyond what is allowed */
    int64_t open;          /* differing elements whose bound is no number */
    int64_t outside_place; /* the first of them */
    double outside_a;
    double outside_b;
    double outside_allowed;
    int32_t operand; /* of a gradient: whose; -1 of a value */
} cli_diff_error_t;

typedef struct cli_diff_node {
    kc_graph_node_t type;
    kc_attributes_t attributes; /* of a single operation */
    const kc_capsule_record_t *capsules[DIFF_SIDES];
    const char *modules[DIFF_SIDES];
    kc_tensor_t *values[DIFF_SIDES];    /* in the chain of each profile */
    kc_tensor_t *gradients[DIFF_SIDES]; /* likewise; NULL: none */
    int is_rule_shared; /* the same capsules served both backward passes */
    cli_diff_error_t chain;
    cli_diff_error_t alone; /* both capsules on the operands of A */
    cli_diff_error_t chain_gradient;
    cli_diff_error_t alone_gradient; /* both rules on operands and cotangent
                                      * of A */
} cli_diff_node_t;

typedef struct cli_diff {
    const cli_options_t *options;
    uint64_t seed;
    kc_runtime_t *runtime;
    kc_profile_t *profiles[DIFF_SIDES];
    kc_session_t *sessions[DIFF_SIDES];
    kc_plan_t *plans[DIFF_SIDES]; /* of a graph */
    kc_accepted_plan_t *accepted[DIFF_SIDES];
    kc_graph_t *graph; /* NULL for a single operation */
    int32_t op;        /* of a single operation */
    cli_diff_node_t *nodes;
    uint32_t node_count;
    uint32_t *ids;       /* room for one of each node */
    size_t random_count; /* values that no file gave */
} cli_diff_t;

/* Operands of a node as its kernel sees them. */
typedef struct cli_diff_operands {
    kc_tensor_t *tensors[KC_MAX_INPUTS];  /* borrowed */
    const DLTensor *views[KC_MAX_INPUTS]; /* NULL: absent */
    kc_tensor_t *flat;                    /* owned; of the kind `sum` */
    size_t count;
} cli_diff_operands_t;

/* diff_profiles.c */
int cli_diff_open(cli_diff_t *diff);
int cli_diff_plan(cli_diff_t *diff);
/* The capsule of that name in a profile, as the one of a node. */
void cli_diff_note_capsule(cli_diff_t *diff, int side, cli_diff_node_t *node,
                           const char *module, const char *capsule);

/* diff_graph.c, diff_op.c: what is compared, with every input and const. */
int cli_diff_read_graph(cli_diff_t *diff);
int cli_diff_read_op(cli_diff_t *diff);
int cli_diff_allocate_nodes(cli_diff_t *diff, uint32_t count);

/* diff_draw.c: values that no file gave. */
typedef enum cli_diff_draw {
    DIFF_DRAW_ANY,      /* in [-1, 1); true three times of four; index 0 */
    DIFF_DRAW_POSITIVE, /* in (0, 1] */
    DIFF_DRAW_INDEX     /* 0 to below a limit */
} cli_diff_draw_t;
int cli_diff_draw(cli_diff_t *diff, uint32_t stream, int32_t dtype,
                  int32_t rank, const int64_t *dims, cli_diff_draw_t draw,
                  int64_t limit, kc_tensor_t **out_tensor);

/* diff_chain.c: values and gradients of every node, profile by profile. */
int cli_diff_run_chains(cli_diff_t *diff);
kc_status_t cli_diff_take_operands(const cli_diff_t *diff, uint32_t node,
                                   int side, cli_diff_operands_t *out_operands,
                                   kc_error_t *error);
void cli_diff_release_operands(cli_diff_operands_t *operands);
/* diff_gradients.c */
int cli_diff_run_gradients(cli_diff_t *diff);

/* diff_alone.c, diff_rule.c: each node by itself. */
int cli_diff_run_alone(cli_diff_t *diff);
kc_status_t cli_diff_run_rule(cli_diff_t *diff, uint32_t index,
                              kc_error_t *error);

/* diff_verdict.c */
typedef struct cli_diff_verdict {
    uint32_t first;          /* node whose value differs; node_count: none */
    uint32_t first_gradient; /* likewise, from the last node on */
    size_t outside;          /* values and gradients beyond what is allowed */
    size_t without_bound;    /* that differ and have no bound */
} cli_diff_verdict_t;
cli_diff_verdict_t cli_diff_judge(const cli_diff_t *diff);
/* "2.4e-07" in every locale. */
#define CLI_DIFF_NUMBER_SIZE 48
void cli_diff_number(double value, int digits, char out[CLI_DIFF_NUMBER_SIZE]);

/* diff_text.c, diff_json.c */
void cli_diff_print_text(const cli_diff_t *diff,
                         const cli_diff_verdict_t *verdict);
void cli_diff_print_json(const cli_diff_t *diff,
                         const cli_diff_verdict_t *verdict);

#endif
