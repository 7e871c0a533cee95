/* SPDX-License-Identifier: Apache-2.0
 *
 * --labels: in how many rows the largest entry is where the labels say. Of
 * equal entries the first counts; NaN is never the largest.
 */
#include <kcapsule/tensor.h>

#include "cli/message.h"
#include "cli/run.h"

static int is_integer(int32_t dtype)
{
    return dtype == KC_DTYPE_I64 || dtype == KC_DTYPE_I32;
}

static int is_float(int32_t dtype)
{
    return dtype == KC_DTYPE_F32 || dtype == KC_DTYPE_F64;
}

/* Labels have the output's shape without its last axis. */
static int fits(const kc_graph_port_t *type, const DLTensor *labels)
{
    if (!is_float(type->dtype) || !is_integer(kc_tensor_dtype(labels)) ||
        type->rank != labels->ndim + 1) {
        return 0;
    }
    for (int32_t axis = 0; axis < labels->ndim; axis++) {
        if (labels->shape[axis] != type->dims[axis]) {
            return 0;
        }
    }
    return 1;
}

int cli_run_read_labels(cli_run_t *run)
{
    for (size_t idx = 0; idx < run->output_count; idx++) {
        cli_port_t *output = &run->outputs[idx];
        kc_error_t error = KC_ERROR_INIT;
        if (output->labels_path == NULL) {
            continue;
        }
        kc_status_t status = kc_tensor_read_npy(
            run->context.runtime, output->labels_path, &output->labels, &error);
        if (status != KC_OK) {
            return cli_report(status, &error);
        }
        if (!fits(&output->type, kc_tensor_view(output->labels))) {
            char type[CLI_TYPE_TEXT_SIZE];
            char found[CLI_TYPE_TEXT_SIZE];
            cli_port_text(run->graph, &output->type, type);
            cli_tensor_text(output->labels, found);
            return cli_refuse("run: output `%s` is %s: its labels are i64 or "
                              "i32 without the last axis, but %s holds %s",
                              output->type.name, type, output->labels_path,
                              found);
        }
    }
    return CLI_DONE;
}

static int64_t largest_f32(const float *row, int64_t count)
{
    int64_t best = -1;
    for (int64_t idx = 0; idx < count; idx++) {
        if (row[idx] == row[idx] && (best < 0 || row[idx] > row[best])) {
            best = idx;
        }
    }
    return best;
}

static int64_t largest_f64(const double *row, int64_t count)
{
    int64_t best = -1;
    for (int64_t idx = 0; idx < count; idx++) {
        if (row[idx] == row[idx] && (best < 0 || row[idx] > row[best])) {
            best = idx;
        }
    }
    return best;
}

static int64_t label_at(const DLTensor *labels, int64_t index)
{
    const void *data = kc_tensor_data(labels);
    return kc_tensor_dtype(labels) == KC_DTYPE_I64
               ? ((const int64_t *)data)[index]
               : ((const int32_t *)data)[index];
}

cli_label_count_t cli_run_count_labels(cli_port_t *output)
{
    const DLTensor *values = kc_tensor_view(output->tensor);
    const DLTensor *labels = kc_tensor_view(output->labels);
    cli_label_count_t count = {.total = kc_tensor_element_count(labels)};
    int64_t width = values->shape[values->ndim - 1];
    const void *data = kc_tensor_data(values);
    for (int64_t row = 0; row < count.total; row++) {
        int64_t best =
            kc_tensor_dtype(values) == KC_DTYPE_F32
                ? largest_f32((const float *)data + row * width, width)
                : largest_f64((const double *)data + row * width, width);
        int64_t label = label_at(labels, row);
        count.right += best >= 0 && best == label;
        count.outside += label < 0 || label >= width;
    }
    return count;
}
