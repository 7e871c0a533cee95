/* SPDX-License-Identifier: Apache-2.0
 *
 * The cotangents that a backward begins with: 1 for a scalar, else what the
 * caller gives, of the type of its output. They are copied, so that a seed
 * may be anything, even a value of the tape.
 */
#include "autograd/tape_state.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "exec/graph_values.h"

static void type_text(const DLTensor *view, char out[KCI_TYPE_TEXT_SIZE])
{
    kci_type_text(kc_tensor_dtype(view), view->ndim, view->shape, out);
}

static bool has_type(const DLTensor *view, const DLTensor *value)
{
    if (kc_tensor_dtype(view) != kc_tensor_dtype(value) ||
        view->ndim != value->ndim || (view->ndim > 0 && view->shape == NULL)) {
        return false;
    }
    return view->ndim == 0 ||
           memcmp(view->shape, value->shape,
                  (size_t)view->ndim * sizeof *view->shape) == 0;
}

/* Of a view of the right type. */
static const char *memory_fault(const DLTensor *view)
{
    return view->device.device_type != kDLCPU ? "memory of another device"
                                              : kci_view_memory_fault(view);
}

static kc_status_t check_seed(const DLTensor *seed, const DLTensor *value,
                              size_t index, kc_error_t *error)
{
    if (!has_type(seed, value)) {
        char expected[KCI_TYPE_TEXT_SIZE];
        char found[KCI_TYPE_TEXT_SIZE];
        type_text(value, expected);
        type_text(seed, found);
        return kci_fail(error, KC_ERR_TENSOR,
                        "backward: seed %zu: expected %s, found %s", index,
                        expected, found);
    }
    const char *fault = memory_fault(seed);
    if (fault != NULL) {
        return kci_fail(error, KC_ERR_TENSOR,
                        "backward: seed %zu: expected usable memory of device "
                        "cpu, found %s",
                        index, fault);
    }
    return KC_OK;
}

static kc_status_t make_one(const kc_tape_t *tape, const DLTensor *value,
                            size_t index, kc_tensor_t **out_seed,
                            kc_error_t *error)
{
    if (value->ndim != 0) {
        char type[KCI_TYPE_TEXT_SIZE];
        type_text(value, type);
        return kci_fail(error, KC_ERR_ARGUMENT,
                        "backward: seed %zu: expected a tensor %s, found none: "
                        "only a scalar has the seed 1",
                        index, type);
    }
    KC_RETURN_IF_ERROR(kci_tensor_create(kci_tape_allocator(tape),
                                         kc_tensor_dtype(value), 0, NULL,
                                         out_seed, error));
    if (kc_tensor_dtype(value) == KC_DTYPE_F64) {
        *(double *)kc_tensor_data(&(*out_seed)->view) = 1.0;
    } else {
        *(float *)kc_tensor_data(&(*out_seed)->view) = 1.0F;
    }
    return KC_OK;
}

kc_status_t kci_tape_make_seeds(const kc_tape_t *tape,
                                const kc_backward_request_t *request,
                                kci_tape_targets_t *targets, kc_error_t *error)
{
    void *memory = NULL;
    KC_RETURN_IF_ERROR(kci_alloc_array(request->output_count,
                                       sizeof(kc_tensor_t *), &memory, error));
    targets->seeds = memory;
    targets->output_count = request->output_count;
    for (size_t i = 0; i < request->output_count; i++) {
        const DLTensor *seed =
            request->seeds != NULL ? request->seeds[i] : NULL;
        const DLTensor *value =
            &tape->variables[targets->outputs[i]].tensor->view;
        if (seed == NULL) {
            KC_RETURN_IF_ERROR(
                make_one(tape, value, i, &targets->seeds[i], error));
            continue;
        }
        KC_RETURN_IF_ERROR(check_seed(seed, value, i, error));
        KC_RETURN_IF_ERROR(kci_copy_view(kci_tape_allocator(tape), seed,
                                         &targets->seeds[i], error));
    }
    return KC_OK;
}
