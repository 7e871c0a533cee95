/* SPDX-License-Identifier: Apache-2.0
 *
 * Element by element. Arithmetic, selections and square roots are decided to
 * the bit: of two numbers of the type, double gives a result whose one
 * rounding is the right one (53 >= 2 * 24 + 2 digits, Figueroa 1995). The
 * functions are real functions, evaluated in double with their running error.
 */
#include "conform/case.h"

#include <math.h>

/* Known maximum errors of the C library, in ulp, of the functions below whose
 * error is more than one (glibc manual, "Known Maximum Errors in Math
 * Functions"): the oracle cannot be better than these. */
#define TANH_ULPS 2
#define ERFC_ULPS 5

static double larger(double a, double b)
{
    if (isnan(a) || isnan(b)) {
        return NAN;
    }
    if (a == 0 && b == 0) {
        return signbit(a) && signbit(b) ? -0.0 : 0.0;
    }
    return a > b ? a : b;
}

static double smaller(double a, double b)
{
    return -larger(-a, -b);
}

static double binary(int32_t op, double a, double b)
{
    switch (op) {
    case KC_OP_ADD:
        return a + b;
    case KC_OP_SUB:
        return a - b;
    case KC_OP_MUL:
        return a * b;
    case KC_OP_MAX:
        return larger(a, b);
    default:
        return smaller(a, b);
    }
}

static double clamp(const kci_problem_t *problem, double x)
{
    const kc_clamp_attributes_t *bounds = &problem->attributes.u.clamp;
    double lo = kci_precision_round(&problem->type, bounds->lo);
    double hi = kci_precision_round(&problem->type, bounds->hi);
    return smaller(hi, larger(lo, x));
}

static double relu(double x)
{
    return x <= 0 ? 0.0 : x; /* NaN stays, -0 does not */
}

/* True and the result for operations that are decided to the bit. */
static bool exact_unary(const kci_problem_t *problem, double x, double *out)
{
    switch (problem->op) {
    case KC_OP_SCALE:
        *out = x * kci_precision_round(&problem->type,
                                       problem->attributes.u.scale.factor);
        return true;
    case KC_OP_ABS:
        *out = fabs(x);
        return true;
    case KC_OP_SQRT:
        *out = sqrt(x);
        return true;
    case KC_OP_CLAMP:
        *out = clamp(problem, x);
        return true;
    case KC_OP_RELU:
        *out = relu(x);
        return true;
    case KC_OP_INV:
        *out = 1 / x;
        return true;
    default:
        return false;
    }
}

/* 1 / (1 + e^-x) for x > 0, else z / (1 + z) with z = e^x. */
static kci_tracked_t sigmoid(const kci_precision_t *t, kci_tracked_t x)
{
    kci_tracked_t one = kci_tracked_exact(1);
    kci_tracked_t below = {-fabs(x.value), x.error, -fabs(x.written)};
    kci_tracked_t z = kci_tracked_exp(t, below);
    return kci_tracked_divide(t, x.value > 0 ? one : z,
                              kci_tracked_add(t, one, z));
}

/* x + log(1 + e^-x) for x > 0, else log(1 + e^x). The slope of log1p at
 * z >= 0 is at most 1: the error of z passes on as it is. */
static kci_tracked_t softplus(const kci_precision_t *t, double x)
{
    kci_tracked_t z = kci_tracked_exp(t, kci_tracked_exact(-fabs(x)));
    kci_tracked_t log_part = kci_tracked_function(t, log1p(z.value), 1);
    if (isfinite(log_part.value)) {
        log_part.error += z.error;
    }
    return kci_tracked_add(t, kci_tracked_exact(x > 0 ? x : 0), log_part);
}

/*
 * x/2 (1 + tanh u) = x sigmoid(2u), u = k (x + c x^3). Beyond 64 the sigmoid
 * is 0 or 1 to every digit of double, and the cube might overflow. At
 * -infinity the formula is -infinity * 0.
 */
static kci_tracked_t gelu_tanh(const kci_precision_t *t, double x)
{
    if (x == -INFINITY) {
        return kci_tracked_exact(NAN);
    }
    kci_tracked_t y = kci_tracked_exact(fmax(-64, fmin(64, x)));
    kci_tracked_t c = kci_tracked_constant(t, 0.044715);
    kci_tracked_t k = kci_tracked_constant(t, sqrt(2 / acos(-1)));
    kci_tracked_t square = kci_tracked_multiply(t, y, y);
    kci_tracked_t cube = kci_tracked_multiply(t, square, y);
    kci_tracked_t sum = kci_tracked_add(t, y, kci_tracked_multiply(t, c, cube));
    kci_tracked_t u = kci_tracked_multiply(t, k, sum);
    if (isnan(x)) {
        return kci_tracked_exact(NAN);
    }
    return kci_tracked_multiply(t, kci_tracked_exact(x),
                                sigmoid(t, kci_tracked_add(t, u, u)));
}

/* x/2 erfc(-x / sqrt 2). The slope of erfc is -2/sqrt(pi) exp(-a^2), largest
 * at the end of the interval next to 0. */
