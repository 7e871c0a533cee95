/* SPDX-License-Identifier: Apache-2.0
 *
 * Streaming attention: values with every size of tile and every instruction
 * set of this machine against double, blocked entries byte for byte, any
 * number of threads.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "unit/modules/operand.h"
#include "unit/modules/streaming_case.h"
#include "unit/modules/tcases.h"

typedef void (*check_fn)(const streaming_case_t *c, const char *set);

static void check_case(check_fn check, uint64_t seed, size_t extent, size_t bq,
                       size_t bk)
{
    const kc_attention_kernels_t *kernels;
    for (size_t set = 0; set < 3; set++) {
        streaming_case_t c;
        if ((kernels = streaming_kernels(set)) == NULL) {
            continue;
        }
        streaming_case_draw(&c, seed, extent, bq, bk);
        streaming_run(&c, kernels, 0);
        check(&c, kernels->name);
        streaming_case_clear(&c);
    }
}

/* All tiles of 1 to 8 queries and 1 to 8 keys. */
static void check_small_tiles(check_fn check, size_t tile)
{
    for (uint64_t round = 0; round < 4; round++) {
        check_case(check, 41000 + tile * 4 + round, 20, tile / 8 + 1,
                   tile % 8 + 1);
    }
}

/* The tiles of the contract, and large ones of other sizes. */
static void check_large_tiles(check_fn check, size_t idx)
{
    static const size_t tiles[][2] = {
        {KC_ATTENTION_BLOCK_QUERIES, KC_ATTENTION_BLOCK_KEYS},
        {48, 5},
        {3, 128},
        {17, 33},
        {64, 64}};
    for (uint64_t round = 0; round < 4; round++) {
        const size_t *tile = tiles[idx % 5];
        check_case(check, 42000 + idx * 4 + round, 300, tile[0], tile[1]);
    }
}

START_TEST(small_tiles_give_the_values_in_double)
{
    check_small_tiles(streaming_check_values, (size_t)_i);
}
END_TEST

START_TEST(large_tiles_give_the_values_in_double)
{
    check_large_tiles(streaming_check_values, (size_t)_i);
}
END_TEST

START_TEST(small_tiles_give_the_gradients_in_double)
{
    check_small_tiles(streaming_check_gradients, (size_t)_i);
}
END_TEST

START_TEST(large_tiles_give_the_gradients_in_double)
{
    check_large_tiles(streaming_check_gradients, (size_t)_i);
}
END_TEST

static float *copy_of(const streaming_case_t *c, int which)
{
    float *copy = malloc((c->counts[which] + 1) * sizeof *copy);
    ck_assert_ptr_nonnull(copy);
    memcpy(copy, c->arrays[which], c->counts[which] * sizeof *copy);
    return copy;
}

static void expect_row(const streaming_case_t *c, int which,
                       const float *before, size_t row, size_t width)
{
    ck_assert_msg(width == 0 ||
                      memcmp(c->arrays[which] + row * width,
                             before + row * width, width * sizeof *before) == 0,
                  "array %d, row %zu changed; seed %llu", which, row,
                  (unsigned long long)c->seed);
}

static const float evil[] = {NAN, INFINITY, -INFINITY, 3e38f, -7.0f, -0.0f};

static void poison(streaming_case_t *c, int which, size_t row, size_t width,
                   uint64_t *state)
{
    for (size_t i = 0; i < width; i++) {
        c->arrays[which][row * width + i] = evil[random_word(state) % 6];
    }
}

/* Key j of a head holds anything: the queries that may not attend to it keep
 * their output and dQ byte for byte; if no query may, so does everything
 * else, and dK and dV of the key stay +0. */
static void check_poisoned_key(streaming_case_t *c, size_t head, size_t j,
                               const kc_attention_kernels_t *kernels)
{
    const kc_attention_problem_t *p = &c->problem;
    const size_t key = head * p->keys + j;
    uint64_t state = c->seed + j;
    float *before[STREAMING_ARRAYS];
    size_t open = 0;
    streaming_run(c, kernels, 0);
    for (int which = 0; which < STREAMING_ARRAYS; which++) {
        before[which] = copy_of(c, which);
    }
    poison(c, STREAMING_K, key, p->width, &state);
    poison(c, STREAMING_V, key, p->value_width, &state);
    streaming_run(c, kernels, 0);
    for (size_t r = 0; r < p->heads * p->queries; r++) {
        const int may =
            r / p->queries == head && streaming_may(c, head, r % p->queries, j);
        open += (size_t)may;
        if (!may) {
            expect_row(c, STREAMING_Y, before[STREAMING_Y], r, p->value_width);
            expect_row(c, STREAMING_DQ, before[STREAMING_DQ], r, p->width);
        }
    }
    for (size_t k = 0; open == 0 && k < p->heads * p->keys; k++) {
        expect_row(c, STREAMING_DK, before[STREAMING_DK], k, p->width);
        expect_row(c, STREAMING_DV, before[STREAMING_DV], k, p->value_width);
    }
    for (int which = 0; which < STREAMING_ARRAYS; which++) {
        if (which < STREAMING_Y) {
            memcpy(c->arrays[which], before[which],
                   c->counts[which] * sizeof *before[which]);
        }
        free(before[which]);
    }
}

