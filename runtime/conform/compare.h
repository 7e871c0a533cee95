/* SPDX-License-Identifier: Apache-2.0
 *
 * The comparison of what came out with what the oracle expects. Nobody
 * passes it by doing nothing, by NaN, or by writing too much.
 */
#ifndef KC_CONFORM_COMPARE_H
#define KC_CONFORM_COMPARE_H

#include "conform/oracle.h"

typedef enum kci_mismatch {
    KCI_MATCH,
    KCI_MISMATCH_UNTOUCHED, /* the element was never written          */
    KCI_MISMATCH_VALUE,     /* farther off than the bound             */
    KCI_MISMATCH_WRITTEN    /* within the bound, not the promised bits */
} kci_mismatch_t;

typedef struct kci_comparison {
    kci_mismatch_t mismatch; /* the first */
    int64_t place;           /* its row-major place */
    double found;
    uint64_t checked_count; /* elements with a finite bound */
    uint64_t open_count;    /* elements that may be anything */
} kci_comparison_t;

/* `elements`: the dense output. `is_written_order`: the capsule promises the
 * written order, so that bits are compared, too. */
kci_comparison_t kci_compare(const kci_problem_t *problem,
                             const unsigned char *elements,
                             bool is_written_order);
/* Whether `found` is a right answer where `value` within `bound` is
 * expected. NaN matches NaN only, an infinity itself only, or a number that
 * may round to it. */
bool kci_is_within(const kci_precision_t *type, double found, double value,
                   double bound);
/* Equal bits, any NaN being equal to any NaN. */
bool kci_is_same(double a, double b);

#endif
