/* SPDX-License-Identifier: Apache-2.0
 *
 * Rules of the runtime for operations that work element by element, where no
 * composition selects (abs, clamp, max, min, relu) or is erf (gelu). Kinks:
 * ops.md 7.2 and 7.3.
 */
#include "autograd/rules.h"

#include <math.h>

#include "autograd/rule_tiles.h"

/* Work of one element, in multiply-adds. */
#define ARITHMETIC     2
#define TRANSCENDENTAL 32

#define SQRT_2_OVER_PI 0.79788456080286535588
#define SQRT_HALF      0.70710678118654752440
#define INV_SQRT_2_PI  0.39894228040143267794
#define CUBIC          0.044715

/* From here on the slope of the tanh form is 0 or 1 to the last bit of a
 * double, while the square in the formula would overflow before long. */
#define GELU_IS_FLAT 64

/* The exponential is of a negative number: it cannot overflow. */
static inline double sigmoid(double x)
{
    double z = exp(-fabs(x));
    return (x > 0 ? 1 : z) / (1 + z);
}

/* With t = tanh(u): (1 + t)/2 is sigmoid(2u) and (1 - t t)/4 the product of
 * sigmoid(2u) and sigmoid(-2u), which do not cancel. An infinity gives
 * inf * 0 = NaN, as the formula says. */
static inline double gelu_tanh_slope(double x)
{
    if (isfinite(x) && fabs(x) > GELU_IS_FLAT) {
        return x > 0;
    }
    double u = SQRT_2_OVER_PI * (x + CUBIC * x * x * x);
    double above = sigmoid(2 * u);
    double bell = above * sigmoid(-2 * u);
    return above + 2 * x * bell * SQRT_2_OVER_PI * (1 + 3 * CUBIC * x * x);
}

static inline double gelu_erf_slope(double x)
{
    return 0.5 * erfc(-x * SQRT_HALF) + x * (INV_SQRT_2_PI * exp(-0.5 * x * x));
}

#include "autograd/float32.h"
#include "autograd/pointwise_select_typed.h"
#include "autograd/float64.h"
#include "autograd/pointwise_select_typed.h"

typedef void (*loop_fn)(const double *parameters, const void *in_x,
                        const void *in_y, const void *in_g, void *out,
                        size_t start, size_t count);

/* The loop of one formula for both element types. */
typedef struct formula {
    loop_fn f32;
    loop_fn f64;
    size_t element_work;
} formula_t;

typedef struct context {
    loop_fn loop;
    double parameters[2];
    const void *x;
    const void *y;
    const void *g;
    void *out;
} context_t;

static kc_status_t tile(void *opaque, size_t start, size_t count)
{
    const context_t *context = opaque;
    context->loop(context->parameters, context->x, context->y, context->g,
                  context->out, start, count);
    return KC_OK;
}

/* The cotangent of input `input`, unless it is not wanted; `partner` is the
 * other operand of a pair. */
static kc_status_t run(const kc_call_t *call, const formula_t *formula,
                       size_t input, size_t partner, const double *parameters)
{
    const DLTensor *g = call->cotangents_out[0];
    const DLTensor *out = call->cotangents_in[input];
    if (out == NULL) {
        return KC_OK;
    }
    context_t context = {.loop = kci_is_f64(g) ? formula->f64 : formula->f32,
                         .parameters = {parameters[0], parameters[1]},
                         .x = kc_tensor_data(call->inputs[input]),
                         .y = kc_tensor_data(call->inputs[partner]),
                         .g = kc_tensor_data(g),
                         .out = kc_tensor_data(out)};
    return kci_rule_for(call, tile, &context,
                        (size_t)kc_tensor_element_count(g),
                        formula->element_work);
}

static const double no_parameters[2] = {0, 0};

#define FORMULA(name, work)                                                    \
    static const formula_t name##_formula = {name##_loop_f32, name##_loop_f64, \
                                             work};
#define UNARY(name)                                                            \
    FORMULA(name, ARITHMETIC)                                                  \
    static kc_status_t run_##name(const kc_call_t *call)                       \
    {                                                                          \
        return run(call, &name##_formula, 0, 0, no_parameters);                \
    }                                                                          \
    const kci_rule_t kci_rule_##name = {NULL, run_##name, NULL};
#define PAIR(name)                                                             \
    FORMULA(name, ARITHMETIC)                                                  \
    static kc_status_t run_##name(const kc_call_t *call)                       \
    {                                                                          \
        kc_status_t status = run(call, &name##_formula, 0, 1, no_parameters);  \
        return status != KC_OK                                                 \
                   ? status                                                    \
                   : run(call, &name##_formula, 1, 0, no_parameters);          \
    }                                                                          \
    const kci_rule_t kci_rule_##name = {NULL, run_##name, NULL};

UNARY(abs)
UNARY(relu)
PAIR(max)
PAIR(min)

FORMULA(clamp, ARITHMETIC)
FORMULA(gelu_tanh, TRANSCENDENTAL)
FORMULA(gelu_erf, TRANSCENDENTAL)

static kc_status_t run_clamp(const kc_call_t *call)
{
    const kc_clamp_attributes_t *clamp = &call->attributes->u.clamp;
    const double bounds[2] = {clamp->lo, clamp->hi};
    return run(call, &clamp_formula, 0, 0, bounds);
}
const kci_rule_t kci_rule_clamp = {NULL, run_clamp, NULL};

static kc_status_t run_gelu(const kc_call_t *call)
{
    bool is_erf = call->attributes->u.gelu.approximate == KC_GELU_ERF;
    return run(call, is_erf ? &gelu_erf_formula : &gelu_tanh_formula, 0, 0,
               no_parameters);
}
const kci_rule_t kci_rule_gelu = {NULL, run_gelu, NULL};