START_TEST(a_blocked_key_may_hold_anything)
{
    static const size_t tiles[][2] = {
        {1, 1}, {3, 4}, {8, 8}, {5, 2}, {48, 128}};
    const kc_attention_kernels_t *kernels = streaming_kernels((size_t)_i % 3);
    const size_t *tile = tiles[(size_t)_i / 3];
    for (uint64_t seed = 43000; kernels != NULL && seed < 43012; seed++) {
        streaming_case_t c;
        streaming_case_draw(&c, seed, 24, tile[0], tile[1]);
        for (size_t j = 0; j < c.problem.keys; j += 2) {
            check_poisoned_key(&c, c.problem.heads - 1, j, kernels);
        }
        streaming_case_clear(&c);
    }
}
END_TEST

/* Keys that query r may not attend to, other heads' included, keep what they
 * had. Returns how many keys the query may attend to. */
static size_t expect_keys(const streaming_case_t *c, size_t r, const float *dk,
                          const float *dv)
{
    const kc_attention_problem_t *p = &c->problem;
    const size_t head = r / p->queries;
    size_t open = 0;
    for (size_t k = 0; k < p->heads * p->keys; k++) {
        if (k / p->keys == head &&
            streaming_may(c, head, r % p->queries, k % p->keys)) {
            open++;
            continue;
        }
        expect_row(c, STREAMING_DK, dk, k, p->width);
        expect_row(c, STREAMING_DV, dv, k, p->value_width);
    }
    return open;
}

/* A query and its cotangent hold anything, so that its weights are NaN: other
 * queries and the keys that are blocked for it keep every byte. One that is
 * blocked wholly is +0 and +0. */
static int check_poisoned_query(streaming_case_t *c, size_t r,
                                const kc_attention_kernels_t *kernels)
{
    const kc_attention_problem_t *p = &c->problem;
    uint64_t state = c->seed + r;
    float *before[STREAMING_ARRAYS];
    streaming_run(c, kernels, 0);
    for (int which = 0; which < STREAMING_ARRAYS; which++) {
        before[which] = copy_of(c, which);
    }
    poison(c, STREAMING_Q, r, p->width, &state);
    poison(c, STREAMING_G, r, p->value_width, &state);
    streaming_run(c, kernels, 0);
    const size_t open =
        expect_keys(c, r, before[STREAMING_DK], before[STREAMING_DV]);
    if (open == 0) {
        memset(before[STREAMING_Y] + r * p->value_width, 0,
               p->value_width * sizeof(float));
        memset(before[STREAMING_DQ] + r * p->width, 0,
               p->width * sizeof(float));
    }
    for (size_t k = 0; k < p->heads * p->queries; k++) {
        if (k != r || open == 0) {
            expect_row(c, STREAMING_Y, before[STREAMING_Y], k, p->value_width);
            expect_row(c, STREAMING_DQ, before[STREAMING_DQ], k, p->width);
        }
    }
    for (int which = 0; which < STREAMING_ARRAYS; which++) {
        if (which < STREAMING_Y) {
            memcpy(c->arrays[which], before[which],
                   c->counts[which] * sizeof *before[which]);
        }
        free(before[which]);
    }
    return open == 0;
}

START_TEST(a_query_may_hold_anything_for_keys_it_does_not_see)
{
    const kc_attention_kernels_t *kernels = streaming_kernels((size_t)_i % 3);
    int count = 0;
    for (uint64_t seed = 44000; kernels != NULL && seed < 44040; seed++) {
        streaming_case_t c;
        streaming_case_draw(&c, seed, 24, _i < 3 ? 48 : 5, _i < 3 ? 128 : 3);
        for (size_t r = 0; r < c.problem.heads * c.problem.queries; r++) {
            count += check_poisoned_query(&c, r, kernels);
        }
        streaming_case_clear(&c);
    }
    ck_assert(kernels == NULL || count > 0);
}
END_TEST

