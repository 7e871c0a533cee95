/* SPDX-License-Identifier: Apache-2.0
 *
 * A composition: a small program of catalogue operations, as data. What the
 * runtime expresses by other operations (the tape's composed rules, its own
 * attention, scans and transforms) is written once with these terms, then
 * planned, accepted, audited and recorded operation by operation, eager or
 * compiled.
 *
 * Building never fails in between: after the first error every function
 * returns KCI_NO_TERM, and kci_composition_status tells. A term that changes
 * nothing (a reshape to the same shape, an identity permutation, a slice of
 * everything) is its operand.
 */
#ifndef KC_COMPOSE_COMPOSITION_H
#define KC_COMPOSE_COMPOSITION_H

#include "ops/op_info.h"

typedef uint32_t kci_term_t;
#define KCI_NO_TERM UINT32_MAX

typedef enum kci_term_source {
    KCI_TERM_ARGUMENT, /* `slot`: the argument's number    */
    KCI_TERM_LITERAL,  /* `slot`: the literal's number     */
    KCI_TERM_STEP      /* `slot`: the step that makes it   */
} kci_term_source_t;

typedef struct kci_term_info {
    kci_tensor_type_t type;
    kci_term_source_t source;
    uint32_t slot;
} kci_term_info_t;

/* Dense row-major elements that belong to the composition. */
typedef struct kci_literal {
    kci_term_t term;
    void *bytes; /* owned */
    size_t size_bytes;
} kci_literal_t;

typedef struct kci_composition_step {
    int32_t op;
    uint32_t attributes;    /* index, or KCI_NO_TERM: the operation has none */
    uint32_t first_operand; /* index into `operands`; KCI_NO_TERM: absent */
    uint32_t operand_count;
    kci_term_t result;
} kci_composition_step_t;

typedef struct kci_composition {
    kci_term_info_t *terms;
    size_t term_count;
    size_t term_capacity;
    uint32_t argument_count;
    kci_literal_t *literals;
    size_t literal_count;
    size_t literal_capacity;
    kci_composition_step_t *steps; /* each after those it reads */
    size_t step_count;
    size_t step_capacity;
    kci_term_t *operands;
    size_t operand_count;
    size_t operand_capacity;
    kc_attributes_t *attributes; /* resolved */
    size_t attributes_count;
    size_t attributes_capacity;
    kc_status_t status; /* of the building so far */
    kc_error_t error;
} kci_composition_t;

void kci_composition_init(kci_composition_t *composition);
/* Empty again; memory is kept for the next one. */
void kci_composition_clear(kci_composition_t *composition);
void kci_composition_release(kci_composition_t *composition);
/* KC_OK, or the first failure with its line. */
KC_MUST_USE kc_status_t
kci_composition_status(const kci_composition_t *composition, kc_error_t *error);
/* Of a term that exists. Borrowed until the next term is made. */
const kci_tensor_type_t *kci_term_type(const kci_composition_t *composition,
                                       kci_term_t term);
/* The attributes of a step; NULL when the operation has none. */
const kc_attributes_t *
kci_composition_attributes(const kci_composition_t *composition,
                           const kci_composition_step_t *step);
/* The operations in use, a bit each. */
uint64_t kci_composition_ops(const kci_composition_t *composition);

kci_term_t kci_compose_argument(kci_composition_t *composition,
                                const kci_tensor_type_t *type);
/* Elements are copied, dense and row-major, of the type's dtype. */
kci_term_t kci_compose_literal(kci_composition_t *composition,
                               const kci_tensor_type_t *type,
                               const void *elements);
/* A floating-point literal, given in double and rounded once. */
kci_term_t kci_compose_numbers(kci_composition_t *composition,
                               const kci_tensor_type_t *type,
                               const double *numbers);
/* A scalar. Equal scalars are one literal. */
kci_term_t kci_compose_number(kci_composition_t *composition, int32_t dtype,
                              double number);
/* int64 indices of rank 1. */
kci_term_t kci_compose_indices(kci_composition_t *composition,
                               const int64_t *indices, int64_t count);

/* One operation. `attributes` may be NULL for one without any; they are
 * resolved by the catalogue's rule, which also gives the type. */
kci_term_t kci_compose_apply(kci_composition_t *composition, int32_t op,
                             const kc_attributes_t *attributes,
                             const kci_term_t *operands, size_t count);

/* The usual ones by name. Unary and binary: operations without attributes. */
kci_term_t kci_compose_unary(kci_composition_t *composition, int32_t op,
                             kci_term_t x);
kci_term_t kci_compose_binary(kci_composition_t *composition, int32_t op,
                              kci_term_t a, kci_term_t b);
kci_term_t kci_compose_scale(kci_composition_t *composition, kci_term_t x,
                             double factor);
/* reduce_sum, reduce_mean, softmax, log_softmax */
kci_term_t kci_compose_axis(kci_composition_t *composition, int32_t op,
                            kci_term_t x, int64_t axis);
kci_term_t kci_compose_masked_softmax(kci_composition_t *composition,
                                      kci_term_t x, kci_term_t mask);
kci_term_t kci_compose_reshape(kci_composition_t *composition, kci_term_t x,
                               const kci_shape_t *shape);
kci_term_t kci_compose_broadcast(kci_composition_t *composition, kci_term_t x,
                                 const kci_shape_t *shape);
kci_term_t kci_compose_permute(kci_composition_t *composition, kci_term_t x,
                               const int64_t *perm);
/* The last two axes change places. */
kci_term_t kci_compose_transpose(kci_composition_t *composition, kci_term_t x);
kci_term_t kci_compose_slice(kci_composition_t *composition, kci_term_t x,
                             int64_t axis, int64_t start, int64_t length);
/* One term is itself. */
kci_term_t kci_compose_concat(kci_composition_t *composition,
                              const kci_term_t *terms, size_t count,
                              int64_t axis);
kci_term_t kci_compose_gather(kci_composition_t *composition, kci_term_t x,
                              kci_term_t indices, int64_t axis);
kci_term_t kci_compose_scatter_add(kci_composition_t *composition,
                                   kci_term_t base, kci_term_t indices,
                                   kci_term_t source, int64_t axis);
/* A number in every place: the scalar, broadcast. */
kci_term_t kci_compose_fill(kci_composition_t *composition,
                            const kci_tensor_type_t *type, double number);
/* reduce_sum along `axis`, seen with extent 1 there and broadcast back to the
 * shape of `x`: the same sum in every place. Where there is no place, `x`. */
kci_term_t kci_compose_sum_back(kci_composition_t *composition, kci_term_t x,
                                int64_t axis);

#endif
