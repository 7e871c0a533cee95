/* SPDX-License-Identifier: Apache-2.0
 *
 * rand_uniform and bernoulli_mask: published words of the generator, the
 * rounding at both ends, and values that depend on key and index alone.
 */
#include <math.h>
#include <stdlib.h>

#include "unit/modules/oracle.h"
#include "unit/modules/tcases.h"
#include "unit/modules/trial.h"

/* Keys of (seed, counter) and the first words of their streams. */
static const struct {
    uint64_t key;
    uint32_t words[4];
} streams[] = {
    {0xe220a8397b1dcdafu, {0x4d197e6f, 0xaf37e97f, 0x4f0b438c, 0x3b410c7a}},
    {0x910a2dec89025cc1u, {0x7439611e, 0x3217ae03, 0x9673066b, 0x4bd86cd7}},
    {0xdb9c559891948d23u, {0x23d4929e, 0x47ad6d77, 0x97b68cb8, 0xd16ee32e}},
    {0x956b3c7f2686f111u, {0x14a52c14, 0x49828f2d, 0xc80074a6, 0xa51cee61}}};

static void begin(trial_t *trial, int32_t op, uint64_t key, operand_t *output)
{
    trial_init(trial, op);
    trial->attributes.u.random.key = key;
    trial_set_output(trial, output);
}

START_TEST(uniform_values_are_the_published_words)
{
    trial_t trial;
    double expected[4];
    begin(&trial, KC_OP_RAND_UNIFORM, streams[_i].key,
          operand_create(KC_DTYPE_F32, SHAPE(2, 2)));
    for (size_t i = 0; i < 4; i++) {
        expected[i] = (float)ldexp((double)streams[_i].words[i], -32);
    }
    trial_expect(&trial, expected);
    trial_clear(&trial);
}
END_TEST

START_TEST(first_values_in_bits)
{
    trial_t trial;
    begin(&trial, KC_OP_RAND_UNIFORM, streams[0].key,
          operand_create(KC_DTYPE_F32, SHAPE(2)));
    trial_expect(&trial, VALUES(0x1.3465fap-2, 0x1.5e6fd2p-1));
    trial_clear(&trial);
}
END_TEST

static uint64_t mixed(uint64_t x)
{
    return random_word(&x);
}

/* Words the rounding of which matters, found from their index: the stream of
 * key k at i is that of key k + i at 0. */
static uint64_t key_of_word_above(uint32_t least)
{
    uint64_t key = 0;
    while ((uint32_t)mixed(key) < least) {
        key++;
    }
    return key;
}

START_TEST(the_largest_words_give_one)
{
    uint64_t key = key_of_word_above(0xffffff80u);
    trial_t trial;
    begin(&trial, KC_OP_RAND_UNIFORM, key,
          operand_create(KC_DTYPE_F32, SHAPE(1)));
    trial_expect(&trial, VALUES(1));
    trial_clear(&trial);
    begin(&trial, KC_OP_BERNOULLI_MASK, key,
          operand_create(KC_DTYPE_F32, SHAPE(1)));
    operand_set(trial_add(&trial, operand_create(KC_DTYPE_F32, 0, NULL)), 0, 1);
    trial_expect(&trial, VALUES(1)); /* 1 is not above 1, yet it is kept */
    operand_set(trial.inputs[0], 0, 0x1.fffffep-1);
    trial_expect(&trial, VALUES(0));
    trial_clear(&trial);
}
END_TEST

/* Large enough for many tiles; keys that wrap around. */
START_TEST(values_depend_on_key_and_index)
{
    const uint64_t keys[] = {0, 1, streams[2].key, UINT64_MAX - 7};
    const int64_t n = 70001;
    double *expected = new_doubles((size_t)n);
    trial_t trial;
    begin(&trial, KC_OP_RAND_UNIFORM, keys[_i],
          operand_create(KC_DTYPE_F32, SHAPE(n)));
    for (uint64_t i = 0; i < (uint64_t)n; i++) {
        expected[i] =
            (float)((double)(uint32_t)mixed(keys[_i] + i) / 4294967296.0);
    }
    trial_expect(&trial, expected);
    trial_clear(&trial);
    free(expected);
}
END_TEST

static void check_mask(int32_t dtype, double keep, int64_t n)
{
    const uint64_t key = streams[0].key;
    double *expected = new_doubles((size_t)n);
    trial_t trial;
    begin(&trial, KC_OP_BERNOULLI_MASK, key, operand_create(dtype, SHAPE(n)));
    operand_set(trial_add(&trial, operand_create(dtype, 0, NULL)), 0, keep);
    keep = rounded(dtype, keep);
    for (uint64_t i = 0; i < (uint64_t)n; i++) {
        double value =
            rounded(dtype, ldexp((double)(uint32_t)mixed(key + i), -32));
        expected[i] = keep >= 1 || keep > value;
    }
    trial_expect(&trial, expected);
    trial_clear(&trial);
    free(expected);
}

START_TEST(mask_is_one_below_the_probability)
{
    const double keeps[] = {0.5, 0.1,      0.9,      0x1p-32, 0xaf37e97fp-32,
                            0,   -0.0,     1,        -0.5,    2,
                            NAN, INFINITY, -INFINITY};
    for (size_t i = 0; i < sizeof keeps / sizeof keeps[0]; i++) {
        check_mask(trial_floats[_i], keeps[i], 5000);
    }
}
END_TEST

START_TEST(published_mask)
{
    trial_t trial;
    begin(&trial, KC_OP_BERNOULLI_MASK, streams[0].key,
          operand_create(KC_DTYPE_F32, SHAPE(4)));
    operand_set(trial_add(&trial, operand_create(KC_DTYPE_F32, 0, NULL)), 0,
                0.5);
    trial_expect(&trial, VALUES(1, 0, 1, 1));
    trial_clear(&trial);
}
END_TEST

START_TEST(scalars_and_nothing)
{
    trial_t trial;
    begin(&trial, KC_OP_RAND_UNIFORM, streams[1].key,
          operand_create(KC_DTYPE_F32, 0, NULL));
    trial_expect(&trial, VALUES((float)(0x7439611e * 0x1p-32)));
    trial_clear(&trial);
    begin(&trial, KC_OP_RAND_UNIFORM, streams[1].key,
          operand_create(KC_DTYPE_F32, SHAPE(3, 0)));
    trial_expect(&trial, VALUES(0));
    trial_clear(&trial);
}
END_TEST

TCase *tcase_random(void)
{
    TCase *tcase = tcase_create("random");
    tcase_add_loop_test(tcase, uniform_values_are_the_published_words, 0, 4);
    tcase_add_test(tcase, first_values_in_bits);
    tcase_add_test(tcase, the_largest_words_give_one);
    tcase_add_loop_test(tcase, values_depend_on_key_and_index, 0, 4);
    tcase_add_loop_test(tcase, mask_is_one_below_the_probability, 0, 2);
    tcase_add_test(tcase, published_mask);
    tcase_add_test(tcase, scalars_and_nothing);
    return tcase;
}
