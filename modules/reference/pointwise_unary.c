/* SPDX-License-Identifier: Apache-2.0
 *
 * Operations of one operand, element by element. Decides parameters, strict
 * domains and how much work an element is; the formulas are in the template.
 */
#include <math.h>
#include <stdio.h>

#include "handlers.h"
#include "tile.h"

/* Work of one element, in multiply-adds. */
#define ARITHMETIC     1
#define TRANSCENDENTAL 16

#define SQRT_2_OVER_PI 0.79788456080286535588
#define SQRT_HALF      0.70710678118654752440

/* The exponential is of a negative number: it cannot overflow. */
static inline double sigmoid(double x)
{
    double z = exp(-fabs(x));
    return (x > 0 ? 1 : z) / (1 + z);
}

static inline double softplus(double x)
{
    return (x > 0 ? x : 0) + log1p(exp(-fabs(x)));
}

/* 1 + tanh(u) cancels for negative u; twice the sigmoid of 2u is the same
 * number without the loss. -inf gives -inf * 0 = NaN, as the formula says. */
static inline double gelu_tanh(double x)
{
    double u = SQRT_2_OVER_PI * (x + 0.044715 * x * x * x);
    return x * sigmoid(2 * u);
}

static inline double gelu_erf(double x)
{
    return 0.5 * x * erfc(-x * SQRT_HALF);
}

#include "float32.h"
#include "extremum_typed.h"
#include "pointwise_unary_typed.h"
#include "float64.h"
#include "extremum_typed.h"
#include "pointwise_unary_typed.h"

typedef void (*loop_fn)(const double *parameters, const void *in, void *out,
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
    const void *in;
    void *out;
} context_t;

static kc_status_t tile(void *opaque, size_t start, size_t count)
{
    const context_t *context = opaque;
    context->loop(context->parameters, context->in, context->out, start, count);
    return KC_OK;
}

static kc_status_t run(const kc_call_t *call, const formula_t *formula,
                       double a, double b)
{
    const DLTensor *x = call->inputs[0];
    context_t context = {.loop = kc_reference_is_f64(x) ? formula->f64
                                                        : formula->f32,
                         .parameters = {a, b},
                         .in = kc_tensor_data(x),
                         .out = kc_tensor_data(call->outputs[0])};
    return kc_reference_for(call, tile, &context,
                            (size_t)kc_tensor_element_count(x),
                            formula->element_work);
}

/* One line that names the element. The point is a point in every locale. */
static kc_status_t fail_at(const kc_call_t *call, const char *operand,
                           size_t idx, double value, const char *expected)
{
    char number[32];
    char message[160];
    snprintf(number, sizeof number, "%.9g", value);
    for (char *c = number; *c != 0; c++) {
        *c = *c == ',' ? '.' : *c;
    }
    snprintf(message, sizeof message, "%s element %zu is %s, expected %s",
             operand, idx, number, expected);
    return kc_call_fail(call, KC_ERR_KERNEL, message);
}

/* Under a strict domain, refuses x < 0, or also 0 and NaN if zero is out. */
static kc_status_t check_domain(const kc_call_t *call, const char *operand,
                                int zero_is_in, const char *expected)
{
    const DLTensor *x = call->inputs[0];
    size_t count = (size_t)kc_tensor_element_count(x);
    const float *f32 = kc_tensor_data(x);
    const double *f64 = kc_tensor_data(x);
    int is_f64 = kc_reference_is_f64(x);
    size_t idx;
    if (!(call->numerics & KC_NUMERICS_STRICT_DOMAIN)) {
        return KC_OK;
    }
    idx = is_f64 ? first_outside_f64(f64, count, zero_is_in)
                 : first_outside_f32(f32, count, zero_is_in);
    if (idx == count) {
        return KC_OK;
    }
    return fail_at(call, operand, idx, is_f64 ? f64[idx] : (double)f32[idx],
                   expected);
}

