/* SPDX-License-Identifier: Apache-2.0
 *
 * Random sources: element i is the low word of splitmix64(key + i) over 2^32,
 * rounded once to float32. Every word and every bit is decided.
 */
#include "conform/case.h"

#include <math.h>

static uint64_t word(uint64_t x)
{
    uint64_t z = x + UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* In [0, 1]: the last 128 words round up to 1. */
static double uniform(uint64_t key, uint64_t place)
{
    uint32_t low = (uint32_t)word(key + place);
    return (double)(float)((double)low * 0x1p-32);
}

/* The ends are decided before the comparison: p = 1 keeps an element whose
 * uniform value is 1, too. */
static double keep(double p, double v)
{
    if (p <= 0 || isnan(p)) {
        return 0;
    }
    return p >= 1 || p > v ? 1 : 0;
}

kc_status_t kci_oracle_random(kci_problem_t *problem, kc_error_t *error)
{
    const kc_random_attributes_t *random = &problem->attributes.u.random;
    kc_status_t status =
        kci_problem_shape(problem, (int32_t)random->rank, random->shape, error);
    if (status != KC_OK) {
        return status;
    }
    bool is_mask = problem->op == KC_OP_BERNOULLI_MASK;
    for (int64_t i = 0; i < problem->count; i++) {
        double v = uniform(random->key, (uint64_t)i);
        kci_expect_exact(problem, i,
                         is_mask ? keep(problem->inputs[0].values[0], v) : v);
    }
    return KC_OK;
}

void kci_draw_random(kci_case_t *trial)
{
    kc_random_attributes_t *random = &trial->attributes.u.random;
    int32_t rank = (int32_t)kci_draw_integer(&trial->draw, 0, 5);
    random->seed = kci_draw_bits(&trial->draw);
    random->key = kci_draw_bits(&trial->draw);
    random->rank = rank;
    kci_draw_extents(&trial->draw, rank, kci_case_budget(trial, 1500),
                     random->shape);
    kci_case_emptiness(trial, rank, random->shape);
    if (trial->op == KC_OP_BERNOULLI_MASK) {
        kci_case_add(trial, trial->dtype, 0, NULL, KCI_FILL_PROBABILITY);
    }
}
