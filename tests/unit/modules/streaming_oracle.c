/* SPDX-License-Identifier: Apache-2.0
 *
 * Attention and its cotangents in double, and bounds of what float32 may be
 * off: u is half a unit in the last place, n u bounds a sum of n terms by the
 * sum of their sizes.
 */
#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "unit/modules/oracle.h"
#include "unit/modules/streaming_case.h"

#define U 0x1p-24
/* Below the smallest numbers, bounds by u do not hold. */
#define TINY 1e-36

/* One query row in double. `relative` bounds the error of a weight. */
typedef struct row {
    double *weight;    /* 0 where blocked */
    double *slope;     /* g V_j */
    double mean;       /* of slopes by weights */
    double slope_size; /* the largest sum of |g v| */
    double relative;
} row_t;

static double dot(const float *a, const float *b, size_t n, double *size)
{
    double sum = 0;
    *size = 0;
    for (size_t i = 0; i < n; i++) {
        sum += (double)a[i] * (double)b[i];
        *size += fabs((double)a[i] * (double)b[i]);
    }
    return sum;
}

/* e^(s - m) is off by the errors of s and m; sums of n of them, a rescaling
 * for each tile and four more roundings come on top. */
static void weigh(const streaming_case_t *c, size_t head, size_t i, row_t *row)
{
    const kc_attention_problem_t *p = &c->problem;
    const double scale = fabs((double)p->scale);
    double largest = -INFINITY;
    double most = 0;
    double sum = 0;
    for (size_t j = 0; j < p->keys; j++) {
        double size;
        row->weight[j] =
            (double)p->scale * dot(p->q + (head * p->queries + i) * p->width,
                                   p->k + (head * p->keys + j) * p->width,
                                   p->width, &size);
        if (streaming_may(c, head, i, j)) {
            largest = fmax(largest, row->weight[j]);
            most = fmax(most, size * scale);
        }
    }
    for (size_t j = 0; j < p->keys; j++) {
        row->weight[j] =
            streaming_may(c, head, i, j) ? exp(row->weight[j] - largest) : 0;
        sum += row->weight[j];
    }
    for (size_t j = 0; j < p->keys && sum > 0; j++) {
        row->weight[j] /= sum;
    }
    const double tiles = (double)kc_attention_blocks(p->keys, p->block_keys);
    row->relative = 2 * U * ((double)p->width + 4) * most +
                    U * ((double)p->keys + 4 * tiles + 12);
}

static void slopes(const streaming_case_t *c, size_t head, size_t i, row_t *row)
{
    const kc_attention_problem_t *p = &c->problem;
    row->mean = 0;
    row->slope_size = 0;
    for (size_t j = 0; j < p->keys; j++) {
        double size;
        row->slope[j] = dot(p->g + (head * p->queries + i) * p->value_width,
                            p->v + (head * p->keys + j) * p->value_width,
                            p->value_width, &size);
        if (streaming_may(c, head, i, j)) {
            row->mean += row->weight[j] * row->slope[j];
            row->slope_size = fmax(row->slope_size, size);
        }
    }
}

static void compare(const streaming_case_t *c, const char *set, int which,
                    size_t place, double expected, double bound)
{
    const double found = (double)c->arrays[which][place];
    ck_assert_msg(fabs(found - expected) <= bound + TINY,
                  "%s: array %d, element %zu: expected %.9g within %.3g, found "
                  "%.9g; seed %llu, tiles %zux%zu",
                  set, which, place, expected, bound, found,
                  (unsigned long long)c->seed, c->problem.block_queries,
                  c->problem.block_keys);
    /* Where nothing contributes the result is exactly +0. */
    ck_assert_msg(bound != 0 || (found == 0 && !signbit(found)),
                  "%s: array %d, element %zu: expected exactly +0, found %g; "
                  "seed %llu",
                  set, which, place, found, (unsigned long long)c->seed);
}

void streaming_check_values(const streaming_case_t *c, const char *set)
{
    const kc_attention_problem_t *p = &c->problem;
    row_t row = {.weight = new_doubles(p->keys)};
    for (size_t r = 0; r < p->heads * p->queries; r++) {
        const size_t head = r / p->queries;
        weigh(c, head, r % p->queries, &row);
        for (size_t column = 0; column < p->value_width; column++) {
            double sum = 0;
            double size = 0;
            for (size_t j = 0; j < p->keys; j++) {
                const size_t key = head * p->keys + j;
                const double term =
                    row.weight[j] == 0
                        ? 0
                        : row.weight[j] *
                              (double)p->v[key * p->value_width + column];
                sum += term;
                size += fabs(term);
            }
            compare(c, set, STREAMING_Y, r * p->value_width + column, sum,
                    size * (row.relative + U * ((double)p->keys + 4)));
        }
    }
    free(row.weight);
}

/* to += a b, and its bound: `slack` of a alone, n u of the product. */
static void add(double *to, double *bound, double a, double size, double slack,
                double b, double terms)
{
    *to += a * b;
    *bound += (slack + (terms + 6) * U * size) * fabs(b);
}

/* What a row gives to everything; sums in three arrays of values and bounds. */
static void spread(const streaming_case_t *c, size_t r, const row_t *row,
                   double *const sums[3], double *const bounds[3])
{
    const kc_attention_problem_t *p = &c->problem;
    const double terms = (double)(p->keys + p->queries);
    for (size_t j = 0; j < p->keys; j++) {
        const size_t key = r / p->queries * p->keys + j;
        const double a = row->weight[j];
        const double scale = fabs((double)p->scale);
        const double ds = a * (row->slope[j] - row->mean) * (double)p->scale;
        const double size = 2 * a * row->slope_size * scale;
        const double slack =
            size * (2 * row->relative +
                    U * ((double)p->value_width + (double)p->keys + 10));
        if (!streaming_may(c, r / p->queries, r % p->queries, j)) {
            continue;
        }
        for (size_t i = 0; i < p->width; i++) {
            const size_t at_q = r * p->width + i;
            const size_t at_k = key * p->width + i;
            add(&sums[0][at_q], &bounds[0][at_q], ds, size, slack,
                (double)p->k[at_k], terms);
            add(&sums[1][at_k], &bounds[1][at_k], ds, size, slack,
                (double)p->q[at_q], terms);
        }
        for (size_t i = 0; i < p->value_width; i++) {
            const size_t at_v = key * p->value_width + i;
            add(&sums[2][at_v], &bounds[2][at_v], a, a, a * row->relative,
                (double)p->g[r * p->value_width + i], terms);
        }
    }
}

void streaming_check_gradients(const streaming_case_t *c, const char *set)
{
    const kc_attention_problem_t *p = &c->problem;
    row_t row = {.weight = new_doubles(p->keys), .slope = new_doubles(p->keys)};
    double *sums[3];
    double *bounds[3];
    for (int i = 0; i < 3; i++) {
        sums[i] = new_doubles(c->counts[STREAMING_DQ + i]);
        bounds[i] = new_doubles(c->counts[STREAMING_DQ + i]);
    }
    for (size_t r = 0; r < p->heads * p->queries; r++) {
        weigh(c, r / p->queries, r % p->queries, &row);
        slopes(c, r / p->queries, r % p->queries, &row);
        spread(c, r, &row, sums, bounds);
    }
    for (int i = 0; i < 3; i++) {
        for (size_t at = 0; at < c->counts[STREAMING_DQ + i]; at++) {
            compare(c, set, STREAMING_DQ + i, at, sums[i][at], bounds[i][at]);
        }
        free(sums[i]);
        free(bounds[i]);
    }
    free(row.weight);
    free(row.slope);
}
