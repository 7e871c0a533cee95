/* SPDX-License-Identifier: Apache-2.0
 *
 * The caller's tensors of one run: what they must be, that none that is
 * written lies on anything else, and their addresses filled into the views.
 */
#include "exec/executor_state.h"

#include "base/checked_size.h"
#include "base/error.h"
#include "tensor/dtype.h"

/* What a seed that is not given is. */
static const float one_f32 = 1;
static const double one_f64 = 1;

static bool is_scalar(const kc_executor_t *executor, const kci_port_t *port)
{
    return executor->graph->nodes[port->node].rank == 0;
}

static const void *one_of(const kc_executor_t *executor, const kci_port_t *port)
{
    return executor->graph->nodes[port->node].dtype == KC_DTYPE_F64
               ? (const void *)&one_f64
               : (const void *)&one_f32;
}

/* Ports that lie where they lay are not held against each other again. */
static void set_range(kc_executor_t *executor, kci_port_t *port,
                      const DLTensor *view)
{
    kci_byte_range_t range = {0, 0};
    if (view != NULL) {
        (void)kci_view_byte_range(view, &range);
    }
    if (range.start != port->range.start || range.end != port->range.end) {
        port->range = range;
        executor->has_apart_ports = false;
    }
}

static kc_status_t check_port(kc_executor_t *executor, kci_port_t *port,
                              const DLTensor *view, kc_error_t *error)
{
    KC_RETURN_IF_ERROR(kci_check_graph_view(
        executor->graph, port->node, port->role, port->name, view, error));
    if (port->is_written && !kci_tensor_is_dense(view)) {
        return kci_fail(error, KC_ERR_TENSOR,
                        "%s: %s %s: expected dense memory, found strides",
                        KCI_GUARD_LAYOUT, port->role, port->name);
    }
    set_range(executor, port, view);
    return KC_OK;
}

static kc_status_t allocate_copy(kc_executor_t *executor, const DLTensor *view,
                                 kci_port_t *port, kc_error_t *error)
{
    size_t size_bytes = 0;
    if (!kci_size_multiply((size_t)kc_tensor_element_count(view),
                           view->dtype.bits / 8u, &size_bytes)) {
        return kci_fail(error, KC_ERR_MEMORY,
                        "a dense copy of an input does not fit memory");
    }
    KC_RETURN_IF_ERROR(kci_host_allocate(executor->host->allocator, size_bytes,
                                         KCI_ARENA_ALIGNMENT, &port->copy,
                                         error));
    port->copy_bytes = size_bytes;
    return KC_OK;
}

/* Steps read dense memory with canonical bools: anything else is copied to
 * memory that is kept for the runs to come. */
static kc_status_t take_input(kc_executor_t *executor, kci_port_t *port,
                              const DLTensor *view, kc_error_t *error)
{
    int64_t strides[KC_MAX_RANK];
    DLTensor dense = *view;
    if (kci_tensor_is_dense(view) &&
        (view->dtype.code != KC_DLPACK_BOOL || kci_bool_is_canonical(view))) {
        port->address = kc_tensor_data(view);
        return KC_OK;
    }
    if (port->copy == NULL) {
        KC_RETURN_IF_ERROR(allocate_copy(executor, view, port, error));
    }
    kci_shape_dense_strides(dense.ndim, dense.shape, strides);
    dense.strides = strides;
    dense.byte_offset = 0;
    dense.data = port->copy;
    kci_tensor_copy_elements(view, &dense);
    port->address = port->copy;
    return KC_OK;
}

static kc_status_t refuse_overlap(const kci_port_t *port,
                                  const char *other_role,
                                  const char *other_name, kc_error_t *error)
{
    return kci_fail(error, KC_ERR_TENSOR,
                    "%s: %s %s: expected memory of its own, found it overlaps "
                    "%s %s",
                    KCI_GUARD_ALIAS, port->role, port->name, other_role,
                    other_name);
}

