/* SPDX-License-Identifier: Apache-2.0
 *
 * A case: operands in memory, in layouts as callers have them, between guard
 * bytes, and the attributes of one call.
 */
#ifndef KC_CONFORM_CASE_H
#define KC_CONFORM_CASE_H

#include <kcapsule/attributes.h>
#include "conform/draw.h"
#include "conform/guarded.h"
#include "conform/oracle.h"

typedef enum kci_fill {
    KCI_FILL_VALUES,      /* of the temper of the case                   */
    KCI_FILL_MASK,        /* bool, often whole rows of one kind          */
    KCI_FILL_INDICES,     /* 0 <= index < index_extent, with repeats     */
    KCI_FILL_EPSILON,     /* one small number above 0                    */
    KCI_FILL_PROBABILITY, /* around and beyond [0, 1]                    */
    KCI_FILL_VARIANCE     /* mostly positive                             */
} kci_fill_t;

typedef enum kci_case_layout {
    KCI_CASE_DENSE,
    KCI_CASE_DENSE_NO_STRIDES, /* the view's strides are NULL            */
    KCI_CASE_BYTE_OFFSET,
    KCI_CASE_ROW_PADDED,
    KCI_CASE_TRANSPOSED, /* first axis fastest                     */
    KCI_CASE_REPEATED,   /* stride 0 on one axis                   */
    KCI_CASE_GAPPED,     /* every second element                   */
    KCI_CASE_LAYOUT_COUNT
} kci_case_layout_t;

typedef struct kci_operand {
    bool is_present;
    int32_t dtype;
    int32_t rank;
    int64_t shape[KC_MAX_RANK];
    kci_fill_t fill;
    int64_t index_extent;
    kci_case_layout_t layout;
    int64_t strides[KC_MAX_RANK];
    kci_guarded_t memory;
    DLTensor view;
} kci_operand_t;

typedef struct kci_case {
    int32_t op;
    int32_t dtype; /* of the operands that are not masks or indices */
    uint64_t seed;
    kci_draw_t draw;
    kci_temper_t temper;
    bool is_large; /* enough work for several tiles of a kernel */
    int empty_percent;
    /* Of a smooth case (smooth.h): how many float elements it has in all, how
     * many of them have a value by now, and the step of their permutation. */
    bool is_smooth;
    int64_t smooth_count;
    int64_t smooth_next;
    int64_t smooth_step;
    kc_attributes_t attributes;
    size_t input_count;
    kci_operand_t operands[KCI_CASE_INPUT_MAX];
    const DLTensor *inputs[KCI_CASE_INPUT_MAX]; /* NULL where absent */
} kci_case_t;

/* The same case for the same operation, dtype and seed, on every machine. On
 * KC_OK the caller ends with kci_case_release. */
KC_MUST_USE kc_status_t kci_case_create(int32_t op, int32_t dtype,
                                        uint64_t seed, kci_case_t **out_case,
                                        kc_error_t *error);
/* A case to differentiate: few elements, ordinary numbers, every operation
 * smooth around them (smooth.h). Extents of 0 are among them. */
KC_MUST_USE kc_status_t kci_case_create_smooth(int32_t op, int32_t dtype,
                                               uint64_t seed,
                                               kci_case_t **out_case,
                                               kc_error_t *error);
void kci_case_release(kci_case_t *trial); /* accepts NULL */
/* "dense", "row-padded" ... */
const char *kci_case_layout_label(kci_case_layout_t layout);
/* Whether an operand has no elements. */
bool kci_case_is_empty(const kci_case_t *trial);
/* The place of the first input with a changed byte, or -1. */
int kci_case_changed_input(const kci_case_t *trial);

/* For the families: the next operand. */
kci_operand_t *kci_case_add(kci_case_t *trial, int32_t dtype, int32_t rank,
                            const int64_t *shape, kci_fill_t fill);
void kci_case_add_absent(kci_case_t *trial);
/* One of the extents 0 now and then; of smooth cases some have it nearly
 * always and the others never. */
void kci_case_emptiness(kci_case_t *trial, int32_t rank, int64_t *shape);
/* `usual`, or KCI_CASE_LARGE times that in a large case, or at most
 * KCI_CASE_SMOOTH in a smooth one: most of them then fit. */
int64_t kci_case_budget(const kci_case_t *trial, int64_t usual);
#define KCI_CASE_LARGE  32
#define KCI_CASE_SMOOTH 64

#define KCI_DECLARE_DRAW(family) void kci_draw_##family(kci_case_t *trial);
KCI_FOR_EACH_FAMILY(KCI_DECLARE_DRAW)

#endif
