/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs the table of kinks of one operation, in one dtype.
 */
#include "conform/kink.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "conform/compare.h"
#include "conform/gradient.h"

/* The operands of a kink in memory. */
typedef struct kink_operands {
    DLTensor views[KCI_KINK_INPUTS];
    const DLTensor *inputs[KCI_KINK_INPUTS];
    DLTensor cotangent;
    int64_t shape[3];
    int64_t out_shape[3];
    double memory[KCI_KINK_INPUTS + 1][KCI_KINK_ELEMENTS];
} kink_operands_t;

static DLTensor make_view(int32_t dtype, int64_t rank, int64_t *shape,
                          const double *numbers, void *memory)
{
    int64_t count = kci_extent_product(shape, 0, (int32_t)rank);
    for (int64_t i = 0; i < count; i++) {
        if (dtype == KC_DTYPE_F64) {
            ((double *)memory)[i] = numbers[i];
        } else if (dtype == KC_DTYPE_F32) {
            ((float *)memory)[i] = (float)numbers[i];
        } else {
            ((unsigned char *)memory)[i] = numbers[i] != 0;
        }
    }
    DLDataType type = {kDLFloat, dtype == KC_DTYPE_F64 ? 64 : 32, 1};
    if (dtype == KC_DTYPE_BOOL) {
        type = (DLDataType){KC_DLPACK_BOOL, 8, 1};
    }
    return (DLTensor){.data = memory,
                      .device = {kDLCPU, 0},
                      .ndim = (int32_t)rank,
                      .dtype = type,
                      .shape = shape};
}

static void make_operands(const kci_kink_t *kink, int32_t dtype,
                          kink_operands_t *out)
{
    memcpy(out->shape, kink->shape, sizeof out->shape);
    memcpy(out->out_shape, kink->out_shape, sizeof out->out_shape);
    for (size_t i = 0; i < kink->input_count; i++) {
        bool is_mask = i == 1 && kink->second_is_mask;
        out->views[i] = make_view(is_mask ? KC_DTYPE_BOOL : dtype, kink->rank,
                                  out->shape, kink->inputs[i], out->memory[i]);
        out->inputs[i] = &out->views[i];
    }
    out->cotangent = make_view(dtype, kink->out_rank, out->out_shape,
                               kink->cotangent, out->memory[KCI_KINK_INPUTS]);
}

static bool is_expected(const kci_kink_t *kink, double found, double expected)
{
    return kink->has_sign || found != 0 || expected != 0
               ? kci_is_same(found, expected)
               : true;
}

static bool compare(const kci_kink_t *kink, size_t input, kc_tensor_t *found,
                    kci_conform_report_t *report, kci_line_t *line)
{
    kci_array_t array = {.rank = -1};
    kc_error_t error = KC_ERROR_INIT;
    bool is_right =
        kci_array_read(kc_tensor_view(found), &array, &error) == KC_OK;
    for (int64_t i = 0; is_right && i < array.count; i++) {
        report->checked_count++;
        double expected = kink->gradients[input][i];
        is_right = is_expected(kink, array.values[i], expected);
        if (!is_right) {
            kci_line_add(line,
                         "; gradient of input %zu, element %lld: "
                         "expected ",
                         input, (long long)i);
            kci_line_add_number(line, expected);
            kci_line_add(line, ", found ");
            kci_line_add_number(line, array.values[i]);
        }
    }
    kci_array_release(&array);
    return is_right;
}

static bool judge(const kci_gradient_subject_t *subject, const kci_kink_t *kink,
                  int32_t dtype, kci_conform_report_t *report, kci_line_t *line)
{
    kink_operands_t operands = {0};
    kc_attributes_t attributes = {.struct_size = sizeof attributes,
                                  .op = kink->op};
    bool wanted[KCI_KINK_INPUTS];
    kc_tensor_t *found[KCI_KINK_INPUTS] = {NULL};
    kc_error_t error = KC_ERROR_INIT;
    make_operands(kink, dtype, &operands);
    if (kink->set_attributes != NULL) {
        kink->set_attributes(&attributes);
    }
    kci_gradient_inputs(kink->op, operands.inputs, kink->input_count, wanted);
    kci_gradient_call_t call = {.op = kink->op,
                                .attributes = &attributes,
                                .inputs = operands.inputs,
                                .input_count = kink->input_count,
                                .cotangent = &operands.cotangent,
                                .wanted = wanted};
    kc_status_t status = kci_gradient_ask(subject, &call, found, &error);
    if (status != KC_OK) {
        kci_line_add(line, "; expected gradients, found status %d: %s",
                     (int)status, error.message);
        return false;
    }
    report->called_count++;
    bool is_right = true;
    for (size_t i = 0; i < kink->input_count; i++) {
        is_right = is_right &&
                   (!wanted[i] || compare(kink, i, found[i], report, line));
        kc_tensor_release(found[i]);
    }
    return is_right;
}

kc_status_t kci_conform_kinks(const kci_gradient_subject_t *subject,
                              int32_t dtype, kci_conform_report_t *out_report,
                              kc_error_t *error)
{
    (void)error;
    kci_conform_report_t report = {0};
    for (size_t i = 0; i < kci_kink_count(); i++) {
        const kci_kink_t *kink = kci_kink(i);
        kci_line_t line = {0};
        if (kink->op != subject->capsule->op) {
            continue;
        }
        report.run_count++;
        kci_line_add(&line, "%s: %s", kc_op_label(kink->op), kink->name);
        if (!judge(subject, kink, dtype, &report, &line) &&
            report.failed_count++ == 0) {
            memcpy(report.first_failure, line.text, sizeof line.text);
        }
    }
    *out_report = report;
    return KC_OK;
}