#define FORMULA(name, work)                                                    \
    static const formula_t name##_formula = {name##_loop_f32, name##_loop_f64, \
                                             work};
/* An operation without attributes. */
#define PLAIN(name, operation, work)                                           \
    FORMULA(name, work)                                                        \
    static kc_status_t name##_forward(const kc_call_t *call)                   \
    {                                                                          \
        return run(call, &name##_formula, 0, 0);                               \
    }                                                                          \
    KC_REFERENCE_HANDLER(name, operation, name##_forward, NULL);

PLAIN(abs, KC_OP_ABS, ARITHMETIC)
PLAIN(relu, KC_OP_RELU, ARITHMETIC)
PLAIN(inv, KC_OP_INV, ARITHMETIC)
PLAIN(sigmoid, KC_OP_SIGMOID, TRANSCENDENTAL)
PLAIN(tanh, KC_OP_TANH, TRANSCENDENTAL)
PLAIN(softplus, KC_OP_SOFTPLUS, TRANSCENDENTAL)
PLAIN(exp, KC_OP_EXP, TRANSCENDENTAL)
PLAIN(sin, KC_OP_SIN, TRANSCENDENTAL)
PLAIN(cos, KC_OP_COS, TRANSCENDENTAL)

FORMULA(scale, ARITHMETIC)
FORMULA(clamp, ARITHMETIC)
FORMULA(sqrt, ARITHMETIC)
FORMULA(log, TRANSCENDENTAL)
FORMULA(gelu_tanh, TRANSCENDENTAL)
FORMULA(gelu_erf, TRANSCENDENTAL)
FORMULA(safe_log, 2 * TRANSCENDENTAL)

static kc_status_t scale_forward(const kc_call_t *call)
{
    return run(call, &scale_formula, call->attributes->u.scale.factor, 0);
}
KC_REFERENCE_HANDLER(scale, KC_OP_SCALE, scale_forward, NULL);

static kc_status_t clamp_forward(const kc_call_t *call)
{
    const kc_clamp_attributes_t *clamp = &call->attributes->u.clamp;
    return run(call, &clamp_formula, clamp->lo, clamp->hi);
}
KC_REFERENCE_HANDLER(clamp, KC_OP_CLAMP, clamp_forward, NULL);

static kc_status_t gelu_forward(const kc_call_t *call)
{
    int32_t form = call->attributes->u.gelu.approximate;
    return run(call,
               form == KC_GELU_ERF ? &gelu_erf_formula : &gelu_tanh_formula, 0,
               0);
}
KC_REFERENCE_HANDLER(gelu, KC_OP_GELU, gelu_forward, NULL);

static kc_status_t sqrt_forward(const kc_call_t *call)
{
    kc_status_t status =
        check_domain(call, "sqrt: input", 1, "no negative number");
    return status != KC_OK ? status : run(call, &sqrt_formula, 0, 0);
}
KC_REFERENCE_HANDLER(sqrt, KC_OP_SQRT, sqrt_forward, NULL);

static kc_status_t log_forward(const kc_call_t *call)
{
    kc_status_t status =
        check_domain(call, "log: input", 0,
                     "a number above 0 (safe_log takes any finite number)");
    return status != KC_OK ? status : run(call, &log_formula, 0, 0);
}
KC_REFERENCE_HANDLER(log, KC_OP_LOG, log_forward, NULL);

static kc_status_t safe_log_forward(const kc_call_t *call)
{
    const DLTensor *eps = call->inputs[1];
    double value = kc_reference_is_f64(eps)
                       ? *(const double *)kc_tensor_data(eps)
                       : (double)*(const float *)kc_tensor_data(eps);
    if (!(value > 0) || isinf(value)) {
        return fail_at(call, "safe_log: eps", 0, value,
                       "a finite number above 0");
    }
    return run(call, &safe_log_formula, value, 0);
}
KC_REFERENCE_HANDLER(safe_log, KC_OP_SAFE_LOG, safe_log_forward, NULL);
