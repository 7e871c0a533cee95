/* SPDX-License-Identifier: Apache-2.0
 *
 * The faults.
 */
#include "unit/conform/impostors.h"

#include <math.h>
#include <string.h>

#include "unit/expect.h"

static size_t size_of(const DLTensor *tensor)
{
    return tensor->dtype.bits / 8;
}

static void put(DLTensor *output, int64_t place, double value)
{
    unsigned char *to = (unsigned char *)kc_tensor_data(output) +
                        (size_t)place * size_of(output);
    float narrow = (float)value;
    bool is_f64 = kc_tensor_dtype(output) == KC_DTYPE_F64;
    memcpy(to, is_f64 ? (void *)&value : (void *)&narrow, size_of(output));
}

static double written(const kci_problem_t *problem, int64_t place)
{
    return problem->written[place];
}

static void shift_by_ulp(const kci_problem_t *problem, DLTensor *output,
                         int64_t place)
{
    double value = written(problem, place);
    put(output, place,
        kc_tensor_dtype(output) == KC_DTYPE_F64
            ? nextafter(value, INFINITY)
            : (double)nextafterf((float)value, INFINITY));
}

static void swap_two(const kci_problem_t *problem, DLTensor *output)
{
    if (problem->count > 1) {
        put(output, 0, written(problem, 1));
        put(output, 1, written(problem, 0));
    }
}

static void write_all(const kci_problem_t *problem, DLTensor *output)
{
    for (int64_t i = 0; i < problem->count; i++) {
        put(output, i, written(problem, i));
    }
}

static void spoil_elements(impostor_fault_t fault, const kci_problem_t *problem,
                           DLTensor *output)
{
    for (int64_t i = 0; i < problem->count; i++) {
        double value = written(problem, i);
        if (fault == IMPOSTOR_WRITES_NAN || fault == IMPOSTOR_WRITES_ZEROS) {
            put(output, i, fault == IMPOSTOR_WRITES_NAN ? NAN : 0);
        } else if (fault == IMPOSTOR_SHIFTS_BY_ULP) {
            shift_by_ulp(problem, output, i);
        } else if (fault == IMPOSTOR_FLUSHES && fabs(value) < 0x1p-126) {
            put(output, i, 0);
        }
    }
}

/* The byte behind the first element of an input that has one there. */
static void write_gap(const DLTensor *input)
{
    if (input->strides != NULL && input->ndim > 0 &&
        input->strides[input->ndim - 1] == 2 &&
        kc_tensor_element_count(input) > 0) {
        ((unsigned char *)kc_tensor_data(input))[size_of(input)]++;
    }
}

static void spoil_memory(impostor_fault_t fault, const kci_problem_t *problem,
                         const DLTensor *const *inputs, DLTensor *output)
{
    switch (fault) {
    case IMPOSTOR_OVERRUNS:
        put(output, problem->count, 0);
        break;
    case IMPOSTOR_UNDERRUNS:
        ((unsigned char *)kc_tensor_data(output))[-1] = 0;
        break;
    case IMPOSTOR_SWAPS_TWO:
        swap_two(problem, output);
        break;
    case IMPOSTOR_WRITES_INPUT:
        if (kc_tensor_element_count(inputs[0]) > 0) {
            ((unsigned char *)kc_tensor_data(inputs[0]))[0]++;
        }
        break;
    case IMPOSTOR_WRITES_GAPS:
        write_gap(inputs[0]);
        break;
    default:
        spoil_elements(fault, problem, output);
        break;
    }
}

kc_status_t impostor_run(void *context, int32_t op,
                         const kc_attributes_t *attributes,
                         const DLTensor *const *inputs, size_t input_count,
                         DLTensor *output, kc_error_t *error)
{
    impostor_t *impostor = context;
    kci_problem_t problem;
    impostor->call_count++;
    if (impostor->fault == IMPOSTOR_DOES_NOTHING) {
        return KC_OK;
    }
    if (impostor->fault == IMPOSTOR_FAILS) {
        strcpy(error->message, "no luck");
        return KC_ERR_KERNEL;
    }
    EXPECT_OK(*error, kci_oracle_evaluate(op, attributes, inputs, input_count,
                                          0, &problem, error));
    if (impostor->fault == IMPOSTOR_SKIPS_LAST) {
        problem.count -= problem.count > 0;
    }
    write_all(&problem, output);
    spoil_memory(impostor->fault, &problem, inputs, output);
    kci_problem_release(&problem);
    return impostor->fault == IMPOSTOR_FAILS_WRITING ? KC_ERR_KERNEL : KC_OK;
}

kc_status_t impostor_fused_matmul(void *context, int32_t op,
                                  const kc_attributes_t *attributes,
                                  const DLTensor *const *inputs,
                                  size_t input_count, DLTensor *output,
                                  kc_error_t *error)
{
    kci_array_t a;
    kci_array_t b;
    (void)context;
    (void)op;
    (void)attributes;
    (void)input_count;
    EXPECT_OK(*error, kci_array_read(inputs[0], &a, error));
    EXPECT_OK(*error, kci_array_read(inputs[1], &b, error));
    int64_t m = a.shape[a.rank - 2];
    int64_t n = a.shape[a.rank - 1];
    int64_t p = b.shape[b.rank - 1];
    for (int64_t i = 0; i < kc_tensor_element_count(output); i++) {
        int64_t batch = i / (m * p);
        float sum = 0;
        for (int64_t k = 0; k < n; k++) {
            sum = fmaf((float)a.values[(batch * m + i / p % m) * n + k],
                       (float)b.values[(batch * n + k) * p + i % p], sum);
        }
        put(output, i, (double)sum);
    }
    kci_array_release(&a);
    kci_array_release(&b);
    return KC_OK;
}

kc_status_t impostor_short_sum(void *context, int32_t op,
                               const kc_attributes_t *attributes,
                               const DLTensor *const *inputs,
                               size_t input_count, DLTensor *output,
                               kc_error_t *error)
{
    kci_array_t x;
    int64_t axis = attributes->u.axis.axis;
    (void)context;
    (void)op;
    (void)input_count;
    EXPECT_OK(*error, kci_array_read(inputs[0], &x, error));
    int64_t inner = kci_extent_product(x.shape, axis + 1, x.rank);
    int64_t n = x.shape[axis];
    for (int64_t i = 0; i < kc_tensor_element_count(output); i++) {
        float sum = 0;
        for (int64_t j = 0; j + 1 < n; j++) {
            sum += (float)x.values[(i / inner * n + j) * inner + i % inner];
        }
        put(output, i, (double)sum);
    }
    kci_array_release(&x);
    return KC_OK;
}
