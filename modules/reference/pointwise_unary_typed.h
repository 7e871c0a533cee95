/* SPDX-License-Identifier: Apache-2.0
 *
 * Template: the formulas of the operations of one operand. Transcendental
 * functions are evaluated in double and rounded once to the element type, so
 * that a faster way to the same real function gives the same bits.
 */

/* y[i] = formula of x[i] and the parameters a and b. */
#define LOOP(name, formula)                                                    \
    static void TYPED(name##_loop)(const double *parameters, const void *in,   \
                                   void *out, size_t start, size_t count)      \
    {                                                                          \
        const REAL a = (REAL)parameters[0];                                    \
        const REAL b = (REAL)parameters[1];                                    \
        const REAL *from = (const REAL *)in + start;                           \
        REAL *to = (REAL *)out + start;                                        \
        KC_REFERENCE_ELEMENTWISE                                               \
        for (size_t i = 0; i < count; i++) {                                   \
            const REAL x = from[i];                                            \
            to[i] = (formula);                                                 \
        }                                                                      \
        (void)a;                                                               \
        (void)b;                                                               \
    }

LOOP(scale, x * a)
LOOP(abs, (REAL)fabs((double)x))
LOOP(sqrt, (REAL)sqrt((double)x)) /* exact: 53 bits suffice for 24 */
LOOP(clamp, TYPED(smaller)(b, TYPED(larger)(a, x)))
LOOP(relu, x <= 0 ? 0 : x) /* NaN is not <= 0; -0 is, and gives +0 */
LOOP(inv, 1 / x)
LOOP(gelu_tanh, (REAL)gelu_tanh(x))
LOOP(gelu_erf, (REAL)gelu_erf(x))
LOOP(sigmoid, (REAL)sigmoid(x))
LOOP(tanh, (REAL)tanh((double)x))
LOOP(softplus, (REAL)softplus(x))
LOOP(exp, (REAL)exp((double)x))
LOOP(log, (REAL)log((double)x))
LOOP(sin, (REAL)sin((double)x))
LOOP(cos, (REAL)cos((double)x))
LOOP(safe_log, (REAL)log(softplus(x) + (double)a))

#undef LOOP

/* Index of the first element outside the domain, or `count`. */
static size_t TYPED(first_outside)(const REAL *x, size_t count, int zero_is_in)
{
    size_t i = 0;
    while (i < count && (x[i] > 0 || (zero_is_in && !(x[i] < 0)))) {
        i++;
    }
    return i;
}
