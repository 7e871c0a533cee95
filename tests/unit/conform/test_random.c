/* SPDX-License-Identifier: Apache-2.0
 *
 * Random sources against golden words and float32 bits.
 */
#include <math.h>
#include <string.h>

#include "unit/conform/suites.h"
#include "unit/conform/worked.h"

static double from_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

static void expect_stream(uint64_t key, const uint32_t bits[4])
{
    worked_t w = worked_begin(KC_OP_RAND_UNIFORM);
    double values[4];
    for (int i = 0; i < 4; i++) {
        values[i] = from_bits(bits[i]);
    }
    w.attributes.u.random.key = key;
    w.attributes.u.random.rank = 1;
    w.attributes.u.random.shape[0] = 4;
    worked_expect_exact(&w, SHAPE(4), values);
    worked_end(&w);
}

START_TEST(golden_streams)
{
    expect_stream(
        UINT64_C(0xe220a8397b1dcdaf),
        (const uint32_t[]){0x3e9a32fd, 0x3f2f37e9, 0x3e9e1687, 0x3e6d0432});
    expect_stream(
        UINT64_C(0x910a2dec89025cc1),
        (const uint32_t[]){0x3ee872c2, 0x3e485eb8, 0x3f167306, 0x3e97b0da});
    expect_stream(
        UINT64_C(0xdb9c559891948d23),
        (const uint32_t[]){0x3e0f524a, 0x3e8f5adb, 0x3f17b68d, 0x3f516ee3});
    expect_stream(
        UINT64_C(0x956b3c7f2686f111),
        (const uint32_t[]){0x3da52961, 0x3e93051e, 0x3f480075, 0x3f251cee});
}
END_TEST

static void expect_mask(double p, const double *values)
{
    worked_t w = worked_begin(KC_OP_BERNOULLI_MASK);
    w.attributes.u.random.key = UINT64_C(0xe220a8397b1dcdaf);
    w.attributes.u.random.rank = 2;
    w.attributes.u.random.shape[0] = 2;
    w.attributes.u.random.shape[1] = 2;
    worked_add(&w, KC_DTYPE_F32, SCALAR, &p);
    worked_expect_exact(&w, SHAPE(2, 2), values);
    worked_end(&w);
}

START_TEST(masks_and_their_ends)
{
    expect_mask(0.5, VALUES(1, 0, 1, 1));
    expect_mask(0, VALUES(0, 0, 0, 0));
    expect_mask(-1, VALUES(0, 0, 0, 0));
    expect_mask(NAN, VALUES(0, 0, 0, 0));
    expect_mask(1, VALUES(1, 1, 1, 1));
    expect_mask(INFINITY, VALUES(1, 1, 1, 1));
    /* p equal to the first value is not above it. */
    expect_mask(from_bits(0x3e9a32fd), VALUES(0, 0, 0, 1));
}
END_TEST

CONFORM_SUITE(random, golden_streams, masks_and_their_ends)
