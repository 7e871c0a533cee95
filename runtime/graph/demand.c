/* SPDX-License-Identifier: Apache-2.0
 *
 * Demands of nodes, computed once when a node enters the graph.
 */
#include "graph/demand.h"

/* Nothing overflows: the product of the numbers of a checked shape fits. */
static void include_shape(kci_demand_t *demand, const kci_shape_t *shape)
{
    int64_t elements = 1;
    for (int32_t axis = 0; axis < shape->rank; axis++) {
        int64_t extent = shape->dims[axis];
        if (extent < 0) {
            demand->is_bound = 0;
            continue;
        }
        elements *= extent;
        if (extent > demand->extent_max) {
            demand->extent_max = extent;
        }
    }
    if (elements > demand->element_max) {
        demand->element_max = elements;
    }
}

kci_demand_t kci_demand_of(const kci_op_request_t *request,
                           const kci_tensor_type_t *result)
{
    const kci_tensor_type_t *first =
        request->input_count > 0 ? request->inputs[0] : result;
    kci_demand_t demand = {
        .op = (int16_t)request->op,
        .dtype = (int8_t)first->dtype,
        .rank = (int8_t)first->shape.rank,
        .input_count = (uint8_t)request->input_count,
        .is_bound = 1,
    };
    for (size_t i = 0; i < request->input_count; i++) {
        include_shape(&demand, &request->inputs[i]->shape);
    }
    include_shape(&demand, &result->shape);
    return demand;
}

void kci_lower_to_flat(kci_shape_t *shape)
{
    int64_t count = 1;
    for (int32_t axis = 0; axis < shape->rank && count != 0; axis++) {
        if (shape->dims[axis] < 0) {
            count = shape->dims[axis];
            break;
        }
        count *= shape->dims[axis];
    }
    shape->rank = 1;
    shape->dims[0] = count;
}
