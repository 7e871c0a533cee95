/* SPDX-License-Identifier: Apache-2.0
 *
 * The diagonal recurrence h[t] = a h[t-1] + b x[t].
 *
 * Bound. h[t] is a sum of products a...a b x and a...a h0. In whatever order
 * or association they are made, each passes at most 2 (t + 1) roundings on
 * its way, so |error| <= 2 g M[t] with g = n u / (1 - n u), n = 2 (t + 1),
 * and M[t] = |a| M[t-1] + |b x[t]|, as for a fold. A product may lose half
 * the least number: three of them a step, carried on by |a|.
 */
#include "conform/case.h"

#include <math.h>

typedef struct state {
    double value;
    double written;
    double magnitude;
    double lost; /* to underflow */
    bool is_open;
} state_t;

/* Whether the step may meet an infinity that is none: in what is carried on,
 * in what is added, or in the sum. From there on anything may come out. */
static bool may_overflow(const kci_precision_t *type, const state_t *h,
                         double a, double b, double x)
{
    double carried = fabs(a) * h->magnitude;
    double added = fabs(b * x);
    bool is_carried = isfinite(h->value) && isfinite(a);
    bool is_added = isfinite(b) && isfinite(x);
    return (is_carried && !(carried <= type->largest)) ||
           (is_added && !(added <= type->largest)) ||
           (is_carried && is_added && !(carried + added <= type->largest));
}

static void step(const kci_precision_t *type, state_t *h, double a, double b,
                 double x)
{
    double product = kci_precision_round(type, a * h->written);
    double added = kci_precision_round(type, b * x);
    h->is_open = h->is_open || may_overflow(type, h, a, b, x);
    h->value = a * h->value + b * x;
    h->written = kci_precision_round(type, product + added);
    h->magnitude = fabs(a) * h->magnitude + fabs(b * x);
    h->lost = fabs(a) * h->lost + 3 * type->tiny;
}

static kci_tracked_t result(const kci_precision_t *type, const state_t *h,
                            int64_t t)
{
    double n = 2 * (double)(t + 1) * type->roundoff;
    double error = 2 * n / (1 - n) * h->magnitude + h->lost;
    if (h->is_open || isnan(error)) {
        error = INFINITY;
    }
    if (!isfinite(h->value) && !h->is_open) {
        error = 0;
    }
    return (kci_tracked_t){h->value, error, h->written};
}

kc_status_t kci_oracle_scan(kci_problem_t *problem, kc_error_t *error)
{
    const kci_array_t *a = &problem->inputs[0];
    const kci_array_t *b = &problem->inputs[1];
    const kci_array_t *x = &problem->inputs[2];
    kc_status_t status = kci_problem_shape(problem, 2, x->shape, error);
    if (status != KC_OK) {
        return status;
    }
    int64_t states = x->shape[1];
    for (int64_t s = 0; s < states; s++) {
        double first = problem->inputs[3].values[s];
        state_t h = {
            .value = first, .written = first, .magnitude = fabs(first)};
        for (int64_t t = 0; t < x->shape[0]; t++) {
            int64_t at = t * states + s;
            int64_t from = a->rank == 1 ? s : at;
            step(&problem->type, &h, a->values[from], b->values[from],
                 x->values[at]);
            kci_expect(problem, at, result(&problem->type, &h, t));
        }
    }
    return KC_OK;
}

void kci_draw_scan(kci_case_t *trial)
{
    kci_draw_t *draw = &trial->draw;
    int64_t shape[2];
    kci_draw_extents(draw, 2, kci_case_budget(trial, 1000), shape);
    kci_case_emptiness(trial, 2, shape);
    bool is_shared = kci_draw_chance(draw, 50);
    for (int i = 0; i < 2; i++) {
        kci_case_add(trial, trial->dtype, is_shared ? 1 : 2,
                     is_shared ? shape + 1 : shape, KCI_FILL_VALUES);
    }
    kci_case_add(trial, trial->dtype, 2, shape, KCI_FILL_VALUES);
    kci_case_add(trial, trial->dtype, 1, shape + 1, KCI_FILL_VALUES);
}
