/* SPDX-License-Identifier: Apache-2.0
 *
 * The distributions: where implementations break, not where data usually is.
 */
#include "conform/draw.h"

#include <float.h>
#include <math.h>
#include <stddef.h>

kci_draw_t kci_draw_begin(uint64_t seed)
{
    return (kci_draw_t){seed};
}

uint64_t kci_draw_bits(kci_draw_t *draw)
{
    draw->state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = draw->state;
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

int64_t kci_draw_integer(kci_draw_t *draw, int64_t low, int64_t high)
{
    uint64_t range = (uint64_t)high - (uint64_t)low + 1;
    return low + (int64_t)(kci_draw_bits(draw) % range);
}

bool kci_draw_chance(kci_draw_t *draw, int percent)
{
    return kci_draw_integer(draw, 0, 99) < percent;
}

double kci_draw_real(kci_draw_t *draw, double low, double high)
{
    double part = (double)(kci_draw_bits(draw) >> 11) * 0x1p-53;
    return low + (high - low) * part;
}

kci_temper_t kci_draw_temper(kci_draw_t *draw)
{
    static const int percents[KCI_TEMPER_COUNT] = {38, 17, 15, 15, 8, 7};
    int64_t place = kci_draw_integer(draw, 0, 99);
    int temper = 0;
    while (temper + 1 < KCI_TEMPER_COUNT && place >= percents[temper]) {
        place -= percents[temper++];
    }
    return (kci_temper_t)temper;
}

static double draw_special(kci_draw_t *draw, bool is_f64)
{
    double tiny = is_f64 ? 0x1p-1074 : 0x1p-149;
    double normal = is_f64 ? DBL_MIN : (double)FLT_MIN;
    double largest = is_f64 ? DBL_MAX : (double)FLT_MAX;
    double ulp = is_f64 ? DBL_EPSILON : (double)FLT_EPSILON;
    const double numbers[] = {0,    INFINITY, NAN,     tiny,    normal,
                              1,    1 + ulp,  1 - ulp, largest, largest / 4,
                              88.5, 104,      0.5,     16777216};
    int64_t count = (int64_t)(sizeof numbers / sizeof *numbers);
    double number = numbers[kci_draw_integer(draw, 0, count - 1)];
    return kci_draw_chance(draw, 50) ? -number : number;
}

double kci_draw_value(kci_draw_t *draw, kci_temper_t temper, bool is_f64)
{
    double value = kci_draw_real(draw, -2, 2);
    switch (temper) {
    case KCI_TEMPER_WIDE:
        value = ldexp(value, (int)kci_draw_integer(draw, -24, 24));
        break;
    case KCI_TEMPER_TIES:
        value = (double)kci_draw_integer(draw, -3, 3);
        break;
    case KCI_TEMPER_SPECIAL:
        if (kci_draw_chance(draw, 5)) {
            return draw_special(draw, is_f64);
        }
        value *= 4;
        break;
    case KCI_TEMPER_SUBNORMAL:
        value *= is_f64 ? 0x1p-1022 : 0x1p-126;
        break;
    case KCI_TEMPER_ZEROS:
        value = kci_draw_chance(draw, 50) ? 0.0 : -0.0;
        break;
    default:
        break;
    }
    return is_f64 ? value : (double)(float)value;
}

int64_t kci_draw_extent(kci_draw_t *draw, int64_t limit)
{
    static const int64_t edges[] = {
        1,  2,  3,  4,   5,   7,   8,   9,   15,  16,  17,   31,   32,   33,
        63, 64, 65, 127, 128, 129, 255, 257, 511, 513, 1000, 1025, 4099, 16385};
    size_t count = 0;
    while (count < sizeof edges / sizeof *edges && edges[count] <= limit) {
        count++;
    }
    return count == 0 ? 1
                      : edges[kci_draw_integer(draw, 0, (int64_t)count - 1)];
}

void kci_draw_extents(kci_draw_t *draw, int32_t rank, int64_t budget,
                      int64_t *out_shape)
{
    /* The large extent is on any axis, not always on the first. */
    int64_t start = rank > 0 ? kci_draw_integer(draw, 0, rank - 1) : 0;
    for (int32_t i = 0; i < rank; i++) {
        int64_t axis = (start + i) % rank;
        out_shape[axis] = kci_draw_extent(draw, budget);
        budget /= out_shape[axis];
    }
}

void kci_draw_emptiness(kci_draw_t *draw, int percent, int32_t rank,
                        int64_t *shape)
{
    if (rank > 0 && kci_draw_chance(draw, percent)) {
        shape[kci_draw_integer(draw, 0, rank - 1)] = 0;
    }
}
