/* SPDX-License-Identifier: Apache-2.0
 *
 * The diagonal recurrence of selective_scan (ops.md 7.10), step after step:
 * two products and one sum each, states in rows that are put together last.
 */
#include "compose/compositions.h"

#include <inttypes.h>

#include <kcapsule/compose.h>
#include "base/alloc.h"
#include "base/error.h"
#include "compose/operand_check.h"

/* Row `t` of [T, S] as [1, S]; [S] is the same row at any time. */
static kci_term_t row_at(kci_composition_t *composition, kci_term_t term,
                         int64_t t)
{
    if (composition->status != KC_OK) {
        return KCI_NO_TERM;
    }
    const kci_shape_t *shape = &kci_term_type(composition, term)->shape;
    if (shape->rank == 2) {
        return kci_compose_slice(composition, term, 0, t, 1);
    }
    kci_shape_t row = {.rank = 2, .dims = {1, shape->dims[0]}};
    return kci_compose_reshape(composition, term, &row);
}

/* Rows in order as one term; concat has a limit on its operands. */
static kci_term_t join(kci_composition_t *composition, kci_term_t *rows,
                       size_t count)
{
    while (count > 1) {
        size_t joined = 0;
        for (size_t i = 0; i < count; i += KC_MAX_INPUTS) {
            size_t part = count - i < KC_MAX_INPUTS ? count - i : KC_MAX_INPUTS;
            rows[joined++] = kci_compose_concat(composition, rows + i, part, 0);
        }
        count = joined;
    }
    return rows[0];
}

typedef struct recurrence {
    kci_term_t a;
    kci_term_t b;
    kci_term_t x;
    bool is_shared; /* a and b are the same rows at any time */
} recurrence_t;

static kci_term_t step(kci_composition_t *composition,
                       const recurrence_t *recurrence, int64_t t,
                       kci_term_t state)
{
    kci_term_t a = recurrence->a;
    kci_term_t b = recurrence->b;
    if (!recurrence->is_shared) {
        a = row_at(composition, a, t);
        b = row_at(composition, b, t);
    }
    kci_term_t kept = kci_compose_binary(composition, KC_OP_MUL, a, state);
    kci_term_t written = kci_compose_binary(
        composition, KC_OP_MUL, b, row_at(composition, recurrence->x, t));
    return kci_compose_binary(composition, KC_OP_ADD, kept, written);
}

static kci_term_t unroll(kci_composition_t *composition,
                         const recurrence_t *recurrence, kci_term_t state,
                         int64_t count)
{
    void *memory = NULL;
    kci_term_t result = KCI_NO_TERM;
    composition->status = kci_alloc_array((size_t)count, sizeof(kci_term_t),
                                          &memory, &composition->error);
    kci_term_t *rows = memory;
    for (int64_t t = 0; t < count && composition->status == KC_OK; t++) {
        state = step(composition, recurrence, t, state);
        rows[t] = state;
    }
    if (composition->status == KC_OK) {
        result = join(composition, rows, (size_t)count);
    }
    kci_free(memory);
    return result;
}

/* Asked before anything is unrolled: a step is two slices of coefficients, one
 * of x, two products, a sum, and its part of a concat. */
static bool is_short_enough(kci_composition_t *composition, int64_t count)
{
    if (count <= KC_COMPOSE_SCAN_STEPS_MAX) {
        return true;
    }
    composition->status =
        kci_fail(&composition->error, KC_ERR_GRAPH,
                 "selective_scan: x: expected at most %d rows to unroll, found "
                 "%" PRId64,
                 KC_COMPOSE_SCAN_STEPS_MAX, count);
    return false;
}

kci_term_t kci_compose_scan(kci_composition_t *composition, kci_term_t a,
                            kci_term_t b, kci_term_t x, kci_term_t h0)
{
    const kci_term_t operands[] = {a, b, x, h0};
    if (!kci_compose_takes(composition, KC_OP_SELECTIVE_SCAN, NULL, operands,
                           4)) {
        return KCI_NO_TERM;
    }
    int64_t count = kci_term_type(composition, x)->shape.dims[0];
    if (!is_short_enough(composition, count)) {
        return KCI_NO_TERM;
    }
    recurrence_t recurrence = {
        .a = a,
        .b = b,
        .x = x,
        .is_shared = kci_term_type(composition, a)->shape.rank == 1};
    if (count == 0) {
        return x; /* of the same type, and as empty */
    }
    if (recurrence.is_shared) {
        recurrence.a = row_at(composition, a, 0);
        recurrence.b = row_at(composition, b, 0);
    }
    return unroll(composition, &recurrence, row_at(composition, h0, 0), count);
}