static kci_tracked_t gelu_erf(const kci_precision_t *t, double x)
{
    if (x == -INFINITY || isnan(x)) {
        return kci_tracked_exact(NAN);
    }
    kci_tracked_t a = kci_tracked_multiply(t, kci_tracked_exact(-x),
                                           kci_tracked_constant(t, sqrt(0.5)));
    double nearest = fmax(0, fabs(a.value) - a.error);
    double slope = 2 / sqrt(acos(-1)) * exp(-nearest * nearest);
    kci_tracked_t tail = kci_tracked_function(t, erfc(a.value), ERFC_ULPS);
    tail.error += isfinite(a.value) ? slope * a.error : 0;
    kci_tracked_t half =
        kci_tracked_multiply(t, kci_tracked_exact(0.5), kci_tracked_exact(x));
    return kci_tracked_multiply(t, half, tail);
}

static kci_tracked_t function(const kci_problem_t *problem, double x)
{
    /* In double, whatever the element type: kci_expect_function adds the
     * rounding to it. */
    const kci_precision_t wide = kci_precision_of(KC_DTYPE_F64);
    switch (problem->op) {
    case KC_OP_GELU:
        return problem->attributes.u.gelu.approximate == KC_GELU_ERF
                   ? gelu_erf(&wide, x)
                   : gelu_tanh(&wide, x);
    case KC_OP_SIGMOID:
        return sigmoid(&wide, kci_tracked_exact(x));
    case KC_OP_TANH:
        return kci_tracked_function(&wide, tanh(x), TANH_ULPS);
    case KC_OP_SOFTPLUS:
        return softplus(&wide, x);
    case KC_OP_EXP:
        return kci_tracked_function(&wide, exp(x), 1);
    case KC_OP_LOG:
        return kci_tracked_function(&wide, log(x), 1);
    case KC_OP_SIN:
        return kci_tracked_function(&wide, sin(x), 1);
    case KC_OP_COS:
        return kci_tracked_function(&wide, cos(x), 1);
    default: /* safe_log: log(softplus(x) + eps) */
        return kci_tracked_log(
            &wide,
            kci_tracked_add(&wide, softplus(&wide, x),
                            kci_tracked_exact(problem->inputs[1].values[0])));
    }
}

static bool is_binary(int32_t op)
{
    return op == KC_OP_ADD || op == KC_OP_SUB || op == KC_OP_MUL ||
           op == KC_OP_MAX || op == KC_OP_MIN;
}

kc_status_t kci_oracle_pointwise(kci_problem_t *problem, kc_error_t *error)
{
    const kci_array_t *x = &problem->inputs[0];
    kc_status_t status = kci_problem_shape(problem, x->rank, x->shape, error);
    if (status != KC_OK) {
        return status;
    }
    for (int64_t i = 0; i < problem->count; i++) {
        double result = 0;
        if (is_binary(problem->op)) {
            result =
                binary(problem->op, x->values[i], problem->inputs[1].values[i]);
            kci_expect_exact(problem, i, result);
        } else if (exact_unary(problem, x->values[i], &result)) {
            kci_expect_exact(problem, i, result);
        } else {
            kci_expect_function(problem, i, function(problem, x->values[i]));
        }
    }
    return KC_OK;
}

static double draw_bound(kci_draw_t *draw)
{
    static const double ends[] = {-INFINITY, INFINITY, 0, -0.0, 0.1, NAN};
    return kci_draw_chance(draw, 20) ? ends[kci_draw_integer(draw, 0, 5)]
                                     : kci_draw_real(draw, -2, 2);
}

static void draw_attributes(kci_case_t *trial)
{
    kci_draw_t *draw = &trial->draw;
    switch (trial->op) {
    case KC_OP_SCALE:
        trial->attributes.u.scale.factor =
            kci_draw_chance(draw, 30)
                ? kci_draw_value(draw, KCI_TEMPER_SPECIAL, false)
                : kci_draw_real(draw, -3, 3);
        break;
    case KC_OP_CLAMP:
        trial->attributes.u.clamp.lo = draw_bound(draw);
        trial->attributes.u.clamp.hi = draw_bound(draw);
        break;
    case KC_OP_GELU:
        trial->attributes.u.gelu.approximate =
            kci_draw_chance(draw, 50) ? KC_GELU_TANH : KC_GELU_ERF;
        break;
    default:
        break;
    }
}

void kci_draw_pointwise(kci_case_t *trial)
{
    int64_t shape[KC_MAX_RANK];
    int32_t rank = (int32_t)kci_draw_integer(&trial->draw, 0, 5);
    kci_draw_extents(&trial->draw, rank, kci_case_budget(trial, 1500), shape);
    kci_case_emptiness(trial, rank, shape);
    kci_case_add(trial, trial->dtype, rank, shape, KCI_FILL_VALUES);
    if (is_binary(trial->op)) {
        kci_case_add(trial, trial->dtype, rank, shape, KCI_FILL_VALUES);
    }
    if (trial->op == KC_OP_SAFE_LOG) {
        kci_case_add(trial, trial->dtype, 0, NULL, KCI_FILL_EPSILON);
    }
    draw_attributes(trial);
}