/* Against all that is read, and what is written before it. */
static kc_status_t check_overlap(const kc_executor_t *executor, size_t number,
                                 kc_error_t *error)
{
    const kc_graph_t *graph = executor->graph;
    const kci_port_t *port = &executor->ports[number];
    size_t read_count = kci_first_output(executor);
    for (size_t i = 0; i < read_count; i++) {
        const kci_port_t *other = &executor->ports[i];
        if (kci_byte_ranges_overlap(&port->range, &other->range)) {
            return refuse_overlap(port, other->role, other->name, error);
        }
    }
    for (size_t i = 0; i < executor->graph_ports.const_count; i++) {
        if (kci_byte_ranges_overlap(&port->range, &executor->const_ranges[i])) {
            uint32_t node = executor->graph_ports.consts[i];
            uint32_t name = graph->nodes[node].name;
            return refuse_overlap(port, "const",
                                  name == KCI_NO_INDEX ? "without a name"
                                                       : graph->names[name],
                                  error);
        }
    }
    for (size_t i = read_count; i < number; i++) {
        const kci_port_t *other = &executor->ports[i];
        if (kci_byte_ranges_overlap(&port->range, &other->range)) {
            return refuse_overlap(port, other->role, other->name, error);
        }
    }
    return KC_OK;
}

static kc_status_t check_overlaps(kc_executor_t *executor, kc_error_t *error)
{
    if (executor->has_apart_ports) {
        return KC_OK;
    }
    for (size_t i = kci_first_output(executor); i < executor->port_count; i++) {
        KC_RETURN_IF_ERROR(check_overlap(executor, i, error));
    }
    executor->has_apart_ports = true;
    return KC_OK;
}

static bool is_one(const kc_executor_t *executor, size_t number,
                   const DLTensor *view)
{
    return view == NULL && number >= kci_first_seed(executor) &&
           is_scalar(executor, &executor->ports[number]);
}

/* The tensor at a port that is read. */
static const DLTensor *given_view(const kc_executor_t *executor,
                                  const kci_run_tensors_t *tensors,
                                  size_t number)
{
    size_t first_seed = kci_first_seed(executor);
    return number < first_seed ? tensors->inputs[number]
                               : tensors->seeds[number - first_seed];
}

static kc_status_t check_read(kc_executor_t *executor,
                              const kci_run_tensors_t *tensors,
                              kc_error_t *error)
{
    for (size_t i = 0; i < kci_first_output(executor); i++) {
        const DLTensor *view = given_view(executor, tensors, i);
        if (is_one(executor, i, view)) {
            set_range(executor, &executor->ports[i], NULL);
            continue;
        }
        KC_RETURN_IF_ERROR(
            check_port(executor, &executor->ports[i], view, error));
    }
    return KC_OK;
}

static kc_status_t check_written(kc_executor_t *executor,
                                 const kci_run_tensors_t *tensors,
                                 kc_error_t *error)
{
    size_t first_output = kci_first_output(executor);
    size_t first_gradient = kci_first_gradient(executor);
    for (size_t i = first_output; i < executor->port_count; i++) {
        kci_port_t *port = &executor->ports[i];
        if (i < first_gradient && tensors->outputs == NULL) {
            port->address = NULL;
            set_range(executor, port, NULL);
            continue;
        }
        const DLTensor *view = i < first_gradient
                                   ? tensors->outputs[i - first_output]
                                   : tensors->gradients[i - first_gradient];
        KC_RETURN_IF_ERROR(check_port(executor, port, view, error));
        port->address = kc_tensor_data(view);
    }
    return KC_OK;
}

static kc_status_t fill_addresses(kc_executor_t *executor,
                                  const kci_run_tensors_t *tensors,
                                  kc_error_t *error)
{
    for (size_t i = 0; i < kci_first_output(executor); i++) {
        kci_port_t *port = &executor->ports[i];
        const DLTensor *view = given_view(executor, tensors, i);
        if (is_one(executor, i, view)) {
            /* Read only, like every seed. */
            port->address = (void *)(uintptr_t)one_of(executor, port);
            continue;
        }
        KC_RETURN_IF_ERROR(take_input(executor, port, view, error));
    }
    for (size_t i = 0; i < executor->patch_count; i++) {
        const kci_patch_t *patch = &executor->patches[i];
        patch->view->data = executor->ports[patch->port].address;
    }
    return KC_OK;
}

kc_status_t kci_executor_attach(kc_executor_t *executor,
                                const kci_run_tensors_t *tensors,
                                kc_error_t *error)
{
    KC_RETURN_IF_ERROR(check_read(executor, tensors, error));
    KC_RETURN_IF_ERROR(check_written(executor, tensors, error));
    KC_RETURN_IF_ERROR(check_overlaps(executor, error));
    return fill_addresses(executor, tensors, error);
}
