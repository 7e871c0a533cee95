/* SPDX-License-Identifier: Apache-2.0
 *
 * From views to a problem, and from a problem to its family.
 */
#include "conform/oracle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "conform/family.h"

bool kci_problem_has(const kci_problem_t *problem, size_t input)
{
    return input < problem->input_count && problem->inputs[input].rank >= 0;
}

kc_status_t kci_problem_shape(kci_problem_t *problem, int32_t rank,
                              const int64_t *shape, kc_error_t *error)
{
    problem->rank = rank;
    memcpy(problem->shape, shape, (size_t)rank * sizeof *shape);
    problem->count = kci_extent_product(shape, 0, rank);
    double *all = kci_conform_allocate(problem->count, 3 * sizeof *all);
    if (all == NULL) {
        return kci_conform_no_memory(error);
    }
    problem->values = all;
    problem->bounds = all + problem->count;
    problem->written = all + 2 * problem->count;
    /* What a family forgets stands out: nothing is within this bound. */
    for (int64_t i = 0; i < problem->count; i++) {
        problem->bounds[i] = -1;
    }
    return KC_OK;
}

/* Nothing rounds to 0 but what is within half the least number; half of the
 * least double is 0 again, so that f64 gets the least number whole. */
static double zero_bound(const kci_problem_t *problem)
{
    double tiny = problem->type.tiny;
    return tiny / 2 > 0 ? tiny / 2 : tiny;
}

/* A computed zero may have either sign: that is a matter of the order. */
void kci_expect(kci_problem_t *problem, int64_t place, kci_tracked_t result)
{
    bool is_zero = result.value == 0 && result.error == 0;
    problem->values[place] = result.value;
    problem->bounds[place] = is_zero ? zero_bound(problem) : result.error;
    problem->written[place] = result.written;
}

void kci_expect_exact(kci_problem_t *problem, int64_t place, double value)
{
    bool is_float = problem->dtype == KC_DTYPE_F32;
    problem->values[place] = value;
    problem->bounds[place] = 0;
    problem->written[place] =
        is_float ? kci_precision_round(&problem->type, value) : value;
}

/*
 * For f32 the evaluation in double is nearly exact: what is left to the
 * implementation is the rounding, `function_ulps`. For f64 the implementation
 * evaluates as the oracle does, and both may be off by the running error,
 * which counts every rounding twice already; beyond correct rounding a
 * provider may state more.
 */
void kci_expect_function(kci_problem_t *problem, int64_t place,
                         kci_tracked_t result)
{
    double ulp = kci_precision_ulp(&problem->type, result.value);
    double extra = problem->type.dtype == KC_DTYPE_F32
                       ? problem->function_ulps
                       : problem->function_ulps - KCI_CORRECTLY_ROUNDED;
    if (isfinite(result.value)) {
        result.error += extra * ulp;
    }
    result.written = kci_precision_round(&problem->type, result.value);
    kci_expect(problem, place, result);
}

static bool is_float(const kci_array_t *array)
{
    return array->rank >= 0 &&
           (array->dtype == KC_DTYPE_F32 || array->dtype == KC_DTYPE_F64);
}

/* The output has the type of the first input, f32 without one. */
static void choose_types(kci_problem_t *problem)
{
    problem->dtype = KC_DTYPE_F32;
    if (kci_problem_has(problem, 0)) {
        problem->dtype = problem->inputs[0].dtype;
    }
    bool is_f64 = kci_problem_has(problem, 0) &&
                  is_float(&problem->inputs[0]) &&
                  problem->dtype == KC_DTYPE_F64;
    problem->type = kci_precision_of(is_f64 ? KC_DTYPE_F64 : KC_DTYPE_F32);
}

kc_status_t kci_oracle_evaluate(int32_t op, const kc_attributes_t *attributes,
                                const DLTensor *const *inputs,
                                size_t input_count, double function_ulps,
                                kci_problem_t *out_problem, kc_error_t *error)
{
    kci_problem_t problem = {.op = op,
                             .input_count = input_count,
                             .function_ulps = function_ulps > 0
                                                  ? function_ulps
                                                  : KCI_CORRECTLY_ROUNDED};
    kc_status_t status = KC_OK;
    if (attributes != NULL) {
        problem.attributes = *attributes;
    }
    for (size_t i = 0; i < KCI_CASE_INPUT_MAX; i++) {
        problem.inputs[i].rank = -1;
    }
    for (size_t i = 0; status == KC_OK && i < input_count; i++) {
        status = kci_array_read(inputs[i], &problem.inputs[i], error);
    }
    if (status == KC_OK) {
        choose_types(&problem);
        status = kci_family_of(op)->evaluate(&problem, error);
    }
    if (status != KC_OK) {
        kci_problem_release(&problem);
        return status;
    }
    *out_problem = problem;
    return KC_OK;
}

void kci_problem_release(kci_problem_t *problem)
{
    for (size_t i = 0; i < KCI_CASE_INPUT_MAX; i++) {
        kci_array_release(&problem->inputs[i]);
    }
    free(problem->values);
    problem->values = NULL;
}
