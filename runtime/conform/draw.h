/* SPDX-License-Identifier: Apache-2.0
 *
 * Draws: everything a case is made of is a function of its seed. Generator:
 * splitmix64, Steele, Lea, Flood 2014.
 */
#ifndef KC_CONFORM_DRAW_H
#define KC_CONFORM_DRAW_H

#include <stdbool.h>
#include <stdint.h>

typedef struct kci_draw {
    uint64_t state;
} kci_draw_t;

/* What sort of floating-point values a case is made of. */
typedef enum kci_temper {
    KCI_TEMPER_ORDINARY,  /* around 1, both signs                        */
    KCI_TEMPER_WIDE,      /* from 2^-24 to 2^24                          */
    KCI_TEMPER_TIES,      /* small integers, many of them equal          */
    KCI_TEMPER_SPECIAL,   /* ordinary with extremes, infinities and NaN  */
    KCI_TEMPER_SUBNORMAL, /* around the smallest numbers                 */
    KCI_TEMPER_ZEROS,     /* zeros of both signs                         */
    KCI_TEMPER_COUNT
} kci_temper_t;

kci_draw_t kci_draw_begin(uint64_t seed);
uint64_t kci_draw_bits(kci_draw_t *draw);
/* low <= result <= high */
int64_t kci_draw_integer(kci_draw_t *draw, int64_t low, int64_t high);
/* True with probability percent / 100. */
bool kci_draw_chance(kci_draw_t *draw, int percent);
/* low <= result < high */
double kci_draw_real(kci_draw_t *draw, double low, double high);

kci_temper_t kci_draw_temper(kci_draw_t *draw);
/* A number of f32 (`is_f64` false) or f64. */
double kci_draw_value(kci_draw_t *draw, kci_temper_t temper, bool is_f64);

/* 1 to `limit`, with a taste for the edges of vectors and blocks: 1, 7, 8, 9,
 * 31, 32, 33, 127, 128, 129 ... 16385. */
int64_t kci_draw_extent(kci_draw_t *draw, int64_t limit);
/* `rank` extents whose product is at most `budget`. */
void kci_draw_extents(kci_draw_t *draw, int32_t rank, int64_t budget,
                      int64_t *out_shape);
/* With probability percent / 100 makes one of the extents 0. */
void kci_draw_emptiness(kci_draw_t *draw, int percent, int32_t rank,
                        int64_t *shape);

#endif
