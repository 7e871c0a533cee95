/* SPDX-License-Identifier: Apache-2.0
 *
 * Template: the formulas of the operations of two operands of equal shape.
 * Each is one operation with one rounding.
 */

/* y[i] = formula of a = in_a[i] and b = in_b[i]. */
#define LOOP(name, formula)                                                    \
    static void TYPED(name##_loop)(const void *in_a, const void *in_b,         \
                                   void *out, size_t start, size_t count)      \
    {                                                                          \
        const REAL *from_a = (const REAL *)in_a + start;                       \
        const REAL *from_b = (const REAL *)in_b + start;                       \
        REAL *to = (REAL *)out + start;                                        \
        KC_REFERENCE_ELEMENTWISE                                               \
        for (size_t i = 0; i < count; i++) {                                   \
            const REAL a = from_a[i];                                          \
            const REAL b = from_b[i];                                          \
            to[i] = (formula);                                                 \
        }                                                                      \
    }

LOOP(add, a + b)
LOOP(sub, a - b)
LOOP(mul, a * b)
LOOP(max, TYPED(larger)(a, b))
LOOP(min, TYPED(smaller)(a, b))

#undef LOOP
