/* SPDX-License-Identifier: Apache-2.0
 *
 * What a request for gradients means in a graph: its outputs and nodes, each
 * checked, and the nodes between them that a backward has to visit.
 */
#include "autograd/gradient_plan_parts.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/label.h"
#include "graph/kinds.h"
#include "ops/vjp.h"

static bool is_float(const kc_graph_t *graph, uint32_t node)
{
    int32_t dtype = graph->nodes[node].dtype;
    return dtype == KC_DTYPE_F32 || dtype == KC_DTYPE_F64;
}

static kc_status_t refuse_dtype(const kc_graph_t *graph, const char *role,
                                uint32_t node, kc_error_t *error)
{
    return kci_fail(
        error, KC_ERR_ARGUMENT,
        "%s: expected a floating-point %s, found %s of node %u", graph->source,
        role, kci_label(&kci_dtypes, graph->nodes[node].dtype), (unsigned)node);
}

/* `seen` has a place for each number below `limit`. */
static kc_status_t check_number(const kc_graph_t *graph, const char *role,
                                uint32_t number, uint32_t limit, bool *seen,
                                kc_error_t *error)
{
    if (number >= limit) {
        return kci_fail(error, KC_ERR_ARGUMENT,
                        "%s: expected %s below %u, found %u", graph->source,
                        role, (unsigned)limit, (unsigned)number);
    }
    if (seen[number]) {
        return kci_fail(error, KC_ERR_ARGUMENT,
                        "%s: expected %s once, found %u twice", graph->source,
                        role, (unsigned)number);
    }
    seen[number] = true;
    return KC_OK;
}

static kc_status_t take_outputs(const kc_graph_t *graph,
                                const kci_gradient_request_t *request,
                                kci_gradient_targets_t *targets, bool *seen,
                                kc_error_t *error)
{
    for (size_t i = 0; i < request->output_count; i++) {
        uint32_t place = request->outputs[i];
        KC_RETURN_IF_ERROR(check_number(graph, "an output", place,
                                        graph->output_count, seen, error));
        if (!is_float(graph, graph->outputs[place].node)) {
            return refuse_dtype(graph, "output", graph->outputs[place].node,
                                error);
        }
        targets->outputs[targets->output_count++] = place;
    }
    if (request->output_count > 0) {
        return KC_OK;
    }
    for (uint32_t place = 0; place < graph->output_count; place++) {
        if (is_float(graph, graph->outputs[place].node)) {
            targets->outputs[targets->output_count++] = place;
        }
    }
    if (targets->output_count == 0) {
        return kci_fail(error, KC_ERR_ARGUMENT,
                        "%s: expected a floating-point output to "
                        "differentiate, found none",
                        graph->source);
    }
    return KC_OK;
}

static kc_status_t take_nodes(const kc_graph_t *graph,
                              const kci_gradient_request_t *request,
                              kci_gradient_targets_t *targets, bool *seen,
                              kc_error_t *error)
{
    for (size_t i = 0; i < request->node_count; i++) {
        uint32_t node = request->nodes[i];
        KC_RETURN_IF_ERROR(check_number(graph, "a node", node,
                                        graph->node_count, seen, error));
        if (!is_float(graph, node)) {
            return refuse_dtype(graph, "node", node, error);
        }
        targets->nodes[targets->node_count++] = node;
    }
    if (request->node_count > 0) {
        return KC_OK;
    }
    for (uint32_t node = 0; node < graph->node_count; node++) {
        const kci_node_t *at = &graph->nodes[node];
        if (kci_kind(at->kind)->role == KCI_ROLE_CONST &&
            at->is_trainable != 0 && is_float(graph, node)) {
            targets->nodes[targets->node_count++] = node;
        }
    }
    if (targets->node_count == 0) {
        return kci_fail(error, KC_ERR_ARGUMENT,
                        "%s: expected nodes whose gradients are wanted, or a "
                        "trainable const; found neither",
                        graph->source);
    }
    return KC_OK;
}

/* Whether the gradient passes through this argument of the node at all. */
static bool has_cotangent(const kc_graph_t *graph, uint32_t node,
                          uint32_t place)
{
    int32_t op = graph->nodes[node].op;
    if (op < 0) {
        return false; /* a detach: the gradient stops */
    }
    /* A repeated input has all bits, also for its places beyond them. */
    uint32_t bit = place < 32 ? place : 31;
    return (kci_vjp_info(op)->inputs >> bit & 1u) != 0 &&
           is_float(graph, kci_graph_parents(graph, node)[place]);
}

bool kci_gradient_is_wanted(const kc_graph_t *graph,
                            const kci_gradient_targets_t *targets,
                            uint32_t node, uint32_t place)
{
    return targets->is_on_way[kci_graph_parents(graph, node)[place]] &&
           has_cotangent(graph, node, place);
}

static void mark_way(const kc_graph_t *graph, kci_gradient_targets_t *targets)
{
    for (size_t i = 0; i < targets->node_count; i++) {
        targets->is_on_way[targets->nodes[i]] = true;
    }
    for (uint32_t node = 0; node < graph->node_count; node++) {
        uint32_t count = graph->nodes[node].parent_count;
        for (uint32_t k = 0; k < count && !targets->is_on_way[node]; k++) {
            targets->is_on_way[node] =
                kci_gradient_is_wanted(graph, targets, node, k);
        }
    }
}

static kc_status_t allocate(const kc_graph_t *graph,
                            kci_gradient_targets_t *targets, bool **out_seen,
                            kc_error_t *error)
{
    size_t node_count = graph->node_count;
    size_t seen_count =
        node_count > graph->output_count ? node_count : graph->output_count;
    void *memory = NULL;
    KC_RETURN_IF_ERROR(
        kci_alloc_array(graph->output_count, sizeof(uint32_t), &memory, error));
    targets->outputs = memory;
    KC_RETURN_IF_ERROR(
        kci_alloc_array(node_count, sizeof(uint32_t), &memory, error));
    targets->nodes = memory;
    KC_RETURN_IF_ERROR(
        kci_alloc_array(node_count, sizeof(bool), &memory, error));
    targets->is_on_way = memory;
    KC_RETURN_IF_ERROR(
        kci_alloc_array(2 * seen_count, sizeof(bool), &memory, error));
    *out_seen = memory;
    return KC_OK;
}

static kc_status_t fill(const kc_graph_t *graph,
                        const kci_gradient_request_t *request,
                        kci_gradient_targets_t *targets, bool **seen,
                        kc_error_t *error)
{
    KC_RETURN_IF_ERROR(allocate(graph, targets, seen, error));
    KC_RETURN_IF_ERROR(take_outputs(graph, request, targets, *seen, error));
    KC_RETURN_IF_ERROR(take_nodes(graph, request, targets,
                                  *seen + graph->output_count, error));
    mark_way(graph, targets);
    return KC_OK;
}

kc_status_t kci_gradient_targets_create(const kc_graph_t *graph,
                                        const kci_gradient_request_t *request,
                                        kci_gradient_targets_t *out_targets,
                                        kc_error_t *error)
{
    kci_gradient_targets_t targets = {0};
    bool *seen = NULL;
    kc_status_t status = fill(graph, request, &targets, &seen, error);
    kci_free(seen);
    if (status != KC_OK) {
        kci_gradient_targets_release(&targets);
        return status;
    }
    *out_targets = targets;
    return KC_OK;
}

void kci_gradient_targets_release(kci_gradient_targets_t *targets)
{
    kci_free(targets->outputs);
    kci_free(targets->nodes);
    kci_free(targets->is_on_way);
    *targets = (kci_gradient_targets_t){0};
}
