/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes smooth cases whose output is small enough to difference.
 */
#include "conform/gradient_case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "conform/compare.h"

static kc_status_t draw_trial(int32_t op, int32_t dtype, uint64_t seed,
                              kci_gradient_case_t *one, kc_error_t *error)
{
    for (uint64_t attempt = 0;; attempt++) {
        kc_status_t status = kci_case_create_smooth(
            op, dtype, seed + (attempt << 20), &one->trial, error);
        if (status == KC_OK) {
            status = kci_point_create(
                op, &one->trial->attributes, one->trial->inputs,
                one->trial->input_count, &one->point, error);
        }
        if (status == KC_OK) {
            status = kci_oracle_evaluate(
                op, &one->trial->attributes, one->point->pointers,
                one->trial->input_count, 0, &one->output, error);
        }
        if (status != KC_OK || one->output.count <= KCI_GRADIENT_OUTPUTS_MAX) {
            return status;
        }
        kci_gradient_case_release(one);
    }
}

static kc_status_t draw_cotangent(kci_gradient_case_t *one, kc_error_t *error)
{
    const kci_case_t *trial = one->trial;
    int64_t count = one->output.count;
    bool is_f64 = trial->dtype == KC_DTYPE_F64;
    kci_draw_t draw = kci_draw_begin(~trial->seed);
    one->cotangent_values = kci_conform_allocate(count, sizeof(double));
    one->cotangent_memory = kci_conform_allocate(count, sizeof(double));
    if (one->cotangent_values == NULL || one->cotangent_memory == NULL) {
        return kci_conform_no_memory(error);
    }
    for (int64_t i = 0; i < count; i++) {
        float narrow = (float)kci_draw_real(&draw, -1, 1);
        one->cotangent_values[i] = (double)narrow;
        one->largest_cotangent =
            fmax(one->largest_cotangent, fabs((double)narrow));
        if (is_f64) {
            ((double *)one->cotangent_memory)[i] = (double)narrow;
        } else {
            ((float *)one->cotangent_memory)[i] = narrow;
        }
    }
    one->cotangent = (DLTensor){.data = one->cotangent_memory,
                                .device = {kDLCPU, 0},
                                .ndim = one->output.rank,
                                .dtype = {kDLFloat, is_f64 ? 64 : 32, 1},
                                .shape = one->output.shape};
    return KC_OK;
}

kc_status_t kci_gradient_case_create(int32_t op, int32_t dtype, uint64_t seed,
                                     kci_gradient_case_t *out_case,
                                     kc_error_t *error)
{
    *out_case = (kci_gradient_case_t){.trial = NULL};
    kc_status_t status = draw_trial(op, dtype, seed, out_case, error);
    if (status == KC_OK) {
        status = draw_cotangent(out_case, error);
    }
    if (status != KC_OK) {
        kci_gradient_case_release(out_case);
        return status;
    }
    kci_gradient_inputs(op, out_case->trial->inputs,
                        out_case->trial->input_count, out_case->wanted);
    return KC_OK;
}

void kci_gradient_case_release(kci_gradient_case_t *one)
{
    if (one->output.values != NULL) {
        kci_problem_release(&one->output);
    }
    kci_point_release(one->point);
    kci_case_release(one->trial);
    free(one->cotangent_values);
    free(one->cotangent_memory);
    *one = (kci_gradient_case_t){.trial = NULL};
}

kci_gradient_call_t kci_gradient_case_call(const kci_gradient_case_t *one,
                                           const bool *wanted)
{
    return (kci_gradient_call_t){.op = one->trial->op,
                                 .attributes = &one->trial->attributes,
                                 .inputs = one->trial->inputs,
                                 .input_count = one->trial->input_count,
                                 .cotangent = &one->cotangent,
                                 .wanted = wanted};
}

bool kci_gradient_is_same(kc_tensor_t *a, kc_tensor_t *b)
{
    kci_array_t left = {.rank = -1};
    kci_array_t right = {.rank = -1};
    kc_error_t error = KC_ERROR_INIT;
    bool is_same = kci_array_read(kc_tensor_view(a), &left, &error) == KC_OK &&
                   kci_array_read(kc_tensor_view(b), &right, &error) == KC_OK &&
                   left.count == right.count;
    for (int64_t i = 0; is_same && i < left.count; i++) {
        is_same = kci_is_same(left.values[i], right.values[i]);
    }
    kci_array_release(&left);
    kci_array_release(&right);
    return is_same;
}
