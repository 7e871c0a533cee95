/* SPDX-License-Identifier: Apache-2.0
 *
 * Plans with gradients: the request, the ports of a backward run, and the
 * inner operations.
 */
#include <kcapsule/plan.h>

#include "api/argument.h"
#include "api/graph_port.h"
#include "autograd/gradient_plan.h"

static kc_status_t read_request(const char *function,
                                const kc_gradient_request_t *request,
                                kci_gradient_request_t *out_request,
                                kc_error_t *error)
{
    if (request == NULL) {
        *out_request = (kci_gradient_request_t){0};
        return KC_OK;
    }
    KC_REQUIRE_SIZED_FOR(function, request, kc_gradient_request_t, error);
    if (request->order > 1) {
        return kci_fail(error, KC_ERR_NOT_IN_BUILD,
                        "gradients of order %u: not in this build, which has "
                        "those of order 1",
                        (unsigned)request->order);
    }
    if (request->output_count != 0) {
        KC_REQUIRE_FOR(function, request->outputs, error);
    }
    if (request->node_count != 0) {
        KC_REQUIRE_FOR(function, request->nodes, error);
    }
    *out_request =
        (kci_gradient_request_t){.outputs = request->outputs,
                                 .output_count = request->output_count,
                                 .nodes = request->nodes,
                                 .node_count = request->node_count};
    return KC_OK;
}

kc_status_t kc_plan_gradients(kc_profile_t *profile, kc_graph_t *graph,
                              const kc_gradient_request_t *request,
                              kc_plan_t **out_plan, kc_error_t *error)
{
    kci_gradient_request_t wanted;
    KC_REQUIRE(profile, error);
    KC_REQUIRE(graph, error);
    KC_REQUIRE(out_plan, error);
    KC_RETURN_IF_ERROR(read_request(__func__, request, &wanted, error));
    return kci_gradient_plan_create(profile, graph, &wanted, out_plan, error);
}

size_t kc_plan_seed_count(const kc_plan_t *plan)
{
    return plan->program != NULL ? plan->program->seed_count : 0;
}

void kc_plan_seed(const kc_plan_t *plan, size_t index,
                  kc_graph_port_t *out_port)
{
    if (index < kc_plan_seed_count(plan)) {
        uint32_t place = plan->program->seeds[index].index;
        const kci_graph_output_t *output = &plan->graph->outputs[place];
        kci_graph_port_fill(plan->graph, output->node, output->name, out_port);
    }
}

size_t kc_plan_gradient_count(const kc_plan_t *plan)
{
    return plan->program != NULL ? plan->program->gradient_count : 0;
}

void kc_plan_gradient(const kc_plan_t *plan, size_t index,
                      kc_graph_port_t *out_port)
{
    if (index < kc_plan_gradient_count(plan)) {
        uint32_t node = plan->program->gradients[index].index;
        uint32_t name = plan->graph->nodes[node].name;
        kci_graph_port_fill(
            plan->graph, node,
            name != KCI_NO_INDEX ? plan->graph->names[name] : "", out_port);
    }
}

size_t kc_plan_sub_row_count(const kc_plan_t *plan)
{
    return plan->sub_row_count;
}

void kc_plan_sub_row(const kc_plan_t *plan, size_t index,
                     kc_plan_sub_row_t *out_row)
{
    if (index >= plan->sub_row_count) {
        return;
    }
    const kci_sub_row_t *row = &plan->sub_rows[index];
    const kci_entry_t *entry = &plan->profile->entries[row->entry];
    const kci_module_file_t *file = entry->module->file;
    out_row->node = row->node;
    out_row->op = row->op;
    out_row->kind = row->role;
    out_row->capsule = entry->capsule;
    out_row->module_name = entry->module->name;
    out_row->module_path = file != NULL ? file->path : "";
}
