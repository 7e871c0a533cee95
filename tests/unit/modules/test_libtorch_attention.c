/* SPDX-License-Identifier: Apache-2.0
 *
 * Attention's forward by LibTorch, whose own would give NaN for a fully
 * blocked row and let a blocked key or value through.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "unit/modules/libtorch_call.h"
#include "unit/modules/tcases.h"

/* q [heads, queries, width] and so on; without a mask, mask_rank is -1. */
typedef struct geometry {
    int64_t heads;
    int64_t queries;
    int64_t keys;
    int64_t width;
    int64_t value_width;
    int32_t causal;
    int32_t mask_rank;
    int64_t mask_shape[3];
} geometry_t;

static trial_t trial_of(const geometry_t *g, int32_t dtype, uint64_t seed)
{
    trial_t trial;
    uint64_t state = seed;
    trial_init(&trial, KC_OP_SCALED_DOT_PRODUCT_ATTENTION);
    trial.seed = seed;
    trial.attributes.u.attention.scale = 0.5;
    trial.attributes.u.attention.causal = g->causal;
    trial_add(&trial,
              operand_create(dtype, SHAPE(g->heads, g->queries, g->width)));
    trial_add(&trial,
              operand_create(dtype, SHAPE(g->heads, g->keys, g->width)));
    trial_add(&trial,
              operand_create(dtype, SHAPE(g->heads, g->keys, g->value_width)));
    trial_add(&trial,
              g->mask_rank < 0
                  ? NULL
                  : operand_create(KC_DTYPE_BOOL, g->mask_rank, g->mask_shape));
    for (int i = 0; i < 3; i++) {
        trial_fill_uniform(trial.inputs[i], &state, -2, 2);
    }
    trial_set_output(&trial, operand_create(dtype, SHAPE(g->heads, g->queries,
                                                         g->value_width)));
    return trial;
}

/* One head of width 1, two queries and two keys. */
static void check_small(const libtorch_t *libtorch, int32_t dtype,
                        const double *k, const double *v, const double *mask,
                        const double *expected)
{
    const geometry_t g = {1, 2, 2, 1, 1, 0, 2, {2, 2}};
    trial_t trial = trial_of(&g, dtype, 1);
    operand_fill(trial.inputs[0], VALUES(1, 1));
    operand_fill(trial.inputs[1], k);
    operand_fill(trial.inputs[2], v);
    operand_fill(trial.inputs[3], mask);
    libtorch_expect(libtorch, &trial, expected);
    trial_clear(&trial);
}

static void check_masks(const libtorch_t *libtorch, int32_t dtype)
{
    const double evils[] = {0, NAN, INFINITY, -INFINITY, 3e38};
    /* A query that may attend to nothing. */
    check_small(libtorch, dtype, VALUES(1, 1), VALUES(3, 5), VALUES(1, 1, 0, 0),
                VALUES(4, 0));
    /* True is: may attend. */
    check_small(libtorch, dtype, VALUES(1, 1), VALUES(10, 20),
                VALUES(1, 0, 1, 1), VALUES(10, 15));
    for (int i = 0; i < 5; i++) {
        const double evil = evils[i];
        check_small(libtorch, dtype, VALUES(1, evil), VALUES(10, evil),
                    VALUES(1, 0, 0, 0), VALUES(10, 0));
        check_small(libtorch, dtype, VALUES(evil, evil), VALUES(evil, evil),
                    VALUES(0, 0, 0, 0), VALUES(0, 0));
    }
    /* What is allowed gets through, where it belongs and nowhere else. */
    check_small(libtorch, dtype, VALUES(1, 1), VALUES(10, INFINITY),
                VALUES(1, 0, 1, 1), VALUES(10, INFINITY));
    check_small(libtorch, dtype, VALUES(1, NAN), VALUES(10, 20),
                VALUES(1, 0, 1, 1), VALUES(10, NAN));
}

/* Any byte but 0 is true, also beside causality and a value that is not
 * finite. */
static void check_bytes(const libtorch_t *libtorch, int32_t dtype,
                        int32_t causal)
{
    const geometry_t g = {1, 2, 2, 1, 1, causal, 2, {2, 2}};
    const unsigned char bytes[] = {2, 0, 255, 128};
    trial_t trial = trial_of(&g, dtype, 1);
    operand_fill(trial.inputs[0], VALUES(1, 1));
    operand_fill(trial.inputs[1], VALUES(1, 1));
    operand_fill(trial.inputs[2], VALUES(10, 20));
    memcpy(kc_tensor_data(&trial.inputs[3]->view), bytes, sizeof bytes);
    libtorch_expect(libtorch, &trial, VALUES(10, 15));
    operand_fill(trial.inputs[2], VALUES(10, INFINITY));
    libtorch_expect(libtorch, &trial, VALUES(10, INFINITY));
    trial_clear(&trial);
}

START_TEST(masks_mean_what_they_mean_elsewhere)
{
    libtorch_t libtorch;
    if (!libtorch_open(&libtorch)) {
        return;
    }
    check_masks(&libtorch, KC_DTYPE_F32);
    check_masks(&libtorch, KC_DTYPE_F64);
    for (int32_t causal = 0; causal < 2; causal++) {
        check_bytes(&libtorch, KC_DTYPE_F32, causal);
        check_bytes(&libtorch, KC_DTYPE_F64, causal);
    }
    libtorch_close(&libtorch);
}
END_TEST

