/* SPDX-License-Identifier: Apache-2.0
 *
 * Draws cases and runs them. Operands lie at the end of their memory but for
 * guards, so that what is read beyond them is NaN.
 */
#include "unit/modules/streaming_case.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "unit/modules/operand.h"
#include "unit/modules/test_host.h"

#define GUARD 32 /* floats */

static void make_array(streaming_case_t *c, int which, size_t count,
                       uint64_t *state)
{
    float *block = malloc((count + 2 * GUARD) * sizeof *block);
    ck_assert_ptr_nonnull(block);
    for (size_t i = 0; i < count + 2 * GUARD; i++) {
        block[i] = NAN;
    }
    c->blocks[which] = block;
    c->arrays[which] = block + GUARD;
    c->counts[which] = count;
    for (size_t i = 0; which < STREAMING_Y && i < count; i++) {
        c->arrays[which][i] = (float)random_uniform(state, -2, 2);
    }
}

static size_t draw(uint64_t *state, size_t least, size_t most)
{
    return least + random_word(state) % (most - least + 1);
}

/* Each axis of the mask is there or of extent 1. Some rows and some keys are
 * blocked wholly. */
static void draw_mask(streaming_case_t *c, uint64_t *state)
{
    kc_attention_problem_t *p = &c->problem;
    const size_t heads = random_word(state) % 2 ? p->heads : 1;
    const size_t queries = random_word(state) % 4 ? p->queries : 1;
    const size_t keys = random_word(state) % 4 ? p->keys : 1;
    const unsigned rarity = (unsigned)draw(state, 2, 12);
    c->mask = malloc(heads * queries * keys + 1);
    ck_assert_ptr_nonnull(c->mask);
    for (size_t i = 0; i < heads * queries * keys; i++) {
        c->mask[i] = random_word(state) % rarity != 0;
    }
    for (size_t i = 0; i < heads * queries; i++) {
        if (random_word(state) % 8 == 0) {
            memset(c->mask + i * keys, 0, keys);
        }
    }
    for (size_t j = 0; j < keys; j++) {
        for (size_t i = 0; j % 5 == 3 && i < heads * queries; i++) {
            c->mask[i * keys + j] = 0;
        }
    }
    p->mask = c->mask;
    p->mask_key_stride = keys > 1;
    p->mask_query_stride = queries > 1 ? keys : 0;
    p->mask_lead_stride[0] = heads > 1 ? queries * keys : 0;
}

void streaming_case_draw(streaming_case_t *c, uint64_t seed, size_t extent,
                         size_t bq, size_t bk)
{
    uint64_t state = seed;
    kc_attention_problem_t *p = &c->problem;
    memset(c, 0, sizeof *c);
    c->seed = seed;
    p->heads = draw(&state, 1, 3);
    p->queries = draw(&state, 1, extent);
    p->keys = draw(&state, 1, extent);
    p->width = draw(&state, 0, random_word(&state) % 4 ? 12 : 70);
    p->value_width = draw(&state, 0, random_word(&state) % 4 ? 12 : 70);
    p->block_queries = bq;
    p->block_keys = bk;
    p->scale = (float)random_uniform(&state, -1, 2);
    p->is_causal = random_word(&state) % 3 == 0;
    p->lead = 1;
    c->lead_extent = (int64_t)p->heads;
    make_array(c, STREAMING_Q, p->heads * p->queries * p->width, &state);
    make_array(c, STREAMING_K, p->heads * p->keys * p->width, &state);
    make_array(c, STREAMING_V, p->heads * p->keys * p->value_width, &state);
    make_array(c, STREAMING_G, p->heads * p->queries * p->value_width, &state);
    make_array(c, STREAMING_Y, c->counts[STREAMING_G], &state);
    make_array(c, STREAMING_DQ, c->counts[STREAMING_Q], &state);
    make_array(c, STREAMING_DK, c->counts[STREAMING_K], &state);
    make_array(c, STREAMING_DV, c->counts[STREAMING_V], &state);
    if (random_word(&state) % 3 != 0) {
        draw_mask(c, &state);
    }
}

