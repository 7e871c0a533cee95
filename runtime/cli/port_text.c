/* SPDX-License-Identifier: Apache-2.0
 *
 * Element types and shapes as people write them.
 */
#include <stdio.h>
#include <kcapsule/tensor.h>

#include "cli/run.h"

static const char *dtype_label(int32_t dtype)
{
#define CLI_DTYPE_LABEL(constant, label) label,
    static const char *const labels[] = {KC_FOR_EACH_DTYPE(CLI_DTYPE_LABEL)};
    return dtype >= 0 && dtype < KC_DTYPE_COUNT ? labels[dtype] : "unknown";
}

static int append_extent(char *out, int used, int64_t extent, const char *name,
                         int is_first)
{
    const char *separator = is_first ? "" : ", ";
    size_t space = CLI_TYPE_TEXT_SIZE - (size_t)used;
    int count = name != NULL
                    ? snprintf(out + used, space, "%s\"%s\"", separator, name)
                    : snprintf(out + used, space, "%s%lld", separator,
                               (long long)extent);
    return (size_t)count < space ? used + count : CLI_TYPE_TEXT_SIZE - 1;
}

void cli_port_text(const kc_graph_t *graph, const kc_graph_port_t *port,
                   char out[CLI_TYPE_TEXT_SIZE])
{
    int used =
        snprintf(out, CLI_TYPE_TEXT_SIZE, "%s [", dtype_label(port->dtype));
    for (int32_t axis = 0; axis < port->rank; axis++) {
        int64_t extent = port->dims[axis];
        const char *name =
            extent < 0 ? kc_graph_extent_name(graph, (size_t)(-1 - extent))
                       : NULL;
        used = append_extent(out, used, extent, name, axis == 0);
    }
    snprintf(out + used, CLI_TYPE_TEXT_SIZE - (size_t)used, "]");
}

void cli_tensor_text(kc_tensor_t *tensor, char out[CLI_TYPE_TEXT_SIZE])
{
    const DLTensor *view = kc_tensor_view(tensor);
    int used = snprintf(out, CLI_TYPE_TEXT_SIZE, "%s [",
                        dtype_label(kc_tensor_dtype(view)));
    for (int32_t axis = 0; axis < view->ndim; axis++) {
        used = append_extent(out, used, view->shape[axis], NULL, axis == 0);
    }
    snprintf(out + used, CLI_TYPE_TEXT_SIZE - (size_t)used, "]");
}
