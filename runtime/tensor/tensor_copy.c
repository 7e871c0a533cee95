/* SPDX-License-Identifier: Apache-2.0
 *
 * Copying elements between views of any strides. The axes that are dense in
 * both views together make runs; an odometer steps over the others.
 */
#include "tensor/tensor.h"

#include <string.h>

#include "tensor/dtype.h"

typedef struct copy_plan {
    int32_t outer_rank; /* axes before the run */
    int64_t run_count;  /* elements of a run */
    int64_t from_step;  /* between elements of a run, in elements */
    int64_t to_step;
    int64_t from_strides[KC_MAX_RANK];
    int64_t to_strides[KC_MAX_RANK];
} copy_plan_t;

static void resolve_strides(const DLTensor *view, int64_t *out_strides)
{
    if (view->strides == NULL) {
        kci_shape_dense_strides(view->ndim, view->shape, out_strides);
        return;
    }
    for (int32_t axis = 0; axis < view->ndim; axis++) {
        out_strides[axis] = view->strides[axis];
    }
}

bool kci_tensor_is_dense(const DLTensor *view)
{
    int64_t expected = 1;
    bool is_dense = true;
    if (view->strides == NULL) {
        return true;
    }
    for (int32_t axis = view->ndim - 1; axis >= 0; axis--) {
        int64_t extent = view->shape[axis];
        if (extent == 0) {
            return true;
        }
        if (extent != 1) {
            is_dense = is_dense && view->strides[axis] == expected;
            expected *= extent;
        }
    }
    return is_dense;
}

/* Takes axes from the right into the run while it stays of one step. */
static copy_plan_t make_plan(const DLTensor *from, const DLTensor *to)
{
    copy_plan_t plan = {
        .outer_rank = from->ndim, .run_count = 1, .from_step = 1, .to_step = 1};
    resolve_strides(from, plan.from_strides);
    resolve_strides(to, plan.to_strides);
    while (plan.outer_rank > 0) {
        int32_t axis = plan.outer_rank - 1;
        int64_t extent = from->shape[axis];
        if (plan.run_count == 1 && extent != 1) {
            plan.from_step = plan.from_strides[axis];
            plan.to_step = plan.to_strides[axis];
        } else if (extent != 1 &&
                   (plan.from_strides[axis] !=
                        plan.run_count * plan.from_step ||
                    plan.to_strides[axis] != plan.run_count * plan.to_step)) {
            return plan;
        }
        plan.run_count *= extent;
        plan.outer_rank--;
    }
    return plan;
}

static void copy_bool_run(const copy_plan_t *plan, const unsigned char *from,
                          unsigned char *to)
{
    for (int64_t i = 0; i < plan->run_count; i++) {
        to[i * plan->to_step] = from[i * plan->from_step] != 0;
    }
}

/* Fixed sizes let the compiler turn each memcpy into one move. */
static void copy_stepped_run(const copy_plan_t *plan, size_t item_size,
                             const unsigned char *from, unsigned char *to)
{
    int64_t from_step = plan->from_step * (int64_t)item_size;
    int64_t to_step = plan->to_step * (int64_t)item_size;
    for (int64_t i = 0; i < plan->run_count; i++) {
        if (item_size == 4) {
            memcpy(to + i * to_step, from + i * from_step, 4);
        } else {
            memcpy(to + i * to_step, from + i * from_step, 8);
        }
    }
}

static void copy_run(const copy_plan_t *plan, int32_t dtype,
                     const unsigned char *from, unsigned char *to)
{
    size_t item_size = kci_dtype_size(dtype);
    if (dtype == KC_DTYPE_BOOL) {
        copy_bool_run(plan, from, to);
    } else if (plan->from_step == 1 && plan->to_step == 1) {
        memcpy(to, from, (size_t)plan->run_count * item_size);
    } else {
        copy_stepped_run(plan, item_size, from, to);
    }
}

/* The next position of the outer axes; false after the last. */
static bool step_odometer(const copy_plan_t *plan, const int64_t *dims,
                          int64_t *position, int64_t *from_offset,
                          int64_t *to_offset)
{
    for (int32_t axis = plan->outer_rank - 1; axis >= 0; axis--) {
        *from_offset += plan->from_strides[axis];
        *to_offset += plan->to_strides[axis];
        position[axis]++;
        if (position[axis] < dims[axis]) {
            return true;
        }
        *from_offset -= plan->from_strides[axis] * dims[axis];
        *to_offset -= plan->to_strides[axis] * dims[axis];
        position[axis] = 0;
    }
    return false;
}

void kci_tensor_copy_elements(const DLTensor *from, DLTensor *to)
{
    int64_t position[KC_MAX_RANK] = {0};
    int64_t from_offset = 0;
    int64_t to_offset = 0;
    int32_t dtype = kc_tensor_dtype(from);
    int64_t item_size = (int64_t)kci_dtype_size(dtype);
    for (int32_t axis = 0; axis < from->ndim; axis++) {
        if (from->shape[axis] == 0) {
            return;
        }
    }
    copy_plan_t plan = make_plan(from, to);
    const unsigned char *source = kc_tensor_data(from);
    unsigned char *target = kc_tensor_data(to);
    do {
        copy_run(&plan, dtype, source + from_offset * item_size,
                 target + to_offset * item_size);
    } while (
        step_odometer(&plan, from->shape, position, &from_offset, &to_offset));
}

void kci_tensor_normalise_bool(DLTensor *view)
{
    if (kc_tensor_dtype(view) != KC_DTYPE_BOOL) {
        return;
    }
    unsigned char *bytes = kc_tensor_data(view);
    int64_t count = kc_tensor_element_count(view);
    for (int64_t i = 0; i < count; i++) {
        bytes[i] = bytes[i] != 0;
    }
}