/* Key `key` of every head gets `evil` in all it is and all it has. */
static void poison(trial_t *trial, const geometry_t *g, int64_t key,
                   double evil)
{
    const int64_t widths[] = {g->width, g->value_width};
    for (int operand = 0; operand < 2; operand++) {
        for (int64_t head = 0; head < g->heads; head++) {
            for (int64_t c = 0; c < widths[operand]; c++) {
                operand_set(
                    trial->inputs[1 + operand],
                    (size_t)((head * g->keys + key) * widths[operand] + c),
                    evil);
            }
        }
    }
}

/* Sizes for which ATen multiplies by itself and such that go to BLAS; masks
 * with missing axes and with extents of 1. Key 1 is blocked by each mask, and
 * the last one, to all queries but the last, by causality. */
static const geometry_t geometries[] = {
    {1, 5, 5, 1, 1, 0, 1, {5}},          {2, 3, 7, 4, 6, 0, 2, {1, 7}},
    {3, 33, 40, 64, 17, 1, 2, {33, 40}}, {2, 70, 66, 256, 24, 0, 3, {2, 1, 66}},
    {2, 9, 9, 5, 4, 1, -1, {0}},         {1, 64, 64, 64, 64, 1, 3, {1, 64, 64}},
};
#define GEOMETRY_COUNT (sizeof geometries / sizeof *geometries)

static void check_blocked(const libtorch_t *libtorch, const geometry_t *g,
                          int32_t dtype, double evil)
{
    trial_t trial = trial_of(g, dtype, 77);
    const int64_t blocked = g->mask_rank < 0 ? g->keys - 1 : 1;
    const size_t seen =
        (size_t)(g->mask_rank < 0 ? g->queries - 1 : g->queries);
    double *clean = calloc(trial.output->count, sizeof *clean);
    ck_assert_ptr_nonnull(clean);
    for (size_t i = 0; g->mask_rank >= 0 && i < trial.inputs[3]->count; i++) {
        const size_t key = i % (size_t)g->keys;
        operand_set(trial.inputs[3], i, key != 1 && (key + i / 3) % 4 != 0);
    }
    ck_assert_int_eq(libtorch_forward(libtorch, &trial), KC_OK);
    for (size_t i = 0; i < trial.output->count; i++) {
        clean[i] = operand_get(trial.output, i);
        ck_assert(isfinite(clean[i]));
    }
    poison(&trial, g, blocked, evil);
    ck_assert_int_eq(libtorch_forward(libtorch, &trial), KC_OK);
    for (size_t i = 0; i < trial.output->count; i++) {
        const size_t row = i / (size_t)g->value_width % (size_t)g->queries;
        ck_assert_msg(row >= seen ||
                          same_bits(operand_get(trial.output, i), clean[i]),
                      "element %zu: expected %a, found %a with %g in a blocked "
                      "key; seed 77",
                      i, clean[i], operand_get(trial.output, i), evil);
    }
    free(clean);
    trial_clear(&trial);
}

START_TEST(what_is_blocked_changes_no_byte)
{
    const double evils[] = {NAN, INFINITY, -INFINITY, 3e38, -1e-40};
    libtorch_t libtorch;
    if (!libtorch_open(&libtorch)) {
        return;
    }
    for (size_t i = 0; i < GEOMETRY_COUNT * 5; i++) {
        const geometry_t *g = &geometries[i / 5];
        check_blocked(&libtorch, g, KC_DTYPE_F32, evils[i % 5]);
        check_blocked(&libtorch, g, KC_DTYPE_F64, evils[i % 5]);
    }
    libtorch_close(&libtorch);
}
END_TEST

/* No width: all weights are equal. A mask without axes holds for all. */
static void check_extremes(const libtorch_t *libtorch, int32_t dtype)
{
    const geometry_t no_width = {1, 3, 4, 0, 2, 0, -1, {0}};
    const geometry_t no_axes = {1, 2, 1, 3, 2, 0, 0, {0}};
    trial_t trial = trial_of(&no_width, dtype, 5);
    operand_fill(trial.inputs[2], VALUES(1, 2, 3, 4, 5, 6, 7, 8));
    libtorch_expect(libtorch, &trial, VALUES(4, 5, 4, 5, 4, 5));
    trial_clear(&trial);
    for (int allowed = 0; allowed < 2; allowed++) {
        trial = trial_of(&no_axes, dtype, 6);
        operand_fill(trial.inputs[2], VALUES(3, -4));
        operand_set(trial.inputs[3], 0, allowed);
        libtorch_expect(libtorch, &trial,
                        allowed ? VALUES(3, -4, 3, -4) : VALUES(0, 0, 0, 0));
        trial_clear(&trial);
    }
}

START_TEST(extents_of_none_and_one)
{
    libtorch_t libtorch;
    if (!libtorch_open(&libtorch)) {
        return;
    }
    check_extremes(&libtorch, KC_DTYPE_F32);
    check_extremes(&libtorch, KC_DTYPE_F64);
    libtorch_close(&libtorch);
}
END_TEST

TCase *tcase_libtorch_attention(void)
{
    TCase *tcase = tcase_create("libtorch_attention");
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, masks_mean_what_they_mean_elsewhere);
    tcase_add_test(tcase, what_is_blocked_changes_no_byte);
    tcase_add_test(tcase, extents_of_none_and_one);
    return tcase;
}