/* Also a case with more work than a lane takes. */
START_TEST(threads_show_nowhere)
{
    static const size_t thread_counts[] = {1, 2, 7};
    for (uint64_t seed = 45000; seed < 45006; seed++) {
        streaming_case_t c;
        float *before[STREAMING_ARRAYS] = {NULL};
        streaming_case_draw(&c, seed, 400, 48, 128);
        streaming_run(&c, kc_attention_kernels(), 0);
        for (int which = STREAMING_Y; which < STREAMING_ARRAYS; which++) {
            before[which] = copy_of(&c, which);
        }
        for (size_t i = 0; i < 3; i++) {
            streaming_run(&c, kc_attention_kernels(), thread_counts[i]);
            for (int which = STREAMING_Y; which < STREAMING_ARRAYS; which++) {
                expect_row(&c, which, before[which], 0, c.counts[which]);
            }
        }
        for (int which = STREAMING_Y; which < STREAMING_ARRAYS; which++) {
            free(before[which]);
        }
        streaming_case_clear(&c);
    }
}
END_TEST

/* A mask of ones is none; causality is the mask j <= i. */
START_TEST(masks_that_say_the_same)
{
    for (uint64_t seed = 46000; seed < 46020; seed++) {
        streaming_case_t c;
        float *before[STREAMING_ARRAYS] = {NULL};
        streaming_case_draw(&c, seed, 150, 48, _i == 0 ? 128 : 7);
        kc_attention_problem_t *p = &c.problem;
        free(c.mask);
        c.mask = NULL;
        p->mask = NULL;
        streaming_run(&c, kc_attention_kernels(), 0);
        for (int which = STREAMING_Y; which < STREAMING_ARRAYS; which++) {
            before[which] = copy_of(&c, which);
        }
        c.mask = malloc(p->queries * p->keys);
        ck_assert_ptr_nonnull(c.mask);
        for (size_t i = 0; i < p->queries * p->keys; i++) {
            c.mask[i] = !p->is_causal || i % p->keys <= i / p->keys;
        }
        p->mask = c.mask;
        p->mask_key_stride = 1;
        p->mask_query_stride = p->keys;
        p->mask_lead_stride[0] = 0;
        p->is_causal = 0;
        streaming_run(&c, kc_attention_kernels(), 0);
        for (int which = STREAMING_Y; which < STREAMING_ARRAYS; which++) {
            expect_row(&c, which, before[which], 0, c.counts[which]);
            free(before[which]);
        }
        streaming_case_clear(&c);
    }
}
END_TEST

/* Eight heads of width 64 and 1024 queries: the tiles of all lanes. */
START_TEST(memory_stays_within_a_mebibyte)
{
    kc_attention_problem_t p = {.heads = 8,
                                .queries = 1024,
                                .keys = 1024,
                                .width = 64,
                                .value_width = 64,
                                .block_queries = KC_ATTENTION_BLOCK_QUERIES,
                                .block_keys = KC_ATTENTION_BLOCK_KEYS,
                                .is_causal = _i};
    for (size_t set = 0; set < 3; set++) {
        const kc_attention_kernels_t *kernels = streaming_kernels(set);
        if (kernels != NULL) {
            ck_assert_uint_le(kc_attention_forward_size(&p, kernels), 1 << 20);
            ck_assert_uint_le(kc_attention_backward_size(&p, kernels), 1 << 20);
        }
    }
}
END_TEST

TCase *tcase_streaming_values(void)
{
    TCase *tcase = tcase_create("streaming");
    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, small_tiles_give_the_values_in_double, 0, 64);
    tcase_add_loop_test(tcase, large_tiles_give_the_values_in_double, 0, 10);
    tcase_add_loop_test(tcase, memory_stays_within_a_mebibyte, 0, 2);
    return tcase;
}

TCase *tcase_streaming_gradients(void)
{
    TCase *tcase = tcase_create("streaming_gradients");
    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, small_tiles_give_the_gradients_in_double, 0, 64);
    tcase_add_loop_test(tcase, large_tiles_give_the_gradients_in_double, 0, 10);
    return tcase;
}

/* Values and gradients in one. */
TCase *tcase_streaming_blocked(void)
{
    TCase *tcase = tcase_create("streaming_blocked");
    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, a_blocked_key_may_hold_anything, 0, 15);
    tcase_add_loop_test(
        tcase, a_query_may_hold_anything_for_keys_it_does_not_see, 0, 6);
    tcase_add_loop_test(tcase, masks_that_say_the_same, 0, 2);
    tcase_add_test(tcase, threads_show_nowhere);
    return tcase;
}
