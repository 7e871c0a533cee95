/* SPDX-License-Identifier: Apache-2.0
 *
 * Building on from a graph that exists: its nodes are appended again as they
 * are, so that more can follow. Draws of random numbers are counted on, so
 * those that follow have keys of their own.
 */
#include "graph/builder_state.h"

#include "base/error.h"

/* What is inferred gives the demand; all else was checked once. */
static kc_status_t append_node(kc_graph_builder_t *builder,
                               const kc_graph_t *graph, uint32_t node,
                               kc_error_t *error)
{
    kci_draft_t draft;
    kci_draft_of_node(graph, node, builder->graph, &draft);
    KC_RETURN_IF_ERROR(kci_draft_infer(&draft, error));
    return kci_builder_append(builder, &draft, error);
}

/* Names first: each keeps its code. */
static kc_status_t append_all(kc_graph_builder_t *builder,
                              const kc_graph_t *graph, kc_error_t *error)
{
    for (uint32_t i = 0; i < graph->dim_name_count; i++) {
        int64_t code = 0;
        KC_RETURN_IF_ERROR(
            kci_builder_dim_name(builder, graph->dim_names[i], &code, error));
    }
    for (uint32_t node = 0; node < graph->node_count; node++) {
        KC_RETURN_IF_ERROR(append_node(builder, graph, node, error));
    }
    for (uint32_t i = 0; i < graph->output_count; i++) {
        KC_RETURN_IF_ERROR(kci_graph_builder_output(
            builder, graph->outputs[i].name, graph->outputs[i].node, error));
    }
    return KC_OK;
}

kc_status_t kci_graph_builder_from_graph(const char *source,
                                         const kc_graph_t *graph,
                                         kc_graph_builder_t **out,
                                         kc_error_t *error)
{
    kc_graph_builder_t *builder = NULL;
    KC_RETURN_IF_ERROR(kci_graph_builder_create(source, &builder, error));
    kc_status_t status = append_all(builder, graph, error);
    if (status != KC_OK) {
        kci_graph_builder_destroy(builder);
        return status;
    }
    *out = builder;
    return KC_OK;
}
