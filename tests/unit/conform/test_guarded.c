/* SPDX-License-Identifier: Apache-2.0
 *
 * Guard bytes and unwritten elements.
 */
#include "conform/guarded.h"

#include <math.h>
#include <string.h>
#include <kcapsule/vocabulary.h>

#include "unit/conform/suites.h"

START_TEST(changes_are_found)
{
    kci_guarded_t guarded;
    ck_assert(kci_guarded_create(8, &guarded));
    unsigned char *elements = kci_guarded_elements(&guarded);
    memset(elements, 1, 8);
    ck_assert(!kci_guarded_is_unchanged(&guarded));
    kci_guarded_seal(&guarded);
    ck_assert(kci_guarded_is_unchanged(&guarded));
    elements[7] ^= 1;
    ck_assert(!kci_guarded_is_unchanged(&guarded));
    ck_assert(kci_guarded_has_guards(&guarded));
    elements[8] ^= 1;
    ck_assert(!kci_guarded_has_guards(&guarded));
    elements[8] ^= 1;
    elements[-1] ^= 1;
    ck_assert(!kci_guarded_has_guards(&guarded));
    kci_guarded_release(&guarded);
}
END_TEST

START_TEST(unwritten_elements)
{
    unsigned char memory[16];
    for (int32_t dtype = 0; dtype < KC_DTYPE_COUNT; dtype++) {
        kci_guarded_fill_untouched(dtype, 2, memory);
        ck_assert(kci_guarded_is_untouched(dtype, memory));
        memory[0] ^= 1;
        ck_assert(!kci_guarded_is_untouched(dtype, memory));
    }
}
END_TEST

/* No arithmetic gives a signalling NaN: what was computed is never taken for
 * unwritten, not even NaN. */
START_TEST(computed_nan_is_written)
{
    unsigned char memory[8];
    float f32 = nanf("");
    double f64 = nan("");
    uint32_t bits;
    kci_guarded_fill_untouched(KC_DTYPE_F32, 1, memory);
    memcpy(&bits, memory, sizeof bits);
    ck_assert((bits & 0x7f800000U) == 0x7f800000U);
    ck_assert((bits & 0x00400000U) == 0);
    memcpy(memory, &f32, sizeof f32);
    ck_assert(!kci_guarded_is_untouched(KC_DTYPE_F32, memory));
    memcpy(memory, &f64, sizeof f64);
    ck_assert(!kci_guarded_is_untouched(KC_DTYPE_F64, memory));
}
END_TEST

CONFORM_SUITE(guarded, changes_are_found, unwritten_elements,
              computed_nan_is_written)
