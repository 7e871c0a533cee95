/* SPDX-License-Identifier: Apache-2.0
 *
 * Central differences with steps h and h/2 and one extrapolation. The bound:
 * the whole distance between the better difference and the extrapolated
 * value, which is an estimate of the error of the difference and far more
 * than that of the extrapolation; and what the two values themselves may be
 * off, which the oracle tells, together with the rounding of the differences.
 */
#include "conform/difference.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STEP            1e-3
#define ROUNDINGS       8.0
#define OUTPUT_ROUNDOFF (DBL_EPSILON / 2)

static bool is_float(int32_t dtype)
{
    return dtype == KC_DTYPE_F32 || dtype == KC_DTYPE_F64;
}

kc_status_t kci_point_create(int32_t op, const kc_attributes_t *attributes,
                             const DLTensor *const *inputs, size_t input_count,
                             kci_point_t **out_point, kc_error_t *error)
{
    kci_point_t *point = kci_conform_allocate(1, sizeof *point);
    if (point == NULL) {
        return kci_conform_no_memory(error);
    }
    *point = (kci_point_t){
        .op = op, .attributes = attributes, .input_count = input_count};
    for (size_t i = 0; i < input_count; i++) {
        kci_array_t *array = &point->inputs[i];
        kc_status_t status = kci_array_read(inputs[i], array, error);
        if (status != KC_OK) {
            kci_point_release(point);
            return status;
        }
        point->pointers[i] = inputs[i];
        if (array->rank >= 0 && is_float(array->dtype)) {
            point->views[i] = (DLTensor){.data = array->values,
                                         .device = {kDLCPU, 0},
                                         .ndim = array->rank,
                                         .dtype = {kDLFloat, 64, 1},
                                         .shape = array->shape};
            point->pointers[i] = &point->views[i];
        }
    }
    *out_point = point;
    return KC_OK;
}

void kci_point_release(kci_point_t *point)
{
    for (size_t i = 0; point != NULL && i < point->input_count; i++) {
        kci_array_release(&point->inputs[i]);
    }
    free(point);
}

static kc_status_t evaluate(const kci_point_t *point, kci_problem_t *out,
                            kc_error_t *error)
{
    return kci_oracle_evaluate(point->op, point->attributes, point->pointers,
                               point->input_count, 0, out, error);
}

/* Both sides of one element, at one step. */
typedef struct pair {
    kci_problem_t above;
    kci_problem_t below;
    double step;
} pair_t;

static kc_status_t evaluate_pair(kci_point_t *point, double *element,
                                 double step, pair_t *out, kc_error_t *error)
{
    double here = *element;
    *out = (pair_t){.step = step};
    *element = here + step;
    kc_status_t status = evaluate(point, &out->above, error);
    *element = here - step;
    if (status == KC_OK) {
        status = evaluate(point, &out->below, error);
    }
    *element = here;
    return status;
}

static void release_pair(pair_t *pair)
{
    kci_problem_release(&pair->above);
    kci_problem_release(&pair->below);
}

static void add_up(const pair_t *wide, const pair_t *narrow,
                   const double *cotangent, kci_slope_t *slope)
{
    for (int64_t i = 0; i < wide->above.count; i++) {
        double coarse =
            (wide->above.values[i] - wide->below.values[i]) / (2 * wide->step);
        double fine = (narrow->above.values[i] - narrow->below.values[i]) /
                      (2 * narrow->step);
        double best = (4 * fine - coarse) / 3;
        double rounding =
            (narrow->above.bounds[i] + narrow->below.bounds[i] +
             ROUNDINGS * OUTPUT_ROUNDOFF * fabs(narrow->above.values[i])) /
            narrow->step;
        slope->value += cotangent[i] * best;
        slope->error += fabs(cotangent[i]) * (fabs(best - fine) + rounding);
        slope->magnitude += fabs(cotangent[i] * best);
        slope->largest = fmax(slope->largest, fabs(best));
    }
}

static kc_status_t slope_of(kci_point_t *point, double *element,
                            const double *cotangent, kci_slope_t *out,
                            kc_error_t *error)
{
    pair_t wide;
    pair_t narrow = {.step = 0};
    double step = STEP * fmax(0.125, fabs(*element));
    kc_status_t status = evaluate_pair(point, element, step, &wide, error);
    if (status == KC_OK) {
        status = evaluate_pair(point, element, step / 2, &narrow, error);
    }
    if (status == KC_OK) {
        add_up(&wide, &narrow, cotangent, out);
    }
    release_pair(&wide);
    release_pair(&narrow);
    return status;
}

kc_status_t kci_point_slopes(kci_point_t *point, size_t input,
                             const double *cotangent, kci_slope_t **out_slopes,
                             kc_error_t *error)
{
    kci_array_t *array = &point->inputs[input];
    kci_slope_t *slopes = kci_conform_allocate(array->count, sizeof *slopes);
    if (slopes == NULL) {
        return kci_conform_no_memory(error);
    }
    for (int64_t i = 0; i < array->count; i++) {
        slopes[i] = (kci_slope_t){0};
        kc_status_t status =
            slope_of(point, &array->values[i], cotangent, &slopes[i], error);
        if (status != KC_OK) {
            free(slopes);
            return status;
        }
    }
    *out_slopes = slopes;
    return KC_OK;
}