void streaming_case_clear(streaming_case_t *c)
{
    for (int which = 0; which < STREAMING_ARRAYS; which++) {
        free(c->blocks[which]);
    }
    free(c->mask);
    memset(c, 0, sizeof *c);
}

int streaming_may(const streaming_case_t *c, size_t head, size_t i, size_t j)
{
    const kc_attention_problem_t *p = &c->problem;
    return (!p->is_causal || j <= i) &&
           (c->mask == NULL ||
            c->mask[head * p->mask_lead_stride[0] + i * p->mask_query_stride +
                    j * p->mask_key_stride] != 0);
}

static void set_pointers(streaming_case_t *c)
{
    kc_attention_problem_t *p = &c->problem;
    p->lead_extent = &c->lead_extent;
    p->q = c->arrays[STREAMING_Q];
    p->k = c->arrays[STREAMING_K];
    p->v = c->arrays[STREAMING_V];
    p->g = c->arrays[STREAMING_G];
    p->y = c->arrays[STREAMING_Y];
    p->dq = c->arrays[STREAMING_DQ];
    p->dk = c->arrays[STREAMING_DK];
    p->dv = c->arrays[STREAMING_DV];
}

/* Aligned as a host does, NaN where nothing was written, guarded behind. */
static float *make_workspace(size_t size)
{
    float *workspace = aligned_alloc(64, (size / 64 + 2) * 64);
    ck_assert_ptr_nonnull(workspace);
    memset(workspace, 0xff, (size / 64 + 2) * 64);
    return workspace;
}

static void end_workspace(const streaming_case_t *c, float *workspace,
                          size_t size)
{
    const unsigned char *bytes = (const unsigned char *)workspace;
    for (size_t i = size; i < (size / 64 + 2) * 64; i++) {
        ck_assert_msg(bytes[i] == 0xff, "workspace overrun; seed %llu",
                      (unsigned long long)c->seed);
    }
    free(workspace);
}

static void check_guards(const streaming_case_t *c)
{
    for (int which = 0; which < STREAMING_ARRAYS; which++) {
        const size_t end = GUARD + c->counts[which];
        for (size_t i = 0; i < GUARD; i++) {
            ck_assert_msg(isnan(c->blocks[which][i]) &&
                              isnan(c->blocks[which][end + i]),
                          "array %d overrun; seed %llu", which,
                          (unsigned long long)c->seed);
        }
    }
}

void streaming_run(streaming_case_t *c, const kc_attention_kernels_t *kernels,
                   size_t thread_count)
{
    test_host_t host;
    const kc_host_t *interface = test_host_init(&host, thread_count);
    set_pointers(c);
    for (int which = STREAMING_Y; which < STREAMING_ARRAYS; which++) {
        for (size_t i = 0; i < c->counts[which]; i++) {
            c->arrays[which][i] = NAN;
        }
    }
    size_t size = kc_attention_forward_size(&c->problem, kernels);
    float *workspace = make_workspace(size);
    ck_assert_int_eq(
        kc_attention_forward(&c->problem, kernels, interface, workspace),
        KC_OK);
    end_workspace(c, workspace, size);
    size = kc_attention_backward_size(&c->problem, kernels);
    workspace = make_workspace(size);
    ck_assert_int_eq(
        kc_attention_backward(&c->problem, kernels, interface, workspace),
        KC_OK);
    end_workspace(c, workspace, size);
    check_guards(c);
}

static int machine_has(size_t lanes)
{
#if defined(__x86_64__)
    return lanes <= 4 ||
           (lanes == 8 && __builtin_cpu_supports("avx2") &&
            __builtin_cpu_supports("fma")) ||
           (lanes == 16 && __builtin_cpu_supports("avx512f") &&
            __builtin_cpu_supports("avx512vl") &&
            __builtin_cpu_supports("avx512bw") &&
            __builtin_cpu_supports("avx512dq"));
#else
    return lanes <= 4;
#endif
}

const kc_attention_kernels_t *streaming_kernels(size_t index)
{
    static const kc_attention_kernels_t *const sets[] = {
        &kc_attention_kernels_portable, &kc_attention_kernels_avx2,
        &kc_attention_kernels_avx512, NULL};
    return sets[index] != NULL && machine_has(sets[index]->lanes) ? sets[index]
                                                                  : NULL;
}
