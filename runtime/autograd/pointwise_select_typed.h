/* SPDX-License-Identifier: Apache-2.0
 *
 * Template: rules that select, element by element. What is not selected is
 * exactly +0, whatever the cotangent holds; comparisons with NaN are false.
 */

/* to[i] = formula of x[i], its partner y[i] (x again where the operation has
 * one operand), the cotangent g[i] and the parameters a and b. */
#define LOOP(name, formula)                                                    \
    static void TYPED(name##_loop)(const double *parameters, const void *in_x, \
                                   const void *in_y, const void *in_g,         \
                                   void *out, size_t start, size_t count)      \
    {                                                                          \
        const REAL a = (REAL)parameters[0];                                    \
        const REAL b = (REAL)parameters[1];                                    \
        const REAL *from_x = (const REAL *)in_x + start;                       \
        const REAL *from_y = (const REAL *)in_y + start;                       \
        const REAL *from_g = (const REAL *)in_g + start;                       \
        REAL *to = (REAL *)out + start;                                        \
        for (size_t i = 0; i < count; i++) {                                   \
            const REAL x = from_x[i];                                          \
            const REAL y = from_y[i];                                          \
            const REAL g = from_g[i];                                          \
            to[i] = (REAL)(formula);                                           \
            (void)x;                                                           \
            (void)y;                                                           \
        }                                                                      \
        (void)a;                                                               \
        (void)b;                                                               \
    }

LOOP(abs, x > 0 ? g : x < 0 ? -g : 0)
LOOP(relu, x > 0 ? g : 0)
LOOP(clamp, x >= a && x <= b ? g : 0)
/* Of the first operand; the second one's is that of the pair turned round. */
LOOP(max, x > y ? g : x < y ? 0 : g / 2)
LOOP(min, y > x ? g : y < x ? 0 : g / 2)
LOOP(gelu_tanh, gelu_tanh_slope((double)x) * (double)g)
LOOP(gelu_erf, gelu_erf_slope((double)x) * (double)g)

#undef LOOP
